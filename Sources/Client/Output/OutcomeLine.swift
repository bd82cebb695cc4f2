import GenericState
import StoreReplication
import StoreState

/// What became of one action, as `send` prints it.
enum OutcomeLine: Hashable, Sendable {
  case applied(revision: UInt64)
  case failed(code: String, message: String)

  init(_ outcome: Outcome) {
    switch outcome {
    case .applied(let revision, _): self = .applied(revision: revision)
    case .failed(let failure): self = .failed(code: failure.code, message: failure.message)
    }
  }

  /// Text that is no action of the scope.
  static func notAnAction(_ message: String) -> Self {
    .failed(code: Outcome.rejected, message: message)
  }

  /// The kind: a code of its own for what may work later, `rejected` for what never will.
  var name: String {
    switch self {
    case .applied: "applied"
    case .failed(let code, _):
      switch status {
      case .tryAgain: code
      case .notAllowed: "unauthorised"
      default: "rejected"
      }
    }
  }

  /// What the program exits with because of it; nil when it was applied.
  var status: CommandError.Status? {
    switch self {
    case .applied: nil
    case .failed(Outcome.rejected, _), .failed(Outcome.absent, _): .badData
    case .failed("unauthorised", _): .notAllowed
    case .failed: .tryAgain
    }
  }

  func text(asJSON: Bool) -> String {
    switch self {
    case .applied(let revision):
      guard asJSON else { return "applied at revision \(revision)" }
      let tree: JSONValue = ["outcome": "applied", "revision": .integer(revision)]
      return tree.text()
    case .failed(let code, let message):
      guard asJSON else {
        let reason = code == name ? "" : " (\(code))"
        return Printable.text("\(name)\(reason): \(message)")
      }
      let tree: JSONValue = [
        "outcome": .string(name), "code": .string(code), "message": .string(message),
      ]
      return tree.text()
    }
  }
}
