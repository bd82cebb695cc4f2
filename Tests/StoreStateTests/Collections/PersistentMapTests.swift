import Foundation
import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// Maps in narrow nodes, with their entries in some order.
private func map(_ entries: [(String, Int)]) -> PersistentMap<String, Int> {
  var map = PersistentMap<String, Int>(widths: narrow)
  for (key, value) in entries { map[key] = value }
  return map
}

@Suite("Persistent map", .timeLimit(.minutes(1)))
struct PersistentMapTests {
  @Test("Values are found, changed in place and removed by key, in the order of insertion")
  func basics() {
    var scores: PersistentMap<String, Int> = ["Blob": 1, "Blob Jr.": 2]
    scores["Blob", default: 0] += 5
    scores["Blob Sr.", default: 10] += 1
    scores["Blob Jr."]? *= 3
    #expect(scores.keys == ["Blob", "Blob Jr.", "Blob Sr."])
    #expect(scores.values == [6, 6, 11])
    #expect(scores["nobody"] == nil)
    #expect(scores.updateValue(1, forKey: "Blob") == 6)
    #expect(scores.updateValue(7, forKey: "new") == nil)
    #expect(scores.removeValue(forKey: "Blob Jr.") == 6)
    #expect(scores.removeValue(forKey: "Blob Jr.") == nil)
    scores["Blob Sr."] = nil
    #expect("\(scores)" == "[Blob: 1, new: 7]")
    #expect(scores.contains("new") && !scores.contains("Blob Sr."))
    #expect(scores.filter { $0.value > 1 } == ["new": 7])
    scores.removeAll()
    #expect(scores.isEmpty && "\(scores)" == "[:]")
  }

  @Test("The order is not part of the value")
  func order() {
    let one = map([("a", 1), ("b", 2), ("c", 3)])
    let other = map([("c", 3), ("a", 1), ("b", 2)])
    #expect(one == other && one.hashValue == other.hashValue)
    #expect(one._$isSame(as: other) && one._$digest == other._$digest)
    #expect(one.delta(from: other) == nil)
    #expect(one != map([("a", 1), ("b", 2), ("c", 4)]))
    #expect(one != map([("a", 1), ("b", 2), ("d", 3)]))
  }

  @Test("It is a dictionary for Codable")
  func codable() throws {
    let data = try JSONEncoder().encode(map([("a", 1)]))
    #expect(String(decoding: data, as: UTF8.self) == #"{"a":1}"#)
    #expect(try JSONDecoder().decode(PersistentMap<String, Int>.self, from: data) == ["a": 1])
  }

  @Test("Bytes, schema, deltas and digests are a dictionary's", arguments: 0..<10 as Range<UInt64>)
  func likeADictionary(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var (map, plain) = (map([]), [String: Int]())
    var versions: [(PersistentMap<String, Int>, [String: Int])] = []
    for _ in 0..<150 {
      let (old, oldPlain) = versions.isEmpty ? (map, plain) : random.pick(versions)
      for _ in 0...Int.random(in: 0...3, using: &random) {
        let key = "key \(Int.random(in: 0..<60, using: &random))"
        let value: Int? = random.chance(3) ? nil : Int.random(in: 0..<3, using: &random)
        map[key] = value
        plain[key] = value
      }
      #expect(map.tree.faults { $0.pointee.contribution }.isEmpty)
      #expect(map.encoded() == plain.encoded())
      #expect(map._$digest == plain._$digest)
      #expect(map.tree.faults { $0.pointee.contribution }.isEmpty)
      #expect(map.delta(from: old) == plain.delta(from: oldPlain))
      try checkDelta(from: old, to: map)
      if random.chance(4) { versions.append((map, plain)) }
    }
    for (map, plain) in versions { #expect(map.encoded() == plain.encoded()) }
    #expect(
      SchemaRegistry.document(for: PersistentMap<String, Int>.self)
        == SchemaRegistry.document(for: [String: Int].self)
    )
  }

  @Test("Equal keys with different encodings are two keys on the wire and one in memory")
  func respeltKeys() throws {
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    var map = map([("a", 1), (composed, 2)])
    map[decomposed] = 3
    #expect(map[composed] == 3)
    #expect(map.encoded() == map.applyingNothing.encoded())
    #expect(map.keys.map { Array($0.utf8) } == [Array("a".utf8), Array(composed.utf8)])
    let other = StoreStateTests.map([("a", 1), (decomposed, 3)])
    #expect(map == other && !map._$isSame(as: other) && map._$digest != other._$digest)
    try checkDelta(from: map, to: other)
    let bytes = [composed: 1].encoded()[1...] + [decomposed: 2].encoded()[1...]
    let both = CBORDecoder.compare([composed: 1].encoded()[...], [decomposed: 2].encoded()[...])
    try #require(both < 0)
    #expect(throws: CodecError.self) {
      try PersistentMap<String, Int>(encoded: [0xa2] + bytes)
    }
  }

  @Test("Keys with floats behave as in a dictionary")
  func floatKeys() throws {
    typealias Floats = PersistentMap<Double, Int>
    let values: [Floats] = [
      [:], [.nan: 1], [0: 1, .nan: 2], [-0.0: 1], [1.5: 1, .infinity: 2],
    ]
    try checkAllPairs(values)
    for value in values {
      let plain = Dictionary(uniqueKeysWithValues: value.map { ($0.key, $0.value) })
      #expect(value.encoded() == plain.encoded() && value._$digest == plain._$digest)
    }
  }

  @Test("A delta that does not fit is rejected with the key")
  func refused() throws {
    let map = map([("a", 1)])
    for (delta, message) in [
      ("a1 00 81 61 62", "the key is not there"),
      ("a1 01 82 61 61 05", "the key is there already"),
      ("a1 02 82 61 62 05", "the key is not there"), ("a1 01 81 61 62", "a key without a value"),
    ] {
      let error = #expect(throws: CodecError.self) { try map.applying(delta: hex(delta)) }
      #expect(error?.message == message)
    }
  }
}

