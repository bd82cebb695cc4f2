#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Whether two values have the same bytes in memory, which makes them the same.
///
/// Values hold no mutable references, so equal bits are one value: the same numbers, and the same
/// buffers. False is inconclusive. O(1), independent of the values' contents.
///
/// - Parameters:
///   - one: A value.
///   - other: Another one.
/// - Returns: Whether the values are known to be the same.
@inlinable
@inline(__always)
public func _$haveSameBits<Value>(_ one: Value, _ other: Value) -> Bool {
  withUnsafeBytes(of: one) { one in
    withUnsafeBytes(of: other) { other in
      switch MemoryLayout<Value>.size {
      case 0:
        return true
      case 1:
        return one[0] == other[0]
      case 8:
        return one.loadUnaligned(as: UInt64.self) == other.loadUnaligned(as: UInt64.self)
      case 16:
        return one.loadUnaligned(as: UInt64.self) == other.loadUnaligned(as: UInt64.self)
          && one.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            == other.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      default:
        return haveSameBytes(one, other)
      }
    }
  }
}

/// The same as ``_$haveSameBits(_:_:)``, not inlined.
package func haveSameMemory<Value>(_ one: Value, _ other: Value) -> Bool {
  _$haveSameBits(one, other)
}

/// Whether the values at two places have the same bytes in memory, which makes them the same.
package func haveSameMemory<Value>(
  at one: UnsafePointer<Value>,
  _ other: UnsafePointer<Value>,
) -> Bool {
  memcmp(one, other, MemoryLayout<Value>.size) == 0
}

/// Whether the memory at two places is equal in a range of bytes.
package func haveSameBytes(
  at one: UnsafeRawPointer,
  _ other: UnsafeRawPointer,
  _ range: Range<Int>,
) -> Bool {
  memcmp(one + range.lowerBound, other + range.lowerBound, range.count) == 0
}

@usableFromInline
package func haveSameBytes(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
  guard let first = one.baseAddress, let second = other.baseAddress else { return true }
  return one.count == other.count && memcmp(first, second, one.count) == 0
}
