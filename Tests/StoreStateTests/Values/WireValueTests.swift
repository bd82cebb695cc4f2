import Foundation
import StoreState
import Testing

/// The encodings of values; PROTOCOL.md §1.
@Suite struct WireValueTests {
  private func refusal<Value: WireValue>(
    _ text: String,
    as type: Value.Type,
    sourceLocation: SourceLocation = #_sourceLocation,
  ) -> String? {
    let error = #expect(throws: CodecError.self, sourceLocation: sourceLocation) {
      try Value(encoded: hex(text))
    }
    return error?.message
  }

  private func schema<Value: WirePayload>(of type: Value.Type) -> Schema {
    SchemaRegistry.document(for: type).root
  }

  private func ends<Number: FixedWidthInteger & ReplicatedState>(
    _ type: Number.Type,
    _ schema: Schema,
  ) throws {
    try checkAllPairs([Number.min, Number.max, 0, 1, Number.max / 2])
    #expect(self.schema(of: type) == schema)
  }

  @Test("Integers of all widths")
  func integers() throws {
    try ends(Int.self, .int64)
    try ends(Int8.self, .int8)
    try ends(Int16.self, .int16)
    try ends(Int32.self, .int32)
    try ends(Int64.self, .int64)
    try ends(UInt.self, .uint64)
    try ends(UInt8.self, .uint8)
    try ends(UInt16.self, .uint16)
    try ends(UInt32.self, .uint32)
    try ends(UInt64.self, .uint64)
  }

  @Test("An integer outside of its type is rejected with the type's limits")
  func integersOutside() {
    #expect(
      refusal("190100", as: UInt8.self) == "expected an integer from 0 to 255, found 256"
    )
    #expect(
      refusal("3880", as: Int8.self) == "expected an integer from -128 to 127, found -129"
    )
    #expect(refusal("1b8000000000000000", as: Int.self)?.contains("64 bits") == true)
    #expect(refusal("20", as: UInt.self) == "expected an integer of 0 or more, found -1")
  }

  @Test("Floats of both widths")
  func floats() throws {
    try checkAllPairs([0, -0.0, 1, .nan, -.nan, .infinity, 0.1, Float.leastNonzeroMagnitude])
    try checkAllPairs([0, -0.0, 1, .nan, .signalingNaN, 0.1, Double(Float(0.1)), .pi])
    #expect(schema(of: Float.self) == .float32)
    #expect(schema(of: Double.self) == .float64)
  }

  @Test("Texts are the same if their bytes are equal")
  func texts() throws {
    try checkAllPairs(["", "é", "e\u{301}", "a", String(repeating: "x", count: 300)])
    #expect("é" == "e\u{301}")
    #expect(!"é"._$isSame(as: "e\u{301}"))
  }

  @Test("A UUID is 16 bytes")
  func uuids() throws {
    let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    #expect(uuid.encoded() == hex("50 00112233445566778899aabbccddeeff"))
    try checkAllPairs([uuid, UUID()])
    #expect(refusal("420102", as: UUID.self) == "expected a UUID of 16 bytes, found 2 bytes")
    #expect(schema(of: UUID.self) == .uuid)
  }

  @Test("A date is the seconds since the beginning of 2001")
  func dates() throws {
    #expect(Date(timeIntervalSinceReferenceDate: 1.5).encoded() == hex("f93e00"))
    try checkAllPairs([
      Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: -0.0),
      Date(timeIntervalSince1970: 0), Date.distantFuture, Date(timeIntervalSince1970: 1.7e9 + 0.1),
    ])
    #expect(schema(of: Date.self) == .date)
  }

  @Test("Data is bytes, also as a slice of other data")
  func data() throws {
    let data = Data([0, 1, 2, 3, 4])
    #expect(data[2...].encoded() == hex("43020304"))
    try checkAllPairs([Data(), data, data[1...], data[2..<3], Data(count: 1000)])
    #expect(schema(of: Data.self) == .bytes)
  }

  @Test("A URL is its absolute text")
  func urls() throws {
    let base = try #require(URL(string: "https://example.com/a/"))
    let relative = try #require(URL(string: "b?c=d#e", relativeTo: base))
    #expect(relative.encoded() == "https://example.com/a/b?c=d#e".encoded())
    try checkAllPairs([base, relative, URL(fileURLWithPath: "/tmp/ä b")])
    #expect(refusal("63612062", as: URL.self) == "expected a URL, found \"a b\"")
    #expect(refusal("60", as: URL.self) == "expected a URL, found \"\"")
    #expect(schema(of: URL.self) == .url)
  }

  @Test("A duration is its seconds and attoseconds, of the same sign")
  func durations() throws {
    #expect(Duration.milliseconds(1500).encoded() == hex("82 01 1b06f05b59d3b20000"))
    #expect(Duration.milliseconds(-1500).encoded() == hex("82 20 3b06f05b59d3b1ffff"))
    try checkAllPairs(
      [
        .zero, .seconds(1), .seconds(-1), .nanoseconds(1), .nanoseconds(-1), .milliseconds(-1500),
        .seconds(Int64.max), .seconds(Int64.min),
      ] as [Duration]
    )
    #expect(refusal("820120", as: Duration.self)?.contains("sign of the seconds") == true)
    #expect(refusal("822001", as: Duration.self)?.contains("sign of the seconds") == true)
    #expect(refusal("82001b0de0b6b3a7640000", as: Duration.self)?.contains("10^18") == true)
    #expect(refusal("8100", as: Duration.self)?.contains("an array of 2") == true)
    #expect(schema(of: Duration.self) == .duration)
  }

  @Test("An optional whose value could be null itself wraps it in an array")
  func optionals() throws {
    #expect(Int??.none.encoded() == hex("f6"))
    #expect(Int??.some(nil).encoded() == hex("81 f6"))
    #expect(Int??.some(1).encoded() == hex("81 01"))
    #expect(Int???.some(nil).encoded() == hex("81 f6"))
    #expect(Int???.some(.some(nil)).encoded() == hex("81 81 f6"))
    try checkAllPairs([nil, .some(nil), .some(.some(nil)), 1, 2] as [Int???])
    #expect(refusal("01", as: Int??.self)?.contains("expected an array") == true)
    #expect(refusal("8101", as: Int?.self)?.contains("expected an integer") == true)
    #expect(schema(of: [Int?].self) == .array(.optional(.int64)))
  }

  @Test("Keys and elements that are equal in Swift cannot both be read")
  func swiftEquality() {
    #expect(
      refusal("a2 62c3a9 00 6365cc81 00", as: [String: Int].self)?.contains("equals") == true
    )
    #expect(refusal("d90102 82 62c3a9 6365cc81", as: Set<String>.self)?.contains("equals") == true)
    #expect(refusal("a2 f90000 00 f98000 00", as: [Double: Int].self)?.contains("equals") == true)
  }

  @Test("Keys that differ from themselves are written once, for any hash order")
  func twins() throws {
    for _ in 0..<20 {
      var twins: [Double: Int] = [:]
      for value in [3, 1, 2] { twins[.nan] = value }
      #expect(twins.count == 3)
      #expect(twins.encoded() == hex("a1 f97e00 01"))
      #expect(twins._$digest == [Double.nan: 1]._$digest)
      #expect(twins._$isSame(as: [.nan: 1]))
      #expect(twins.delta(from: [.nan: 1]) == nil)
      #expect([Double.nan: 2].delta(from: twins) == hex("a1 02 82 f97e00 02"))
      #expect(Set([Double.nan, .nan, 1]).encoded() == hex("d90102 82 f93c00 f97e00"))
    }
  }

  @Test("Types without floats are known to equal themselves, also when they contain themselves")
  func reflexivity() {
    #expect(Int.equalsItself && String?.equalsItself && [Set<Data>: UUID].equalsItself)
    #expect(RowID.equalsItself && Filter.equalsItself && Tree.equalsItself)
    #expect(AppState.equalsItself && Destination.equalsItself)
    #expect(!Double.equalsItself && !Float?.equalsItself && ![Int: [Date]].equalsItself)
    #expect(!Point.equalsItself)
  }

  @Test("Records that differ from themselves can be elements of a set")
  func recordTwins() throws {
    let nan = Point(x: .nan)
    try checkAllPairs(
      [[], [nan], [nan, Point(x: 1)], [Point(x: -.nan), nan], [Point(x: 0)]] as [Set<Point>]
    )
    #expect(Set([nan, nan]).encoded() == Set([nan]).encoded())
  }

  @Test("Raw values are encoded as themselves")
  func rawValues() throws {
    #expect(RowID(rawValue: 7).encoded() == hex("07"))
    #expect(schema(of: RowID.self) == .uint16)
    #expect(Filter.active.encoded() == "active".encoded())
    #expect(
      refusal("6461637469", as: Filter.self)?.hasPrefix("there is no case \"acti") == true
    )
    let document = SchemaRegistry.document(for: Filter.self)
    #expect(
      document.definitions == [
        "Filter": .choice([.init("all"), .init("active"), .init("completed")])
      ]
    )
  }

  @Test("A scope without actions decodes no action")
  func never() {
    #expect(throws: CodecError.self) { try Never(encoded: hex("00")) }
    #expect(SchemaRegistry.document(for: Never.self).definitions == ["Never": .choice([])])
  }
}

private struct Point: Hashable, ReplicatedRecord {
  var x = 0.0

  static let layout = RecordLayout<Point>("Point", [.field("x", \.x)])
}
