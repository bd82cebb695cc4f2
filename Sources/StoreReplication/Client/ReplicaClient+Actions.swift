package import StoreState

extension ReplicaClient {
  /// Accepts an action for a scope; it goes out at the end of the turn.
  ///
  /// - Parameters:
  ///   - action: The action's encoding.
  ///   - scope: The scope that it is for.
  ///   - deadline: Milliseconds since 1970 after which it must not run any more.
  /// - Returns: What becomes of it; where it cannot be accepted, that is known at once.
  package func submit(
    _ action: [UInt8],
    to scope: ClientScope,
    deadline: UInt64? = nil,
  ) -> ActionTicket {
    let ticket = ActionTicket(scope: scope, action: action, deadline: deadline)
    if phase == .closed {
      fail(ticket, "disconnected", "The connection is closed.")
    } else if ActionTicket.frameBytes(action) + Self.frameHeaderBytes > limits.frameBytes {
      // The daemon would close the connection on such a frame, again and again.
      fail(
        ticket,
        Outcome.rejected,
        "The action has \(action.count) bytes, and a frame no more than \(limits.frameBytes).",
      )
    } else if actions.count >= limits.queuedActions {
      fail(
        ticket,
        Outcome.overloaded,
        "\(actions.count) actions wait for the daemon already; try again when some are done.",
      )
    } else {
      actions.append(ticket)
      if let deadline { wakeForExpiry(of: deadline) }
    }
    return ticket
  }

  /// Sees to it that ``tick(_:)`` comes when a deadline has passed, connected or not.
  private func wakeForExpiry(of deadline: UInt64) {
    let left = deadline > now.wallMilliseconds ? deadline - now.wallMilliseconds : 0
    let due = now.instant.advanced(by: .milliseconds(Int64(clamping: left) + 1))
    expiryDue = min(expiryDue ?? due, due)
  }

  /// Fails what waits and whose deadline has passed.
  func expireActions() {
    guard let expiryDue, expiryDue <= now.instant else { return }
    failExpired()
    self.expiryDue = nil
    if let next = actions.earliestWaitingDeadline { wakeForExpiry(of: next) }
  }

  private func failExpired() {
    for ticket in actions.removeExpired(at: now.wallMilliseconds) {
      fail(ticket, Outcome.expired, "Its deadline came before it could be sent.")
    }
  }

  /// The most bytes that a frame of actions has before the first.
  static let frameHeaderBytes = 20

  /// Cancels the effects of an action, now or as soon as the daemon has it.
  package func cancel(_ ticket: ActionTicket) {
    ticket.markCancelled()
    guard let sequence = ticket.sequence, phase == .live else { return }
    // Behind the action on the same connection, so the daemon has it by then.
    send(.cancel(sequence: sequence))
  }

  /// Whether so many actions wait that the daemon should have them before more of what it sent is
  /// taken in: so both are busy.
  package var isTurnFull: Bool {
    guard let session, phase == .live else { return false }
    return actions.sendable(window: session.window) >= limits.actionsHeldBack
  }

  func sendActions() {
    guard actions.hasUnsent, let session, phase == .live else { return }
    failExpired()
    failUntranslatable()
    sendBatches(session, sendsGone: false)
    guard actions.isKeptBack(window: session.window) else { return }
    failHopeless()
    sendBatches(session, sendsGone: true)
  }

  private func sendBatches(_ session: SessionState, sendsGone: Bool) {
    while let batch = actions.nextBatch(
      window: session.window,
      count: limits.actionsPerFrame,
      bytes: min(session.frameBytes / 2, 1 << 18),
      sendsGone: sendsGone,
    ) {
      var encoder = CBOREncoder(reserving: Self.frameHeaderBytes + batch.bytes)
      var cancelled: [ActionTicket] = []
      encoder.actions(first: batch.first, count: batch.places.count)
      for place in batch.places {
        let ticket = actions[place]
        ticket.encode(to: &encoder)
        if ticket.isCancelled { cancelled.append(ticket) }
      }
      outgoing.append(.control(encoder.bytes))
      for ticket in cancelled { cancel(ticket) }
    }
  }

  /// Fails those waiting that will never be sent because their scope is refused or left.
  private func failHopeless() {
    for ticket in actions.removeWaiting(where: { $0.scope.handle == nil && $0.scope.isGone }) {
      ticket.settle(.failed(ticket.hopelessness))
    }
  }

