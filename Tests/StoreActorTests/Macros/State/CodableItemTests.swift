import GenericState
import StoreActor
import StoreState
import Testing

@Suite("Codable values as items")
struct CodableItemTests {
  struct Everything: Codable, Hashable, Sendable {
    enum Kind: Codable, Hashable, Sendable {
      case plain
      case titled(String, size: Int)
    }

    var bool = true
    var text = "é"
    var double = 0.5
    var float: Float = 1.5
    var small: Int8 = -3
    var least = Int64.min
    var large = UInt64.max
    var missing: Int?
    var present: Int? = 4
    var list: [[Int]] = [[1], [], [2, 3]]
    var byText = ["b": 1, "a": 2]
    var byNumber = [7: "seven", 10: "ten"]
    var kinds: [Kind] = [.plain, .titled("x", size: 2)]
    var date = Date(timeIntervalSinceReferenceDate: 3.25)
    var url = URL(string: "https://example.com/a?b=c")
    var data = Data([1, 2, 3])
    var uuid = UUID(9)
    var set: Set<String> = ["x", "y", "z"]
    var nestedSets: Set<Set<Int>> = [[1, 2], [3]]
  }

  class Base: Codable {
    var number: Int
    init(number: Int) { self.number = number }
  }

  // The unchecked conformance is sound: tests read the value from one place.
  final class Derived: Base, @unchecked Sendable {
    var text: String

    init(number: Int, text: String) {
      self.text = text
      super.init(number: number)
    }

    enum CodingKeys: CodingKey { case text }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      text = try container.decode(String.self, forKey: .text)
      try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(text, forKey: .text)
      try super.encode(to: container.superEncoder())
    }
  }

  @Test("Every kind of value is read back")
  func everything() throws {
    let value = Everything()
    let bytes = _$CodableItem(value).encoded()
    #expect(try _$CodableItem<Everything>(encoded: bytes).value == value)
    _ = try GenericValue(encoded: bytes)
  }

  @Test("Unordered collections are written in a fixed order")
  func order() {
    var orders: Set<[UInt8]> = []
    for seed in 0..<20 {
      // The capacity determines the positions of elements.
      var set = Set<Int>(minimumCapacity: 1 << (seed % 8))
      for number in (0..<12).shuffled() { set.insert(number) }
      orders.insert(_$CodableItem(set).encoded())
    }
    #expect(orders.count == 1)
  }

  @Test("A class writes its inherited part under a separate key")
  func inheritance() throws {
    let bytes = _$CodableItem(Derived(number: 3, text: "t")).encoded()
    let copy = try _$CodableItem<Derived>(encoded: bytes).value
    #expect(copy.number == 3)
    #expect(copy.text == "t")
  }

  @Test("Values at the top level may be of any kind")
  func top() throws {
    #expect(_$CodableItem(3).encoded() == [0x03])
    #expect(_$CodableItem(Int?.none).encoded() == [0xf6])
    #expect(_$CodableItem([Int]()).encoded() == [0x80])
    #expect(_$CodableItem([String: Int]()).encoded() == [0xa0])
    #expect(_$CodableItem(Set<Int>()).encoded() == [0x80])
    #expect(try _$CodableItem<[Int: Int]>(encoded: [0xa1, 0x61, 0x31, 0x02]).value == [1: 2])
  }

  @Test("A mismatch is an error with its place")
  func mismatch() {
    struct Point: Codable, Sendable { var x: [Int] }
    func failure(_ bytes: [UInt8]) -> String? {
      ReplicatedRecordTests.failure { try _$CodableItem<Point>(encoded: bytes) }?.message
    }
    #expect(failure([0xa0]) == "the item is no Point: the key \"x\" is missing")
    #expect(failure([0x03]) == "the item is no Point: expected a map, found an integer")
    #expect(
      failure([0xa1, 0x61, 0x78, 0x82, 0x01, 0xf5])
        == "the item is no Point: expected an integer, found a bool, at x.1"
    )
    #expect(
      failure([0xa2, 0x61, 0x78, 0x80, 0x61, 0x79, 0x00])
        == "the item is not what Point writes for the value that it reads"
    )
    #expect(
      failure([0x41, 0x00]) == "expected what a Codable type writes, found bytes"
    )
  }

  @Test("A value that cannot be encoded is an issue, and null for all readers")
  func unencodable() throws {
    let (good, bad) = (
      Moody.State(mood: Mood(isGood: true)), Moody.State(mood: Mood(isGood: false)),
    )
    var (bytes, delta): ([UInt8], [UInt8]?) = ([], nil)
    withKnownIssue {
      bytes = bad.encoded()
    } matching: {
      $0.description.contains(
        """
        A value that is marked '@ReplicatedAsCodable' could not be encoded.

          Type:
            Mood
          Error:
            noWords

        """
      )
    }
    #expect(bytes == [0xa1, 0x64] + "mood".utf8 + [0xf6])
    withKnownIssue { delta = bad.delta(from: good) }
    #expect(delta == [0xa1, 0x00, 0xf6])
    // A reader that does not know the type follows with the same digest.
    var generic = try GenericValue(encoded: good.encoded())
    var decoder = CBORDecoder(try #require(delta))
    let document = SchemaRegistry.document(for: Moody.State.self)
    try generic.apply(delta: &decoder, schema: document.root, in: document)
    withKnownIssue { #expect(generic._$digest == bad._$digest) }
    // A reader that knows the type reports the fault.
    let error = ReplicatedRecordTests.failure { try Moody.State(encoded: bytes) }
    #expect(error?.code == .typeMismatch)
    #expect(error?.path == [.name("mood")])
  }

  @Test("An item whose value cannot be written again is refused, null included")
  func unwritable() {
    for bytes in [[0xf6], [0xf4]] as [[UInt8]] {
      let error = ReplicatedRecordTests.failure { try _$CodableItem<Unwritable>(encoded: bytes) }
      #expect(error?.code == .notCanonical)
    }
  }

  @Test("Damaged bytes never trap, and nesting is limited")
  func damaged() {
    let bytes = _$CodableItem(Everything()).encoded()
    for damaged in ReplicatedRecordTests.damaged(bytes) {
      let value = ReplicatedRecordTests.failure { try _$CodableItem<Everything>(encoded: damaged) }
      let twin = ReplicatedRecordTests.failure { try GenericValue(encoded: damaged) }
      // Bytes that form no item form no value either.
      #expect(value != nil || twin == nil)
    }
    let deep = [UInt8](repeating: 0x81, count: 5_000) + [0x80]
    let error = ReplicatedRecordTests.failure { try _$CodableItem<[Int]>(encoded: deep) }
    #expect(error?.code == .tooDeep)
  }
}

/// A value that is written only in a good mood.
private struct Mood: Codable, Equatable, Sendable {
  enum Failure: Error { case noWords }

  var isGood: Bool

  init(isGood: Bool) { self.isGood = isGood }

  init(from decoder: any Decoder) throws {
    isGood = try decoder.singleValueContainer().decode(Bool.self)
  }

  func encode(to encoder: any Encoder) throws {
    guard isGood else { throw Failure.noWords }
    var container = encoder.singleValueContainer()
    try container.encode(isGood)
  }
}

/// Reads any item, and cannot be written.
private struct Unwritable: Codable, Sendable {
  init(from decoder: any Decoder) throws {}

  func encode(to encoder: any Encoder) throws { throw Mood.Failure.noWords }
}

private enum Moody {
  @ObservableState
  struct State: Equatable, ReplicatedState {
    @ReplicatedAsCodable var mood: Mood
  }
}
