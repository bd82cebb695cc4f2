import DequeModule

/// A client's actions: those that wait, those sent without an outcome, and those whose outcome
/// waits for the local state.
///
/// Sequences are given when an action is first sent.
@MainActor
struct ActionQueue {
  private(set) var waiting: Deque<ActionTicket> = []
  private(set) var inFlight: Deque<ActionTicket> = []
  /// How many of those in flight went out on the present connection.
  private(set) var sentCount = 0
  /// The sequence of the first in flight, or of the next action when none is.
  private(set) var firstSequence: UInt64 = 1
  private var settling: Deque<(reach: DaemonMessage.Reach, tickets: [ActionTicket])> = []

  var count: Int { waiting.count + inFlight.count }

  var hasUnsent: Bool { sentCount < inFlight.count || !waiting.isEmpty }

  mutating func append(_ ticket: ActionTicket) { waiting.append(ticket) }

  /// Everything in flight has to be sent again, in order.
  mutating func rewind(to sequence: UInt64? = nil) {
    let start = sequence.map { $0 > firstSequence ? $0 - firstSequence : 0 } ?? 0
    sentCount = min(sentCount, Int(clamping: start))
  }

  /// The next actions to send, consecutive, as many as window and size allow.
  mutating func nextBatch(
    window: Int,
    count most: Int,
    bytes limit: Int,
    isSendable: (ActionTicket) -> Bool,
  ) -> (first: UInt64, tickets: [ActionTicket])? {
    guard hasUnsent else { return nil }
    var tickets: [ActionTicket] = []
    tickets.reserveCapacity(min(most, inFlight.count - sentCount + waiting.count))
    let first = firstSequence + UInt64(sentCount)
    var bytes = 0
    while tickets.count < most {
      if sentCount == inFlight.count {
        guard inFlight.count < window, let ticket = waiting.first, isSendable(ticket),
          tickets.isEmpty || bytes + ticket.frameBytes <= limit
        else { break }
        waiting.removeFirst()
        ticket.sequence = firstSequence + UInt64(inFlight.count)
        inFlight.append(ticket)
      }
      let ticket = inFlight[sentCount]
      // After a new session its scope has no handle before the join.
      guard isSendable(ticket) else { break }
      // One action is sent whatever its size: what no frame can hold was not accepted.
      guard tickets.isEmpty || bytes + ticket.frameBytes <= limit else { break }
      tickets.append(ticket)
      bytes += ticket.frameBytes
      sentCount += 1
    }
    return tickets.isEmpty ? nil : (first, tickets)
  }

  /// Takes those out of the waiting ones that fit, in order.
  mutating func removeWaiting(where shouldRemove: (ActionTicket) -> Bool) -> [ActionTicket] {
    guard waiting.contains(where: shouldRemove) else { return [] }
    let removed = Array(waiting.filter(shouldRemove))
    waiting.removeAll(where: shouldRemove)
    return removed
  }

  /// Notes outcomes; those that the front of the line has now wait for the local state.
  mutating func decide(_ acks: DaemonMessage.Acks) {
    for (offset, outcome) in acks.outcomes.enumerated() {
      let sequence = acks.first &+ UInt64(offset)
      guard sequence >= firstSequence, sequence - firstSequence < UInt64(inFlight.count) else {
        continue
      }
      inFlight[Int(sequence - firstSequence)].decided = outcome
    }
    let count = inFlight.firstIndex { $0.decided == nil } ?? inFlight.count
    guard count > 0 else { return }
    settling.append((acks.reach, Array(inFlight.prefix(count))))
    inFlight.removeFirst(count)
    firstSequence += UInt64(count)
    sentCount = max(0, sentCount - count)
  }

  /// The actions that the local state includes now, given what it has reached.
  mutating func takeReached(_ isReached: (DaemonMessage.Reach) -> Bool) -> [ActionTicket] {
    var tickets: [ActionTicket] = []
    while let first = settling.first, isReached(first.reach) {
      settling.removeFirst()
      if tickets.isEmpty { tickets = first.tickets } else { tickets += first.tickets }
    }
    return tickets
  }

  /// The actions with an outcome that the local state does not include yet.
  var settlingTickets: [ActionTicket] { settling.flatMap(\.tickets) }

  /// Everything that has no outcome, when the connection closes for good.
  mutating func removeAll() -> [ActionTicket] {
    let tickets = settling.flatMap(\.tickets) + inFlight + waiting
    settling = []
    inFlight = []
    waiting = []
    sentCount = 0
    return tickets
  }
}
