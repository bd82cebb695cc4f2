import StoreBytes
import StoreProtocol

extension ReplicaClient {
  /// The control socket has a new connection.
  func greeted() {
    (reconnectAt, cutSince) = (nil, nil)
    interrupt()
    if !isClosed { sayHello() }
  }

  /// The control socket's connection has ended, and its messages were taken.
  ///
  /// If the daemon runs, a new connection follows at once. Without a daemon the socket is silent.
  func disconnected(at moment: Moment) {
    now = moment
    switch phase {
    case .greeting, .live: cutSince = cutSince ?? now.instant
    // After a goodbye the end of the connection is expected.
    case .offline, .closed: break
    }
  }

  /// The publishing socket has a new connection; messages in transit on the old one are lost.
  func welcomed() {
    defer { isWelcomed = true }
    guard phase == .live else { return }
    guard isWelcomed else { return sendFence() }
    // Our view is not published there. But the daemon shortens the lease of a session that has lost
    // a connection, until it receives a message.
    guard followsPublished else { return ping() }
    if joining != nil {
      brokenJoins += 1
      // After repeated breaks, new connections may work better.
      if brokenJoins > 1, joinsFailSince == nil { joinsFailSince = now.instant }
    }
    rejoin()
  }

  /// Whether the view is published, or that of the join under way.
  var followsPublished: Bool {
    (joining?.view ?? view).map { !$0.isUnicast } ?? false
  }

  /// Sends hello, and repeats the requests without an answer.
  func sayHello() {
    phase = .greeting(since: now.instant)
    send(
      .hello(
        ClientMessage.Hello(
          clientID: identity.clientID,
          token: session?.token,
          firstSequence: actions.firstSequence,
          name: identity.name,
          isListed: identity.isListed,
          features: .known,
          newest: newest,
        )
      )
    )
    // Earlier requests may be lost, also those that followed an earlier hello.
    resendRequests()
  }

  func opened(_ hello: DaemonMessage.HelloOK) {
    switch phase {
    case .greeting: break
    // The answer to a hello that was sent twice: the daemon starts over, and so does the client.
    case .live:
      interrupt()
      if isClosed { return }
    case .offline, .closed: return
    }
    let previous = session
    if let previous, previous.privateTopic != hello.privateTopic {
      unsubscribe(previous.privateTopic)
    }
    session = SessionState(
      token: hello.token,
      session: hello.session,
      epoch: hello.epoch,
      privateTopic: hello.privateTopic,
      window: max(1, Int(clamping: hello.window)),
      frameBytes: max(1024, Int(clamping: hello.frameBytes)),
      actionsPerFrame: max(1, Int(clamping: hello.actions)),
      // An Int32, because the limit is doubled later.
      scopes: max(1, Int(Int32(clamping: hello.scopes))),
      lease: Self.lease(hello.leaseMilliseconds),
      features: hello.features,
    )
    hear(hello.revision)
    phase = .live
    backOff = timing.backOff.lowerBound
    if !hello.isResumed { patience = timing.answer }
    nextPing = now.instant.advanced(by: pingInterval)
    if let previous, previous.epoch != hello.epoch {
      events.append(.newEpoch(old: previous.epoch, new: hello.epoch))
    }
    events.append(
      .connected(
        session: hello.session,
        epoch: hello.epoch,
        isResumed: hello.isResumed,
      )
    )
    if hello.isResumed {
      effectsRun(hello.running)
    } else {
      sessionLost()
      sessionBase = lastNonce
      if isClosed { return }
      if previous != nil { forgetRefusals() }
    }
    if let previous, previous.epoch != hello.epoch {
      for scope in scopes { scope.forgetMismatches() }
      refetchDue = nil
      epochEnded(previous.epoch)
      if isClosed { return }
    }
    actions.rewind()
    // Also without scopes: the daemon may still have some for this client.
    needsJoin = true
    sessionOpened()
  }

  /// A daemon's lease, limited to 100 ms to 24 h, within which a client can renew it.
  private static func lease(_ milliseconds: UInt64) -> Duration {
    .milliseconds(min(max(milliseconds, 100), 86_400_000))
  }

  func refused(code: String, message: String) {
    events.append(.refused(code: code, message: message))
    end(.refused(JoinFailure(code: code, message: message)), because: message)
  }

  /// The daemon does not know us.
  ///
  /// While a hello is in transit, the message refers to frames before it.
  func notKnown() {
    guard phase == .live else { return }
    sessionEnded(code: "needHello", message: "The daemon does not know us.")
  }

  /// The daemon ended the session, or does not know it.
  func sessionEnded(code: String, message: String) {
    events.append(.sessionEnded(code: code, message: message))
    lastEnd = (
      code.bounded(toBytes: TextLimits.quotedBytes),
      message.bounded(toBytes: TextLimits.failureBytes),
    )
    interrupt()
    sessionLost()
    // Notified callers may have closed the connection.
    if isClosed { return }
    session?.token = Identifier(high: 0, low: 0)
    switch code {
    case "goingDown":
      // The daemon closes only after it knows that its goodbye was read.
      send(.bye)
      phase = .offline
    case "replaced", "protocolError": refused(code: code, message: message)
    default: sayHello()
    }
  }

