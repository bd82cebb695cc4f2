import StoreActor
import StoreHistory
import StoreProtocol
import StoreState

/// Hellos, each of which opens or resumes a session, or is refused.
extension ReplicaServer {
  func greet(_ hello: ClientMessage.Hello, from peer: PeerID, _ caller: Caller) {
    // A client without an answer asks again, and then the answer names another epoch.
    guard !isRenewing else { return }
    let rights = access.rights(of: caller)
    let holder = access.holder(of: caller)
    let known = resumable(hello, on: peer, caller)
    // Clients that resume, often all at once after a lost connection, create no data that must be
    // kept.
    guard
      known != nil || rights.isEverything
        || sessions.spendHello(of: holder, now: now.instant)
    else {
      counters.hellosThrottled += 1
      return
    }
    guard let version = commonVersion(hello) else {
      let message =
        "You speak versions \(hello.lowestVersion) to \(hello.version) of the protocol, this "
        + "daemon \(protocolVersions.lowerBound) to \(protocolVersions.upperBound). "
        + "Use programs of the same release."
      return refuse(peer, caller, "version", message)
    }
    if let problem = problem(withName: hello.name) {
      return refuse(peer, caller, "badName", problem)
    }
    guard !rights.isNothing else {
      return refuse(peer, caller, Outcome.unauthorised, "Nothing is granted to you here.")
    }
    if let known { return resume(known, hello, version, on: peer) }
    if let previous = sessions.session(of: peer) { end(previous, code: nil, message: "") }
    guard mayBe(hello.clientID, caller) else {
      let message = "Another user's client has this id. Choose another, at random."
      return refuse(peer, caller, Outcome.unauthorised, message)
    }
    if detectRollback(hello, rights, caller.identity.holder) { return }
    if let other = sessions.session(ofClient: hello.clientID) {
      end(other, code: "replaced", message: "A newer connection of the same client took over.")
    }
    if let problem = problem(withRoomFor: holder, rights) {
      return refuse(peer, caller, "overloaded", problem)
    }
    let session = sessions.open(
      hello,
      actions: outcomes.actions(of: hello, caller.identity.holder),
      rights: rights,
      peer: peer,
      caller: caller,
      holder: holder,
      now: now.instant,
    )
    noteGreeting(of: hello.clientID)
    welcome(session, version, isResumed: false)
  }

  /// Returns the session that a hello resumes; nil if the hello opens another one.
  private func resumable(
    _ hello: ClientMessage.Hello,
    on peer: PeerID,
    _ caller: Caller,
  ) -> Session? {
    if let token = hello.token, let session = sessions.session(withToken: token),
      session.clientID == hello.clientID, session.origin.identity.holder == caller.identity.holder
    {
      return session
    }
    // The client asked again before the answer arrived: the session on its connection is its own.
    guard let previous = sessions.session(of: peer), previous.clientID == hello.clientID else {
      return nil
    }
    return previous
  }

  /// Whether a client id belongs to no other holder: neither by a session, nor by a record of a
  /// client that may ask again for the outcomes of its actions.
  private func mayBe(_ client: Identifier, _ caller: Caller) -> Bool {
    let holder = caller.identity.holder
    if let other = sessions.session(ofClient: client) {
      return other.origin.identity.holder == holder
    }
    return outcomes.mayBe(client, holder)
  }

  private func refuse(_ peer: PeerID, _ caller: Caller, _ code: String, _ message: String) {
    counters.refusedHellos += 1
    outbox.send(.refused(code: code, message: message), to: peer)
    notices.add(
      ServerNotice(
        kind: .audit,
        peer: caller.address,
        text: "A client is refused.",
        details: ["reason": code, "identity": "\(caller.identity)"],
      ),
      of: access.holder(of: caller),
      at: now.instant,
    )
  }

  /// Returns why there is no room for another session; nil if there is room.
  private func problem(withRoomFor holder: Holder, _ rights: Rights) -> String? {
    for quota in quotas(of: holder, rights) {
      // Sessions that lost a connection make room for new ones.
      while sessions.counts[quota.group] >= quota.sessions {
        guard let lost = sessions.takeLost(of: quota.group) else {
          counters.refusedSessions += 1
          return quota.problem
        }
        end(lost, code: nil, message: "")
      }
    }
    return nil
  }

  /// The limit of sessions for a group of a new session.
  private struct Quota {
    let group: SessionGroup
    let sessions: Int
    let problem: String
  }

