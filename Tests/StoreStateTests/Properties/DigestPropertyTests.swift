import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// A digest is a function of the encoding alone; PROTOCOL.md §4.
@Suite(.timeLimit(.minutes(3))) struct DigestPropertyTests {
  /// The digest by the formulas of the protocol's text, computed from scratch.
  private func plainDigest(_ value: GenericValue) -> UInt64 {
    func number(_ value: UInt64) -> [UInt8] {
      (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    func hash(_ bytes: [UInt8]) -> UInt64 { SipHash24.hash(bytes[...]) }
    func container(_ first: UInt8, _ count: Int, _ sum: UInt64) -> UInt64 {
      hash([first] + number(UInt64(count)) + number(sum))
    }
    switch value {
    case .array(let items):
      let prime: UInt128 = (1 << 61) - 1
      let base: UInt128 = 0x1d8a_f066_c9d3_a4f1 % prime
      var sum: UInt128 = 0
      for (index, item) in items.enumerated() {
        var term = UInt128(plainDigest(item)) % prime
        for _ in 0..<(items.count - 1 - index) { term = term * base % prime }
        sum = (sum + term) % prime
      }
      return container(0x80, items.count, UInt64(sum))
    case .map(let entries):
      let sum = entries.reduce(0 as UInt64) {
        $0 &+ hash([0xa1] + number(plainDigest($1.key)) + number(plainDigest($1.value)))
      }
      return container(0xa0, entries.count, sum)
    case .set(let items):
      let sum = items.reduce(0 as UInt64) { $0 &+ hash([0xc1] + number(plainDigest($1))) }
      return container(0xc0, items.count, sum)
    default:
      return hash(value.encoded())
    }
  }

  @Test("It matches the protocol's text", arguments: 0..<60 as Range<UInt64>)
  func twin(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let schema = try RandomSchema(&random).identified()
    for _ in 0..<15 {
      let value = schema.value(&random)
      #expect(value._$digest.rawValue == plainDigest(value))
    }
    let state = AllKinds.random(&random)
    #expect(state._$digest.rawValue == plainDigest(try GenericValue(encoded: state.encoded())))
  }

  @Test("Values have equal digests exactly if they have equal bytes")
  func equality() throws {
    var bytesByDigest: [Digest: [UInt8]] = [:]
    var random = SeededRandom(64)
    for _ in 0..<200 {
      let schema = try RandomSchema(&random).identified()
      for _ in 0..<30 {
        let value = schema.value(&random)
        let bytes = value.encoded()
        let known = bytesByDigest.updateValue(bytes, forKey: value._$digest)
        #expect(known == nil || known == bytes)
        #expect(try GenericValue(encoded: bytes)._$digest == value._$digest)
      }
    }
    #expect(bytesByDigest.count > 1_000)
  }

  @Test("All different small values of one type have different digests")
  func smallCases() throws {
    let texts = ["", "a", "é", "e\u{301}", "ae\u{301}"]
    try checkAllPairs(texts.flatMap { one in texts.map { [one, $0] } } + texts.map { [$0] } + [[]])
    let floats = [0.0, -0.0, .nan, -.nan, 1, .infinity]
    try checkAllPairs(floats.flatMap { one in floats.map { [one, $0] } })
    try checkAllPairs(floats.flatMap { one in floats.map { Set([one, $0]) } })
    try checkAllPairs(
      texts.flatMap { one in
        texts.map { Dictionary([(one, 1), ($0, 2)]) { first, _ in first } }
      }
    )
  }

  @Test("The history of a set or map does not matter", arguments: 0..<40 as Range<UInt64>)
  func histories(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let elements = (0..<Int.random(in: 0...40, using: &random)).map { "\($0)é" }
    let expected = Set(elements)
    let entries = Dictionary(uniqueKeysWithValues: elements.map { ($0, [$0]) })
    for _ in 0..<8 {
      // Another capacity gives another hash seed, and so another order.
      var set = Set<String>(minimumCapacity: Int.random(in: 0...400, using: &random))
      var dictionary: [String: [String]] = [:]
      dictionary.reserveCapacity(Int.random(in: 0...400, using: &random))
      for guest in 0..<Int.random(in: 0...60, using: &random) {
        set.insert("guest \(guest)")
        dictionary["guest \(guest)"] = []
      }
      for element in elements.shuffled(using: &random) {
        set.insert(element)
        dictionary[element] = random.chance(2) ? [element] : []
        dictionary[element] = [element]
      }
      set = set.filter { !$0.hasPrefix("guest") }
      for key in dictionary.keys where key.hasPrefix("guest") { dictionary[key] = nil }
      #expect(set.encoded() == expected.encoded())
      #expect(set._$digest == expected._$digest)
      #expect(set.delta(from: expected) == nil)
      #expect(dictionary.encoded() == entries.encoded())
      #expect(dictionary._$digest == entries._$digest)
      #expect(dictionary.delta(from: entries) == nil)
    }
  }
}
