import StoreActor
import StoreBytes
import StoreProtocol

/// The running effects that outlive the senders of their actions, by name.
@MainActor
final class DaemonWork {
  /// The number of running effects of each name.
  ///
  /// Bounded by ``Limits/workNames``; names by ``Limits/workNameBytes``.
  private(set) var counts: [String: UInt64] = [:]
  /// The number of running effects of further names.
  private(set) var others: UInt64 = 0
  private let limits: Limits

  init(_ limits: Limits) { self.limits = limits }

  /// Counts an effect until it has ended.
  func follow(_ name: String, _ lineage: EffectLineage) {
    let name = name.bounded(toBytes: limits.workNameBytes)
    guard counts[name] != nil || counts.count < limits.workNames else {
      others += 1
      return lineage.whenFinished { [weak self] in self?.others -= 1 }
    }
    counts[name, default: 0] += 1
    lineage.whenFinished { [weak self] in self?.end(name) }
  }

  private func end(_ name: String) {
    counts[name, default: 1] -= 1
    if counts[name] == 0 { counts[name] = nil }
  }
}
