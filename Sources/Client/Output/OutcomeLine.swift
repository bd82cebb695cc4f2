import GenericState
import StoreProtocol
import StoreState

/// The outcome of one action, as `send` prints it.
enum OutcomeLine: Hashable, Sendable {
  case applied(revision: UInt64, Reply? = nil)
  /// A reducer refused the action.
  case refused(reason: String, Outcome.RefusalDetails?)
  case failed(code: String, message: String)

  /// The reply of a reducer.
  struct Reply: Hashable, Sendable {
    /// The value as JSON; nil if the daemon does not have it.
    let tree: JSONValue?
  }

  /// - Parameters:
  ///   - outcome: The outcome.
  ///   - replies: The schema of the scope's replies, if it is known.
  init(_ outcome: Outcome, replies: SchemaDocument? = nil) {
    switch outcome {
    case .applied(let revision, _): self = .applied(revision: revision)
    case .replied(let reply):
      let tree = reply.value.map { Self.tree(of: $0, replies) }
      self = .applied(revision: reply.revision, Reply(tree: tree))
    case .failed(let failure) where failure.code == Outcome.refused:
      self = .refused(reason: failure.message, failure.details)
    case .failed(let failure): self = .failed(code: failure.code, message: failure.message)
    }
  }

  /// Returns the outcome of a text that is not an action of the scope.
  static func notAnAction(_ message: String) -> Self {
    .failed(code: Outcome.rejected, message: message)
  }

  /// Returns the outcome of an action that was not sent, with the reason.
  static func notSent(_ error: CommandError) -> Self {
    guard error.status == .notAllowed else { return notAnAction("\(error)") }
    return .failed(code: "unauthorised", message: "\(error)")
  }

  /// The kind: a separate code for failures that may pass, `rejected` for permanent ones.
  var name: String {
    switch self {
    case .applied: "applied"
    case .refused: "refused"
    case .failed(let code, _):
      switch status {
      case .tryAgain: code
      case .notAllowed: "unauthorised"
      default: code == Outcome.crashed ? code : "rejected"
      }
    }
  }

  /// The program's exit status for the outcome; nil if the action was applied.
  var status: CommandError.Status? {
    switch self {
    case .applied: nil
    case .refused: .badData
    case .failed(Outcome.rejected, _), .failed(Outcome.absent, _), .failed(Outcome.crashed, _):
      .badData
    case .failed("unauthorised", _): .notAllowed
    case .failed: .tryAgain
    }
  }

  /// Returns the printed line.
  ///
  /// - Parameters:
  ///   - asJSON: Whether the line is for a program.
  ///   - line: The action's line in the input, which identifies a failed action.
  /// - Returns: One line.
  func text(asJSON: Bool, line: Int? = nil) -> String {
    switch self {
    case .applied(let revision, let reply):
      guard asJSON else {
        let text = reply.map { reply in
          reply.tree.map { ", replied \($0.text())" } ?? "; its reply is not kept"
        }
        return Printable.text("applied at revision \(revision)\(text ?? "")")
      }
      var members: [JSONValue.Member] = [
        .init("outcome", "applied"), .init("revision", .integer(revision)),
      ]
      if let reply {
        members.append(
          reply.tree.map { .init("reply", $0) } ?? .init("replyFailure", "forgotten")
        )
      }
      return JSONValue.object(members).text()
    case .refused(let reason, let details):
      guard asJSON else { return text(code: details?.code, reason, line) }
      var members: [JSONValue.Member] = [.init("outcome", "refused")]
      if let code = details?.code { members.append(.init("code", .string(code))) }
      members.append(.init("message", .string(reason)))
      if let value = details?.value { members.append(.init("value", Self.tree(of: value))) }
      if let line { members.append(.init("line", .integer(line))) }
      return JSONValue.object(members).text()
    case .failed(let code, let message):
      guard asJSON else { return text(code: code == name ? nil : code, message, line) }
      var members: [JSONValue.Member] = [
        .init("outcome", .string(name)), .init("code", .string(code)),
        .init("message", .string(message)),
      ]
      if let line { members.append(.init("line", .integer(line))) }
      return JSONValue.object(members).text()
    }
  }

  /// For people: one line.
  private func text(code: String?, _ message: String, _ line: Int?) -> String {
    let kind = code.map { "\(name) (\($0))" } ?? name
    let place = line.map { "line \($0): " } ?? ""
    return Printable.text("\(kind): \(place)\(message)")
  }

  /// A value as JSON; null if it cannot be read.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - document: A schema; for a value of another one, the JSON is that of its items.
  /// - Returns: The JSON.
  private static func tree(of value: EncodedValue, _ document: SchemaDocument? = nil) -> JSONValue {
    do throws(CodecError) {
      let generic = try GenericValue(encoded: value.bytes)
      guard let document, document.hash == value.schema else {
        return JSONProjection.untyped(generic)
      }
      try generic.validate(against: document.root, in: document)
      return JSONProjection.tree(generic, schema: document.root, in: document)
    } catch {
      return .null
    }
  }
}
