import Foundation
import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@Suite("JSON text")
struct JSONValueTests {
  @Test("Characters that could control a terminal are escaped, and read back")
  func disturbingText() throws {
    let text = "a\u{9b}31m\u{85}b\u{202e}c\u{2069}\u{2028}\u{61c}"
    let written = JSONValue.string(text).text()
    #expect(written == #""a\u009b31m\u0085b\u202ec\u2069\u2028\u061c""#)
    #expect(try JSONValue(parsing: written) == .string(text))
  }

  @Test(
    "A text keeps its form when it is read and written",
    arguments: [
      "null", "true", "false", "0", "-0", "-0.0", "12345678901234567890", "1.5e+300", #""""#,
      #""a\"\\\n\r\t\u0001é𝄞""#, "[]", "{}", #"[1,[2,{"a":null}],"x"]"#, #"{"b":1,"a":{"b":[]}}"#,
      #"{"a":1,"a":2}"#,
    ],
  )
  func roundTrip(text: String) throws {
    #expect(try JSONValue(parsing: text).text() == text)
  }

  @Test("Escapes stand for their characters, surrogate pairs for one")
  func escapes() throws {
    let text = #" "\u0041\/\b\f\ud834\udd1e\u00e9" "#
    #expect(try JSONValue(parsing: text) == .string("A/\u{8}\u{c}𝄞\u{e9}"))
  }

  @Test("Space is allowed between all tokens")
  func space() throws {
    #expect(try JSONValue(parsing: " {\n\t\"a\" : [ 1 ,\r 2 ] } ").text() == #"{"a":[1,2]}"#)
  }

  @Test("Indented text has one item per line")
  func pretty() {
    let value: JSONValue = ["scope": "todos", "items": [1, true], "none": [], "empty": [:]]
    let expected = """
      {
        "scope": "todos",
        "items": [
          1,
          true
        ],
        "none": [],
        "empty": {}
      }
      """
    #expect(value.text(pretty: true) == expected)
    #expect(value.text() == #"{"scope":"todos","items":[1,true],"none":[],"empty":{}}"#)
  }

  @Test(
    "Invalid JSON is rejected with its place",
    arguments: [
      ("", "line 1, column 1: expected a value, found the end"),
      ("[1,\n 2,]", "line 2, column 4: expected a value, found \"]\""),
      ("[1 2]", "line 1, column 4: expected \",\" or \"]\", found \"2\""),
      ("{\"a\" 1}", "line 1, column 6: expected \":\", found \"1\""),
      ("{a: 1}", "line 1, column 2: expected a name in quotes, found \"a\""),
      ("{\"a\":1,}", "line 1, column 8: expected a name in quotes"),
      ("{\"a\":1", "line 1, column 7: expected \",\" or \"}\", found the end"),
      ("1 1", "line 1, column 3: expected the end of the text, found \"1\""),
      ("01", "line 1, column 2: expected the end of the text"),
      ("1.", "line 1, column 3: expected a digit, found the end"),
      ("-", "line 1, column 2: expected a digit, found the end"),
      ("1e", "line 1, column 3: expected a digit"),
      ("+1", "line 1, column 1: expected a value, found \"+\""),
      ("nul", "line 1, column 1: expected a value, found \"n\""),
      ("\"é", "line 1, column 3: expected the quote at the end of a string"),
      ("\"\\x\"", "line 1, column 3: expected one of the escapes"),
      ("\"\\u12g4\"", "line 1, column 6: expected four hexadecimal digits"),
      ("\"\\ud834\"", "half a surrogate pair"),
      ("\"\\udd1e\"", "half a surrogate pair"),
      ("\"\\ud834\\u0041\"", "half a surrogate pair"),
      ("\"a\nb\"", "a control character in a string; write it as \\u000a"),
    ],
  )
  func refused(text: String, expected: String) throws {
    let error = #expect(throws: JSONProjectionError.self) { try JSONValue(parsing: text) }
    #expect("\(try #require(error))".contains(expected), "\(String(describing: error))")
  }

  @Test("Depth is limited, so no text exhausts the stack")
  func depth() throws {
    let nested = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    #expect(try JSONValue(parsing: nested).text() == nested)
    let error = #expect(throws: JSONProjectionError.self) {
      try JSONValue(parsing: String(repeating: "[", count: 1_000_000))
    }
    #expect("\(try #require(error))".contains("nested deeper than 128"))
  }

  @Test("It reads Foundation's texts, and Foundation reads its texts")
  func foundation() throws {
    let strings = ["", "a\"b\\c", "\u{0}\u{1f}\u{7f}\u{2028}", "日本𝄞e\u{301}"]
    for text in strings {
      let theirs = String(decoding: try JSONEncoder().encode([text]), as: UTF8.self)
      #expect(try JSONValue(parsing: theirs) == .array([.string(text)]))
      let ours = Data(JSONValue.array([.string(text)]).text().utf8)
      #expect(try JSONDecoder().decode([String].self, from: ours) == [text])
    }
  }
}

