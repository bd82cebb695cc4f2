/// Pseudorandom numbers from a seed (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Returns a generator that is independent of this one.
  mutating func fork() -> SeededGenerator { SeededGenerator(seed: next()) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// Returns a number with a uniformly distributed bit length: 3 is as likely as 300.
  mutating func logarithmic(_ range: ClosedRange<Int>) -> Int {
    let low = range.lowerBound.bitWidth - range.lowerBound.leadingZeroBitCount
    let high = range.upperBound.bitWidth - range.upperBound.leadingZeroBitCount
    let size = 1 << (number(low...high) - 1)
    return min(max(size + number(0...(size - 1)), range.lowerBound), range.upperBound)
  }

  /// Returns true with the given probability.
  mutating func chance(_ probability: Double) -> Bool {
    Double(next() >> 11) * 0x1p-53 < probability
  }

  mutating func duration(_ range: ClosedRange<Duration>) -> Int64 {
    Int64.random(in: range.lowerBound.nanoseconds...range.upperBound.nanoseconds, using: &self)
  }
}

extension Duration {
  var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
