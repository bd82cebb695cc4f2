import Testing

@testable import StoreState

/// Deltas that fit no value together are refused without the value, as they would be with it.
@Suite("Compositions that fit no value")
struct CompositionRefusalTests {
  private static let document: SchemaDocument = {
    do throws(CodecError) {
      let row = Definition.Field("id", .int64)
      return try SchemaDocument(
        root: .named("Root"),
        definitions: [
          "Root": .record([
            .init("table", .dictionary(key: .text, value: .int64)), .init("set", .set(.text)),
            .init("maybe", .optional(.array(.int64))), .init("choice", .named("Choice")),
            .init("text", .text),
            .init("rows", .identified(idField: "id", id: .int64, element: .named("Row"))),
          ]),
          "Row": .record([row, .init("n", .int64)]),
          "Choice": .choice([
            .init("a", [.init("x", .int64)]), .init("b", [.init("x", .int64)]), .init("c"),
          ]),
        ],
      )
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  private func refused(_ field: UInt8, _ first: String, _ second: String) -> CodecError? {
    #expect(throws: CodecError.self, "\(first), then \(second)") {
      try DeltaComposition.composed(
        [0xa1, field] + hex(first),
        [0xa1, field] + hex(second),
        in: Self.document,
      )
    }
  }

  private func composed(_ field: UInt8, _ first: String, _ second: String) throws -> String? {
    try DeltaComposition.composed(
      [0xa1, field] + hex(first),
      [0xa1, field] + hex(second),
      in: Self.document,
    )
    .map { hexText($0.dropFirst(2)) }
  }

  @Test("A key that went cannot go or change, and one that came cannot come")
  func keys() throws {
    let (remove, insert, change) = ("a1 00 81 6161", "a1 01 82 6161 05", "a1 02 82 6161 06")
    for (first, second) in [
      (remove, remove), (insert, insert), (remove, change), (change, insert),
    ] {
      #expect(refused(0, first, second)?.code == .deltaMismatch)
    }
    #expect(try composed(0, insert, remove) == nil)
    #expect(try composed(0, insert, change) == "a1018261" + "6106")
    #expect(try composed(0, remove, insert) == "a200816161" + "0182616105")
    #expect(try composed(0, change, remove) == "a100816161")
  }

  @Test("An element that went cannot go, and one that came cannot come")
  func elements() throws {
    let (remove, insert) = ("a1 00 81 6161", "a1 01 81 6161")
    #expect(refused(1, remove, remove)?.code == .deltaMismatch)
    #expect(refused(1, insert, insert)?.code == .deltaMismatch)
    #expect(try composed(1, remove, insert) == nil)
    #expect(try composed(1, insert, remove) == nil)
  }

  @Test("What is absent cannot change inside")
  func optionals() throws {
    let change = "82 01 83 00 00 81 05"
    #expect(refused(2, "f6", change)?.code == .deltaMismatch)
    #expect(try composed(2, change, "f6") == "f6")
    #expect(try composed(2, "82 00 80", change) == "82008105")
  }

  @Test("A choice that changes inside of one case does not change inside of another")
  func cases() throws {
    let (one, other) = ("82 01 a1 00 05", "82 02 a1 00 06")
    #expect(refused(3, one, other)?.code == .deltaMismatch)
    #expect(refused(3, "82 00 6163", one)?.code == .deltaMismatch)
    #expect(refused(3, "82 00 a1 6161 a1 6178 01", other)?.code == .deltaMismatch)
    #expect(try composed(3, one, "82 01 a1 00 07") == "8201a10007")
    #expect(try composed(3, one, "82 00 6163") == "82006163")
  }

  @Test("What a splice brought is not cut by the next one, at its beginning or at its end")
  func texts() throws {
    let insert = "83 00 00 64 c3a9 c3a8"
    for cut in ["83 00 01 60", "83 01 00 6178", "83 03 01 60", "83 01 02 60", "83 02 01 60"] {
      #expect(refused(4, insert, cut)?.code == .deltaMismatch)
    }
    #expect(try composed(4, insert, "83 00 02 60") == "830000" + "62c3a8")
    #expect(try composed(4, insert, "83 00 04 60") == nil)
  }

  @Test("Rows: no id comes twice, none that went changes or moves, no two go to one place")
  func rows() throws {
    let row = "a2 616e 01 626964 07"
    let insert = "a1 02 82 00 \(row)"
    #expect(refused(5, insert, "a1 02 84 00 \(row) 01 \(row)")?.code == .deltaMismatch)
    #expect(refused(5, "a1 00 81 07", "a1 01 82 00 07")?.code == .deltaMismatch)
    #expect(refused(5, "a1 00 81 07", "a1 03 82 07 a1 01 02")?.code == .deltaMismatch)
    #expect(refused(5, insert, "a1 01 84 00 07 00 08")?.code == .deltaMismatch)
    #expect(try composed(5, insert, "a1 00 81 07") == nil)
  }

  @Test("Of two rows with one id that a delta brings, the second is refused")
  func twins() throws {
    let row = "a2 616e 01 626964 07"
    let rows: IdentifiedArrayOf<Ticket> = [Ticket(id: 1)]
    let document = SchemaRegistry.document(for: IdentifiedArrayOf<Ticket>.self)
    let value = try GenericValue(encoded: rows.encoded())
    for delta in ["a1 02 84 00 \(row) 01 \(row)", "a1 02 82 00 a2 616e 01 626964 01"] {
      let typed = #expect(throws: CodecError.self) { try rows.applying(delta: hex(delta)) }
      let generic = #expect(throws: CodecError.self) {
        try value.applying(delta: hex(delta), in: document)
      }
      #expect(typed?.code == .deltaMismatch && generic?.code == .deltaMismatch)
    }
  }
}

private struct Ticket: Identifiable, ReplicatedRecord {
  var id = 0
  var n = 0

  static let layout = RecordLayout<Ticket>("Ticket", [.field("id", \.id), .field("n", \.n)])
}
