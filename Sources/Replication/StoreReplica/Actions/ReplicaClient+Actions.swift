import StoreActor
package import StoreBytes
import StoreProtocol
import StoreState

extension ReplicaClient {
  /// Accepts an action for a scope; it is sent at the end of the turn.
  ///
  /// - Parameters:
  ///   - action: The action's encoding.
  ///   - scope: The scope that it is for.
  ///   - time: The time limit, from the next turn on; nil for no limit.
  ///   - trace: The span that it belongs to: the current one, if the program has a tracer.
  ///   - condition: The digest that the scope's state must have; nil for any state.
  /// - Returns: The action's ticket; it is settled at once if the action cannot be accepted.
  package func submit(
    _ action: [UInt8],
    to scope: ClientScope,
    timeToLive time: Duration? = nil,
    trace: String? = TraceParent.current,
    condition: Digest? = nil,
  ) -> ActionTicket {
    let ticket = ActionTicket(
      scope: scope,
      action: action,
      timeToLive: time,
      trace: trace,
      condition: condition,
    )
    let most = session?.actionBytes ?? Self.actionBytes(inFrameOf: limits.frameBytes)
    if isClosed {
      ticket.fail(Outcome.notSent, "The connection is closed.")
    } else if action.count > most {
      // The daemon would close the connection on such a frame, each time.
      ticket.settle(.failed(ActionTicket.tooLarge(action.count, most)))
    } else if actions.count >= limits.queuedActions {
      ticket.fail(
        Outcome.overloaded,
        "\(actions.count) actions wait for the daemon already; try again when some are done.",
      )
    } else {
      actions.append(ticket)
      scope.pendingActions += 1
      needTurn()
    }
    return ticket
  }

  /// Starts the time limits of actions that were added since the last turn.
  func beginLives() {
    guard let first = actions.beginLives(at: now.instant) else { return }
    expiryDue = max(min(expiryDue ?? first, first), nextExpiry)
  }

  /// Expires actions whose deadline has passed: unsent actions have certainly not run.
  ///
  /// Sent actions stay in the queue, because the daemon decides. Only their waiters are
  /// notified that the outcome is unknown. A scan covers the whole queue, so expirations within
  /// a short interval are combined: the longer the queue the longer the interval, up to a
  /// twentieth of a second.
  func expireActions() {
    guard let due = expiryDue, due <= now.instant else { return }
    let expired = actions.removeExpiredWaiting(at: now.instant)
    let overdue = actions.overdue(at: now.instant)
    for ticket in expired {
      actionDecided(for: ticket.scope)
      ticket.fail(Outcome.expired, "Its time was over before it could be sent.")
    }
    for ticket in overdue { ticket.giveUp("No outcome arrived in time.", epoch: session?.epoch) }
    let pause = min(Self.expiryPausePerAction * actions.count, .milliseconds(50))
    nextExpiry = now.instant.advanced(by: pause)
    expiryDue = actions.earliestEnd.map { max($0, nextExpiry) }
  }

  /// The delay of expirations for each action in the queue: about a hundred times as long as it
  /// takes to check one.
  private static let expiryPausePerAction: Duration = .nanoseconds(750)

  /// The most bytes of a frame of actions before its first action.
  private static let frameHeaderBytes = 20

  /// The most bytes of an action in a frame of `frameBytes`.
  static func actionBytes(inFrameOf frameBytes: Int) -> Int {
    frameBytes - frameHeaderBytes - ActionTicket.frameBytes([])
  }

  /// Cancels the effects of an action, now or as soon as the daemon has received the action.
  package func cancel(_ ticket: ActionTicket) {
    ticket.markCancelled()
    guard let sequence = ticket.sequence, phase == .live else { return }
    // The cancellation follows the action on the same connection, so the daemon has the action by
    // then.
    send(.cancel(sequence: sequence))
    needTurn()
  }

  /// Whether so many actions wait that the daemon should receive them before the client takes more
  /// of its messages.
  ///
  /// So both work at the same time.
  var isTurnFull: Bool {
    guard let session, phase == .live else { return false }
    return actions.sendable(window: session.window) >= limits.actionsHeldBack
  }

  func sendActions() {
    guard actions.hasUnsent, let session, phase == .live else { return }
    var failed: [(ticket: ActionTicket, failure: Outcome.Failure)] = []
    sendBatches(session, sendsGone: false, &failed)
    if actions.isKeptBack(window: session.window) {
      // These will never be sent, because their scope is refused.
      let hopeless = actions.removeWaiting { $0.scope.handle == nil && $0.scope.isGone }
      failed += hopeless.map { ($0, $0.hopelessness) }
      sendBatches(session, sendsGone: true, &failed)
    }
    // Notified waiters may send more actions, which the next turn sends.
    for (ticket, failure) in failed {
      actionDecided(for: ticket.scope)
      ticket.settle(.failed(failure))
    }
  }

  /// Sends the actions that the window allows, and removes actions that the daemon does not accept
  /// when it is their turn.
  private func sendBatches(
    _ session: SessionState,
    sendsGone: Bool,
    _ failed: inout [(ticket: ActionTicket, failure: Outcome.Failure)],
  ) {
    let most = session.actionBytes
    repeat {
      while let unfit = actions.removeNext(unfitFor: most) { failed.append(unfit) }
    } while sendBatch(session, sendsGone: sendsGone)
  }

