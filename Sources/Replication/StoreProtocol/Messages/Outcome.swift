package import StoreState

/// The outcome of an action.
@usableFromInline
package enum Outcome: Hashable, Sendable {
  /// It is part of the state from this revision on.
  case applied(revision: UInt64, hasEffects: Bool)
  /// It was not reduced, and never will be.
  indirect case failed(Failure)

  @usableFromInline
  package struct Failure: Error, Hashable, Sendable {
    @usableFromInline package let code: String
    /// The reason, in at most ``TextLimits/failureBytes``: outcomes are kept.
    @usableFromInline package let message: String
    /// The revision, if the client knows that the action was applied nevertheless.
    package var revision: UInt64?

    package init(code: String, message: String, revision: UInt64? = nil) {
      self.code = code
      self.message = message.bounded(toBytes: TextLimits.failureBytes)
      self.revision = revision
    }
  }

  package static let rejected = "rejected"
  package static let absent = "absent"
  package static let conflict = "conflict"
  package static let expired = "expired"
  package static let overloaded = "overloaded"
  package static let forgotten = "forgotten"
  package static let unauthorised = "unauthorised"

  // Codes that only a client uses, for an action of its own.

  /// It was never sent, and has certainly not run.
  package static let notSent = "notSent"
  /// It was sent, and its outcome is unknown.
  package static let outcomeUnknown = "outcomeUnknown"
  /// It ran, and the local state does not include it.
  package static let appliedNotShown = "appliedNotShown"

  /// An upper bound of its bytes in a frame.
  @inlinable package var mostEncodedBytes: Int {
    switch self {
    case .applied: 11
    case .failed(let failure): failure.code.utf8.count + failure.message.utf8.count + 20
    }
  }

  /// An estimate of its memory while it is kept, in bytes.
  package var keptBytes: Int {
    switch self {
    case .applied: 16
    case .failed(let failure): failure.code.utf8.count + failure.message.utf8.count + 176
    }
  }

  package func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .applied(let revision, hasEffects: false): encoder.encode(unsigned: revision)
    case .applied(let revision, hasEffects: true):
      encoder.message(1, revision)
    case .failed(let failure):
      encoder.message(2, 2)
      encoder.encode(text: failure.code)
      encoder.encode(text: failure.message)
    }
  }

  package init(from decoder: inout CBORDecoder) throws(CodecError) {
    if try decoder.peekKind() != .array {
      self = .applied(revision: try decoder.unsigned(), hasEffects: false)
      return
    }
    let (kind, rest) = try decoder.message()
    let taken: Int
    switch kind {
    case 1:
      taken = try decoder.require(1, of: rest, "an outcome")
      self = .applied(revision: try decoder.unsigned(), hasEffects: true)
    case 2:
      taken = try decoder.require(2, of: rest, "an outcome")
      self = .failed(Failure(code: try decoder.text(), message: try decoder.text()))
    default: throw decoder.error(.typeMismatch, "expected an outcome, found kind \(kind)")
    }
    try decoder.skipItems(rest - taken)
  }
}
