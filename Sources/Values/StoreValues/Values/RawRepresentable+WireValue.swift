public import StoreBytes

extension WireValue where Self: RawRepresentable, RawValue: WireValue {
  /// The kind of the raw value.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    RawValue.schema(in: &registry)
  }

  /// The same as for the raw value.
  public static var admitsNull: Bool { RawValue.admitsNull }

  /// The same as for the raw value.
  public static var equalsItself: Bool { RawValue.equalsItself }

  /// Writes the raw value.
  public func encode(to encoder: inout CBOREncoder) { rawValue.encode(to: &encoder) }

  /// Reads a raw value of this type.
  ///
  /// Throws for a raw value whose instance has another raw value: reading and writing must
  /// be inverse.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    let start = decoder.offset
    let rawValue = try RawValue(from: &decoder)
    guard let value = Self(rawValue: rawValue), value.rawValue._$isSame(as: rawValue) else {
      throw CodecError(
        .outOfRange,
        "\(rawValue) stands for no \(Self.self)",
        offset: start,
      )
    }
    self = value
  }

  /// Compares the raw values.
  public func _$isSame(as other: Self) -> Bool { rawValue._$isSame(as: other.rawValue) }

  /// The digest of the raw value.
  public var _$digest: Digest { rawValue._$digest }
}

extension ReplicatedState where Self: RawRepresentable, RawValue: ReplicatedState {
  /// Writes the delta of the raw value.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    rawValue.encodeDelta(from: old.rawValue, to: &encoder)
  }

  /// Applies a delta of the raw value.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    var rawValue = rawValue
    let start = decoder.offset
    try rawValue.applyDelta(from: &decoder)
    guard let value = Self(rawValue: rawValue), value.rawValue._$isSame(as: rawValue) else {
      throw CodecError(
        .outOfRange,
        "\(rawValue) stands for no \(Self.self)",
        offset: start,
      )
    }
    self = value
  }
}

// MARK: - Enumerations with texts

/// An enumeration with texts as raw values: a choice of cases without payloads.
///
/// Its schema lists the cases, so other programs know the valid texts.
///
///     enum Filter: String, CaseIterable, ReplicatedState { case all, active, completed }
extension WireValue where Self: RawRepresentable & CaseIterable, RawValue == String {
  /// A choice of the raw values.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    registry.define(Self.self, name: "\(Self.self)") { _ in
      .choice(allCases.map { Definition.Case($0.rawValue) })
    }
  }

  /// Reads one of the raw values.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    let start = decoder.offset
    let rawValue = try decoder.text()
    guard let value = Self(rawValue: rawValue), value.rawValue._$isSame(as: rawValue) else {
      throw .unknownName(rawValue, "case", among: Self.allCases.map(\.rawValue), offset: start)
    }
    self = value
  }
}

extension ReplicatedState where Self: RawRepresentable & CaseIterable, RawValue == String {
  /// Writes the new case.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    guard !_$isSame(as: old) else { return false }
    encoder.arrayHeader(2)
    encoder.encode(unsigned: 0)
    encode(to: &encoder)
    return true
  }

  /// Reads the new case.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    guard case .replaced = try decoder.choiceDeltaForm(cases: Self.allCases.count) else {
      throw decoder.error(.deltaMismatch, "the case \(rawValue) has no payload that could change")
    }
    self = try Self(from: &decoder)
  }
}
