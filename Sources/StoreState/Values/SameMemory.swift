#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Whether two values have the same bytes in memory, which makes them the same.
///
/// Values hold no mutable references, so equal bits are one value: the same numbers, and the same
/// buffers. False says nothing. O(1), whatever the values hold.
package func haveSameMemory<Value>(_ one: Value, _ other: Value) -> Bool {
  withUnsafeBytes(of: one) { one in
    withUnsafeBytes(of: other) { other in
      guard let first = one.baseAddress, let second = other.baseAddress else { return true }
      return memcmp(first, second, one.count) == 0
    }
  }
}
