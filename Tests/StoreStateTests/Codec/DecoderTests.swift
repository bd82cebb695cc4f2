import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@Suite struct DecoderTests {
  @Test("An error names the path, what was expected, what was found and the offset")
  func errorText() {
    let bytes = ["items": [[1], [1, 2, 3]]].encoded()
    let error = #expect(throws: CodecError.self) { try [String: [[Bool]]](encoded: bytes) }
    #expect(error?.description == "$[items][0][0]: expected a bool, found 1 (at byte 9)")
    #expect(error?.path == [.key("items"), .index(0), .index(0)])
  }

  @Test(
    "An error states a found value if it is short",
    arguments: [
      ("03", "3"), ("24", "-5"), ("f93e00", "1.5"), ("63616263", "\"abc\""), ("f6", "null"),
      ("80", "an array"), ("a0", "a map"), ("d9010280", "a tag"), ("4100", "bytes"),
      ("782a" + String(repeating: "61", count: 42), "text"),
    ],
  )
  func foundText(text: String, found: String) {
    let error = #expect(throws: CodecError.self) { try Bool(encoded: hex(text)) }
    #expect(error?.message == "expected a bool, found \(found)")
  }

  @Test("A decoder that is copied continues on its own")
  func copies() throws {
    var decoder = CBORDecoder([1, 2, 3].encoded())
    #expect(try decoder.arrayHeader() == 3)
    var ahead = decoder
    #expect(try ahead.signed() == 1)
    #expect(try ahead.signed() == 2)
    #expect(try decoder.signed() == 1)
    #expect(decoder.offset == 2)
    #expect(ahead.offset == 3)
  }

  @Test("The kind of the next item can be read without the item")
  func peeking() throws {
    var decoder = CBORDecoder(hex("84 01 6161 f6 d9010280"))
    #expect(try decoder.peekKind() == .array)
    _ = try decoder.arrayHeader()
    #expect(try decoder.peekKind() == .unsigned)
    #expect(try decoder.nullIfPresent() == false)
    #expect(try decoder.unsigned() == 1)
    #expect(try decoder.peekKind() == .text)
    try decoder.skipItem()
    #expect(try decoder.nullIfPresent())
    #expect(try decoder.peekKind() == .tag)
    #expect(try decoder.setHeader() == 0)
    #expect(decoder.isAtEnd)
    try decoder.finish()
  }

  @Test("A set may be read as a tag and an array, and its order is still checked")
  func tagAndArray() throws {
    var decoder = CBORDecoder(hex("82 d90102 82 01 02 d90102 82 02 01"))
    #expect(try decoder.arrayHeader() == 2)
    #expect(try decoder.tag() == 258)
    #expect(throws: CodecError.self) {
      var other = decoder
      _ = try other.text()
    }
    #expect(try decoder.arrayHeader() == 2)
    #expect(try [decoder.signed(), decoder.signed()] == [1, 2])
    #expect(try decoder.tag() == 258)
    #expect(try decoder.arrayHeader() == 2)
    #expect(try [decoder.signed(), decoder.signed()] == [2, 1])
    let error = #expect(throws: CodecError.self) { try decoder.finish() }
    #expect(error?.code == .notCanonical)
    #expect(error?.offset == 12)
  }

  @Test("Finishing detects an unfinished container")
  func unfinished() throws {
    var decoder = CBORDecoder([1, 2].encoded())
    _ = try decoder.arrayHeader()
    _ = try decoder.signed()
    let error = #expect(throws: CodecError.self) { try decoder.finish() }
    #expect(error?.code == .truncated)
  }

  @Test("A field's name is read only if it is the expected one")
  func expectedNames() throws {
    var decoder = CBORDecoder(["title": 1].encoded())
    _ = try decoder.mapHeader()
    #expect(try decoder.readIfPresent("titles".encoded()) == false)
    #expect(try decoder.readIfPresent("title".encoded()))
    #expect(try decoder.signed() == 1)
    try decoder.finish()
  }
}