extension PersistentMap where Key: WireValue, Value: ReplicatedState {
  /// The map as another process decodes it.
  fileprivate var applyingNothing: Self {
    (try? Self(encoded: encoded())) ?? [:]
  }
}

@Suite("Persistent set", .timeLimit(.minutes(1)))
struct PersistentSetTests {
  @Test("Elements are unique and iterated in the order of insertion")
  func basics() {
    var set: PersistentSet = [3, 1, 3, 2]
    #expect(Array(set) == [3, 1, 2] && set.count == 3)
    #expect(set.insert(1) == (false, 1))
    #expect(set.insert(9) == (true, 9))
    #expect(set.remove(1) == 1 && set.remove(1) == nil)
    #expect(set.contains(9) && !set.contains(1))
    #expect(set == [9, 2, 3] && set.hashValue == ([9, 2, 3] as PersistentSet).hashValue)
    #expect("\(set)" == "[3, 2, 9]")
    #expect(set.update(with: 2) == 2 && set.update(with: 5) == nil)
    set.removeAll { $0 > 4 }
    #expect(set == [2, 3])
  }

  @Test("The algebra is a set's")
  func algebra() {
    for mask in 0..<64 {
      let (left, right) = (
        (0..<3).filter { mask >> $0 & 1 == 1 }, (0..<3).filter { mask >> ($0 + 3) & 1 == 1 },
      )
      let (one, other) = (PersistentSet(left), PersistentSet(right))
      let (plain, otherPlain) = (Set(left), Set(right))
      #expect(Set(one.union(other)) == plain.union(otherPlain))
      #expect(Set(one.intersection(other)) == plain.intersection(otherPlain))
      #expect(Set(one.subtracting(other)) == plain.subtracting(otherPlain))
      #expect(Set(one.symmetricDifference(other)) == plain.symmetricDifference(otherPlain))
      #expect(one.isSubset(of: other) == plain.isSubset(of: otherPlain))
      #expect(one.isDisjoint(with: other) == plain.isDisjoint(with: otherPlain))
      #expect((one == other) == (plain == otherPlain))
    }
  }

  @Test("Bytes, schema, deltas and digests are a set's", arguments: 0..<10 as Range<UInt64>)
  func likeASet(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var (set, plain) = (PersistentSet<String>(widths: narrow), Set<String>())
    var versions: [(PersistentSet<String>, Set<String>)] = []
    for _ in 0..<150 {
      let (old, oldPlain) = versions.isEmpty ? (set, plain) : random.pick(versions)
      for _ in 0...Int.random(in: 0...3, using: &random) {
        let element = "element \(Int.random(in: 0..<60, using: &random))"
        if random.chance(2) {
          #expect(set.insert(element).inserted == plain.insert(element).inserted)
        } else {
          #expect(set.remove(element) == plain.remove(element))
        }
      }
      #expect(set.tree.faults { SetDigest.hash($0.pointee._$digest) }.isEmpty)
      #expect(set.encoded() == plain.encoded())
      #expect(set._$digest == plain._$digest)
      #expect(set.tree.faults { SetDigest.hash($0.pointee._$digest) }.isEmpty)
      #expect(set.delta(from: old) == plain.delta(from: oldPlain))
      try checkDelta(from: old, to: set)
      if random.chance(4) { versions.append((set, plain)) }
    }
    #expect(
      SchemaRegistry.document(for: PersistentSet<String>.self)
        == SchemaRegistry.document(for: Set<String>.self)
    )
  }

  @Test("Equal elements with different encodings, and floats, behave as in a set")
  func oddElements() throws {
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    try checkAllPairs([[], [composed], [decomposed], ["a", composed]] as [PersistentSet<String>])
    try checkAllPairs([[], [.nan], [0, .nan], [-0.0], [1.5]] as [PersistentSet<Double>])
    #expect(throws: CodecError.self) {
      try PersistentSet<String>(
        encoded: ([0xd9, 0x01, 0x02, 0x82] as [UInt8])
          + composed.encoded() + decomposed.encoded()
      )
    }
  }

  @Test("A delta that does not fit is refused")
  func refused() {
    let set: PersistentSet = ["a"]
    for delta in ["a1 00 81 61 62", "a1 01 81 61 61"] {
      #expect(throws: CodecError.self) { try set.applying(delta: hex(delta)) }
    }
  }
}
