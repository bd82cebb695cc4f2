/// Once faults are over, everybody comes to rest: no join and no action stays open for ever.
package enum Rest {
  @Sendable package static func check(_ history: History) -> [Violation] {
    history.unrest.map { [Violation("Rest", $0)] } ?? []
  }
}
