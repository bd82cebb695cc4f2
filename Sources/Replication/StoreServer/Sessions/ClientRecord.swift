import StoreHistory
import StoreProtocol

/// The daemon's record of one client id: its last action sequence and its recent outcomes.
@MainActor
final class ClientRecord {
  @exclusivity(unchecked) private(set) var last: UInt64
  /// The outcomes of the newest sequences, ending with `last`, from `head` on.
  ///
  /// Bounded by ``Limits/outcomesPerClient``, and with those of all clients by
  /// ``Limits/outcomeBytes``.
  @exclusivity(unchecked) private var outcomes: [Outcome] = []
  @exclusivity(unchecked) private var head = 0
  /// The newest revision at the decision of each failure, oldest first; only while unreleased.
  ///
  /// Bounded by ``outcomes``, and in bytes by ``Outcome/keptBytes``, which includes them.
  @exclusivity(unchecked) private(set) var failures: [(sequence: UInt64, decidedAt: UInt64)] = []
  /// The bytes of the kept outcomes in memory.
  @exclusivity(unchecked) private(set) var bytes: Int
  private let limit: Int
  /// Whether the table keeps it after its client leaves: from its first action on.
  var isKept = false
  /// The holder of its client.
  var holder: ClientHolder
  /// Its number in the queue of records to be dropped; nil while its client is connected.
  var idleSince: UInt64?

  init(
    last: UInt64,
    outcomes: [Outcome] = [],
    holder: ClientHolder,
    limit: Int,
  ) {
    self.holder = holder
    self.last = last
    self.outcomes = outcomes.suffix(limit)
    bytes = self.outcomes.reduce(0) { $0 + $1.keptBytes }
    self.limit = limit
  }

  /// Returns the kept outcomes up to a sequence, oldest first.
  func outcomes(through sequence: UInt64) -> [Outcome] {
    var result: [Outcome] = []
    var next = sequence
    while let outcome = outcome(of: next) {
      result.append(outcome)
      next -= 1
    }
    return result.reversed()
  }

  /// Continues the record after a sequence up to which the client will send no more actions.
  ///
  /// The client has the outcomes up to there; without the skip, the daemon would ask for these
  /// actions forever.
  func skip(to last: UInt64) {
    guard self.last < last else { return }
    self.last = last
    failures.removeAll()
    outcomes.removeAll()
    head = 0
    bytes = 0
  }

  /// The number of kept outcomes.
  var count: Int { outcomes.count }

  /// The bytes of the newest outcome.
  var newestBytes: Int { outcome(of: last)?.keptBytes ?? 0 }

  /// The bytes of the newest outcome without its value.
  var newestBytesWithoutValue: Int { outcome(of: last)?.withoutValue.keptBytes ?? 0 }

  /// Keeps only the newest outcomes: the given number, and all of revisions after the given one.
  func keep(_ most: Int, releasedThrough revision: UInt64) {
    let unreleased = Int(clamping: last - last(through: revision))
    guard outcomes.count > max(most, unreleased) else { return }
    outcomes = Array(outcomes(through: last).suffix(max(most, unreleased)))
    head = 0
    dropFailures(through: last - UInt64(outcomes.count))
    bytes = outcomes.reduce(0) { $0 + $1.keptBytes }
  }

  /// Keeps the newest outcome, the older ones that fit into the given bytes, and all of revisions
  /// after the given one; drops values before outcomes.
  func keep(olderBytes most: Int, releasedThrough revision: UInt64) {
    guard bytes - newestBytes > most else { return }
    let unreleased = Int(clamping: last - last(through: revision))
    outcomes = outcomes(through: last).keeping(olderBytes: most, atLeast: max(1, unreleased))
    head = 0
    dropFailures(through: last - UInt64(outcomes.count))
    bytes = outcomes.reduce(0) { $0 + $1.keptBytes }
  }

  /// Records the outcome of the next sequence.
  ///
  /// - Parameters:
  ///   - outcome: The outcome.
  ///   - revision: The newest revision at the decision.
  ///   - released: The newest released revision.
  func record(
    _ outcome: Outcome,
    at revision: @autoclosure () -> UInt64,
    releasedThrough released: @autoclosure () -> UInt64,
  ) {
    last += 1
    if case .failed = outcome, revision() > released() {
      failures.append((last, revision()))
      // Amortized O(1): half of them at least are dropped, or still needed.
      if failures.count > 2 * limit { dropFailures(through: last - UInt64(limit)) }
    } else if !failures.isEmpty, released() >= failures[failures.count - 1].decidedAt {
      failures = []
    }
    bytes += outcome.keptBytes
    if outcomes.count < limit {
      outcomes.append(outcome)
    } else {
      bytes -= outcomes[head].keptBytes
      outcomes[head] = outcome
      head = head + 1 == limit ? 0 : head + 1
    }
  }

  /// Drops the values of the kept replies and refusals.
  func dropValues() {
    for index in outcomes.indices where outcomes[index].hasValue {
      bytes -= outcomes[index].keptBytes
      outcomes[index] = outcomes[index].withoutValue
      bytes += outcomes[index].keptBytes
    }
  }

  /// Drops the decisions of outcomes that are not kept any more.
  private func dropFailures(through sequence: UInt64) {
    failures.removeAll { $0.sequence <= sequence }
  }

  /// Returns the last sequence before the first action that was decided after a revision.
  func last(through revision: UInt64) -> UInt64 {
    var last = last
    var failure = failures.endIndex
    // Revisions increase, so the later ones are at the end.
    while let outcome = outcome(of: last) {
      var decidedAt: UInt64 = 0
      switch outcome {
      case .applied(let applied, _): decidedAt = applied
      case .replied(let reply): decidedAt = reply.revision
      case .failed:
        while failure > 0, failures[failure - 1].sequence > last { failure -= 1 }
        // The others were decided by released revisions.
        if failure > 0, failures[failure - 1].sequence == last {
          decidedAt = failures[failure - 1].decidedAt
        }
      }
      if decidedAt <= revision { break }
      last -= 1
    }
    return last
  }

  /// Returns the recorded outcome of a sequence up to `last`; nil if it is no longer kept.
  func outcome(of sequence: UInt64) -> Outcome? {
    guard sequence >= 1, sequence <= last, last - sequence < UInt64(outcomes.count) else {
      return nil
    }
    let age = Int(last - sequence)
    return outcomes[(head + outcomes.count - 1 - age) % outcomes.count]
  }
}

extension [Outcome] {
  /// The newest outcome, and the older ones that fit into some bytes.
  ///
  /// Values are dropped before outcomes, and old ones before newer ones: a client can do without a
  /// value, but not know without an outcome whether its action was applied.
  ///
  /// - Parameters:
  ///   - most: The greatest number of bytes of the older outcomes.
  ///   - count: The number of newest outcomes that are kept in any case, at least without values.
  /// - Returns: The outcomes, oldest first.
  func keeping(olderBytes most: Int, atLeast count: Int) -> [Outcome] {
    guard let newest = last else { return [] }
    let bare = dropLast().map(\.withoutValue)
    var room = most - bare.reduce(0) { $0 + $1.keptBytes }
    guard room >= 0 else {
      let dropped = bare.prefix(Swift.max(0, self.count - count)).prefix { outcome in
        if room >= 0 { return false }
        room += outcome.keptBytes
        return true
      }
      return bare.dropFirst(dropped.count) + [newest]
    }
    var kept = bare + [newest]
    for index in bare.indices.reversed() {
      room -= self[index].keptBytes - bare[index].keptBytes
      if room < 0 { break }
      kept[index] = self[index]
    }
    return kept
  }
}
