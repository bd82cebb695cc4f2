import StoreBytes

/// The reason why a scope could not be joined.
package struct JoinFailure: Error, Hashable, Sendable {
  /// The kind of failure, such as `unknownScope` or `schemaMismatch`.
  package let code: String
  /// The reason, in at most ``TextLimits/failureBytes``.
  package var message: String {
    didSet { message = message.bounded(toBytes: TextLimits.failureBytes) }
  }
  /// The nearest valid names, or the fields that differ.
  package var details: [String]

  package init(code: String, message: String, details: [String] = []) {
    self.code = code
    self.message = message.bounded(toBytes: TextLimits.failureBytes)
    self.details = details
  }

  /// A session has the most scopes already.
  package static func tooManyScopes(_ limit: Int) -> JoinFailure {
    let message = "A session has at most \(limit) scopes. Leave some first."
    return JoinFailure(code: "tooManyScopes", message: message)
  }
}
