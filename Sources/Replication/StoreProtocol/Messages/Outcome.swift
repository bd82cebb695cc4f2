package import StoreBytes
import StoreState

/// The outcome of an action.
@usableFromInline
package enum Outcome: Hashable, Sendable {
  /// It is part of the state from this revision on.
  case applied(revision: UInt64, hasEffects: Bool)
  /// The same, and its reducer has replied.
  indirect case replied(Reply)
  /// It was not reduced, and never will be.
  indirect case failed(Failure)

  @usableFromInline
  package struct Failure: Error, Hashable, Sendable {
    @usableFromInline package let code: String
    /// The reason, in at most ``TextLimits/failureBytes``: outcomes are kept.
    @usableFromInline package let message: String
    /// The revision, if the client knows that the action was applied nevertheless.
    package var revision: UInt64?
    /// The details of a reducer's refusal, whose reason is ``message``; nil for other failures, and
    /// without details.
    package var details: RefusalDetails?

    package init(
      code: String,
      message: String,
      revision: UInt64? = nil,
      details: RefusalDetails? = nil,
    ) {
      self.details = details
      self.code = code
      self.message = message.bounded(toBytes: TextLimits.failureBytes)
      self.revision = revision
    }
  }

  /// An action to which its reducer has replied.
  @usableFromInline
  package struct Reply: Hashable, Sendable {
    @usableFromInline package let revision: UInt64
    @usableFromInline package var hasEffects: Bool
    /// The value; nil if it was too large, or is not kept any more.
    package var value: EncodedValue?

    package init(revision: UInt64, hasEffects: Bool, value: EncodedValue?) {
      self.revision = revision
      self.hasEffects = hasEffects
      self.value = value
    }
  }

  /// The code and the value with which a reducer refused an action.
  @usableFromInline
  package struct RefusalDetails: Hashable, Sendable {
    package var code: String?
    package var value: EncodedValue?

    package init(code: String?, value: EncodedValue?) {
      self.code = code
      self.value = value
    }
  }

  package static let rejected = "rejected"
  /// A reducer refused it.
  package static let refused = "refused"
  package static let absent = "absent"
  package static let conflict = "conflict"
  package static let expired = "expired"
  package static let overloaded = "overloaded"
  package static let forgotten = "forgotten"
  package static let unauthorised = "unauthorised"
  /// The daemon ended in earlier reductions of it.
  package static let crashed = "crashed"

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
    case .replied(let reply): reply.valueBytes + 40
    case .failed(let failure): failure.textBytes + 20
    }
  }

  /// An estimate of its memory while it is kept, in bytes.
  package var keptBytes: Int {
    switch self {
    case .applied: 16
    case .replied(let reply): reply.valueBytes + 128
    case .failed(let failure): failure.textBytes + 272
    }
  }

  package func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .applied(let revision, hasEffects: false): encoder.encode(unsigned: revision)
    case .applied(let revision, hasEffects: true):
      encoder.message(1, revision)
    case .replied(let reply): reply.encode(to: &encoder)
    case .failed(let failure): failure.encode(to: &encoder)
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
    case 3:
      taken = try decoder.require(rest >= 4 ? 4 : 2, of: rest, "an outcome")
      let (revision, hasEffects) = (try decoder.unsigned(), try decoder.bool())
      var value: EncodedValue?
      if taken == 4 {
        let schema = Digest(rawValue: try decoder.unsigned())
        value = EncodedValue(schema: schema, bytes: Array(try decoder.rawItem()))
      }
      self = .replied(Reply(revision: revision, hasEffects: hasEffects, value: value))
    case 2:
      taken = try decoder.require(rest >= 3 ? 3 : 2, of: rest, "an outcome")
      var failure = Failure(code: try decoder.text(), message: try decoder.text())
      if taken == 3 { failure.details = try RefusalDetails(from: &decoder) }
      self = .failed(failure)
    default: throw decoder.error(.typeMismatch, "expected an outcome, found kind \(kind)")
    }
    try decoder.skipItems(rest - taken)
  }
}

extension Outcome {
  /// The revision of an applied action, and whether it has effects; nil if the action failed.
  @inlinable package var applied: (revision: UInt64, hasEffects: Bool)? {
    switch self {
    case .applied(let revision, let hasEffects): (revision, hasEffects)
    case .replied(let reply): (reply.revision, reply.hasEffects)
    case .failed: nil
    }
  }

