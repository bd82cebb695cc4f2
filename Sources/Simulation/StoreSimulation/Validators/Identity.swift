import StoreState

/// Identical: when all is quiet, every copy has the daemon's digest, also in another build, and the
/// shown state is the daemon's state in the client's build.
package enum Identity {
  @Sendable package static func check(_ history: History) -> [Violation] {
    history.endings.compactMap { ending in
      guard ending.ours != ending.theirs else { return shownProblem(ending) }
      return Violation(
        "Identical",
        "client \(ending.client) ended with \(ending.scope) at \(ending.ours), the daemon with "
          + "\(ending.theirs)",
      )
    }
  }

  private static func shownProblem(_ ending: History.Ending) -> Violation? {
    guard ending.shown != ending.expected else { return nil }
    return Violation(
      "Identical",
      "client \(ending.client) has \(ending.scope), but does not show it",
    )
  }
}