  /// Drops the state of the session: effects and handles.
  private func sessionLost() {
    canKeep = false
    for scope in scopes { scope.handle = nil }
    let running = runningEffects
    runningEffects = [:]
    finishing = []
    for (_, ticket) in running.sorted(by: { $0.key < $1.key }) { ticket.endEffects() }
    for ticket in actions.settlingTickets { ticket.endEffects() }
  }

  /// The connection is in doubt: the shown state stays, and is marked stale.
  func interrupt() {
    canKeep = false
    abandonJoin()
    if let view, view.isUnicast {
      // Its frames do not name their view, and a join that the daemon has accepted may have led to
      // another one.
      freezePositions()
      self.view?.isIntact = false
      if view.nonce != lastNonce { unicastTopic = nil }
    }
    for scope in scopes where scope.status == .live { scope.status = .stale }
    actions.rewind()
  }

  private var pingInterval: Duration { (session?.lease ?? timing.lease) / 3 }

  /// Renews the lease, and reports the shown revision.
  func ping() {
    pingNumber += 1
    bytesSincePing = 0
    send(.ping(number: pingNumber, revision: revision))
    nextPing = now.instant.advanced(by: pingInterval)
  }

  /// Performs all work whose time has come, and ends the turn.
  func tick(_ moment: Moment) {
    now = moment
    if isClosed { return }
    expireActions()
    endLingering()
    refetchIfDue()
    if case .greeting(let since) = phase, since.advanced(by: timing.answer) <= now.instant {
      sayHello()
    }
    if phase == .live {
      if let joining, joining.deadline <= now.instant { joinTimedOut() }
      if nextPing <= now.instant { ping() }
    }
    noticeSilence()
    endDueWaits()
    endTurn(moment)
  }

  /// When the connections are given up.
  ///
  /// A message on the control socket postpones it, or a greeting if its connection has ended; on
  /// the publishing socket, a complete join does.
  private var silenceDue: Instant {
    let lease = session?.lease ?? timing.lease
    let due = min(lastHeard, joinsFailSince ?? lastHeard).advanced(by: lease)
    return cutSince.map { min(due, $0.advanced(by: timing.interruption)) } ?? due
  }

  private func noticeSilence() {
    if isClosed { return }
    guard let reconnectAt else {
      guard silenceDue <= now.instant else { return }
      // If only the connection has ended, the sockets connect again, which needs some round trips.
      // New sockets meanwhile would start these over.
      let pause = cutSince == nil ? jittered(backOff) : timing.answer
      (joinsFailSince, brokenJoins, cutSince) = (nil, 0, nil)
      events.append(.silent)
      phase = .offline
      self.reconnectAt = now.instant.advanced(by: pause)
      return interrupt()
    }
    // Only a greeting ends the attempts: leftover messages of the old connection do not prove that
    // a new one exists.
    guard phase == .offline else {
      self.reconnectAt = nil
      return
    }
    guard reconnectAt <= now.instant else { return }
    isWelcomed = false
    outgoing.append(.reconnect)
    subscribed.removeAll()
    // The daemon shuts down a connection that subscribes and has no fence, each time. So a client
    // without a published view sends no subscriptions there.
    if let topic = session?.privateTopic, let view, !view.isUnicast { subscribe(topic) }
    backOff = min(backOff * 2, timing.backOff.upperBound)
    self.reconnectAt = now.instant.advanced(by: jittered(backOff))
  }

  /// Half to one and a half times a duration.
  func jittered(_ duration: Duration) -> Duration {
    let nanoseconds = duration.wholeNanoseconds
    return .nanoseconds(nanoseconds / 2 + Int64.random(in: 0...nanoseconds, using: &generator))
  }

  /// When ``tick(_:)`` has work to do; nil once the client is closed.
  var nextDeadline: Instant? {
    guard !isClosed else { return nil }
    var deadline = reconnectAt ?? silenceDue
    if case .greeting(let since) = phase {
      deadline = min(deadline, since.advanced(by: timing.answer))
    }
    if phase == .live {
      deadline = min(deadline, nextPing)
      if let joining { deadline = min(deadline, joining.deadline) }
    }
    for due in [expiryDue, lingerDue, waits.earliest] {
      if let due { deadline = min(deadline, due) }
    }
    if let refetchDue, phase == .live, joining == nil { deadline = min(deadline, refetchDue) }
    return deadline
  }

  /// Ends the session, its actions, its requests and all waits.
  ///
  /// - Parameters:
  ///   - reason: The reason, for the waiters.
  ///   - moment: The time of the turn.
  func close(_ reason: String, at moment: Moment) {
    now = moment
    if isClosed { return }
    if phase == .live { send(.bye) }
    events.append(.closed(reason))
    end(.closed(reason), because: reason)
  }

  /// Ends all scopes, actions, requests and waits, and notifies each waiter once.
  private func end(_ failure: WaitFailure, because reason: String) {
    phase = .closed(failure)
    joining = nil
    view?.isIntact = false
    let ended = scopes
    (scopes, scopesByName) = ([], [:])
    // All scopes end before any observer is notified.
    for scope in ended {
      scope.handle = nil
      scope.status = failure.status
    }
    (expiryDue, lingerDue, refetchDue) = (nil, nil, nil)
    for scope in ended { scope.replica?.announceEnd() }
    endActions(reason)
    failRequests()
    endAllWaits(failure)
  }
}
