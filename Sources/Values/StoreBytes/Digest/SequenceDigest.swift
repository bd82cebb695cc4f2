/// The digest of an array to which elements are appended: a polynomial modulo 2⁶¹ − 1.
///
/// Concatenation is associative, so a tree of any shape can keep one in each of its nodes.
package struct SequenceDigest: Hashable, Sendable {
  /// The number of elements.
  package private(set) var count: UInt64 = 0
  /// P, the sum of the elements' digests times powers of the base.
  package private(set) var value: UInt64 = 0
  /// The base to the power of `count`, stored so that concatenation does not compute it.
  private var power: UInt64 = 1

  @inlinable package static var modulus: UInt64 { (1 << 61) - 1 }
  static let base: UInt64 = 0x1d8a_f066_c9d3_a4f1

  package init() {}

  /// The digest of an array of one.
  package init(_ element: Digest) { append(element) }

  package mutating func append(_ element: Digest) {
    let product = Self.multiply(value, Self.base)
    value = Self.add(product, Self.reduce(element.rawValue))
    power = Self.multiply(power, Self.base)
    count += 1
  }

  /// The digest of this array followed by the other.
  package func followed(by other: SequenceDigest) -> SequenceDigest {
    var result = SequenceDigest()
    result.count = count + other.count
    result.value = Self.add(Self.multiply(value, other.power), other.value)
    result.power = Self.multiply(power, other.power)
    return result
  }

  /// The digest of the array.
  package func finish() -> Digest {
    Digest(container: CBOR.array, count: count, content: value)
  }

  @inlinable
  package static func add(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let sum = one + other
    return sum >= modulus ? sum - modulus : sum
  }

  @inlinable
  package static func multiply(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let (high, low) = one.multipliedFullWidth(by: other)
    // The product is high · 2⁶⁴ + low, and 2⁶¹ is 1 here.
    return reduce((low & modulus) + (high << 3 | low >> 61))
  }

  @inlinable
  package static func reduce(_ value: UInt64) -> UInt64 {
    let sum = (value & modulus) + (value >> 61)
    return sum >= modulus ? sum - modulus : sum
  }
}

extension Digest {
  /// Hashes a container's type, count and content into its digest.
  package init(container: UInt8, count: UInt64, content: UInt64) {
    var hasher = SipHash24()
    hasher.append(container)
    hasher.append(littleEndian: count)
    hasher.append(littleEndian: content)
    rawValue = hasher.finish()
  }
}
