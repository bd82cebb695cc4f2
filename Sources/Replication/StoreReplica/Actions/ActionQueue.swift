import DequeModule
import StoreProtocol

/// A client's actions in three groups: with an outcome that the local state does not show yet, sent
/// without an outcome, and waiting to be sent.
///
/// An action gets its sequence number when it is first sent.
@MainActor
struct ActionQueue {
  // All actions are in one deque, oldest first, and the borders of the three groups move. An action
  // is touched only when it is added, sent, decided and removed.
  private var line: Deque<ActionTicket> = []
  private var settlingCount = 0
  private var inFlightCount = 0
  /// The number of actions in flight that were sent on the present connection.
  private var sentCount = 0
  /// The sequence of the first action in flight; without any, of the next action.
  private(set) var firstSequence: UInt64 = 1
  /// The revisions that settling actions wait for, with the number of actions for each.
  private var watermarks: Deque<(watermark: DaemonMessage.Watermark, count: Int)> = []
  /// The number of settling actions that no longer wait.
  private var reachedCount = 0
  /// The number of actions at the end of the queue that were added since the last turn.
  private var newCount = 0

  private var waitingStart: Int { settlingCount + inFlightCount }
  private var waitingCount: Int { line.count - waitingStart }

  var count: Int { line.count - settlingCount }

  /// The number of actions without an outcome that may still be applied: their time is not over.
  var awaitedCount: Int { line[settlingCount...].count { !$0.isGivenUp } }

  var hasUnsent: Bool { sentCount < inFlightCount || waitingCount > 0 }

  mutating func append(_ ticket: ActionTicket) {
    line.append(ticket)
    newCount += 1
  }

  /// Marks the actions in flight, from a sequence on, to be sent again in order.
  mutating func rewind(to sequence: UInt64? = nil) {
    let start = sequence.map { $0 > firstSequence ? $0 - firstSequence : 0 } ?? 0
    sentCount = min(sentCount, Int(clamping: start))
  }

  // MARK: Sending

  /// How many waiting actions fit into the window.
  func sendable(window: Int) -> Int { min(waitingCount, max(0, window - inFlightCount)) }

  /// Whether the window has room for a waiting action, so that only its scope keeps it back.
  func isKeptBack(window: Int) -> Bool { waitingCount > 0 && inFlightCount < window }

  /// Takes the next actions to send, consecutive, as many as window and size allow.
  ///
  /// - Parameters:
  ///   - window: The most actions in flight.
  ///   - most: The most actions in a frame.
  ///   - limit: The most bytes in a frame.
  ///   - mostBytes: The most bytes of an action that the daemon accepts.
  ///   - sendsGone: Whether actions whose scope is gone are sent too, for the first time.
  /// - Returns: Their first sequence, their places for ``subscript(_:)``, and their bytes; nil if
  ///   no action can be sent.
  mutating func nextBatch(
    window: Int,
    count most: Int,
    bytes limit: Int,
    mostBytes: Int,
    sendsGone: Bool,
  ) -> (first: UInt64, places: Range<Int>, bytes: Int)? {
    guard hasUnsent else { return nil }
    let first = firstSequence + UInt64(sentCount)
    let start = settlingCount + sentCount
    var (place, bytes) = (start, 0)
    while place < line.count, place - start < most {
      let isNew = place == waitingStart
      guard !isNew || inFlightCount < window else { break }
      let ticket = line[place]
      // After a new session its scope has no handle before the join; the empty action needs none.
      let scope = ticket.scope
      guard scope.handle != nil || ticket.isRefused || (scope.isGone && (sendsGone || !isNew))
      else { break }
      let needed = ticket.frameBytes(mostBytes: mostBytes)
      guard needed != nil || !isNew else { break }
      // The first action is sent at any size, because actions that no frame can hold were not
      // accepted.
      let size = needed ?? ActionTicket.frameBytes(ActionTicket.nothing)
      guard place == start || bytes + size <= limit else { break }
      if isNew {
        ticket.sequence = firstSequence + UInt64(inFlightCount)
        inFlightCount += 1
      }
      bytes += size
      place += 1
    }
    sentCount += place - start
    return place == start ? nil : (first, start..<place, bytes)
  }

  /// The action at a place of a batch; valid until the queue is changed.
  subscript(place: Int) -> ActionTicket { line[place] }

  // MARK: Waiting

