public import CustomDump

// Sound: a shared box is not written.
extension PresentationState: @unchecked Sendable where State: Sendable {}

extension PresentationState: Equatable where State: Equatable {
  /// Compares the states; those in the same memory are equal.
  @inlinable
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.sharesBox(with: rhs) || lhs.wrappedValue == rhs.wrappedValue
  }
}

extension PresentationState: Hashable where State: Hashable {
  /// Feeds the state to a hasher.
  public func hash(into hasher: inout Hasher) {
    wrappedValue.hash(into: &hasher)
  }
}

extension PresentationState: Decodable where State: Decodable {
  /// Reads null or the state.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self.init(wrappedValue: container.decodeNil() ? nil : try container.decode(State.self))
  }
}

extension PresentationState: Encodable where State: Encodable {
  /// Writes null or the state.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension KeyedDecodingContainer {
  /// Reads a presentation; one whose key is missing is absent, as an optional would be.
  public func decode<State: Decodable>(
    _ type: PresentationState<State>.Type,
    forKey key: Key,
  ) throws -> PresentationState<State> {
    try decodeIfPresent(type, forKey: key) ?? PresentationState(wrappedValue: nil)
  }
}

extension PresentationState: CustomReflectable {
  /// The mirror of the optional state.
  public var customMirror: Mirror {
    Mirror(reflecting: wrappedValue as Any)
  }
}

extension PresentationState: CustomDumpRepresentable {
  /// The optional state, so that a dump shows no wrapper.
  public var customDumpValue: Any {
    wrappedValue as Any
  }
}
