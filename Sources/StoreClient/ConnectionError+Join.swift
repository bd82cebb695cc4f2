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
      let fields = failure.details.joined(separator: "; ")
      self.init(
        .schemaMismatch,
        fields.isEmpty ? failure.message : "\(failure.message) They differ in: \(fields).",
        remedy: "Use programs of the same build, or of builds whose types can read each other.",
      )
    case "badState":
      self.init(.schemaMismatch, failure.message, remedy: "Use programs of the same build.")
    case "overloaded": self.init(.tryAgain, failure.message, remedy: "Try again later.")
    default: self.init(.refused, failure.message, remedy: "")
    }
  }
}
