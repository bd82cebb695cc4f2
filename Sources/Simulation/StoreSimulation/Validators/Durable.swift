/// Durable: what anybody was told of is there after any end of the daemon, and a disk that says
/// something else than it was told is refused.
package enum Durable {
  @Sendable package static func check(_ history: History) -> [Violation] {
    history.losses.map { Violation("Durable", $0) }
  }
}
