/// A value with an id is encoded as a record of its `id` and its `value`.
extension Identified: WirePayload, WireValue where ID: WireValue, Value: WireValue {
  /// A record of the id and the value.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    registry.define(Self.self, name: "Identified") { registry in
      let id = Definition.Field("id", ID.schema(in: &registry))
      return .record([id, Definition.Field("value", Value.schema(in: &registry))])
    }
  }

  /// True if it is true of the id and the value.
  public static var equalsItself: Bool { ID.equalsItself && Value.equalsItself }

  /// Writes the id and the value.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(2)
    encoder.encode(name: "id")
    id.encode(to: &encoder)
    encoder.encode(name: "value")
    value.encode(to: &encoder)
  }

  /// Reads an id and a value.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    let left = try decoder.mapHeader()
    try decoder.fieldName(identifiedFields, at: 0, left: left)
    let id = try decoder.decode(ID.self, at: .name("id"))
    try decoder.fieldName(identifiedFields, at: 1, left: left - 1)
    self.init(try decoder.decode(Value.self, at: .name("value")), id: id)
    try decoder.checkNoMoreFields(identifiedFields, left: left - 2)
  }

  /// Compares the encodings.
  public func _$isSame(as other: Self) -> Bool {
    id._$isSame(as: other.id) && value._$isSame(as: other.value)
  }

  /// The digest of the id and the value.
  public var _$digest: Digest {
    var digest = MapDigest()
    digest.add(key: identifiedFields.digests[0], value: id._$digest)
    digest.add(key: identifiedFields.digests[1], value: value._$digest)
    return digest.finish()
  }
}

extension Identified: ReplicatedState where ID: ReplicatedState, Value: ReplicatedState {
  /// Writes the deltas of the id and the value, if they changed.
  public func encodeDelta(from old: Self, to encoder: inout CBOREncoder) -> Bool {
    var delta = _$DeltaWriter(record: &encoder)
    delta.field(0, id, old.id, &encoder)
    delta.field(1, value, old.value, &encoder)
    return delta.finish(&encoder)
  }

  /// Applies the deltas of the id and of the value.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    for _ in 0..<(try decoder.mapHeader()) {
      let place = try decoder.place(below: 2, "field")
      do throws(CodecError) {
        if place == 0 {
          var id = id
          try id.applyDelta(from: &decoder)
          self = Self(value, id: id)
        } else {
          try value.applyDelta(from: &decoder)
        }
      } catch {
        throw error.inside(.name(identifiedFields.names[place]))
      }
    }
  }
}

private let identifiedFields = FieldOrder(["id", "value"], of: "An identified value")
