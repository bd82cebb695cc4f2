/// Calls of generated code that writes a value.
extension CBOREncoder {
  /// Writes a field's name and value.
  @inlinable
  public mutating func _$field<Part: ReplicatedState>(_ name: StaticString, _ value: Part) {
    encode(name: name)
    value.encode(to: &self)
  }

  /// A placeholder for a value that the schema rejects at compile time.
  public mutating func _$field<Part>(_ name: StaticString, _ value: Part) {}

  /// Begins the payload of a case: its name and the number of its parts.
  @inlinable
  public mutating func _$payload(of name: StaticString, _ count: Int) {
    mapHeader(1)
    encode(name: name)
    mapHeader(count)
  }

  /// Writes that a choice now has another case.
  @inlinable
  public mutating func _$replacement<Value: ReplicatedState>(_ value: Value) -> Bool {
    arrayHeader(2)
    encode(unsigned: 0)
    value.encode(to: &self)
    return true
  }
}

/// The changes inside of a record or payload while generated code writes them.
public struct _$DeltaWriter {
  @usableFromInline let start: CBOREncoder.Mark
  @usableFromInline let map: CBOREncoder.Mark
  @usableFromInline var count = 0

  /// Begins the delta of a record.
  public init(record encoder: inout CBOREncoder) {
    start = encoder.mark
    map = encoder.beginDeferredMap()
  }

  /// Begins the delta between two payloads of the case at an index.
  public init(case place: Int, _ encoder: inout CBOREncoder) {
    start = encoder.mark
    encoder.arrayHeader(2)
    encoder.encode(unsigned: UInt64(place) + 1)
    map = encoder.beginDeferredMap()
  }

  /// Writes the delta of one field, if it changed.
  @inlinable
  public mutating func field<Part: ReplicatedState>(
    _ index: Int,
    _ new: Part,
    _ old: Part,
    _ encoder: inout CBOREncoder,
  ) {
    guard !_$haveSameBits(new, old) else { return }
    let mark = encoder.mark
    encoder.encode(unsigned: UInt64(index))
    if new.encodeDelta(from: old, to: &encoder) {
      count += 1
    } else {
      encoder.truncate(to: mark)
    }
  }

  /// A placeholder for a value that the schema rejects at compile time.
  public mutating func field<Part>(
    _ index: Int,
    _ new: Part,
    _ old: Part,
    _ encoder: inout CBOREncoder,
  ) {}

  /// Ends the delta.
  ///
  /// - Returns: False if no field changed; then no bytes are written.
  public func finish(_ encoder: inout CBOREncoder) -> Bool {
    guard count > 0 else {
      encoder.truncate(to: start)
      return false
    }
    encoder.endDeferredMap(map, count: count)
    return true
  }
}