  private func quotas(of holder: Holder, _ rights: Rights) -> [Quota] {
    let all = Quota(
      group: .all,
      sessions: limits.sessions,
      problem: "The daemon has \(limits.sessions) sessions already. Try again later.",
    )
    guard rights.isEverything else {
      let most = limits.sessionsPerUser
      let problem = "Your user has \(most) sessions already. End some first."
      let others = Quota(
        group: .others,
        sessions: limits.sessionsOfOthers,
        problem:
          "Clients with limited rights have \(limits.sessionsOfOthers) sessions already. "
          + "Try again later.",
      )
      return [Quota(group: .holder(holder), sessions: most, problem: problem), others, all]
    }
    let (most, mostOfOne) = (limits.sessionsOfOwners, limits.sessionsPerProcess)
    let owners = Quota(
      group: .owners,
      sessions: most,
      problem: "Clients with all rights have \(most) sessions already. End some first.",
    )
    guard case .program(_, let process) = holder else { return [owners, all] }
    let problem = "Your process, \(process), has \(mostOfOne) sessions already. End some first."
    return [Quota(group: .holder(holder), sessions: mostOfOne, problem: problem), owners, all]
  }

  /// Returns the fault of a client's name; nil if the name is valid.
  private func problem(withName name: String) -> String? {
    if name.utf8.count > limits.nameBytes {
      return "Your name has \(name.utf8.count) bytes. Choose one of at most \(limits.nameBytes)."
    }
    if name.unicodeScalars.contains(where: \.disturbsDisplay) {
      return "Your name has characters that control how text is shown. Choose one without."
    }
    return nil
  }

  /// Returns the highest version that both ends speak; nil if their versions do not overlap.
  private func commonVersion(_ hello: ClientMessage.Hello) -> UInt64? {
    let version = min(hello.version, protocolVersions.upperBound)
    return version >= max(hello.lowestVersion, protocolVersions.lowerBound) ? version : nil
  }

  private func resume(
    _ session: Session,
    _ hello: ClientMessage.Hello,
    _ version: UInt64,
    on peer: PeerID,
  ) {
    if let other = sessions.session(of: peer), other !== session {
      end(other, code: nil, message: "")
    }
    sessions.resume(session, hello, on: peer, now: now.instant)
    joins.resume(session)
    outcomes.resume(session, hello)
    welcome(session, version, isResumed: true)
  }

  private func welcome(_ session: Session, _ version: UInt64, isResumed: Bool) {
    let ok = DaemonMessage.HelloOK(
      version: version,
      session: session.info.id,
      token: session.token,
      epoch: epoch,
      revision: root.revision,
      privateTopic: session.privateTopic,
      lastSequence: session.actions.last(releasedThrough: root.revision),
      isResumed: isResumed,
      leaseMilliseconds: UInt64(clamping: timing.lease.wholeMilliseconds),
      frameBytes: UInt64(limits.frameBytes),
      window: UInt64(limits.window),
      scopes: UInt64(limits.scopesPerSession),
      actions: UInt64(limits.actionsPerFrame),
      running: session.actions.running(through: root.revision),
      features: session.features,
    )
    outbox.send(.helloOK(ok), to: session.peer)
    audit(session, isResumed ? "A session resumes." : "A session begins.")
  }

  /// Ends a session once, and cancels its effects; if it is listed, the reducer gets an event.
  ///
  /// With a code, its client gets a goodbye after the outcomes of its actions.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - code: The protocol's code for the reason; nil if the client is not notified.
  ///   - message: The reason, for people to read.
  ///   - isFarewell: Whether its client sent a goodbye.
  ///   - tellsOutcomes: Whether the outcomes of its actions are sent first.
  func end(
    _ session: Session,
    code: String?,
    message: String,
    isFarewell: Bool = false,
    tellsOutcomes: Bool = true,
  ) {
    guard sessions.end(session, now: now.instant) else { return }
    audit(session, "A session ends.", reason: code ?? "left")
    let goodbye = code.map { Goodbye(code: $0, message: message) }
    if !tellsOutcomes { session.actions.fallSilent() }
    // The changes of its actions are published before their outcomes.
    if goodbye != nil, session.actions.unsaidCount > 0 { subscriptions.flush(now: now.instant) }
    let isForgotten = outcomes.end(
      session,
      goodbye: goodbye,
      isCut: isCut(session.peer),
      isFarewell: isFarewell,
    )
    if isForgotten { recorder?.forgot(session.clientID) }
    joins.end(session)
    subscribers.end(session, now: now.instant)
  }

  /// Whether there are session events for the reducer, and the journal can record them.
  ///
  /// Events wait while the journal refuses records: clients can connect and leave at any rate, and
  /// their events would fill the memory.
  var hasSessionEvents: Bool {
    sessions.hasEvents && recorder?.refusal(now.instant, of: nil) == nil
  }

  /// Sends the reducer the sessions' joins and departures, in their order, each as one ordinary
  /// action: some of the joins in each turn, so that a turn stays short when many clients arrive.
  ///
  /// - Parameter session: The session whose frame is received next: its join and all departures
  ///   precede the frame. Nil at the end of a turn.
  func deliverSessionEvents(before session: Session? = nil) {
    guard hasSessionEvents else { return }
    while sessions.hasDepartures || session?.isAnnounced == false
      || sessionEventsInTurn < limits.sessionEventsPerTurn
    {
      guard let event = sessions.takeEvent() else { return }
      sessionEventsInTurn += 1
      recorder?.begin(.session(event))
      root.send(event)
      recorder?.noteUnrecordedOrigin()
    }
  }
}
