/// What the daemon remembers of one client id: its last action sequence and the recent outcomes.
///
/// An object, because a session holds the record of its client: no action looks it up. What every
/// action touches is not checked for overlapping accesses, as in ``ReplicaServer``.
final class ClientRecord {
  @exclusivity(unchecked) private(set) var last: UInt64
  @exclusivity(unchecked) fileprivate(set) var lastHeard: Instant
  /// The outcomes of the newest sequences, ending with `last`.
  @exclusivity(unchecked) private var outcomes: [Outcome] = []
  @exclusivity(unchecked) private var head = 0
  private let limit: Int

  fileprivate init(last: UInt64, lastHeard: Instant, limit: Int) {
    self.last = last
    self.lastHeard = lastHeard
    self.limit = limit
  }

  /// Starts over after a sequence, without outcomes.
  fileprivate func restart(after last: UInt64) {
    self.last = last
    outcomes.removeAll()
    head = 0
  }

  /// Notes the outcome of the sequence after the last.
  func record(_ outcome: Outcome, now: Instant) {
    last += 1
    lastHeard = now
    if outcomes.count < limit {
      outcomes.append(outcome)
    } else {
      outcomes[head] = outcome
      head = head + 1 == limit ? 0 : head + 1
    }
  }

  /// The recorded outcome of a sequence up to `last`; nil when it is no longer kept.
  func outcome(of sequence: UInt64) -> Outcome? {
    guard sequence <= last, last - sequence < UInt64(outcomes.count) else { return nil }
    let age = Int(last - sequence)
    return outcomes[(head + outcomes.count - 1 - age) % outcomes.count]
  }
}

/// The records of all client ids that the daemon remembers.
///
/// Bounded by count; the client that was silent for the longest is forgotten first.
struct ClientTable {
  /// The greatest sequence that a client may start before: a stranger's number must not overflow.
  static let greatestStart: UInt64 = 1 << 62

  private var records: [Identifier: ClientRecord] = [:]
  private let limits: Limits

  init(limits: Limits) { self.limits = limits }

  /// The client's record; a client that is not known starts before `first`.
  ///
  /// A client that is known but will send nothing between `last` and `first` any more goes on from
  /// `first` too: what lies between has outcomes, and asking for it would never end.
  ///
  /// - Parameters:
  ///   - client: Who says hello.
  ///   - first: The lowest sequence that it may still send.
  ///   - now: The moment.
  ///   - isConnected: Whether a client has a session, and so must not be forgotten.
  /// - Returns: The record.
  mutating func greet(
    _ client: Identifier,
    first: UInt64,
    now: Instant,
    isConnected: (Identifier) -> Bool,
  ) -> ClientRecord {
    let start = min(max(first, 1), Self.greatestStart) - 1
    if let record = records[client] {
      if record.last < start { record.restart(after: start) }
      record.lastHeard = now
      return record
    }
    forgetOldestIfFull(isConnected: isConnected)
    let record = ClientRecord(last: start, lastHeard: now, limit: limits.outcomesPerClient)
    records[client] = record
    return record
  }

  private mutating func forgetOldestIfFull(isConnected: (Identifier) -> Bool) {
    guard records.count >= limits.clients else { return }
    // O(n), and only when a stranger says hello to a full table.
    let oldest = records.filter { !isConnected($0.key) }
      .min { $0.value.lastHeard < $1.value.lastHeard }
    if let oldest { records[oldest.key] = nil }
  }
}
