/// When faults are over, all clients come to rest: no join and no action stays open.
package enum Rest {
  @Sendable package static func check(_ history: History) -> [Violation] {
    history.unrest.map { [Violation("Rest", $0)] } ?? []
  }
}