@Suite("JSON text: base64, UUIDs, dates and durations")
struct JSONTextTests {
  @Test("Base64 follows RFC 4648 strictly")
  func base64() {
    let vectors = ["": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foobar": "Zm9vYmFy"]
    for (plain, encoded) in vectors {
      #expect(Base64.text(of: Array(plain.utf8)) == encoded)
      #expect(Base64.bytes(of: encoded) == Array(plain.utf8))
    }
    for length in 0..<70 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 97 + length) }
      #expect(Base64.text(of: bytes) == Data(bytes).base64EncodedString())
      #expect(Base64.bytes(of: Base64.text(of: bytes)) == bytes)
    }
    for text in [
      "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z g=", "Zg==Zg==", "====", "_-==", "é=",
    ] {
      #expect(Base64.bytes(of: text) == nil, "\(text)")
    }
  }

  @Test("UUIDs are read in any case and written in upper case")
  func uuids() {
    let text = "00112233-4455-6677-8899-AABBCCDDEEFF"
    let bytes = (0..<16).map { UInt8($0 * 0x11) }
    #expect(UUIDText.text(of: bytes) == text)
    #expect(UUIDText.bytes(of: text) == bytes)
    #expect(UUIDText.bytes(of: text.lowercased()) == bytes)
    let wrong = [
      "", "x", text + "0", String(text.dropLast()), text.replacing("-", with: ""),
      "0011223-34455-6677-8899-AABBCCDDEEFF", "0011223344-55-6677-8899-AABBCCDDEEFF",
      "00112233-4455-6677-8899-AABBCCDDEEFG", "00112233-4455-6677--899-AABBCCDDEEFF",
    ]
    for text in wrong { #expect(UUIDText.bytes(of: text) == nil, "\(text)") }
  }

  @Test("Dates match Foundation's calendar")
  func calendar() throws {
    let style = Date.ISO8601FormatStyle()
    for day in stride(from: -150_000, through: 2_900_000, by: 1_237) {
      let seconds = Double(day * 86_400 + 12_345)
      let text = try #require(DateText.text(of: seconds))
      #expect(text == Date(timeIntervalSinceReferenceDate: seconds).formatted(style))
      #expect(DateText.seconds(of: text) == seconds)
    }
  }

  @Test(
    "A date is written if its text has the exact bits, with the fewest digits",
    arguments: [
      (0, "2001-01-01T00:00:00Z"), (-0.5, "2000-12-31T23:59:59.500Z"),
      (791_544_600.123, "2026-01-31T09:30:00.123Z"), (-1e-9, "2000-12-31T23:59:59.999999999Z"),
      (0.1, "2001-01-01T00:00:00.100Z"), (1.000001, "2001-01-01T00:00:01.000001Z"),
      (-63_113_904_000, "0001-01-01T00:00:00Z"), (252_423_993_599, "9999-12-31T23:59:59Z"),
      (-0.0, nil), (1e-20, nil), (1e300, nil), (.nan, nil), (.infinity, nil),
      (-63_113_904_001, nil), (252_423_993_600, nil), (1.0 / 3, nil),
    ] as [(Double, String?)],
  )
  func exactness(seconds: Double, text: String?) {
    #expect(DateText.text(of: seconds) == text)
    if let text { #expect(DateText.seconds(of: text)?.bitPattern == seconds.bitPattern) }
  }

  @Test("Random moments of this century are exact with nine digits")
  func thisCentury() throws {
    var random = SeededRandom(1)
    for _ in 0..<2_000 {
      let seconds = Double.random(in: 1e8...3e9, using: &random)
      let text = try #require(DateText.text(of: seconds))
      #expect(DateText.seconds(of: text) == seconds)
    }
  }

  @Test("Other texts are not dates")
  func noDates() {
    let wrong = [
      "", "2026-01-31", "2026-01-31T09:30:00", "2026-01-31 09:30:00Z", "2026-02-29T00:00:00Z",
      "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
      "0000-01-01T00:00:00Z",
      "2026-01-31T24:00:00Z", "2026-01-31T23:60:00Z", "2026-01-31T23:59:60Z",
      "2026-01-31T09:30:00.Z", "2026-01-31T09:30:00,5Z", "2026-01-31T09:30:00+01:00",
      "2026-01-31T09:30:00.1234567890123456789Z", "+026-01-31T09:30:00Z", "１026-01-31T09:30Z",
    ]
    for text in wrong { #expect(DateText.seconds(of: text) == nil, "\(text)") }
    #expect(DateText.seconds(of: "2024-02-29T00:00:00Z") != nil)
    #expect(DateText.seconds(of: "2001-01-01T00:00:00.5Z") == 0.5)
  }

  @Test("Durations are pairs, or exact numbers of seconds")
  func durations() throws {
    func parts(_ text: String) throws -> [Int64]? {
      DurationText.parts(of: try JSONValue(parsing: text)).map { [$0.seconds, $0.attoseconds] }
    }
    #expect(try parts("[3,5]") == [3, 5])
    #expect(try parts("[-3,-5]") == [-3, -5])
    #expect(try parts("[0,-5]") == [0, -5])
    #expect(try parts("3") == [3, 0])
    #expect(try parts("-1.5") == [-1, -500_000_000_000_000_000])
    #expect(try parts("0.000000000000000001") == [0, 1])
    #expect(try parts("1.5e3") == [1_500, 0])
    #expect(try parts("15E-1") == [1, 500_000_000_000_000_000])
    #expect(try parts("0e99") == [0, 0])
    #expect(try parts("-0") == [0, 0])
    #expect(try parts("9223372036854775807") == [.max, 0])
    for text in [
      "[3,-5]", "[3]", "[1,1000000000000000000]", "[1.5,0]", "[1,\"0\"]", "\"3\"", "null", "{}",
      "9223372036854775808", "1e30", "1e999999999999", "1e-400", "0.0000000000000000001",
    ] {
      #expect(try parts(text) == nil, "\(text)")
    }
  }
}
