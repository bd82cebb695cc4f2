import StoreActor
import StoreBytes
import StoreHistory
import StoreProtocol

/// The running effects that outlive the senders of their actions.
@MainActor
final class DaemonWork {
  /// The number of running effects of each name.
  ///
  /// Bounded by ``Limits/workNames``; names by ``Limits/workNameBytes``.
  private(set) var counts: [String: UInt64] = [:]
  /// The number of running effects of further names, and of those without a name.
  private(set) var others: UInt64 = 0
  /// The running effects that clients started, by their holders.
  ///
  /// Bounded by ``Limits/effectsPerUser`` for each holder but the owner.
  private var lineages: [Holder: [ObjectIdentifier: EffectLineage]] = [:]
  private let limits: Limits

  init(_ limits: Limits) { self.limits = limits }

  /// The number of all running effects.
  var total: UInt64 { counts.values.reduce(others, +) }

  /// The number of running effects that a holder's clients started.
  func count(of holder: Holder) -> Int { lineages[holder]?.count ?? 0 }

  /// Counts an effect until it has ended.
  ///
  /// - Parameters:
  ///   - name: The effect's name.
  ///   - lineage: The effect's lineage, which has begun.
  ///   - holder: The holder of the client that started it; nil for the daemon's own program.
  func follow(_ name: String, _ lineage: EffectLineage, of holder: Holder?) {
    let name = name.bounded(toBytes: limits.workNameBytes)
    let hasRoom = counts[name] != nil || counts.count < limits.workNames
    let listed = name.isEmpty || !hasRoom ? nil : name
    if let listed { counts[listed, default: 0] += 1 } else { others += 1 }
    let id = ObjectIdentifier(lineage)
    if let holder { lineages[holder, default: [:]][id] = lineage }
    lineage.whenFinished { [weak self] in self?.end(listed, id, of: holder) }
  }

  private func end(_ name: String?, _ id: ObjectIdentifier, of holder: Holder?) {
    if let name {
      counts[name, default: 1] -= 1
      if counts[name] == 0 { counts[name] = nil }
    } else {
      others -= 1
    }
    guard let holder else { return }
    lineages[holder]?[id] = nil
    if lineages[holder]?.isEmpty == true { lineages[holder] = nil }
  }

  /// Cancels the effects that clients started, if their holders match.
  func cancel(where isMatching: (Holder) -> Bool) {
    let ending = lineages.flatMap { holder, lineages in
      isMatching(holder) ? Array(lineages.values) : []
    }
    for lineage in ending { lineage.cancel() }
  }
}
