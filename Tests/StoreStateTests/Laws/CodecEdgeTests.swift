import Foundation
import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// A choice as a key: its cases are declared in another order than that of their encodings.
private enum Letter: Hashable, ReplicatedChoice {
  case bb
  case a
  case row(Int)

  static let layout = ChoiceLayout<Letter>(
    "Letter",
    [
      .case("bb", .bb), .case("a", .a),
      .case("row", embed: Letter.row) { if case .row(let row) = $0 { row } else { nil } },
    ],
  )
}

private enum Word: String, ReplicatedState {
  case plain
  case accented = "é"
}

/// An element that differs from itself if its date is NaN.
private struct Stamp: Hashable, ReplicatedRecord {
  var date = Date(timeIntervalSinceReferenceDate: 0)

  static let layout = RecordLayout<Stamp>("Stamp", [.field("date", \.date)])
}

@Suite("Edges of the codec")
struct CodecEdgeTests {
  @Test("Keys and elements that are cases must be in the order of their encodings")
  func choices() throws {
    let ordered = hex("a2 6161 02 626262 01")
    let shuffled = hex("a2 626262 01 6161 02")
    #expect(try [Letter: Int](encoded: ordered) == [.a: 2, .bb: 1])
    #expect(try PersistentMap<Letter, Int>(encoded: ordered) == [.a: 2, .bb: 1])
    for error in [
      #expect(throws: CodecError.self) { try [Letter: Int](encoded: shuffled) },
      #expect(throws: CodecError.self) { try PersistentMap<Letter, Int>(encoded: shuffled) },
      #expect(throws: CodecError.self) {
        try Set<Letter>(encoded: hex("d90102 82 626262 6161"))
      },
      #expect(throws: CodecError.self) { try [Letter: Int](encoded: hex("a2 6161 01 6161 01")) },
    ] {
      #expect(error?.code == .notCanonical)
    }
    let values: [[Letter: Int]] = [[:], [.a: 1, .bb: 2, .row(1): 3], [.bb: 2, .row(2): 3]]
    for old in values { for new in values { try check(from: old, to: new) } }
  }

  @Test("A duration beyond 64 bits of seconds becomes the longest that fits")
  func durations() throws {
    let longest = Duration(
      secondsComponent: .max,
      attosecondsComponent: 999_999_999_999_999_999,
    )
    let values: [Duration] = [
      .zero, longest, longest + longest, longest + .nanoseconds(1), .seconds(Int64.min),
      .seconds(Int64.min) - longest, Duration(secondsComponent: 1, attosecondsComponent: -1),
    ]
    for old in values { for new in values { try check(from: old, to: new) } }
    #expect((longest + longest).encoded() == longest.encoded())
    #expect((longest + longest).delta(from: longest) == nil)
  }

  @Test("A number of seconds with a huge exponent is not a duration, and does not trap")
  func exponents() throws {
    let document = try SchemaDocument(root: .duration, definitions: [:])
    for exponent in ["-9223372036854775808", "9223372036854775807", "101", "-101", "1e", ""] {
      #expect(throws: JSONProjectionError.self, "1e\(exponent)") {
        try JSONProjection.value(fromJSON: "1e\(exponent)", in: document)
      }
    }
    let seconds = try JSONProjection.value(fromJSON: "1.5E+1", in: document)
    #expect(seconds == .array([.integer(15), .integer(0)]))
  }

  @Test("A set of URLs has one element for those with the same text")
  func locators() throws {
    let base = try #require(URL(string: "http://x/"))
    let relative = try #require(URL(string: "a", relativeTo: base))
    let absolute = try #require(URL(string: "http://x/a"))
    #expect(relative != absolute)
    let values: [Set<URL>] = [[], [relative], [absolute], [relative, absolute], [base]]
    for old in values { for new in values { try check(from: old, to: new) } }
  }

  @Test(
    "A value beyond the maximal depth has a digest, and is rejected when it is read"
  )
  func depth() throws {
    for depth in [100, 128, 129, 1_000] {
      let value = (0..<depth).reduce(GenericValue.null) { inner, _ in .array([inner]) }
      let other = (0..<depth).reduce(GenericValue.bool(true)) { inner, _ in .array([inner]) }
      #expect(value._$digest != other._$digest)
      let bytes = value.encoded()
      if depth <= 128 {
        #expect(try GenericValue(encoded: bytes)._$digest == value._$digest)
      } else {
        let error = #expect(throws: CodecError.self) { try GenericValue(encoded: bytes) }
        #expect(error?.code == .tooDeep)
      }
    }
  }

  @Test("A UUID has exactly 16 bytes")
  func identifiers() throws {
    let document = try SchemaDocument(root: .uuid, definitions: [:])
    for count in [0, 1, 15, 16, 17, 32] {
      let bytes = [UInt8](repeating: 7, count: count)
      let value = GenericValue.bytes(bytes)
      guard count != 16 else {
        #expect(try UUID(encoded: value.encoded()).encoded() == value.encoded())
        try value.validate(against: document)
        continue
      }
      #expect(throws: CodecError.self) { try UUID(encoded: value.encoded()) }
      #expect(throws: CodecError.self) { try [UUID](encoded: [0x81] + value.encoded()) }
      #expect(throws: CodecError.self) { try value.validate(against: document) }
    }
  }

  @Test("A raw value in another normalization matches no case")
  func rawValues() throws {
    #expect(try Word(encoded: "é".encoded()) == .accented)
    let refusals = [
      #expect(throws: CodecError.self) { try Word(encoded: "e\u{301}".encoded()) },
      #expect(throws: CodecError.self) { try Word.plain.applying(delta: "e\u{301}".encoded()) },
    ]
    for refusal in refusals { #expect(refusal?.code == .outOfRange) }
  }

  @Test("Elements with NaN dates are one element on the wire")
  func dates() throws {
    var stamp = Stamp()
    stamp.date = Date(timeIntervalSinceReferenceDate: .nan)
    let values: [Set<Stamp>] = [[], [Stamp()], [stamp], [stamp, stamp], [stamp, stamp, Stamp()]]
    #expect(values[3].count == 2)
    for old in values { for new in values { try check(from: old, to: new) } }
  }
}
