/// A part of a value that a key path refers to, read without the key path if possible.
///
/// Reading through a key path costs some 100 ns. If the key path refers to a stored property, which
/// has a `MemoryLayout.offset(of:)`, the part is read at its offset.
@usableFromInline
package struct StoredPart<Value: Sendable, Part: Sendable>: Sendable {
  @usableFromInline let keyPath: any KeyPath<Value, Part> & Sendable
  @usableFromInline let offset: Int?

  @usableFromInline
  package init(_ keyPath: any KeyPath<Value, Part> & Sendable) {
    self.keyPath = keyPath
    offset = MemoryLayout<Value>.offset(of: keyPath)
  }

  /// The part.
  package func read(_ value: Value) -> Part {
    withUnsafePointer(to: value) { read(at: $0) }
  }

  /// The part of the value at a place.
  @inlinable
  package func read(at place: UnsafePointer<Value>) -> Part {
    guard let offset else { return place.pointee[keyPath: keyPath] }
    return UnsafeRawPointer(place).advanced(by: offset).assumingMemoryBound(to: Part.self).pointee
  }

  /// Passes the parts of the values at two places to a closure, without a copy if they are stored.
  @inlinable
  package func withBoth<Result>(
    at one: UnsafePointer<Value>,
    _ other: UnsafePointer<Value>,
    _ body: (Part, Part) -> Result,
  ) -> Result {
    guard let offset else { return body(read(at: one), read(at: other)) }
    let (one, other) = (UnsafeRawPointer(one) + offset, UnsafeRawPointer(other) + offset)
    return body(
      one.assumingMemoryBound(to: Part.self).pointee,
      other.assumingMemoryBound(to: Part.self).pointee,
    )
  }

  /// Whether two values' parts have the same bytes in memory; ``_$haveSameBits(_:_:)``.
  package func isIdentical(_ one: Value, _ other: Value) -> Bool {
    withUnsafePointer(to: one) { one in
      withUnsafePointer(to: other) { other in isIdentical(at: one, other) }
    }
  }

  /// Whether the parts of the values at two places have the same bytes.
  @usableFromInline
  package func isIdentical(at one: UnsafePointer<Value>, _ other: UnsafePointer<Value>) -> Bool {
    guard let offset else { return false }
    let size = MemoryLayout<Part>.size
    return haveSameBytes(
      UnsafeRawBufferPointer(start: UnsafeRawPointer(one) + offset, count: size),
      UnsafeRawBufferPointer(start: UnsafeRawPointer(other) + offset, count: size),
    )
  }
}