  /// Removes the next waiting action if the daemon does not accept it.
  ///
  /// - Parameter mostBytes: The most bytes of an action that the daemon accepts.
  /// - Returns: The action and the failure; nil when it can be sent, as far as that is known.
  mutating func removeNext(
    unfitFor mostBytes: Int
  ) -> (ticket: ActionTicket, failure: Outcome.Failure)? {
    guard waitingCount > 0, let failure = line[waitingStart].obstacle(mostBytes: mostBytes)
    else { return nil }
    return (line.remove(at: waitingStart), failure)
  }

  /// Removes the waiting actions that satisfy a condition, in order.
  mutating func removeWaiting(where shouldRemove: (ActionTicket) -> Bool) -> [ActionTicket] {
    let start = waitingStart
    guard line[start...].contains(where: shouldRemove) else { return [] }
    let waiting = Array(line[start...])
    line.removeSubrange(start...)
    var removed: [ActionTicket] = []
    for ticket in waiting {
      if shouldRemove(ticket) { removed.append(ticket) } else { line.append(ticket) }
    }
    return removed
  }

  // MARK: Time

  /// Starts the time limits of actions that were added since the last call.
  ///
  /// - Returns: The earliest deadline; nil without any.
  mutating func beginLives(at now: Instant) -> Instant? {
    guard newCount > 0 else { return nil }
    var first: Instant?
    for place in max(waitingStart, line.count - newCount)..<line.count {
      line[place].beginLife(at: now)
      if let end = line[place].end { first = min(first ?? end, end) }
    }
    newCount = 0
    return first
  }

  /// Removes the waiting actions whose deadline has passed.
  mutating func removeExpiredWaiting(at now: Instant) -> [ActionTicket] {
    removeWaiting { $0.end ?? .distantFuture <= now }
  }

  /// The sent actions whose deadline has passed; they stay in the queue.
  func overdue(at now: Instant) -> [ActionTicket] {
    line[..<waitingStart].filter { $0.end ?? .distantFuture <= now && !$0.isGivenUp }
  }

  /// The next deadline; nil without any.
  var earliestEnd: Instant? {
    line.lazy.filter { !$0.isGivenUp }.compactMap(\.end).min()
  }

  // MARK: Outcomes

  /// Records outcomes; decided actions at the front of the queue now wait for the local state.
  ///
  /// - Returns: The actions that were refused for lack of room. Their waiters are notified at once,
  ///   before earlier actions are settled.
  mutating func decide(_ acks: DaemonMessage.Acks) -> [ActionTicket] {
    var refused: [ActionTicket] = []
    var sequence = acks.first
    for outcome in acks.outcomes {
      if sequence >= firstSequence, sequence - firstSequence < UInt64(inFlightCount) {
        let ticket = line[settlingCount + Int(sequence - firstSequence)]
        ticket.decide(outcome)
        if case .failed(let failure) = outcome, failure.code == Outcome.overloaded {
          refused.append(ticket)
        }
      }
      sequence &+= 1
    }
    var count = 0
    while count < inFlightCount, line[settlingCount + count].isDecided { count += 1 }
    guard count > 0 else { return refused }
    watermarks.append((acks.watermark, count))
    settlingCount += count
    inFlightCount -= count
    firstSequence += UInt64(count)
    sentCount = max(0, sentCount - count)
    return refused
  }

  /// Removes the oldest action that the local state now includes, given the revision it
  /// has reached.
  mutating func takeReached(_ isReached: (DaemonMessage.Watermark) -> Bool) -> ActionTicket? {
    while reachedCount == 0 {
      guard let first = watermarks.first, isReached(first.watermark) else { return nil }
      watermarks.removeFirst()
      reachedCount = first.count
    }
    reachedCount -= 1
    settlingCount -= 1
    return line.removeFirst()
  }

  /// Removes all actions with an outcome that the local state does not include yet.
  mutating func removeSettling() -> [ActionTicket] {
    let tickets = settlingTickets
    line.removeFirst(settlingCount)
    watermarks = []
    (settlingCount, reachedCount) = (0, 0)
    return tickets
  }

  /// The actions with an outcome that the local state does not include yet.
  var settlingTickets: [ActionTicket] { Array(line.prefix(settlingCount)) }

  /// The actions that were sent and have no outcome.
  var inFlightTickets: [ActionTicket] { Array(line[settlingCount..<waitingStart]) }

  /// Removes all actions, when the connection is closed permanently.
  mutating func removeAll() -> [ActionTicket] {
    let tickets = Array(line)
    line = []
    watermarks = []
    (settlingCount, inFlightCount, sentCount, reachedCount) = (0, 0, 0, 0)
    newCount = 0
    return tickets
  }
}
