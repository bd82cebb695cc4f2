import Testing

@testable import GenericState
@testable import StoreCollections
@testable import StoreState

@Suite("The items of generic arrays", .timeLimit(.minutes(1)))
struct GenericItemsTests {
  /// Rows in a plain array, and deltas that change them.
  private struct Rows {
    var rows: [(id: UInt64, count: UInt64)]

    /// A row as an element of the array.
    static func value(_ row: (id: UInt64, count: UInt64)) -> GenericValue {
      .map([.init(.text("id"), .unsigned(row.id)), .init(.text("count"), .unsigned(row.count))])
    }

    var value: GenericValue { .array(rows.map(Self.value)) }

    enum Edit: CaseIterable { case remove, move, insert, change }

    /// Changes it at random, and returns the delta.
    mutating func make(_ edit: Edit, _ random: inout SeededRandom, newID: UInt64) -> [UInt8] {
      var encoder = CBOREncoder()
      encoder.mapHeader(1)
      let place = Int.random(in: 0..<rows.count, using: &random)
      switch edit {
      case .remove:
        encoder.encode(unsigned: 0)
        encoder.arrayHeader(1)
        encoder.encode(unsigned: rows.remove(at: place).id)
      case .move:
        let row = rows.remove(at: place)
        let goal = Int.random(in: 0...rows.count, using: &random)
        rows.insert(row, at: goal)
        encoder.encode(unsigned: 1)
        encoder.arrayHeader(2)
        encoder.encode(unsigned: UInt64(goal))
        encoder.encode(unsigned: row.id)
      case .insert:
        rows.insert((newID, 0), at: place)
        encoder.encode(unsigned: 2)
        encoder.arrayHeader(2)
        encoder.encode(unsigned: UInt64(place))
        encoder.append(raw: Self.value(rows[place]).encoded())
      case .change:
        rows[place].count += 1
        encoder.encode(unsigned: 3)
        encoder.arrayHeader(2)
        encoder.encode(unsigned: rows[place].id)
        encoder.append(raw: hex("a1 01") + GenericValue.unsigned(rows[place].count).encoded())
      }
      return encoder.bytes
    }
  }

  private let document: SchemaDocument

  init() throws {
    let row = Definition.record([.init("id", .uint64), .init("count", .uint64)])
    document = try SchemaDocument(
      root: .identified(idField: "id", id: .uint64, element: .named("Row")),
      definitions: ["Row": row],
    )
  }

  private func tree(_ value: GenericValue) throws -> RowTree<GenericValue, GenericValue> {
    guard case .array(let items) = value, case .rows(let rows, _) = items.storage else {
      throw CodecError(.typeMismatch, "\(value.foundText) has no rows in a tree")
    }
    return rows.tree
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `Rows are those of a plain array, whatever has come, gone and moved`(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var rows = Rows(rows: (0..<300).map { ($0, 0) })
    var value = rows.value
    for number in 0..<1_000 as Range<UInt64> {
      let edit = try #require(Rows.Edit.allCases.randomElement(using: &random))
      let (old, wanted) = (value, rows.value)
      let delta = rows.make(edit, &random, newID: 1_000 + number)
      value = try value.applying(delta: delta, in: document)
      guard number.isMultiple(of: 25) else { continue }
      let plain = rows.value
      try #require(value.encoded() == plain.encoded(), "after \(number) edits")
      #expect(value == plain && plain == value && value.hashValue == plain.hashValue)
      #expect(value._$digest == Digest(ofTrusted: plain.encoded()))
      #expect(try tree(value).faults { $0.pointee._$digest.rawValue }.isEmpty)
      #expect(old.encoded() == wanted.encoded())
    }
    guard case .array(let items) = value else { return }
    for (place, row) in rows.rows.enumerated() {
      #expect(items[place] == Rows.value(row))
      #expect(items.place(of: .unsigned(row.id), in: "id") == place)
      #expect(GenericItems(items.plain).place(of: .unsigned(row.id), in: "id") == place)
    }
    #expect(items.place(of: .unsigned(5_000), in: "id") == nil)
    #expect(items.place(of: .unsigned(5_000), in: "count") == nil)
  }

  @Test(arguments: Rows.Edit.allCases)
  private func `A delta and the digest after it cost the same however many rows there are`(
    edit: Rows.Edit
  ) throws {
    var random = SeededRandom(7)
    var rows = Rows(rows: (0..<100_000).map { ($0, 0) })
    var value = rows.value
    // The rows move into a tree, and the first digest covers all of them.
    try DeltaPlan(.optional(document.root), in: document).prepare(&value)
    #expect(try tree(value).unhashedCount == 100_000)
    _ = value._$digest
    #expect(try tree(value).unhashedCount == 0)
    for number in 0..<50 as Range<UInt64> {
      let old = value
      let delta = rows.make(edit, &random, newID: 200_000 + number)
      value = try value.applying(delta: delta, in: document)
      // Two paths from the root to a leaf with a neighbor each, and the rows of these leaves.
      let (tree, height) = (try tree(value), try tree(value).height)
      #expect(tree.nodeCount(notIn: try self.tree(old)) <= 4 * (height + 1))
      #expect(tree.unhashedCount <= 4 * tree.widths.leaf)
      _ = value._$digest
    }
    #expect(value.encoded() == rows.value.encoded())
  }

  @Test("A duplicate id is an error, not a trap, and so is another id field")
  func unsound() throws {
    let row = Rows.value((1, 1))
    #expect(throws: CodecError.self) {
      try GenericValue.array([row, row]).applying(delta: hex("a1 00 81 01"), in: document)
    }
    let other = SchemaDocument(
      trustedRoot: .identified(idField: "count", id: .uint64, element: .named("Row")),
      definitions: document.definitions,
    )
    let rows = Rows(rows: [(1, 10), (2, 20)])
    let changed = try rows.value.applying(delta: hex("a1 03 82 02 a1 01 03"), in: document)
    #expect(changed == Rows(rows: [(1, 10), (2, 3)]).value)
    let removed = try changed.applying(delta: hex("a1 00 81 0a"), in: other)
    #expect(removed == Rows(rows: [(2, 3)]).value)
  }
}
