import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@Suite("Generic value")
struct GenericValueTests {
  @Test("Any item survives reading and writing", arguments: 0..<20 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var random = SeededRandom(seed)
    for _ in 0..<100 {
      let bytes = randomItem(&random)
      let value = try GenericValue(encoded: bytes)
      #expect(value.encoded() == bytes)
      #expect(value._$digest == (try Digest.of(canonical: bytes)))
    }
  }

  @Test("Values with equal bytes are equal and have equal hashes")
  func equality() throws {
    var random = SeededRandom(3)
    let texts: [GenericValue] = [.text("\u{e9}"), .text("e\u{301}")]
    let floats: [GenericValue] = [
      .float(0), .float(-0.0), .float(.nan), .float(-.nan), .unsigned(0),
    ]
    let more = (0..<60).map { _ in try? GenericValue(encoded: randomItem(&random)) }
    let all = texts + floats + more.compactMap { $0 } + [.negative(0), .null, .bool(false)]
    for one in all {
      for other in all {
        #expect((one == other) == (one.encoded() == other.encoded()), "\(one), \(other)")
        if one == other { #expect(one.hashValue == other.hashValue) }
      }
    }
  }

  @Test("Maps and sets are sorted")
  func sorting() throws {
    let map = try #require(
      GenericValue.map(sorting: [
        .init(.text("aa"), .null), .init(.text("b"), .null), .init(.unsigned(300), .null),
        .init(.negative(0), .null), .init(.unsigned(1), .null),
      ])
    )
    #expect(decodingError(map.encoded()) == nil)
    #expect(GenericValue.map(sorting: [.init(.null, .null), .init(.null, .bool(true))]) == nil)
    let set = GenericValue.set(sorting: [.text("b"), .unsigned(9), .text("b"), .unsigned(10)])
    #expect(set == .set([.unsigned(9), .unsigned(10), .text("b")]))
    #expect(decodingError(set.encoded()) == nil)
  }

  @Test("A field is found by its name")
  func field() throws {
    let value = try GenericValue(encoded: Row(5, "five").encoded())
    #expect(value[field: "title"] == .text("five"))
    #expect(value[field: "other"] == nil)
    #expect(GenericValue.null[field: "title"] == nil)
  }

  @Test("A value describes itself as JSON")
  func description() throws {
    let value = try GenericValue(encoded: [1: ["a", "\n"]].encoded())
    #expect("\(value)" == #"{"1":["a","\n"]}"#)
    #expect("\(GenericValue.negative(.max))" == "-18446744073709551616")
  }
}

@Suite("Generic value: validation", .timeLimit(.minutes(1)))
struct GenericValidationTests {
  @Test("Every encoding of a type is a value of its schema", arguments: 0..<60 as Range<UInt64>)
  func accepts(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let value = try GenericValue(encoded: AllKinds.random(&random).encoded())
    try value.validate(against: AllKinds.document)
  }

  private func error(_ value: GenericValue, _ schema: Schema) -> String? {
    do throws(CodecError) {
      try value.validate(against: schema, in: AllKinds.document)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("Integers have the range of their kind")
  func integers() {
    let limits: [(Schema, Int64, UInt64)] = [
      (.int8, -128, 127), (.int16, -32_768, 32_767), (.int32, -2_147_483_648, 2_147_483_647),
      (.int64, .min, UInt64(Int64.max)), (.uint8, 0, 255), (.uint16, 0, 65_535),
      (.uint32, 0, 4_294_967_295),
    ]
    for (schema, least, greatest) in limits {
      #expect(error(.integer(least), schema) == nil)
      #expect(error(.unsigned(greatest), schema) == nil)
      #expect(error(.unsigned(greatest + 1), schema) != nil)
      if least == 0 {
        #expect(error(.negative(0), schema) != nil)
      } else {
        #expect(error(.negative(UInt64(~least) + 1), schema) != nil)
      }
      #expect(error(.float(1), schema) != nil)
    }
    #expect(error(.unsigned(.max), .uint64) == nil)
    #expect(error(.negative(0), .uint64) != nil)
  }

  @Test("Optionals of optionals are null or an array of one")
  func nestedOptionals() {
    let schema = Schema.optional(.optional(.int64))
    for value in [.null, .array([.null]), .array([.unsigned(1)])] as [GenericValue] {
      #expect(error(value, schema) == nil)
    }
    for value in [.unsigned(1), .array([]), .array([.null, .null])] as [GenericValue] {
      #expect(error(value, schema)?.hasPrefix("$: expected null or an array of one") == true)
    }
  }

  @Test("A part that does not match is reported with its path")
  func paths() throws {
    let todo = try GenericValue(encoded: Todo().encoded())
    guard case .map(var entries) = todo else { throw CodecError(.typeMismatch, "no map") }
    let place = try #require(entries.firstIndex { $0.key == .text("tags") })
    entries[place].value = .array([.text("a"), .unsigned(3)])
    #expect(
      error(.array([todo, .map(entries)]), .array(.named("Todo")))
        == "$[1].tags[1]: expected text, found 3"
    )
    entries[place].key = .text("tag")
    #expect(error(.map(entries), .named("Todo"))?.contains("Todo has no field \"tag\"") == true)
    entries.remove(at: place)
    #expect(error(.map(entries), .named("Todo"))?.contains("\"tags\" of Todo is missing") == true)

    let edit = GenericValue.map([.init(.text("edit"), .map([.init(.text("_0"), .null)]))])
    #expect(error(edit, .named("Destination")) == "$.edit._0: expected Todo, found null")
    #expect(
      error(.text("hom"), .named("Destination"))
        == #"$: Destination has no case "hom"; did you mean "home"?"#
    )
    #expect(error(.text("edit"), .named("Destination"))?.hasPrefix("$.edit: ") == true)
    let rows = GenericValue.array(
      try [Row(1), Row(1)].map { try GenericValue(encoded: $0.encoded()) }
    )
    #expect(
      error(rows, .identified(idField: "id", id: .int64, element: .named("Row")))
        == "$[1]: the id 1 stands there twice"
    )
    let map = GenericValue.map([.init(.text("k"), .unsigned(1))])
    #expect(
      error(map, .dictionary(key: .text, value: .text)) == "$[k]: expected text, found 1"
    )
  }

  @Test("Durations, UUIDs and floats of 32 bits are checked inside")
  func contents() {
    let second: Int64 = 1_000_000_000_000_000_000
    #expect(error(.array([.integer(-1), .integer(-1)]), .duration) == nil)
    #expect(error(.array([.integer(0), .integer(-1)]), .duration) == nil)
    #expect(error(.array([.integer(1), .integer(-1)]), .duration) != nil)
    #expect(error(.array([.integer(1), .integer(second)]), .duration) != nil)
    #expect(error(.bytes(Array(repeating: 0, count: 16)), .uuid) == nil)
    #expect(error(.bytes([1]), .uuid) != nil)
    #expect(error(.float(0.1), .float32) != nil)
    #expect(error(.float(1.5), .float32) == nil)
    #expect(error(.float(.nan), .float32) == nil)
  }
}
