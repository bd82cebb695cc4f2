#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Whether two runs of bytes are equal.
func memoryIsEqual(
  _ one: UnsafeBufferPointer<UInt8>,
  _ other: UnsafeBufferPointer<UInt8>,
) -> Bool {
  one.count == other.count && memoryOrder(one, other) == 0
}

/// The bytewise order of two runs up to the shorter length: negative, zero or positive.
func memoryOrder(
  _ one: UnsafeBufferPointer<UInt8>,
  _ other: UnsafeBufferPointer<UInt8>,
) -> Int {
  guard let first = one.baseAddress, let second = other.baseAddress else { return 0 }
  return Int(memcmp(first, second, min(one.count, other.count)))
}
