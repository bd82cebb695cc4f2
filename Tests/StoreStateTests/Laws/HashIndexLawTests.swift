import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@Suite("The index of hashes")
struct HashIndexLawTests {
  /// Hashes that are unevenly spread, so that an estimate of their place is wrong.
  private func hash(_ random: inout SeededRandom, _ kind: Int) -> UInt32 {
    switch kind {
    case 0: UInt32.random(in: 0...UInt32.max, using: &random)
    case 1: UInt32.random(in: 0...200, using: &random)
    case 2: UInt32.max - UInt32.random(in: 0...200, using: &random)
    default: random.pick([0, 1, 1 << 29, 1 << 31, .max])
    }
  }

  @Test("It finds the same pairs as a sorted list, for any spread of hashes", arguments: 0..<4)
  func twin(kind: Int) {
    var random = SeededRandom(UInt64(kind))
    var index = HashIndex()
    var pairs: [UInt64] = []
    for step in 0..<900 {
      if step % 3 == 2, let pair = pairs.randomElement(using: &random) {
        index.remove(UInt32(pair >> 32), UInt32(truncatingIfNeeded: pair))
        pairs.remove(at: pairs.firstIndex(of: pair) ?? 0)
      } else {
        let (hash, label) = (hash(&random, kind), UInt32.random(in: 0...50, using: &random))
        index.insert(hash, label)
        pairs.append(HashIndex.pair(hash, label))
      }
      guard step % 10 == 0 else { continue }
      pairs.sort()
      #expect(index.pairs == pairs)
      for pair in pairs.shuffled(using: &random).prefix(20) {
        let hash = UInt32(pair >> 32)
        for least in [0, UInt32(truncatingIfNeeded: pair), .random(in: 0...60, using: &random)] {
          let found = pairs.first { $0 >= HashIndex.pair(hash, least) && $0 >> 32 == pair >> 32 }
          #expect(
            index.label(of: hash, from: least) == found.map { UInt32(truncatingIfNeeded: $0) }
          )
        }
      }
      let other = hash(&random, kind)
      let isThere = pairs.contains { $0 >> 32 == UInt64(other) }
      #expect((index.label(of: other, from: 0) != nil) == isThere)
    }
    let rebuilt = pairs.sorted().withUnsafeBufferPointer { HashIndex(sorted: $0) }
    #expect(rebuilt.pairs == pairs.sorted())
  }
}
