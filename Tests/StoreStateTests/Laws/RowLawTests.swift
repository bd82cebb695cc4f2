import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// An id with a constant hash.
private struct Name: Hashable, RawRepresentable, ReplicatedState {
  var rawValue: String

  func hash(into hasher: inout Hasher) {}
}

/// A row whose `==` compares only the id.
private struct Card: Identifiable, ReplicatedRecord, Equatable {
  var id = Name(rawValue: "")
  var title = ""
  var local = 0

  static func == (one: Card, other: Card) -> Bool { one.id == other.id }

  static let layout = RecordLayout<Card>("Card", [.field("id", \.id), .field("title", \.title)])

  static func named(_ name: String, _ title: String = "") -> Card {
    var card = Card()
    card.id = Name(rawValue: name)
    card.title = title
    return card
  }
}

@Suite("Rows that are hard to distinguish")
struct RowLawTests {
  @Test("Rows with equal hashes and ids but other bytes are changed, moved, removed and inserted")
  func rows() throws {
    let many = IdentifiedArray(uniqueElements: (0..<60).map { Card.named("\($0)") })
    var edited = many
    edited[id: Name(rawValue: "41")]?.title = "x"
    edited.remove(at: 3)
    edited.move(fromOffsets: [10, 20, 30], toOffset: 50)
    var local = edited
    local[5].local = 4
    #expect(local.delta(from: edited) == nil && local._$isSame(as: edited))
    var written = many
    written[7].title = "y"
    #expect(written == many && !written._$isSame(as: many))
    let values = [[], many, edited, local, written]
    for old in values { for new in values { try check(from: old, to: new) } }
  }

  @Test("An id in another normalization is another id on the wire, at any position")
  func normalisations() throws {
    let (composed, decomposed) = (Card.named("é"), Card.named("e\u{301}"))
    let values: [IdentifiedArrayOf<Card>] = [
      [], [composed, .named("b")], [.named("b"), decomposed], [decomposed, .named("b", "x")],
      [.named("b"), .named("c"), composed],
    ]
    for old in values { for new in values { try check(from: old, to: new) } }
    var changed = values[1]
    changed[id: composed.id]?.id = decomposed.id
    try check(from: values[1], to: changed)
  }

  @Test("A rebuilt array equals its original, and a slightly different one does not")
  func sameness() throws {
    let one = IdentifiedArray(uniqueElements: (0..<40).map { Card.named("\($0)", "t") })
    for place in [0, 17, 39] {
      var other = IdentifiedArray(uniqueElements: (0..<40).map { Card.named("\($0)", "t") })
      #expect(other._$isSame(as: one))
      other[place].title = "T"
      #expect(!other._$isSame(as: one))
      try check(from: one, to: other)
    }
  }

  @Test("Positions beyond the end are rejected, for few and many rows", arguments: [1, 9, 30])
  func places(count: Int) throws {
    let rows = IdentifiedArray(uniqueElements: ["x", "y"].map { Card.named($0) })
    let document = SchemaRegistry.document(for: IdentifiedArrayOf<Card>.self)
    let value = try GenericValue(encoded: rows.encoded())
    for beyond in 0...3 {
      var encoder = CBOREncoder()
      encoder.mapHeader(1)
      encoder.encode(unsigned: 2)
      encoder.arrayHeader(count * 2)
      for place in 0..<count {
        // All except the last are placed before the existing rows.
        let end = count + 1 + beyond
        encoder.encode(unsigned: UInt64(place == count - 1 ? end : place))
        Card.named("\(place)").encode(to: &encoder)
      }
      if beyond == 0 {
        let result = try rows.applying(delta: encoder.bytes)
        #expect(result.last?.id.rawValue == "\(count - 1)")
        let generic = try value.applying(delta: encoder.bytes, in: document)
        #expect(generic.encoded() == result.encoded())
      } else {
        let typed = #expect(throws: CodecError.self) { try rows.applying(delta: encoder.bytes) }
        #expect(typed?.code == .deltaMismatch)
        let generic = #expect(throws: CodecError.self) {
          try value.applying(delta: encoder.bytes, in: document)
        }
        #expect(generic?.code == .deltaMismatch)
      }
    }
  }

  @Test("Of two inserted rows with the same id, the second is rejected")
  func twins() throws {
    let row = "a2 626964 6178 657469746c65 60"
    let rows = IdentifiedArray(uniqueElements: [Card.named("y")])
    let document = SchemaRegistry.document(for: IdentifiedArrayOf<Card>.self)
    let value = try GenericValue(encoded: rows.encoded())
    #expect(try rows.applying(delta: hex("a1 02 82 00 \(row)")).count == 2)
    for delta in [
      "a1 02 84 00 \(row) 01 \(row)", "a1 02 82 00 \(row.replacing("6178", with: "6179"))",
    ] {
      let typed = #expect(throws: CodecError.self) { try rows.applying(delta: hex(delta)) }
      let generic = #expect(throws: CodecError.self) {
        try value.applying(delta: hex(delta), in: document)
      }
      #expect(typed?.code == .deltaMismatch && generic?.code == .deltaMismatch)
    }
  }
}
