/// Serial: actions are reduced in one total order, one revision each, and one client's actions keep
/// the order in which it sent them.
package enum SerialOrder {
  @Sendable package static func check(_ history: History) -> [Violation] {
    history.epochs.flatMap(check)
  }

  private static func check(_ epoch: History.Epoch) -> [Violation] {
    var violations: [Violation] = []
    var lastRevision: UInt64 = 0
    var lastOfClient: [UInt64: UInt64] = [:]
    for reduction in epoch.reductions {
      if reduction.revision <= lastRevision || reduction.revision >= UInt64(epoch.roots.count) {
        violations.append(
          Violation(
            "Serial",
            "revision \(reduction.revision) follows \(lastRevision) of "
              + "\(epoch.roots.count - 1)",
          )
        )
      }
      lastRevision = reduction.revision
      let (client, number) = (reduction.tag >> 32, reduction.tag & 0xffff_ffff)
      if let last = lastOfClient[client], number < last {
        violations.append(
          Violation("Serial", "client \(client)'s action \(number) was reduced after \(last)")
        )
      }
      lastOfClient[client] = number
    }
    return violations
  }
}