  /// Whether it has a value, that of a reply or of a refusal, which a client can do without.
  package var hasValue: Bool {
    switch self {
    case .applied: false
    case .replied(let reply): reply.value != nil
    case .failed(let failure): failure.details?.value != nil
    }
  }

  /// The outcome without its value.
  package var withoutValue: Outcome {
    switch self {
    case .applied: return self
    case .replied(var reply):
      reply.value = nil
      return .replied(reply)
    case .failed(var failure):
      failure.details?.value = nil
      return .failed(failure)
    }
  }

  /// The outcome of an action whose effects have ended.
  package var withoutEffects: Outcome {
    switch self {
    case .applied(let revision, _): return .applied(revision: revision, hasEffects: false)
    case .replied(var reply):
      reply.hasEffects = false
      return .replied(reply)
    case .failed: return self
    }
  }

  /// The outcome for a client that does not know replies.
  package var withoutReply: Outcome {
    guard case .replied(let reply) = self else { return self }
    return .applied(revision: reply.revision, hasEffects: reply.hasEffects)
  }

  /// The outcome with the value of the same outcome, if that still has its value.
  package func withValue(of other: Outcome) -> Outcome {
    switch (self, other) {
    case (.replied(var reply), .replied(let other)):
      reply.value = other.value
      return .replied(reply)
    case (.failed(var failure), .failed(let other)):
      failure.details?.value = other.details?.value
      return .failed(failure)
    default:
      return self
    }
  }
}

/// A reply as it is sent and recorded.
package struct EncodedReply: Hashable, Sendable {
  /// The value; nil if it was too large.
  package var value: EncodedValue?

  package init(value: EncodedValue?) { self.value = value }
}

extension Outcome.Reply {
  /// The greatest number of bytes of a value.
  package static let mostBytes = 64 << 10

  @usableFromInline var valueBytes: Int { value?.bytes.count ?? 0 }

  fileprivate func encode(to encoder: inout CBOREncoder) {
    encoder.message(3, value == nil ? 2 : 4)
    encoder.encode(unsigned: revision)
    encoder.encode(bool: hasEffects)
    guard let value else { return }
    encoder.encode(unsigned: value.schema.rawValue)
    encoder.append(raw: value.bytes)
  }
}

extension Outcome.Failure {
  fileprivate func encode(to encoder: inout CBOREncoder) {
    encoder.message(2, details == nil ? 2 : 3)
    encoder.encode(text: code)
    encoder.encode(text: message)
    details?.encode(to: &encoder)
  }

  /// The bytes of its texts and of its value.
  @usableFromInline var textBytes: Int {
    code.utf8.count + message.utf8.count
      + (details.map { ($0.code?.utf8.count ?? 0) + ($0.value?.bytes.count ?? 0) + 32 } ?? 0)
  }
}

extension Outcome.RefusalDetails {
  /// The fields' numbers.
  ///
  /// An unknown number belongs to a later release, and is ignored.
  private enum Field {
    static let code: UInt64 = 0
    static let value: UInt64 = 1
  }

  /// Writes a map with numbered keys.
  package func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader((code == nil ? 0 : 1) + (value == nil ? 0 : 1))
    if let code {
      encoder.encode(unsigned: Field.code)
      encoder.encode(text: code)
    }
    if let value {
      encoder.encode(unsigned: Field.value)
      encoder.encode(value)
    }
  }

  package init(from decoder: inout CBORDecoder) throws(CodecError) {
    for _ in 0..<(try decoder.mapHeader()) {
      switch try decoder.unsigned() {
      case Field.code: code = try decoder.text()
      case Field.value: value = try decoder.encodedValue()
      default: try decoder.skipItem()
      }
    }
  }
}

extension CBOREncoder {
  /// Writes a value of any type: the hash of its schema, and its item.
  package mutating func encode(_ value: EncodedValue) {
    arrayHeader(2)
    encode(unsigned: value.schema.rawValue)
    append(raw: value.bytes)
  }
}

extension CBORDecoder {
  /// Reads a value of any type.
  package mutating func encodedValue() throws(CodecError) -> EncodedValue {
    try expectArray(of: 2, "a value with its schema")
    let schema = Digest(rawValue: try unsigned())
    return EncodedValue(schema: schema, bytes: Array(try rawItem()))
  }
}