  /// Sends one frame of actions.
  ///
  /// - Returns: Whether there were any to send.
  private func sendBatch(_ session: SessionState, sendsGone: Bool) -> Bool {
    let batch = actions.nextBatch(
      window: session.window,
      count: min(limits.actionsPerFrame, session.actionsPerFrame),
      bytes: min(session.frameBytes / 2, 1 << 18),
      mostBytes: session.actionBytes,
      sendsGone: sendsGone,
    )
    guard let batch else { return false }
    var encoder = CBOREncoder(reserving: Self.frameHeaderBytes + batch.bytes)
    var cancelled: [ActionTicket] = []
    encoder.actions(first: batch.first, count: batch.places.count)
    for place in batch.places {
      let ticket = actions[place]
      ticket.encode(to: &encoder, at: now, for: session)
      if ticket.isCancelled { cancelled.append(ticket) }
    }
    outgoing.append(.control(encoder.bytes))
    for ticket in cancelled { cancel(ticket) }
    return true
  }

  /// Records outcomes.
  func decide(_ acks: DaemonMessage.Acks) {
    if let last = acks.outcomes.last(where: { $0.applied != nil })?.applied { hear(last.revision) }
    for ticket in actions.decide(acks) {
      guard let outcome = ticket.decided else { continue }
      ticket.settle(ticket.explained(outcome, epoch: session?.epoch))
    }
    settleActions()
  }

  /// Settles the actions that the local state now includes.
  func settleActions() {
    while let ticket = actions.takeReached({ isReached($0) }) {
      guard let outcome = ticket.decided else { continue }
      actionDecided(for: ticket.scope)
      guard let hasEffects = outcome.applied?.hasEffects else {
        ticket.settle(ticket.explained(outcome, epoch: session?.epoch))
        continue
      }
      if hasEffects, let sequence = ticket.sequence, !ticket.effectsEnded {
        runningEffects[sequence] = ticket
      }
      ticket.settle(outcome)
    }
    while let first = finishing.first, isReached(first.watermark) {
      finishing.removeFirst()
      effectsEnded(first.sequences)
    }
  }

  /// Closes decided actions of an epoch that is over: no state of the next one shows whether it
  /// includes them.
  func epochEnded(_ epoch: UInt64) {
    for ticket in actions.removeSettling() {
      actionDecided(for: ticket.scope)
      ticket.close("The daemon has begun a new history since.", epoch: epoch)
    }
    if actionsEndWithEpoch { withdrawActions() }
  }

  /// Withdraws actions for the epoch that is over.
  ///
  /// Sent actions stay in the queue, as the empty action.
  private func withdrawActions() {
    let reason = "The daemon has begun another history: earlier actions that wait are given up."
    withdrawnActions = awaitedActions
    for ticket in actions.removeWaiting(where: { _ in true }) {
      actionDecided(for: ticket.scope)
      ticket.close(reason, epoch: session?.epoch)
    }
    for ticket in actions.inFlightTickets {
      ticket.withdraw(reason, at: now.instant, epoch: session?.epoch)
    }
  }

  /// Whether the local state includes all deltas that the daemon had published when it sent
  /// an outcome.
  private func isReached(_ watermark: DaemonMessage.Watermark) -> Bool {
    guard let view else {
      // Without a view either no scope is followed, or the first join brings the state.
      return scopes.allSatisfy { !$0.isFollowed || $0.isGone }
    }
    guard view.isShown else { return false }
    if watermark.nonce == view.nonce { return watermark.sequence <= view.sequence }
    // A view of an earlier session has numbers too, but they do not cover later sessions.
    return view.nonce > max(watermark.nonce, sessionBase)
  }

  /// Records that the effects of actions have ended.
  func effectsEnded(_ sequences: [UInt64]) {
    for sequence in sequences {
      if let ticket = runningEffects.removeValue(forKey: sequence) {
        ticket.endEffects()
      } else {
        // The effects' end arrived before the state that the action led to.
        actions.settlingTickets.first { $0.sequence == sequence }?.endEffects()
      }
    }
  }

  /// Compares the awaited effects with those that the daemon reports as running, in order.
  func effectsRun(_ sequences: [UInt64]) {
    let running = Set(sequences)
    let tickets = runningEffects.values + actions.settlingTickets
    let known = tickets.compactMap { ticket in ticket.sequence.map { ($0, ticket) } }
    var ended: [UInt64] = []
    for (sequence, ticket) in known.sorted(by: { $0.0 < $1.0 }) {
      if !running.contains(sequence) {
        ended.append(sequence)
      } else if ticket.isCancelled {
        // It was cancelled without a connection to send the cancellation.
        send(.cancel(sequence: sequence))
      }
    }
    guard !ended.isEmpty else { return }
    // Their last changes may have been lost with the connection: the next join brings them.
    let nextJoin = DaemonMessage.Watermark(nonce: lastNonce, sequence: .max)
    finishing.append((nextJoin, ended))
    settleActions()
  }

  /// Ends all actions when the connection is closed permanently.
  ///
  /// - Parameter reason: Why it is closed.
  func endActions(_ reason: String) {
    let running = runningEffects
    runningEffects = [:]
    finishing = []
    for ticket in actions.removeAll() {
      actionDecided(for: ticket.scope)
      ticket.close(reason, epoch: session?.epoch)
    }
    for (_, ticket) in running.sorted(by: { $0.key < $1.key }) { ticket.endEffects() }
  }
}
