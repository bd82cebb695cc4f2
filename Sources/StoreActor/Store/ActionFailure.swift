/// Why an action was not reduced, or why it cannot be known whether it was.
///
/// ```swift
/// do {
///   try await store.send(.incrementButtonTapped).applied()
/// } catch let failure as ActionFailure where failure.code == .overloaded {
///   print("Try again later: \(failure)")
/// }
/// ```
public struct ActionFailure: Error, Hashable {
  /// A kind of failure; more kinds may come.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The kind's name, as it stands in messages and output.
    public let description: String

    private init(_ description: String) {
      self.description = description
    }

    /// The action does not fit the scope: it cannot be decoded, and was not applied.
    public static let rejected = Code("rejected")
    /// What the action was for is absent now; it was not applied.
    public static let absent = Code("absent")
    /// The action's time was over before its turn came; it was not applied.
    public static let expired = Code("expired")
    /// A shared value was changed while it had become another one in the daemon; that stays.
    public static let conflict = Code("conflict")
    /// There was too much to do, so it was not applied; it may be sent again later.
    public static let overloaded = Code("overloaded")
    /// The client may not send this action to this scope; it was not applied.
    public static let unauthorized = Code("unauthorized")
    /// The connection ended before the action was sent; it was not applied.
    public static let notSent = Code("notSent")
    /// The action was sent, and no outcome came in its time or before the connection ended: it may
    /// have been applied.
    public static let outcomeUnknown = Code("outcomeUnknown")
    /// The action was applied, as ``ActionFailure/revision``, and the connection ended before the
    /// local state included it.
    public static let appliedNotShown = Code("appliedNotShown")
  }

  /// The kind of failure.
  public var code: Code
  /// What was wrong, and what was expected.
  public var message: String
  /// What to do about it.
  public var remedy: String
  /// The revision that includes the action, where it is known that it was applied all the same.
  public var revision: UInt64?

  /// Creates a failure.
  public init(code: Code, message: String, remedy: String, revision: UInt64? = nil) {
    self.code = code
    self.message = message
    self.remedy = remedy
    self.revision = revision
  }
}

extension ActionFailure: CustomStringConvertible {
  /// The kind, what was wrong and what to do, in one line.
  public var description: String {
    "\(code): \(message) \(remedy)"
  }
}
