extension HashIndex {
  /// At most this many pairs are sorted by insertion.
  private static let few = 32

  /// Sorts pairs in linear time if hashes are spread evenly, and in place: the process would keep
  /// memory that a large array borrows during its construction.
  static func sort(_ pairs: inout [UInt64]) {
    pairs.withUnsafeMutableBufferPointer { sort($0, sorted: 0) }
  }

  /// Sorts pairs whose hashes have equal first `sorted` bits.
  private static func sort(_ pairs: UnsafeMutableBufferPointer<UInt64>, sorted: Int) {
    guard pairs.count > few else { return insert(pairs) }
    // The ids' type has a poor hash.
    guard sorted < 32 else {
      var pairs = pairs
      return pairs.sort()
    }
    // At least a few pairs per digit.
    let bits = min(8, 32 - sorted, UInt64.bitWidth - pairs.count.leadingZeroBitCount - 3)
    let (shift, mask) = (UInt64(64 - sorted - bits), UInt64(1) << UInt64(bits) - 1)
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 2 << bits) { places in
      places.initialize(repeating: 0)
      let heads = UnsafeMutableBufferPointer(rebasing: places[..<(1 << bits)])
      let ends = UnsafeMutableBufferPointer(rebasing: places[(1 << bits)...])
      distribute(pairs, heads, ends, shift, mask)
      var start = 0
      for end in ends {
        if end - start > 1 {
          sort(UnsafeMutableBufferPointer(rebasing: pairs[start..<end]), sorted: sorted + bits)
        }
        start = end
      }
    }
  }

  /// Moves pairs into the order of their digits.
  ///
  /// - Parameters:
  ///   - pairs: The pairs.
  ///   - heads: Zeros, one for each digit.
  ///   - ends: Zeros, one for each digit; afterwards the end of each digit's pairs.
  ///   - shift: The number of bits after the digit.
  ///   - mask: The greatest digit.
  private static func distribute(
    _ pairs: UnsafeMutableBufferPointer<UInt64>,
    _ heads: UnsafeMutableBufferPointer<Int>,
    _ ends: UnsafeMutableBufferPointer<Int>,
    _ shift: UInt64,
    _ mask: UInt64,
  ) {
    for pair in pairs { ends[Int(truncatingIfNeeded: pair >> shift & mask)] += 1 }
    var start = 0
    for digit in ends.indices {
      heads[digit] = start
      start += ends[digit]
      ends[digit] = start
    }
    for digit in heads.indices {
      while heads[digit] < ends[digit] {
        var pair = pairs[heads[digit]]
        var place = Int(truncatingIfNeeded: pair >> shift & mask)
        while place != digit {
          swap(&pair, &pairs[heads[place]])
          heads[place] += 1
          place = Int(truncatingIfNeeded: pair >> shift & mask)
        }
        pairs[heads[digit]] = pair
        heads[digit] += 1
      }
    }
  }

  /// Sorts a few pairs.
  private static func insert(_ pairs: UnsafeMutableBufferPointer<UInt64>) {
    for place in 1..<max(1, pairs.count) where pairs[place - 1] > pairs[place] {
      let pair = pairs[place]
      var free = place
      while free > 0, pairs[free - 1] > pair {
        pairs[free] = pairs[free - 1]
        free -= 1
      }
      pairs[free] = pair
    }
  }
}
