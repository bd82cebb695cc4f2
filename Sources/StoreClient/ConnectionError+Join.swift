package import StoreReplication

extension ConnectionError {
  /// Why a scope, or the session, was refused.
  package init(_ failure: JoinFailure) {
    switch failure.code {
    case "unknownScope":
      let names = failure.details.map { "\"\($0)\"" }.joined(separator: ", ")
      let remedy =
        names.isEmpty
        ? "Ask the daemon which scopes there are, and what their ids are."
        : "Did you mean \(names)?"
      self.init(.unknownScope, failure.message, remedy: remedy)
    case "schemaMismatch":
      self.init(
        .schemaMismatch,
        "\(failure.message) They differ in: \(failure.details.joined(separator: "; ")).",
        remedy: "Use programs of the same build.",
      )
    case "overloaded": self.init(.tryAgain, failure.message, remedy: "Try again later.")
    default: self.init(.refused, failure.message, remedy: "")
    }
  }
}
