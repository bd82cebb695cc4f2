/// The reason why an action was not reduced, or why its outcome is unknown.
///
/// ```swift
/// do {
///   try await store.send(.incrementButtonTapped).applied()
/// } catch let failure as ActionFailure where failure.code == .overloaded {
///   print("Try again later: \(failure)")
/// }
/// ```
public struct ActionFailure: Error, Hashable {
  /// A kind of failure; later versions may add kinds.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The kind's name in messages and output.
    public let description: String

    private init(_ description: String) {
      self.description = description
    }

    /// The action does not fit the scope: it cannot be decoded, and was not applied.
    public static let rejected = Code("rejected")
    /// A reducer refused the action; it was not applied.
    ///
    /// ``ActionFailure/refusal`` has the reason.
    public static let refused = Code("refused")
    /// The target of the action is absent; it was not applied.
    public static let absent = Code("absent")
    /// The action expired before its turn; it was not applied.
    public static let expired = Code("expired")
    /// A shared value's expected value differs from the daemon's; the daemon's value is unchanged.
    public static let conflict = Code("conflict")
    /// The daemon was overloaded, so it was not applied; it may be sent again later.
    public static let overloaded = Code("overloaded")
    /// The client may not send this action to this scope; it was not applied.
    public static let unauthorized = Code("unauthorized")
    /// The daemon ended in earlier reductions of the action, none of which was kept; it is not
    /// reduced again.
    public static let crashed = Code("crashed")
    /// The connection ended before the action was sent; it was not applied.
    public static let notSent = Code("notSent")
    /// The action was sent, and no outcome arrived in time or before the connection ended: it may
    /// have been applied.
    public static let outcomeUnknown = Code("outcomeUnknown")
    /// The action was applied, as ``ActionFailure/revision``, and the connection ended before the
    /// local state included it.
    public static let appliedNotShown = Code("appliedNotShown")
  }

  /// The kind of failure.
  public var code: Code
  /// The fault, and the expectation.
  public var message: String
  /// The remedy.
  public var remedy: String
  /// The revision that includes the action, if it is known to be applied despite the failure.
  public var revision: UInt64?
  /// The reducer's refusal; nil for other failures.
  public var refusal: Refusal?

  /// Creates a failure.
  public init(
    code: Code,
    message: String,
    remedy: String,
    revision: UInt64? = nil,
    refusal: Refusal? = nil,
  ) {
    self.refusal = refusal
    self.code = code
    self.message = message
    self.remedy = remedy
    self.revision = revision
  }
}

extension ActionFailure: CustomStringConvertible {
  /// The kind, the message and the remedy, in one line.
  public var description: String {
    remedy.isEmpty ? "\(code): \(message)" : "\(code): \(message) \(remedy)"
  }
}
