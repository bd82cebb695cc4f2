import StoreProtocol

/// Crashes: an action that ends the daemon is reduced twice at most, and only such an action is
/// answered with that.
package enum Crashes {
  @Sendable package static func check(_ history: History) -> [Violation] {
    var violations: [Violation] = []
    for (tag, count) in history.crashes.sorted(by: { $0.key < $1.key }) where count > 2 {
      violations.append(Violation("Crashes", "\(name(tag)) has ended the daemon \(count) times"))
    }
    for records in history.clients {
      for case .settled(let tag, .failed(let failure), _) in records
      where failure.code == Outcome.crashed && history.crashes[tag] != 2 {
        let count = history.crashes[tag] ?? 0
        let text = "\(name(tag)) is refused, and has ended the daemon \(count) times"
        violations.append(Violation("Crashes", text))
      }
    }
    return violations
  }

  private static func name(_ tag: UInt64) -> String {
    "client \(tag >> 32)'s action \(tag & 0xffff_ffff)"
  }
}
