extension SequenceDigest {
  /// The content of an array's concatenation with another one of `count` elements.
  package static func content(_ one: UInt64, followedBy other: UInt64, _ count: Int) -> UInt64 {
    add(multiply(one, power(count)), other)
  }

  /// Adds an element's digest to the content of an array in which `count` elements follow it.
  package static func add(_ digest: UInt64, followedBy count: Int, to content: UInt64) -> UInt64 {
    add(content, multiply(reduce(digest), power(count)))
  }

  /// Removes an element's digest from the content of an array.
  package static func remove(
    _ digest: UInt64,
    followedBy count: Int,
    from content: UInt64,
  ) -> UInt64 {
    let part = multiply(reduce(digest), power(count))
    return content >= part ? content - part : content + modulus - part
  }

  /// The base to an exponent below 2³².
  static func power(_ exponent: Int) -> UInt64 {
    powers.withUnsafeBufferPointer { powers in
      var result = powers[exponent & 0xff]
      var (rest, row) = (exponent >> 8, 256)
      while rest > 0 {
        if rest & 0xff > 0 { result = multiply(result, powers[row + rest & 0xff]) }
        rest >>= 8
        row += 256
      }
      return result
    }
  }

  /// The base to the powers 0…255, 0…255 times 2⁸, 0…255 times 2¹⁶ and 0…255 times 2²⁴.
  private static let powers: [UInt64] = {
    var powers: [UInt64] = []
    var factor = base
    for _ in 0..<4 {
      var power: UInt64 = 1
      for _ in 0..<256 {
        powers.append(power)
        power = multiply(power, factor)
      }
      factor = power
    }
    return powers
  }()
}
