import DequeModule
import StoreProtocol

/// A client's actions in three groups: with an outcome that the local state does not show yet, sent
/// without an outcome, and waiting to be sent.
///
/// An action gets its sequence number when it is first sent.
@MainActor
struct ActionQueue {
  // All stand in one line, oldest first; an action goes forward as the parts' borders pass it, and
  // is touched only when it comes, when it is sent, when it is decided and when it goes.
  private var line: Deque<ActionTicket> = []
  private var settlingCount = 0
  private var inFlightCount = 0
  /// How many of those in flight were sent on the present connection.
  private var sentCount = 0
  /// The sequence of the first in flight, or of the next action when none is.
  private(set) var firstSequence: UInt64 = 1
  /// The revisions that settling actions wait for, with the number of actions for each.
  private var watermarks: Deque<(watermark: DaemonMessage.Watermark, count: Int)> = []
  /// How many of the settling actions no longer wait.
  private var reachedCount = 0
  /// How many at the end of the queue were added since the last turn.
  private var newCount = 0

  private var waitingStart: Int { settlingCount + inFlightCount }
  private var waitingCount: Int { line.count - waitingStart }

  var count: Int { line.count - settlingCount }

  /// How many of those without an outcome may still be applied: their time is not over.
  var awaitedCount: Int { line[settlingCount...].count { !$0.isGivenUp } }

  var hasUnsent: Bool { sentCount < inFlightCount || waitingCount > 0 }

  mutating func append(_ ticket: ActionTicket) {
    line.append(ticket)
    newCount += 1
  }

  /// Everything in flight has to be sent again, in order.
  mutating func rewind(to sequence: UInt64? = nil) {
    let start = sequence.map { $0 > firstSequence ? $0 - firstSequence : 0 } ?? 0
    sentCount = min(sentCount, Int(clamping: start))
  }

  // MARK: Sending

  /// How many waiting actions fit into the window.
  func sendable(window: Int) -> Int { min(waitingCount, max(0, window - inFlightCount)) }

  /// Whether the window has room for one that waits, which then only its scope keeps back.
  func isKeptBack(window: Int) -> Bool { waitingCount > 0 && inFlightCount < window }

  /// The next actions to send, consecutive, as many as window and size allow.
  ///
  /// - Parameters:
  ///   - window: How many may be in flight.
  ///   - most: How many a frame may have.
  ///   - limit: How many bytes a frame may have.
  ///   - mostBytes: The most bytes of an action that the daemon takes.
  ///   - sendsGone: Whether those whose scope is gone are sent too, for the first time.
  /// - Returns: Their first sequence and their places, for ``subscript(_:)``; nil for none.
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
      // One action is sent whatever its size: what no frame can hold was not accepted.
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

  /// The action at a place, of those that a batch has; valid until anything is done to the queue.
  subscript(place: Int) -> ActionTicket { line[place] }

  // MARK: Waiting

  /// Removes the next waiting action if the daemon does not accept it.
  ///
  /// - Parameter mostBytes: The most bytes of an action that the daemon takes.
  /// - Returns: The action, and why; nil when it can be sent, as far as that is known.
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
  /// - Returns: When the first of them ends; nil when none does.
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

  /// The next deadline; nil if there is none.
  var earliestEnd: Instant? {
    line.lazy.filter { !$0.isGivenUp }.compactMap(\.end).min()
  }

  // MARK: Outcomes

  /// Records outcomes; decided actions at the front of the queue now wait for the local state.
  ///
  /// - Returns: Those that were refused for lack of room, who are told so whatever is before them.
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

  /// Removes the oldest action that the local state now includes, given the revision it has
  /// reached.
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

  /// Everything that is not settled, when the connection closes for good.
  mutating func removeAll() -> [ActionTicket] {
    let tickets = Array(line)
    line = []
    watermarks = []
    (settlingCount, inFlightCount, sentCount, reachedCount) = (0, 0, 0, 0)
    newCount = 0
    return tickets
  }
}
