import Foundation
import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// Applies the delta between two values and compares the result's bytes, typed and generic.
func checkDelta<State: ReplicatedState>(
  from old: State,
  to new: State,
  sourceLocation: SourceLocation = #_sourceLocation,
) throws {
  let document = SchemaRegistry.document(for: State.self)
  guard let delta = new.delta(from: old) else {
    #expect(old.encoded() == new.encoded(), sourceLocation: sourceLocation)
    return
  }
  #expect(old.encoded() != new.encoded(), sourceLocation: sourceLocation)
  let applied = try old.applying(delta: delta)
  #expect(applied.encoded() == new.encoded(), sourceLocation: sourceLocation)
  #expect(applied._$digest == new._$digest, sourceLocation: sourceLocation)
  let generic = try GenericValue(encoded: old.encoded()).applying(delta: delta, in: document)
  #expect(generic.encoded() == new.encoded(), sourceLocation: sourceLocation)
}

@Suite("Identified array: deltas", .timeLimit(.minutes(1)))
struct IdentifiedArrayDeltaTests {
  private func lists(_ delta: [UInt8]) throws -> [UInt64: [GenericValue]] {
    guard case .map(let entries) = try GenericValue(encoded: delta) else { return [:] }
    var lists: [UInt64: [GenericValue]] = [:]
    for entry in entries {
      if case (.unsigned(let part), .array(let items)) = (entry.key, entry.value) {
        lists[part] = items.plain
      }
    }
    return lists
  }

  @Test("The encoding is an array of records, and decoding rejects a duplicate id")
  func encoding() throws {
    let rows: Rows = [Row(2, "b"), Row(1, "a")]
    #expect(rows.encoded() == [Row(2, "b"), Row(1, "a")].encoded())
    #expect(try Rows(encoded: rows.encoded()) == rows)
    #expect(rows._$digest == [Row(2, "b"), Row(1, "a")]._$digest)
    let error = #expect(throws: CodecError.self) {
      try Rows(encoded: [Row(2, "b"), Row(2, "a")].encoded())
    }
    #expect(error?.path == [.index(1)])
    #expect(error?.message == "the id 2 equals another one")
  }

  @Test("The schema names the id's field")
  func schema() {
    let document = SchemaRegistry.document(for: Rows.self)
    #expect(document.root == .identified(idField: "id", id: .int64, element: .named("Row")))
  }

  @Test("Deltas exist between all orders of up to five elements")
  func allPermutations() throws {
    for count in 0...5 {
      let old = Rows(ids: 0..<count)
      for order in permutations(Array(0..<count)) {
        let new = Rows(ids: order)
        try checkDelta(from: old, to: new)
        let moved = try new.delta(from: old).map { try lists($0)[1]?.count ?? 0 } ?? 0
        #expect(moved / 2 == count - longestRun(order))
      }
    }
  }

  @Test("Deltas exist between all selections of elements in all orders")
  func allSelections() throws {
    let all = (0..<16).flatMap { mask in
      permutations((0..<4).filter { mask >> $0 & 1 == 1 })
    }
    for old in all {
      for new in all { try checkDelta(from: Rows(ids: old), to: Rows(ids: new)) }
    }
  }

  /// The length of a longest increasing subsequence, by exhaustive search.
  private func longestRun(_ numbers: [Int]) -> Int {
    (0..<(1 << numbers.count)).map { mask in
      let chosen = numbers.indices.filter { mask >> $0 & 1 == 1 }.map { numbers[$0] }
      return chosen == chosen.sorted() ? chosen.count : 0
    }
    .max() ?? 0
  }

  @Test("Moving one row of many is one entry, for any destination")
  func oneMove() throws {
    let old = Rows(ids: 0..<100)
    for (from, to) in [(0, 100), (99, 0), (40, 43), (42, 40), (10, 90), (90, 10)] {
      var new = old
      new.move(fromOffsets: [from], toOffset: to)
      let delta = try #require(new.delta(from: old))
      let lists = try lists(delta)
      let index = try #require(new.index(id: from))
      #expect(lists == [1: [.unsigned(UInt64(index)), .unsigned(UInt64(from))]])
      try checkDelta(from: old, to: new)
    }
  }

  @Test("A changed Bool in a row with a UUID takes at most 24 bytes")
  func oneBool() throws {
    var rows = IdentifiedArray<UUID, UUIDRow>()
    for _ in 0..<200 {
      var row = UUIDRow()
      row.id = UUID()
      rows.append(row)
    }
    var new = rows
    new[100].isCompleted = true
    let delta = try #require(new.delta(from: rows))
    #expect(delta.count <= 24)
    try checkDelta(from: rows, to: new)
  }

  @Test("A removed row and an appended row are one entry each")
  func oneInsertion() throws {
    let old = Rows(ids: 0..<10)
    var new = old
    new.remove(id: 4)
    new.append(Row(10, "new"))
    let lists = try lists(try #require(new.delta(from: old)))
    #expect(lists[0] == [.unsigned(4)])
    #expect(lists[2]?.first == .unsigned(9))
    #expect(lists[1] == nil && lists[3] == nil)
    try checkDelta(from: old, to: new)
  }

  @Test("Ids that are equal in Swift but not in bytes are different ids on the wire")
  func respeltIDs() throws {
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    try #require(composed == decomposed)
    typealias NamedRows = IdentifiedArrayOf<NamedRow>
    let old: NamedRows = [NamedRow("a", 1), NamedRow(composed, 2), NamedRow("b", 3)]
    let new: NamedRows = [NamedRow("a", 1), NamedRow(decomposed, 2), NamedRow("b", 4)]
    let lists = try lists(try #require(new.delta(from: old)))
    #expect(lists[0] == [.text(composed)])
    #expect(lists[2]?.count == 2)
    try checkDelta(from: old, to: new)

    let moved: NamedRows = [NamedRow(decomposed, 5), NamedRow("b", 3), NamedRow("a", 1)]
    try checkDelta(from: old, to: moved)
    #expect(throws: CodecError.self) {
      try NamedRows(encoded: [NamedRow(composed, 1), NamedRow(decomposed, 2)].encoded())
    }
    var encoder = CBOREncoder()
    encoder.mapHeader(1)
    encoder.encode(unsigned: 0)
    encoder.arrayHeader(1)
    encoder.encode(text: decomposed)
    #expect(throws: CodecError.self) { try old.applying(delta: encoder.bytes) }
  }

  @Test("Random edits yield the same bytes", arguments: 0..<60 as Range<UInt64>)
  func randomEdits(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var twin = IdentifiedTwin()
    for _ in 0..<30 {
      let old = twin.rows
      for _ in 0..<Int.random(in: 0...6, using: &random) { twin.doSomething(&random) }
      try checkDelta(from: old, to: twin.rows)
    }
  }

  @Test("Large random edits, which rebuild the array, yield the same bytes")
  func largeEdits() throws {
    var random = SeededRandom(4)
    for _ in 0..<40 {
      let old = Rows(ids: (0..<60).shuffled(using: &random).prefix(40))
      var new = Rows(ids: (0..<60).shuffled(using: &random).prefix(40))
      for id in new.ids where random.chance(3) { new[id: id]?.isCompleted = true }
      try checkDelta(from: old, to: new)
    }
  }
}

