/// What the daemon remembers of each client id: the last action sequence and the recent outcomes.
///
/// Bounded by count; the client that was silent for the longest is forgotten first.
struct ClientTable {
  struct Record {
    var last: UInt64
    var lastHeard: Instant
    /// The outcomes of the newest sequences, ending with `last`.
    private var outcomes: [Outcome] = []
    private var head = 0

    init(last: UInt64, lastHeard: Instant) {
      self.last = last
      self.lastHeard = lastHeard
    }

    mutating func record(_ outcome: Outcome, limit: Int) {
      last += 1
      if outcomes.count < limit {
        outcomes.append(outcome)
      } else {
        outcomes[head] = outcome
        head = (head + 1) % limit
      }
    }

    /// The recorded outcome of a sequence up to `last`; nil when it is no longer kept.
    func outcome(of sequence: UInt64) -> Outcome? {
      guard sequence <= last, last - sequence < UInt64(outcomes.count) else { return nil }
      let age = Int(last - sequence)
      return outcomes[(head + outcomes.count - 1 - age) % outcomes.count]
    }
  }

  /// The greatest sequence that a client may start before: a stranger's number must not overflow.
  static let greatestStart: UInt64 = 1 << 62

  private var records: [Identifier: Record] = [:]
  private let limits: Limits

  init(limits: Limits) { self.limits = limits }

  /// The client's last sequence; a client that is not known starts before `first`.
  ///
  /// A client that is known but will send nothing between `last` and `first` any more goes on from
  /// `first` too: what lies between has outcomes, and asking for it would never end.
  ///
  /// - Parameters:
  ///   - client: Who says hello.
  ///   - first: The lowest sequence that it may still send.
  ///   - now: The moment.
  ///   - isConnected: Whether a client has a session, and so must not be forgotten.
  /// - Returns: The last sequence.
  mutating func greet(
    _ client: Identifier,
    first: UInt64,
    now: Instant,
    isConnected: (Identifier) -> Bool,
  ) -> UInt64 {
    let start = min(max(first, 1), Self.greatestStart) - 1
    if let record = records[client], record.last >= start {
      records[client]?.lastHeard = now
      return record.last
    }
    if records[client] == nil { forgetOldestIfFull(isConnected: isConnected) }
    records[client] = Record(last: start, lastHeard: now)
    return start
  }

  func last(of client: Identifier) -> UInt64 { records[client]?.last ?? 0 }

  func outcome(of sequence: UInt64, from client: Identifier) -> Outcome? {
    records[client]?.outcome(of: sequence)
  }

  mutating func record(_ outcome: Outcome, from client: Identifier, now: Instant) {
    records[client]?.record(outcome, limit: limits.outcomesPerClient)
    records[client]?.lastHeard = now
  }

  private mutating func forgetOldestIfFull(isConnected: (Identifier) -> Bool) {
    guard records.count >= limits.clients else { return }
    // O(n), and only when a stranger says hello to a full table.
    let oldest = records.filter { !isConnected($0.key) }
      .min { $0.value.lastHeard < $1.value.lastHeard }
    if let oldest { records[oldest.key] = nil }
  }
}
