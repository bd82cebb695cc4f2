import StoreProtocol

extension ReplicaClient {
  /// The control socket has a new connection.
  func greeted() {
    (reconnectAt, cutSince) = (nil, nil)
    interrupt()
    if !isClosed { sayHello() }
  }

  /// The control socket's connection has ended, and what came on it was taken.
  ///
  /// Where the daemon lives there is a new one at once; only where there is none it is silent.
  func disconnected(at moment: Moment) {
    now = moment
    switch phase {
    case .greeting, .live: cutSince = cutSince ?? now.instant
    // Who says goodbye hangs up.
    case .offline, .closed: break
    }
  }

  /// The publishing socket has a new connection; what was on the way on the old one is lost.
  func welcomed() {
    defer { isWelcomed = true }
    guard phase == .live else { return }
    guard isWelcomed else { return sendFence() }
    // Nothing that we follow came there. But the daemon gives a session less time that has lost a
    // connection, until it hears of it.
    guard followsPublished else { return ping() }
    if joining != nil {
      brokenJoins += 1
      // Where it is so again and again, other connections may do better.
      if brokenJoins > 1, joinsFailSince == nil { joinsFailSince = now.instant }
    }
    rejoin()
  }

  /// Whether what is followed, or will be with the join under way, is published.
  var followsPublished: Bool {
    (joining?.view ?? view).map { !$0.isUnicast } ?? false
  }

  /// Says hello, and asks again what has no answer.
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
    // What was asked before may be lost, and so may be what was asked with an earlier hello.
    resendRequests()
  }

  func opened(_ hello: DaemonMessage.HelloOK) {
    switch phase {
    case .greeting: break
    // The answer to a hello that was said twice: the daemon starts over, and so do we.
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
      // Twice as many are counted with.
      scopes: max(1, Int(Int32(clamping: hello.scopes))),
      lease: Self.lease(hello.leaseMilliseconds),
      takesTraces: hello.features.contains(.traces),
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
    // Without scopes too: the daemon may still have some for us.
    needsJoin = true
    sessionOpened()
  }

  /// A daemon's lease, within what a client can keep up with.
  private static func lease(_ milliseconds: UInt64) -> Duration {
    .milliseconds(min(max(milliseconds, 100), 86_400_000))
  }

  func refused(code: String, message: String) {
    events.append(.refused(code: code, message: message))
    end(.refused(JoinFailure(code: code, message: message)), because: message)
  }

  /// The daemon does not know us.
  ///
  /// Where hello is on its way that was about frames before it.
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
    // Those who were told may have closed the connection.
    if isClosed { return }
    session?.token = Identifier(high: 0, low: 0)
    switch code {
    case "goingDown":
      // The daemon waits with closing until it knows that its goodbye was read.
      send(.bye)
      phase = .offline
    case "replaced", "protocolError": refused(code: code, message: message)
    default: sayHello()
    }
  }

  /// What the session alone had is gone: effects and handles.
  private func sessionLost() {
    canKeep = false
    for scope in scopes { scope.handle = nil }
    let running = runningEffects
    runningEffects = [:]
    finishing = []
    for (_, ticket) in running.sorted(by: { $0.key < $1.key }) { ticket.endEffects() }
    for ticket in actions.settlingTickets { ticket.endEffects() }
  }

  /// The connection is in doubt: what is shown stays, and is marked stale.
  func interrupt() {
    canKeep = false
    abandonJoin()
    if let view, view.isUnicast {
      // Its frames do not say of which view they are, and a join that the daemon has taken may have
      // led to another one.
      freezePositions()
      self.view?.isIntact = false
      if view.nonce != lastNonce { unicastTopic = nil }
    }
    for scope in scopes where scope.status == .live { scope.status = .stale }
    actions.rewind()
  }

  private var pingInterval: Duration { (session?.lease ?? timing.lease) / 3 }

  /// Renews the lease, and tells how far what is shown is.
  func ping() {
    pingNumber += 1
    bytesSincePing = 0
    send(.ping(number: pingNumber, revision: revision))
    nextPing = now.instant.advanced(by: pingInterval)
  }

  /// Does what is due.
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

  /// When the connections are given up, unless something comes before: on the control socket
  /// anything, a greeting where its connection has ended, on the other one what completes a join.
  private var silenceDue: Instant {
    let lease = session?.lease ?? timing.lease
    let due = min(lastHeard, joinsFailSince ?? lastHeard).advanced(by: lease)
    return cutSince.map { min(due, $0.advanced(by: timing.interruption)) } ?? due
  }

  private func noticeSilence() {
    if isClosed { return }
    guard let reconnectAt else {
      guard silenceDue <= now.instant else { return }
      // Where only the connection has ended the sockets make another one, and need some round trips
      // for that: to open new sockets meanwhile would begin anew.
      let pause = cutSince == nil ? jittered(backOff) : timing.answer
      (joinsFailSince, brokenJoins, cutSince) = (nil, 0, nil)
      events.append(.silent)
      phase = .offline
      self.reconnectAt = now.instant.advanced(by: pause)
      return interrupt()
    }
    // Until a greeting comes: what is left over from the old connection proves nothing.
    guard phase == .offline else {
      self.reconnectAt = nil
      return
    }
    guard reconnectAt <= now.instant else { return }
    isWelcomed = false
    outgoing.append(.reconnect)
    subscribed.removeAll()
    // A connection that subscribes and has no fence is taken for nobody's, again and again: so who
    // follows nothing that is published says nothing there.
    if let topic = session?.privateTopic, let view, !view.isUnicast { subscribe(topic) }
    backOff = min(backOff * 2, timing.backOff.upperBound)
    self.reconnectAt = now.instant.advanced(by: jittered(backOff))
  }

  /// Half to one and a half times a duration.
  func jittered(_ duration: Duration) -> Duration {
    let nanoseconds = duration.wholeNanoseconds
    return .nanoseconds(nanoseconds / 2 + Int64.random(in: 0...nanoseconds, using: &generator))
  }

  /// When ``tick(_:)`` has something to do.
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

  /// Ends the session, and with it everything that waits.
  ///
  /// - Parameters:
  ///   - reason: Why, as those are told who wait.
  ///   - moment: When.
  func close(_ reason: String, at moment: Moment) {
    now = moment
    if isClosed { return }
    if phase == .live { send(.bye) }
    events.append(.closed(reason))
    end(.closed(reason), because: reason)
  }

  /// Nothing will come any more: tells everybody who waits, each once.
  private func end(_ failure: WaitFailure, because reason: String) {
    phase = .closed(failure)
    joining = nil
    view?.isIntact = false
    let ended = scopes
    (scopes, scopesByName) = ([], [:])
    // Nobody is told before all of it has ended.
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
