import GenericState
import StoreProtocol
import StoreState

/// The outcome of one action, as `send` prints it.
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

  /// Text whose action was not sent, and why.
  static func notSent(_ error: CommandError) -> Self {
    guard error.status == .notAllowed else { return notAnAction("\(error)") }
    return .failed(code: "unauthorised", message: "\(error)")
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

  /// The program's exit status for the outcome; nil if the action was applied.
  var status: CommandError.Status? {
    switch self {
    case .applied: nil
    case .failed(Outcome.rejected, _), .failed(Outcome.absent, _): .badData
    case .failed("unauthorised", _): .notAllowed
    case .failed: .tryAgain
    }
  }

  /// Returns the printed line.
  ///
  /// - Parameters:
  ///   - asJSON: Whether a program reads it.
  ///   - line: The line of the input that the action stood on; what was not applied is found by it.
  /// - Returns: One line.
  func text(asJSON: Bool, line: Int? = nil) -> String {
    switch self {
    case .applied(let revision):
      guard asJSON else { return "applied at revision \(revision)" }
      let tree: JSONValue = ["outcome": "applied", "revision": .integer(revision)]
      return tree.text()
    case .failed(let code, let message):
      guard asJSON else {
        let reason = code == name ? "" : " (\(code))"
        let place = line.map { "line \($0): " } ?? ""
        return Printable.text("\(name)\(reason): \(place)\(message)")
      }
      var members: [JSONValue.Member] = [
        .init("outcome", .string(name)), .init("code", .string(code)),
        .init("message", .string(message)),
      ]
      if let line { members.append(.init("line", .integer(line))) }
      return JSONValue.object(members).text()
    }
  }
}