@Suite("Identified array: deltas that do not fit")
struct IdentifiedArrayMalformedDeltaTests {
  private let rows = Rows(ids: [1, 2, 3])

  /// The error of both typed and generic values, which must agree on the path.
  private func error(_ delta: String) throws -> String {
    let typed = #expect(throws: CodecError.self) { try rows.applying(delta: hex(delta)) }
    let document = SchemaRegistry.document(for: Rows.self)
    let value = try GenericValue(encoded: rows.encoded())
    let generic = #expect(throws: CodecError.self) {
      try value.applying(delta: hex(delta), in: document)
    }
    let (one, other) = (try #require(typed), try #require(generic))
    #expect(one.path == other.path)
    return "\(CodecError.text(of: one.path)): \(one.message)"
  }

  private static let row9 =
    "a3 62 69 64 09 65 74 69 74 6c 65 60 6b 69 73 43 6f 6d 70 6c 65 74 65 64 f4"
  private static let row2 =
    "a3 62 69 64 02 65 74 69 74 6c 65 60 6b 69 73 43 6f 6d 70 6c 65 74 65 64 f4"

  @Test(
    "Each is rejected with the path",
    arguments: [
      ("a1 00 81 09", "$[9]: no element with this id is there"),
      ("a1 01 82 00 09", "$[9]: no element with this id is there"),
      ("a1 03 82 09 a1 02 f5", "$[9]: no element with this id is there"),
      ("a1 00 82 02 02", "$[2]: the id stands in one list twice"),
      ("a1 01 84 00 02 01 02", "$[2]: the id stands in one list twice"),
      ("a1 01 82 03 01", "$: there is no place 3"),
      ("a1 01 84 00 01 00 02", "$: two elements go to place 0"),
      ("a1 02 82 04 \(row9)", "$: there is no place 4"),
      ("a1 02 82 1b ff ff ff ff ff ff ff ff \(row9)", "$"),
      ("a1 02 82 00 \(row2)", "$[2]: an element with this id is there already"),
      ("a1 02 81 00", "$: expected an inserted element's place and value in turn, found 1 items"),
      ("a1 03 82 02 a1 00 05", "$[2]: the delta changes the id"),
      ("a1 03 82 02 a1 09 05", "$[2]"),
      ("a1 03 82 02 a1 01 05", "$[2].title: expected text, found 5"),
      ("a1 04 80", "$: the change 4 is outside: there are 4"),
      ("80", "$: expected changes one after the other, found none"),
      ("01", "$: expected a map, found 1"),
    ],
  )
  func refused(delta: String, expected: String) throws {
    #expect(try error(delta).hasPrefix(expected))
  }

  @Test("Cut and changed bytes yield an error or another value, and never trap")
  func damaged() throws {
    var random = SeededRandom(11)
    var new = rows
    new.move(fromOffsets: [0], toOffset: 3)
    new.remove(id: 2)
    new.append(Row(7, "seven"))
    new[id: 3]?.title = "three"
    let delta = try #require(new.delta(from: rows))
    let document = SchemaRegistry.document(for: Rows.self)
    let generic = try GenericValue(encoded: rows.encoded())
    for length in 0..<delta.count {
      #expect(throws: CodecError.self) { try rows.applying(delta: delta[..<length]) }
      #expect(throws: CodecError.self) {
        try generic.applying(delta: delta[..<length], in: document)
      }
    }
    for _ in 0..<3_000 {
      var damaged = delta
      for _ in 0...Int.random(in: 0...2, using: &random) {
        damaged[Int.random(in: 0..<delta.count, using: &random)] = UInt8.random(
          in: 0...255,
          using: &random,
        )
      }
      let one = try? rows.applying(delta: damaged).encoded()
      let other = try? generic.applying(delta: damaged, in: document).encoded()
      #expect(one == other, "\(hexText(damaged))")
    }
  }
}
