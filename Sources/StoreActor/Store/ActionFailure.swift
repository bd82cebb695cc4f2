/// Why an action was not reduced, or why it cannot be known whether it was.
public struct ActionFailure: Error, Hashable {
  /// A kind of failure; more kinds may come.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The kind's name, as it stands in messages and output.
    public let description: String

    private init(_ description: String) {
      self.description = description
    }

    /// The action does not fit the scope: it cannot be decoded, or the scope is absent.
    public static let rejected = Code("rejected")
    /// The action waited too long, or its session ended before its turn.
    public static let expired = Code("expired")
    /// There was too much to do; the action may be sent again later.
    public static let overloaded = Code("overloaded")
    /// The client may not send this action to this scope.
    public static let unauthorized = Code("unauthorized")
    /// The action is so old that its outcome is no longer on record.
    public static let forgotten = Code("forgotten")
    /// The connection ended before the outcome was known.
    public static let disconnected = Code("disconnected")
  }

  /// The kind of failure.
  public var code: Code
  /// What was wrong, and what was expected.
  public var message: String
  /// What to do about it.
  public var remedy: String

  /// Creates a failure.
  public init(code: Code, message: String, remedy: String) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }
}

extension ActionFailure: CustomStringConvertible {
  /// The kind, what was wrong and what to do, in one line.
  public var description: String {
    "\(code): \(message) \(remedy)"
  }
}
