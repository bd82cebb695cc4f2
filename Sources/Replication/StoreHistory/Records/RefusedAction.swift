package import StoreActor
import StoreBytes
package import StoreProtocol
import StoreState

extension JournalRecord {
  /// A client's action that a reducer has refused, or that is not reduced because the daemon ended
  /// in earlier reductions of it.
  ///
  /// It has no record of its own, because it changed nothing: the next record contains it.
  package struct RefusedAction: Hashable, Sendable {
    package var client: Identifier
    /// The number of the client's session.
    package var session: UInt64
    /// The action's number among those of the client.
    package var sequence: UInt64
    /// The name of the scope that it was sent to.
    package var scope: String
    /// Its bytes; nil if there are more than ``mostActionBytes``.
    package var action: [UInt8]?
    /// The sender's identity.
    package var identity: ActionOrigin.Identity
    /// Whether the client has said goodbye since, so that recovery does not restore its outcome.
    package var isForgotten = false
    /// The failure that the client was sent.
    package var failure: Outcome.Failure

    /// The greatest number of bytes of an action that is kept.
    package static let mostActionBytes = 1024

    package init(
      client: Identifier,
      session: UInt64,
      sequence: UInt64,
      scope: String,
      action: some Collection<UInt8>,
      identity: ActionOrigin.Identity,
      failure: Outcome.Failure,
    ) {
      self.identity = identity
      self.client = client
      self.session = session
      self.sequence = sequence
      self.scope = scope
      self.action = action.count > Self.mostActionBytes ? nil : Array(action)
      self.failure = failure
    }

    /// Its approximate size in a record.
    package var bytes: Int {
      Outcome.failed(failure).mostEncodedBytes + scope.utf8.count + (action?.count ?? 0) + 40
    }
  }
}

extension JournalRecord.RefusedAction {
  /// The fields' numbers.
  ///
  /// An unknown number belongs to a later release, and is ignored.
  private enum Field {
    static let client: UInt64 = 0
    static let session: UInt64 = 1
    static let sequence: UInt64 = 2
    static let scope: UInt64 = 3
    static let action: UInt64 = 4
    static let reason: UInt64 = 5
    static let details: UInt64 = 6
    static let identity: UInt64 = 7
    static let isForgotten: UInt64 = 8
    /// Only if it is another than ``Outcome/refused``.
    static let code: UInt64 = 9
  }

  /// Writes a map with numbered keys.
  func encode(to encoder: inout CBOREncoder) {
    let hasCode = failure.code != Outcome.refused
    let count =
      (action == nil ? 0 : 1) + (failure.details == nil ? 0 : 1) + (isForgotten ? 1 : 0)
      + (hasCode ? 1 : 0)
    encoder.mapHeader(6 + count)
    encoder.encode(unsigned: Field.client)
    encoder.encode(client)
    encoder.encode(unsigned: Field.session)
    encoder.encode(unsigned: session)
    encoder.encode(unsigned: Field.sequence)
    encoder.encode(unsigned: sequence)
    encoder.encode(unsigned: Field.scope)
    encoder.encode(text: scope)
    if let action {
      encoder.encode(unsigned: Field.action)
      encoder.encode(bytes: action)
    }
    encoder.encode(unsigned: Field.reason)
    encoder.encode(text: failure.message)
    if let details = failure.details {
      encoder.encode(unsigned: Field.details)
      details.encode(to: &encoder)
    }
    encoder.encode(unsigned: Field.identity)
    identity.encode(to: &encoder)
    if isForgotten {
      encoder.encode(unsigned: Field.isForgotten)
      encoder.encode(bool: true)
    }
    if hasCode {
      encoder.encode(unsigned: Field.code)
      encoder.encode(text: failure.code)
    }
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    var (client, session, sequence): (Identifier?, UInt64?, UInt64?)
    var identity = ActionOrigin.Identity.unknown
    var isForgotten = false
    var code = Outcome.refused
    var (scope, reason, details): (String?, String?, Outcome.RefusalDetails?)
    for _ in 0..<(try decoder.mapHeader()) {
      switch try decoder.unsigned() {
      case Field.client: client = try decoder.identifier()
      case Field.session: session = try decoder.unsigned()
      case Field.sequence: sequence = try decoder.sequence()
      case Field.scope: scope = try decoder.text()
      case Field.action: action = try decoder.byteString()
      case Field.reason: reason = try decoder.text()
      case Field.details: details = try Outcome.RefusalDetails(from: &decoder)
      case Field.identity: identity = try ActionOrigin.Identity(from: &decoder)
      case Field.isForgotten: isForgotten = try decoder.bool()
      case Field.code: code = try decoder.text()
      default: try decoder.skipItem()
      }
    }
    guard let client, let session, let sequence, let scope, let reason else {
      throw decoder.error(
        .typeMismatch,
        "a refused action has a client, a session, a sequence, a scope and a reason",
      )
    }
    self.client = client
    self.session = session
    self.sequence = sequence
    self.scope = scope
    self.identity = identity
    self.isForgotten = isForgotten
    failure = Outcome.Failure(code: code, message: reason, details: details)
  }
}

extension CBORDecoder {
  /// Reads the sequence of an action.
  mutating func sequence() throws(CodecError) -> UInt64 {
    let sequence = try unsigned()
    guard sequence >= 1, sequence <= ActionSequence.greatest else {
      throw error(.typeMismatch, "an action cannot have the sequence \(sequence)")
    }
    return sequence
  }
}
