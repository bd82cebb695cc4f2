/// A value of any `Codable` type as something that is replicated: any item, replaced as a whole.
///
/// What is keyed becomes a map from text, what is unkeyed an array. A `Set`, and a dictionary whose
/// keys are no texts or integers, is written in the order of its items' encodings: their own order
/// differs from process to process.
///
/// `encode(to:)` of the value's type must not throw: it would leave a state that cannot be
/// described. What is read must be what would be written, or replicas would drift apart.
public struct _$CodableItem<Value: Codable & Sendable>: ReplicatedState {
  /// The value.
  public var value: Value

  /// Wraps a value.
  public init(_ value: Value) { self.value = value }

  /// Any item.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .any }

  /// True.
  public static var admitsNull: Bool { true }

  /// Writes what the value's own conformance writes.
  public func encode(to encoder: inout CBOREncoder) {
    do {
      let item = try CodableItem.make(from: value, path: [])
      item.encode(to: &encoder)
    } catch {
      preconditionFailure(
        """
        A value of \(Value.self) is marked '@ReplicatedAsCodable' and could not be encoded: \
        \(error). \
        Its 'encode(to:)' must not throw; mark the property '@ReplicationIgnored' if it may.
        """
      )
    }
  }

  /// Reads an item and lets the value's own conformance make a value of it.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    let start = decoder.offset
    var copy = decoder
    let bytes = try decoder.rawItem()
    let item = try CodableItem(from: &copy)
    do {
      value = try Value(from: ItemDecoder(item: item, codingPath: []))
    } catch {
      throw CodecError(
        .typeMismatch,
        "the item is no \(Value.self): \(ItemDecoder.text(of: error))",
        offset: start,
      )
    }
    guard encoded()[...] == bytes else {
      throw CodecError(
        .notCanonical,
        "the item is not what \(Value.self) writes for the value that it reads",
        offset: start,
      )
    }
  }
}

/// Makes the value of a property that is marked `@ReplicatedAsCodable` one that is replicated.
///
/// - Parameter value: The property's value.
/// - Returns: The value as any item.
@inlinable
public func _$codable<Value: Codable & Sendable>(_ value: Value) -> _$CodableItem<Value> {
  _$CodableItem(value)
}

/// Takes a value that the schema has refused at compile time.
///
/// - Parameter value: The property's value.
/// - Returns: The value itself.
public func _$codable<Value>(_ value: Value) -> Value { value }

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

  /// Takes a value that the schema has refused at compile time.
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

  /// Stands for a value that the schema has refused at compile time.
  public mutating func codableValue<Value>(
    of name: StaticString,
    _ decoder: inout CBORDecoder,
  ) throws(CodecError) -> Value {
    try decoder._$value(of: name)
  }
}
