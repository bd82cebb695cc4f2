#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The hashes by which trees find rows.
///
/// They differ from process to process. They affect only the speed of a search, never its result
/// or order.
@usableFromInline
enum IDHash {
  /// A secret of the process, so that no peer can choose ids with equal hashes.
  @usableFromInline static let seed = UInt64(bitPattern: Int64("A tree's hashes".hashValue)) | 1

  /// The hash of an id.
  ///
  /// Ids of the two most common types consist only of bits: two multiplications hash them in a
  /// tenth of the time of `Hasher`.
  @inlinable
  static func hash<ID: Hashable>(_ id: UnsafePointer<ID>, seed: UInt64) -> UInt32 {
    if ID.self == UUID.self {
      let words = UnsafeRawPointer(id)
      return mix(
        words.loadUnaligned(as: UInt64.self),
        words.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
        seed,
      )
    }
    if ID.self == Int.self {
      return mix(UInt64(UnsafeRawPointer(id).loadUnaligned(as: UInt.self)), 0, seed)
    }
    // Spread once more, for types with a manual hash.
    let spread = UInt64(truncatingIfNeeded: id.pointee.hashValue) &* 0x9e37_79b9_7f4a_7c15
    return UInt32(truncatingIfNeeded: spread >> 32)
  }

  @inlinable
  static func mix(_ first: UInt64, _ second: UInt64, _ seed: UInt64) -> UInt32 {
    let other = seed.byteSwapped &* 0x9e37_79b9_7f4a_7c15
    let mixed = fold(first ^ seed, second ^ other)
    return UInt32(truncatingIfNeeded: fold(mixed ^ other, 0xd6e8_feb8_6659_fd93) >> 32)
  }

  /// The two halves of a product combined by XOR: each bit of a factor affects the whole result.
  @inlinable
  static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
  }
}
