public import StoreState

/// On the wire a presentation is an optional of its state.
extension PresentationState: WirePayload, WireValue where State: WireValue {
  /// A state that may be absent.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    State?.schema(in: &registry)
  }

  /// True.
  public static var admitsNull: Bool { true }

  /// What the state's type says.
  public static var equalsItself: Bool { State.equalsItself }

  /// Writes null or the state.
  public func encode(to encoder: inout CBOREncoder) {
    wrappedValue.encode(to: &encoder)
  }

  /// Reads null or a state.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self.init(wrappedValue: try State?(from: &decoder))
  }

  /// Compares the encodings; states in the same memory have the same.
  public func _$isSame(as other: Self) -> Bool {
    sharesBox(with: other) || wrappedValue._$isSame(as: other.wrappedValue)
  }

  /// The digest of null or of the state.
  public var _$digest: Digest { wrappedValue._$digest }
}

extension PresentationState: ReplicatedState where State: ReplicatedState {
  /// Writes that the state went, came, or changed inside.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    if sharesBox(with: old) { return false }
    return wrappedValue.encodeDelta(from: old.wrappedValue, to: &encoder)
  }

  /// Lets the state go, come, or change inside.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    try wrappedValue.applyDelta(from: &decoder)
  }
}
