#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A part of a value that a key path leads to, read without the key path where that is possible.
///
/// Reading through a key path costs some 100 ns. Where it leads to a stored property, which
/// `MemoryLayout.offset(of:)` tells, the part is read at its offset.
package struct StoredPart<Value: Sendable, Part: Sendable>: Sendable {
  private let keyPath: any KeyPath<Value, Part> & Sendable
  private let offset: Int?

  package init(_ keyPath: any KeyPath<Value, Part> & Sendable) {
    self.keyPath = keyPath
    offset = MemoryLayout<Value>.offset(of: keyPath)
  }

  /// The part.
  package func read(_ value: Value) -> Part {
    guard let offset else { return value[keyPath: keyPath] }
    return withUnsafePointer(to: value) { pointer in
      UnsafeRawPointer(pointer).advanced(by: offset).assumingMemoryBound(to: Part.self).pointee
    }
  }

  /// Whether two values' parts have the same bytes in memory, which makes them the same.
  ///
  /// Values hold no mutable references, so equal bits are one value: the same numbers, and the
  /// same buffers. False says nothing.
  package func isIdentical(_ one: Value, _ other: Value) -> Bool {
    guard let offset else { return false }
    return withUnsafePointer(to: one) { one in
      withUnsafePointer(to: other) { other in
        memcmp(
          UnsafeRawPointer(one).advanced(by: offset),
          UnsafeRawPointer(other).advanced(by: offset),
          MemoryLayout<Part>.size,
        ) == 0
      }
    }
  }
}
