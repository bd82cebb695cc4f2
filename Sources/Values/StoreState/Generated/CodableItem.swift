/// A value of any `Codable` type in replicated form: any item, replaced as a whole.
///
/// A keyed container becomes a map with text keys, an unkeyed one an array. A `Set`, and a
/// dictionary whose keys are neither texts nor integers, is written in the order of its items'
/// encodings: their own order differs from process to process.
///
/// The `encode(to:)` of the value's type must not throw. If it does, the item is null, which every
/// copy can hold, and the author gets a report: a process that owns state should not end because of
/// one value. A decoded item must equal the encoding of its value, or replicas would diverge.
public struct _$CodableItem<Value: Codable & Sendable>: ReplicatedState {
  /// The value.
  public var value: Value

  /// Called with a report if the value could not be encoded.
  private let report: @Sendable (String) -> Void

  /// Wraps a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - report: Called with a report each time that the value could not be encoded.
  public init(_ value: Value, reporting report: @escaping @Sendable (String) -> Void = { _ in }) {
    self.value = value
    self.report = report
  }

  /// Any item.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .any }

  /// True: the item may be null.
  public static var admitsNull: Bool { true }

  /// Writes the item of the value's own conformance, or null if that throws.
  public func encode(to encoder: inout CBOREncoder) {
    do {
      try CodableItem.make(from: value, path: []).encode(to: &encoder)
    } catch {
      encoder.encodeNull()
      report(
        """
        A value that is marked '@ReplicatedAsCodable' could not be encoded.

          Type:
            \(Value.self)
          Error:
            \(error)

        Copies of the state get null in its place; a program that knows the type refuses such a \
        state. The value's 'encode(to:)' must not throw, whatever the value is. Let it write every \
        value, or mark the property '@ReplicationIgnored'.
        """
      )
    }
  }

  /// Reads an item and decodes a value from it by the value's own conformance.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    let start = decoder.offset
    var copy = decoder
    let bytes = try decoder.rawItem()
    let item = try CodableItem(from: &copy)
    do {
      self.init(try Value(from: ItemDecoder(item: item, codingPath: [])))
    } catch {
      throw CodecError(
        .typeMismatch,
        "the item is no \(Value.self): \(ItemDecoder.text(of: error))",
        offset: start,
      )
    }
    // Nil if the value cannot be encoded, which differs from an item that is null.
    let again = try? CodableItem.make(from: value, path: [])
    guard let again, again.encoded[...] == bytes else {
      throw CodecError(
        .notCanonical,
        "the item is not what \(Value.self) writes for the value that it reads",
        offset: start,
      )
    }
  }
}

extension CBORDecoder {
  /// Replaces a property that is marked `@ReplicatedAsCodable`.
  @inlinable
  public mutating func _$applyCodable<Value: Codable & Sendable>(
    to value: inout Value,
    of name: StaticString,
  ) throws(CodecError) {
    let item: _$CodableItem<Value> = try _$value(of: name)
    value = item.value
  }

  /// A placeholder for a value that the schema rejects at compile time.
  public mutating func _$applyCodable<Value>(
    to value: inout Value,
    of name: StaticString,
  ) throws(CodecError) {}
}

extension _$FieldReader {
  /// Reads the value of a property that is marked `@ReplicatedAsCodable`.
  @inlinable
  public mutating func codableValue<Value: Codable & Sendable>(
    of name: StaticString,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Value {
    let item: _$CodableItem<Value> = try value(of: name, &decoder)
    return item.value
  }

  /// A placeholder for a value that the schema rejects at compile time.
  public mutating func codableValue<Value>(
    of name: StaticString,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Value {
    try decoder._$value(of: name)
  }
}

extension _$PlainReader {
  /// Reads a property that is marked `@ReplicatedAsCodable`.
  public mutating func codableField<Value: Codable & Sendable>(
    _ name: StaticString
  ) throws(_$NotPlain) -> Value {
    guard finds(name) else { throw _$NotPlain() }
    let item: _$CodableItem<Value> = try decoded()
    return item.value
  }

  /// A placeholder for a value that the schema rejects at compile time.
  public mutating func codableField<Value>(_ name: StaticString) throws(_$NotPlain) -> Value {
    throw _$NotPlain()
  }
}
