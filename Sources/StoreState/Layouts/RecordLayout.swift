/// The fields of a record: what a hand-written `ReplicatedRecord` gives instead of code.
///
///     static let layout = RecordLayout<Todo>("Todo", [
///       .field("id", \.id),
///       .field("title", \.title),
///       .field("isCompleted", \.isCompleted),
///     ])
public struct RecordLayout<Value: Sendable>: Sendable {
  /// One field.
  public struct Field: Sendable {
    let name: String
    let schema: @Sendable (inout SchemaRegistry) -> Schema
    let encode: @Sendable (Value, inout CBOREncoder) -> Void
    let decode: @Sendable (inout Value, inout CBORDecoder) throws(CodecError) -> Void
    let encodeDelta: @Sendable (Value, Value, inout CBOREncoder) -> Bool
    let isIdentical: @Sendable (Value, Value) -> Bool
    let applyDelta: @Sendable (inout Value, inout CBORDecoder) throws(CodecError) -> Void
    let isSame: @Sendable (Value, Value) -> Bool
    let digest: @Sendable (Value) -> Digest

    /// A field that is replicated.
    ///
    /// - Parameters:
    ///   - name: What the field is called in schemas, snapshots and JSON.
    ///   - keyPath: Where its value is.
    /// - Returns: The field.
    public static func field<Part: ReplicatedState>(
      _ name: String,
      _ keyPath: any WritableKeyPath<Value, Part> & Sendable,
    ) -> Field {
      let part = StoredPart<Value, Part>(keyPath)
      return Field(
        name: name,
        schema: { Part.schema(in: &$0) },
        encode: { part.read($0).encode(to: &$1) },
        decode: { (value, decoder) throws(CodecError) in
          value[keyPath: keyPath] = try Part(from: &decoder)
        },
        encodeDelta: { part.read($0).encodeDelta(from: part.read($1), to: &$2) },
        isIdentical: { part.isIdentical($0, $1) },
        applyDelta: { (value, decoder) throws(CodecError) in
          try value[keyPath: keyPath].applyDelta(from: &decoder)
        },
        isSame: { part.isIdentical($0, $1) || part.read($0).isSame(as: part.read($1)) },
        digest: { part.read($0).digest },
      )
    }
  }

  let name: String
  let fields: [Field]
  let order: FieldOrder

  /// Creates the layout of a record.
  ///
  /// - Parameters:
  ///   - name: What the type is called in schemas.
  ///   - fields: The fields in the order of declaration.
  public init(_ name: String, _ fields: [Field]) {
    self.name = name
    self.fields = fields
    order = FieldOrder(fields.map(\.name), of: name)
  }
}

extension RecordLayout {
  func schema(in registry: inout SchemaRegistry) -> Schema {
    registry.define(Value.self, name: name) { registry in
      .record(fields.map { Definition.Field($0.name, $0.schema(&registry)) })
    }
  }

  func encode(_ value: Value, to encoder: inout CBOREncoder) {
    encoder.mapHeader(fields.count)
    for place in order.canonical {
      encoder.append(raw: order.encodedNames[place])
      fields[place].encode(value, &encoder)
    }
  }

  func decode(into value: inout Value, from decoder: inout CBORDecoder) throws(CodecError) {
    var left = try decoder.mapHeader()
    for place in order.canonical {
      try decoder.fieldName(order, at: place, left: left)
      left -= 1
      do throws(CodecError) {
        try fields[place].decode(&value, &decoder)
      } catch {
        throw error.inside(.name(order.names[place]))
      }
    }
    try decoder.checkNoMoreFields(order, left: left)
  }

  func isSame(_ one: Value, _ other: Value) -> Bool {
    fields.allSatisfy { $0.isSame(one, other) }
  }

  func digest(_ value: Value) -> Digest {
    var digest = MapDigest()
    for (field, name) in zip(fields, order.digests) {
      digest.add(key: name, value: field.digest(value))
    }
    return digest.finish()
  }

  func encodeDelta(_ value: Value, from old: Value, to encoder: inout CBOREncoder) -> Bool {
    let map = encoder.beginDeferredMap()
    var count = 0
    for index in fields.indices where !fields[index].isIdentical(value, old) {
      let mark = encoder.mark
      encoder.encode(unsigned: UInt64(index))
      if fields[index].encodeDelta(value, old, &encoder) {
        count += 1
      } else {
        encoder.truncate(to: mark)
      }
    }
    guard count > 0 else {
      encoder.truncate(to: map)
      return false
    }
    encoder.endDeferredMap(map, count: count)
    return true
  }

  func applyDelta(to value: inout Value, from decoder: inout CBORDecoder) throws(CodecError) {
    for _ in 0..<(try decoder.mapHeader()) {
      let index = try decoder.place(below: fields.count, "field")
      do throws(CodecError) {
        try fields[index].applyDelta(&value, &decoder)
      } catch {
        throw error.inside(.name(order.names[index]))
      }
    }
  }
}
