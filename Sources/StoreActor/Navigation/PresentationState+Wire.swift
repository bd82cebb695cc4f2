public import StoreState

/// The wire form of a presentation is an optional of its state.
extension PresentationState: WirePayload, WireValue where State: WireValue {
  /// A state that may be absent.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    State?.schema(in: &registry)
  }

  /// True: an absent state is null.
  public static var admitsNull: Bool { true }

  /// Whether the type's states equal themselves and their copies.
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
  /// Writes that the state was added, removed or changed.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    if sharesBox(with: old) { return false }
    return wrappedValue.encodeDelta(from: old.wrappedValue, to: &encoder)
  }

  /// Adds, removes or changes the state.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    try wrappedValue.applyDelta(from: &decoder)
  }
}