  private func fail(_ ticket: ActionTicket, _ code: String, _ message: String) {
    ticket.settle(.failed(Outcome.Failure(code: code, message: message)))
  }

  /// Settles the actions that the local state includes by now.
  func settleActions() {
    while let ticket = actions.takeReached(isReached) {
      guard let outcome = ticket.decided else { continue }
      guard case .applied(_, let hasEffects) = outcome else {
        ticket.settle(ticket.explained(outcome))
        continue
      }
      if hasEffects, let sequence = ticket.sequence, !ticket.effectsEnded {
        runningEffects[sequence] = ticket
      }
      ticket.settle(outcome)
    }
    while let first = finishing.first, isReached(first.reach) {
      finishing.removeFirst()
      effectsEnded(first.sequences)
    }
  }

  /// Whether the local state includes what the daemon had published when it sent an outcome.
  private func isReached(_ reach: DaemonMessage.Reach) -> Bool {
    guard let view else {
      // Nothing is shown: then either nothing is followed, or the first join will bring it.
      return scopes.allSatisfy { $0.replica == nil || $0.isGone }
    }
    if reach.nonce == view.nonce { return reach.sequence <= view.sequence }
    // A view of an earlier session has numbers too, but says nothing of what came after it.
    return view.nonce > max(reach.nonce, sessionBase)
  }

  /// Notes that the effects of actions have ended.
  func effectsEnded(_ sequences: [UInt64]) {
    for sequence in sequences {
      if let ticket = runningEffects.removeValue(forKey: sequence) {
        ticket.endEffects()
      } else {
        // The news came before the state that the action led to.
        actions.settlingTickets.first { $0.sequence == sequence }?.endEffects()
      }
    }
  }

  /// Compares the effects that we wait for with those that the daemon says run, in order.
  func effectsRun(_ sequences: [UInt64]) {
    let running = Set(sequences)
    let tickets = runningEffects.values + actions.settlingTickets
    let known = tickets.compactMap { ticket in ticket.sequence.map { ($0, ticket) } }
    var ended: [UInt64] = []
    for (sequence, ticket) in known.sorted(by: { $0.0 < $1.0 }) {
      if !running.contains(sequence) {
        ended.append(sequence)
      } else if ticket.isCancelled {
        // It was cancelled while there was no connection to say so.
        send(.cancel(sequence: sequence))
      }
    }
    guard !ended.isEmpty else { return }
    // What they changed last may have been lost with the connection: the next join brings it.
    let nextJoin = DaemonMessage.Reach(nonce: lastNonce, sequence: .max)
    finishing.append((nextJoin, ended))
    settleActions()
  }

  /// Asks what is exposed.
  package func describe(
    _ body: @escaping @MainActor (Result<[ScopeDescription], CodecError>) -> Void
  ) {
    request {
      .describe(request: $0)
    } body: { answer in
      do throws(CodecError) {
        let item = try answer.get()
        var decoder = CBORDecoder(item)
        let list = try decoder.list { (d) throws(CodecError) in try ScopeDescription(from: &d) }
        body(.success(list))
      } catch {
        body(.failure(error))
      }
    }
  }

  /// Asks how the daemon is.
  package func status(_ body: @escaping @MainActor (Result<GenericValue, CodecError>) -> Void) {
    request {
      .status(request: $0)
    } body: { answer in
      do throws(CodecError) {
        body(.success(try GenericValue(encoded: try answer.get())))
      } catch {
        body(.failure(error))
      }
    }
  }

  private func request(
    _ message: (UInt64) -> ClientMessage,
    body: @escaping @MainActor (Result<ArraySlice<UInt8>, CodecError>) -> Void,
  ) {
    let number = nextRequest
    nextRequest += 1
    let request = Request(message: message(number), body: body)
    switch phase {
    case .greeting, .live:
      requests[number] = request
      send(request.message)
    // It goes out with the next hello.
    case .offline: requests[number] = request
    case .closed: body(.failure(Self.closedError))
    }
  }

  private static let closedError = CodecError(
    .truncated,
    "the connection was closed before an answer came",
  )

  /// Nobody will answer any more.
  func failRequests() {
    let asked = requests.sorted { $0.key < $1.key }
    requests = [:]
    for (_, request) in asked { request.body(.failure(Self.closedError)) }
  }

  /// Asks again what was asked on a connection that is no more.
  func resendRequests() {
    for (_, request) in requests.sorted(by: { $0.key < $1.key }) { send(request.message) }
  }
}
