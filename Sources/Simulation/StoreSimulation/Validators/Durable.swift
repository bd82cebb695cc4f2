/// Durable: every state that was reported to a client survives any end of the daemon, and a disk
/// with altered data is refused.
package enum Durable {
  @Sendable package static func check(_ history: History) -> [Violation] {
    history.losses.map { Violation("Durable", $0) }
  }
}
