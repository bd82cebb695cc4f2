import StoreActor

extension ReplicaServer {
  func greet(_ hello: ClientMessage.Hello, from peer: PeerID, address: String) {
    guard hello.version == protocolVersion else {
      let message =
        "You speak version \(hello.version) of the protocol, this daemon speaks "
        + "\(protocolVersion). Use programs of the same release."
      return send(.refused(code: "version", message: message), to: peer)
    }
    if let token = hello.token, let session = sessionsByToken[token],
      session.clientID == hello.clientID
    {
      return resume(session, hello, from: peer)
    }
    if let previous = sessionsByPeer[peer] {
      // It asked again before our answer came: the session on its connection is its own.
      if previous.clientID == hello.clientID { return resume(previous, hello, from: peer) }
      end(previous, code: nil, message: "")
    }
    for session in sessionsByToken.values where session.clientID == hello.clientID {
      end(session, code: "replaced", message: "A newer connection of the same client took over.")
    }
    guard sessionsByToken.count < limits.sessions else {
      let message = "The daemon has \(limits.sessions) sessions already. Try again later."
      return send(.refused(code: "overloaded", message: message), to: peer)
    }
    open(hello, from: peer, address: address)
  }

  private func open(_ hello: ClientMessage.Hello, from peer: PeerID, address: String) {
    let session = Client(
      info: SessionInfo(id: nextSession, name: hello.name, address: address),
      token: .random(using: &generator),
      hello: hello,
      privateTopic: Topic(.session, .random(using: &generator)),
      record: record(of: hello),
      peer: peer,
      now: now.instant,
      lease: timing.lease,
    )
    nextSession += 1
    sessionsByToken[session.token] = session
    sessionsByPeer[peer] = session
    sessionsByTopic[session.privateTopic] = session
    leaseEnds(at: session.leaseEnd)
    if session.isListed { sessionEvents.append(.joined(session.info)) }
    welcome(session, isResumed: false)
  }

  private func record(of hello: ClientMessage.Hello) -> ClientRecord {
    clients.greet(hello.clientID, first: hello.firstSequence, now: now.instant) { id in
      sessionsByToken.values.contains { $0.clientID == id }
    }
  }

  private func resume(_ session: Client, _ hello: ClientMessage.Hello, from peer: PeerID) {
    if session.peer != peer {
      if let other = sessionsByPeer[peer], other !== session {
        end(other, code: nil, message: "")
      }
      sessionsByPeer[session.peer] = nil
      session.peer = peer
      sessionsByPeer[peer] = session
    }
    session.transfers.removeAll()
    session.creditUsed = 0
    dropPendingJoins(session)
    renew(session)
    session.record = record(of: hello)
    welcome(session, isResumed: true)
  }

  private func welcome(_ session: Client, isResumed: Bool) {
    let ok = DaemonMessage.HelloOK(
      session: session.info.id,
      token: session.token,
      epoch: epoch,
      revision: root.revision,
      privateTopic: session.privateTopic,
      lastSequence: session.record.last,
      isResumed: isResumed,
      leaseMilliseconds: UInt64(clamping: timing.lease.wholeMilliseconds),
      frameBytes: UInt64(limits.frameBytes),
      window: UInt64(limits.window),
      scopes: UInt64(limits.scopesPerSession),
      running: session.tasks.keys.sorted(),
    )
    send(.helloOK(ok), to: session.peer)
  }

  func renew(_ session: Client) {
    session.lastHeard = now.instant
    session.leaseEnd = now.instant.advanced(by: timing.lease)
  }

  /// A connection of the publishing socket wants a topic; that of a session shows that it is there.
  func subscribed(_ topic: Topic?) {
    counters.subscriptions += 1
    guard let topic, topic.kind == .session else { return }
    sessionsByTopic[topic]?.subscriptions += 1
  }

  /// A connection of the publishing socket went, or its client no longer wants the topic.
  ///
  /// The old connection of a client that has come back may be missed only now, so it takes the
  /// last subscription to shorten the lease.
  func unsubscribed(_ topic: Topic?) {
    guard let topic, topic.kind == .session, let session = sessionsByTopic[topic] else { return }
    session.subscriptions = max(0, session.subscriptions - 1)
    guard session.subscriptions == 0 else { return }
    session.leaseEnd = min(session.leaseEnd, now.instant.advanced(by: timing.grace))
    leaseEnds(at: session.leaseEnd)
  }

  func endExpiredSessions() {
    let expired = sessionsByToken.values.filter { $0.leaseEnd <= now.instant }
    for session in expired.sorted(by: { $0.info.id < $1.info.id }) {
      counters.leasesEnded += 1
      end(
        session,
        code: "leaseEnded",
        message: "Nothing was heard of you for \(timing.lease); say hello again.",
      )
    }
  }

  /// Ends a session: its effects are cancelled, and those present lose one, once.
  func end(_ session: Client, code: String?, message: String) {
    guard sessionsByToken.removeValue(forKey: session.token) != nil else { return }
    sessionsByPeer[session.peer] = nil
    sessionsByTopic[session.privateTopic] = nil
    // It may be among those to whom something is to be said; there is nothing any more.
    session.outcomes.removeAll()
    session.finished.removeAll()
    // Emptied first: an effect that ends at once has nobody to be reported to any more.
    let tasks = session.tasks
    session.tasks.removeAll()
    for task in tasks.values { task.cancel() }
    dropPendingJoins(session)
    if let view = session.view { release(view) }
    session.view = nil
    if session.isListed { sessionEvents.append(.left(session.info)) }
    if let code { send(.goodbye(code: code, message: message), to: session.peer) }
  }

  /// Tells the reducer who came and who went, each in one ordinary action.
  func deliverSessionEvents() {
    guard !sessionEvents.isEmpty else { return }
    // A reducer's answer to one event may end no session, so the list does not grow meanwhile.
    let events = sessionEvents
    sessionEvents = []
    for event in events {
      if let action = sessionAction(event) { root.send(action) }
    }
  }
}

extension ReplicaServer {
  /// A peer does not read what it is sent, so that its queue is full: it is not waited for.
  ///
  /// What it asks is not looked at for a while, for there is nowhere to put an answer.
  package func blocked(_ peer: PeerID) {
    // Answers of one turn are refused one by one.
    guard !isDeaf(peer) else { return }
    counters.blockedPeers += 1
    // Bounded: a flood of strangers must not fill the memory, so the table starts over.
    if deafPeers.count >= limits.sessions { deafPeers.removeAll() }
    deafPeers[peer] = now.instant.advanced(by: timing.deafness)
    notice(peer, "does not read what it is sent; its session ends")
    if let session = sessionsByPeer[peer] { end(session, code: nil, message: "") }
  }

  /// Whether a peer's queue was full a moment ago.
  func isDeaf(_ peer: PeerID) -> Bool {
    guard let end = deafPeers[peer] else { return false }
    if now.instant < end { return true }
    deafPeers[peer] = nil
    return false
  }
}
