/// The fields of a record: the part of a `ReplicatedRecord` that its author writes.
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
    /// The field's names in earlier builds.
    let formerNames: [String]
    /// Stored behind one reference, because each comparison of values looks up its fields.
    fileprivate let coding: Coding

    /// A field that is replicated.
    ///
    /// - Parameters:
    ///   - name: The field's name in schemas, snapshots and JSON.
    ///   - former: The field's names in earlier builds, the newest name first.
    ///   - keyPath: The key path of its value.
    /// - Returns: The field.
    public static func field<Part: ReplicatedState>(
      _ name: String,
      formerly former: String...,
      keyPath: any WritableKeyPath<Value, Part> & Sendable,
    ) -> Field {
      Field(name: name, formerNames: former, coding: Coding(StoredPart(keyPath), keyPath))
    }

    /// A field that is replicated and has no former names.
    ///
    /// - Parameters:
    ///   - name: The field's name in schemas, snapshots and JSON.
    ///   - keyPath: The key path of its value.
    /// - Returns: The field.
    public static func field<Part: ReplicatedState>(
      _ name: String,
      _ keyPath: any WritableKeyPath<Value, Part> & Sendable,
    ) -> Field {
      Field(name: name, formerNames: [], coding: Coding(StoredPart(keyPath), keyPath))
    }
  }

  /// The operations on one field.
  fileprivate final class Coding: Sendable {
    let schema: @Sendable (String, inout SchemaRegistry) -> Schema
    let encode: @Sendable (Value, inout CBOREncoder) -> Void
    let decode: @Sendable (inout Value, inout CBORDecoder) throws(CodecError) -> Void
    let encodeDelta: @Sendable (Value, Value, inout CBOREncoder) -> Bool
    let applyDelta: @Sendable (inout Value, inout CBORDecoder) throws(CodecError) -> Void
    let isIdentical: @Sendable (Value, Value) -> Bool
    let isSame: @Sendable (Value, Value) -> Bool
    let digest: @Sendable (Value) -> Digest

    init<Part: ReplicatedState>(
      _ part: StoredPart<Value, Part>,
      _ keyPath: any WritableKeyPath<Value, Part> & Sendable,
    ) {
      schema = { name, registry in
        registry.fieldVisitor?.visit(name, keyPath)
        return Part.schema(in: &registry)
      }
      encode = { part.read($0).encode(to: &$1) }
      decode = { (value, decoder) throws(CodecError) in
        value[keyPath: keyPath] = try Part(from: &decoder)
      }
      encodeDelta = { part.read($0).encodeDelta(from: part.read($1), to: &$2) }
      applyDelta = { (value, decoder) throws(CodecError) in
        try value[keyPath: keyPath].applyDelta(from: &decoder)
      }
      isIdentical = { part.isIdentical($0, $1) }
      isSame = { part.isIdentical($0, $1) || part.read($0)._$isSame(as: part.read($1)) }
      digest = { part.read($0)._$digest }
    }
  }

  let name: String
  private let codings: [Coding]
  private let formerNames: [[String]]
  let order: FieldOrder

  /// Creates the layout of a record.
  ///
  /// - Parameters:
  ///   - name: The type's name in schemas.
  ///   - fields: The fields in the order of declaration.
  public init(_ name: String, _ fields: [Field]) {
    self.name = name
    codings = fields.map(\.coding)
    formerNames = fields.map(\.formerNames)
    order = FieldOrder(fields.map(\.name), of: name)
  }
}

extension RecordLayout {
  /// Defines the record; a field that another build lacks has its value in `initial`.
  func schema(
    in registry: inout SchemaRegistry,
    initial: @autoclosure () -> Value,
  ) -> Schema {
    registry.define(Value.self, name: name) { registry in
      note(initial, in: &registry)
      return .record(
        zip(order.names, codings).map { Definition.Field($0, $1.schema($0, &registry)) }
      )
    }
  }

  private func note(_ initial: () -> Value, in registry: inout SchemaRegistry) {
    guard registry.isCollectingHints else { return }
    let value = initial()
    for (index, coding) in codings.enumerated() {
      registry.note(Value.self, order.names[index], formerly: formerNames[index]) {
        var encoder = CBOREncoder()
        coding.encode(value, &encoder)
        return encoder.bytes
      }
    }
  }

  func encode(_ value: Value, to encoder: inout CBOREncoder) {
    encoder.mapHeader(codings.count)
    for place in order.canonical {
      encoder.append(raw: order.encodedNames[place])
      codings[place].encode(value, &encoder)
    }
  }

  func decode(into value: inout Value, from decoder: inout CBORDecoder) throws(CodecError) {
    var left = try decoder.mapHeader()
    for place in order.canonical {
      try decoder.fieldName(order, at: place, left: left)
      left -= 1
      do throws(CodecError) {
        try codings[place].decode(&value, &decoder)
      } catch {
        throw error.inside(.name(order.names[place]))
      }
    }
    try decoder.checkNoMoreFields(order, left: left)
  }

  func isSame(_ one: Value, _ other: Value) -> Bool {
    codings.allSatisfy { $0.isSame(one, other) }
  }

  func digest(_ value: Value) -> Digest {
    var digest = MapDigest()
    for (coding, name) in zip(codings, order.digests) {
      digest.add(key: name, value: coding.digest(value))
    }
    return digest.finish()
  }

  func encodeDelta(_ value: Value, from old: Value, to encoder: inout CBOREncoder) -> Bool {
    let map = encoder.beginDeferredMap()
    var count = 0
    for index in 0..<codings.count {
      let coding = codings[index]
      guard !coding.isIdentical(value, old) else { continue }
      let mark = encoder.mark
      encoder.encode(unsigned: UInt64(index))
      if coding.encodeDelta(value, old, &encoder) {
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
      let index = try decoder.place(below: codings.count, "field")
      do throws(CodecError) {
        try codings[index].applyDelta(&value, &decoder)
      } catch {
        throw error.inside(.name(order.names[index]))
      }
    }
  }
}
