import StoreConcurrency

extension StoreTask {
  /// Waits until the action was applied, and returns its reducer's reply.
  ///
  /// ```swift
  /// let id = try await store.send(.add("Milk")).reply(UUID.self)
  /// ```
  ///
  /// It may be called several times. After a ``ReplyFailure`` do not send the action again: it was
  /// applied. If the reducer runs in a daemon of another build, this also waits for the daemon's
  /// description of the reply, which is translated by the rules for states and outputs.
  ///
  /// - Parameter type: The type of the reply.
  /// - Returns: The value with which the reducer has replied.
  /// - Throws: An ``ActionFailure`` as ``applied()`` does, or a ``ReplyFailure`` if the action was
  ///   applied, but there is no reply of the type. `CancellationError` if the waiting task is
  ///   cancelled before.
  @MainActor
  public func reply<Reply: Sendable>(_ type: Reply.Type = Reply.self) async throws -> Reply {
    let action = try await appliedAction()
    func failure(_ code: ReplyFailure.Code, _ message: String, _ remedy: String) -> ReplyFailure {
      ReplyFailure(code: code, revision: action.revision, message: message, remedy: remedy)
    }
    switch action.reply {
    case .value(let value as Reply):
      return value
    case .value(let value as EncodedOutput):
      return try await value.decoded(as: type) { reason in
        failure(.unreadable, reason, "Ask for the type of the replies that the exposure names.")
      }
    case .value(let value):
      throw failure(
        .unreadable,
        "The reply is a value of type \"\(Swift.type(of: value))\", and not of \"\(type)\".",
        "Ask for the type with which the reducer replies.",
      )
    case .forgotten:
      throw failure(
        .forgotten,
        "The daemon does not have the reply: it was too large, or made room for newer ones.",
        "Do not send the action again. Read the result from the state.",
      )
    case nil:
      throw failure(
        .none,
        "No reply has arrived: no reducer has replied, or a parent has dropped the reply.",
        """
        Return ".reply" from the reducer for this action. If it runs in a daemon, the exposure of \
        the scope names the type of the reply: "Expose(…, replies: \(type).self)".
        """,
      )
    }
  }
}

/// The reason why there is no reply to an action, although the action was applied.
public struct ReplyFailure: Error, Hashable {
  /// A kind of failure; later versions may add kinds.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The kind's name.
    public let description: String

    /// No reducer has replied, a parent has dropped the reply, or the exposure of the scope does
    /// not name the type of the reply.
    public static let none = Code(description: "none")
    /// There was a reply, and the daemon does not have it: it was too large, or the daemon needed
    /// its room for newer ones.
    public static let forgotten = Code(description: "forgotten")
    /// The reply has another type.
    public static let unreadable = Code(description: "unreadable")
  }

  /// The kind of failure.
  public let code: Code
  /// The revision that includes the action.
  public let revision: UInt64
  /// The fault, and the expectation.
  public let message: String
  /// The remedy.
  public let remedy: String
}

extension ReplyFailure: CustomStringConvertible {
  /// The kind, the revision, the message and the remedy, in one line.
  public var description: String {
    "\(code): The action was applied at revision \(revision). \(message) \(remedy)"
  }
}

/// An action that was applied.
package struct AppliedAction: Sendable {
  /// The revision that includes the action.
  package let revision: UInt64
  /// The reply of the action's reducer; nil if there is none.
  package let reply: ActionReply?

  package init(revision: UInt64, reply: ActionReply? = nil) {
    self.revision = revision
    self.reply = reply
  }
}

extension EncodedOutput {
  /// The value as one of a type, after a request for its schema if that is another one.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - failure: Makes the error for a reason why the value cannot be read.
  /// - Returns: The value.
  /// - Throws: That error, or `CancellationError` if the waiting task is cancelled.
  @MainActor
  fileprivate func decoded<Value: Sendable>(
    as type: Value.Type,
    orThrow failure: @escaping (String) -> any Error,
  ) async throws -> Value {
    let reader = OutputReader(type)
    guard let wire = reader.wire else {
      throw failure("The reply comes from another process, and \"\(type)\" has no wire form.")
    }
    if schema == wire.schema {
      if let value = reader.read(self) { return value }
      throw failure("The reply cannot be read as \"\(type)\".")
    }
    let source = ReplyOrigin(base: origin)
    var feed: OutputFeed<Value>?
    defer { withExtendedLifetime(feed) {} }
    return try await Resumption<Value>().value { resumption in
      source.onLeftOut = { reason in
        let failure = failure("The daemon's replies have another type: \(reason).")
        resumption.resume(with: .failure(failure))
      }
      feed = OutputFeed(type) { resumption.resume(with: .success($0)) }
      feed?.take(EncodedOutput(bytes: bytes, schema: schema, origin: source))
    }
  }
}

/// The origin of one reply: it also receives the reason why the reply cannot be read.
@MainActor
private final class ReplyOrigin: OutputOrigin {
  private let base: (any OutputOrigin)?
  var onLeftOut: (String) -> Void = { _ in }

  init(base: (any OutputOrigin)?) { self.base = base }

  func findSchema(_ hash: Digest, _ body: @escaping @MainActor (SchemaDocument?) -> Void) {
    if let base { base.findSchema(hash, body) } else { body(nil) }
  }

  func leftOut(_ reason: String) { onLeftOut(reason) }
}
