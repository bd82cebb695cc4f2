import Foundation
import StoreActor
import StoreState
import Testing

@ObservableState
private struct NoFields: Hashable, ReplicatedState {}

@ObservableState
private enum Letter: Hashable, ReplicatedState { case bb, a, c }

@ObservableState
private indirect enum Branching: Hashable, ReplicatedState {
  case leaf(Int)
  case node(Branching, Branching?)
  case named([String: Branching])
}

@ObservableState
private struct Place: Hashable, ReplicatedState {
  var x = 0
  var name = ""
}

@ObservableState
private struct Box<Value: ReplicatedState & Equatable>: Equatable, ReplicatedState {
  var value: Value
}

private enum Size: String, ReplicatedState, CaseIterable {
  case small
  case large = "grande"
}

private enum Word: String, ReplicatedState {
  case one
  case two = "é"
}

private enum Level: Int, ReplicatedState {
  case low = 1
  case high = 70_000
}

private struct Options: OptionSet, Hashable, ReplicatedState { var rawValue: UInt8 }

@ObservableState
private struct Unusual: Equatable, ReplicatedState {
  var deep: Int??? = nil
  var letter: Letter?
  var maybeLetter: Letter??
  var nothing: NoFields?
  var byLetter: [Letter: Int] = [:]
  var byPlace: [Place: Int] = [:]
  var byOptional: [Int?: Int] = [:]
  var optionals: Set<Int?> = []
  var sets: Set<Set<Double>> = []
  var characters: [Character] = []
  var half: Float16 = 0
  var wide: Int128 = 0
  var unsignedWide: UInt128 = 0
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var duration = Duration.zero
  var url: URL?
  var data = Data()
  var tree = Branching.leaf(0)
  var box = Box(value: Box<Int?>(value: nil))
  var size = Size.small
  var word = Word.one
  var level = Level.low
  var options: Options = []

  static func with<Part>(
    _ keyPath: WritableKeyPath<Unusual, Part>,
    _ parts: [Part],
  ) -> [Unusual] {
    parts.map { part in
      var state = Unusual()
      state[keyPath: keyPath] = part
      return state
    }
  }
}

@Suite("Unusual states")
struct UnusualStateTests {
  @Test("Optionals of optionals, of enumerations and of empty structures")
  func optionals() throws {
    try checkLaws(Unusual.with(\.deep, [nil, .some(nil), .some(.some(nil)), 1, 2]))
    try checkLaws(Unusual.with(\.letter, [nil, .a, .bb]))
    try checkLaws(Unusual.with(\.maybeLetter, [nil, .some(nil), .a]))
    try checkLaws(Unusual.with(\.nothing, [nil, NoFields()]))
    try checkLaws(Unusual.with(\.box, [Box(value: Box(value: nil)), Box(value: Box(value: 3))]))
  }

  @Test("Keys and elements that are enumerations, structures, optionals and sets")
  func keys() throws {
    try checkLaws(Unusual.with(\.byLetter, [[:], [.a: 1, .bb: 2, .c: 3], [.bb: 2, .c: 4]]))
    let (composed, decomposed) = (Place(x: 1, name: "é"), Place(x: 1, name: "e\u{301}"))
    try checkLaws(
      Unusual.with(\.byPlace, [[:], [composed: 1, Place(x: 300): 2], [decomposed: 1]])
    )
    try checkLaws(Unusual.with(\.byOptional, [[:], [nil: 1, 3: 2, -1: 4], [nil: 2]]))
    try checkLaws(Unusual.with(\.optionals, [[], [nil, 3], [3]]))
    try checkLaws(Unusual.with(\.sets, [[], [[0.0], [.nan], [1, 2]], [[-0.0], [.nan], []]]))
  }

  @Test("Characters, raw values and option sets")
  func texts() throws {
    let family: Character = "👨‍👩‍👧‍👦"
    try checkLaws(
      Unusual.with(
        \.characters,
        [[], ["a", "é", "e\u{301}", family, "\r\n"], ["a", "é", "é", family, "\r\n"]],
      )
    )
    try checkLaws(Unusual.with(\.size, Size.allCases))
    try checkLaws(Unusual.with(\.word, [.one, .two]))
    try checkLaws(Unusual.with(\.level, [.low, .high]))
    try checkLaws(Unusual.with(\.options, [[], Options(rawValue: 8), Options(rawValue: 255)]))
  }

  @Test("Numbers at their limits")
  func numbers() throws {
    try checkLaws(
      Unusual.with(\.half, [0, -0.0, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude])
    )
    try checkLaws(Unusual.with(\.wide, [0, .min, .max, -1, 1 << 64, -1 << 64]))
    try checkLaws(Unusual.with(\.unsignedWide, [0, .max, 1 << 64]))
  }

  @Test("Dates and durations at their limits, and beyond the limits of the encoding")
  func times() throws {
    let seconds = [Double.nan, .infinity, -0.0, 0.1, -1e300].map {
      Date(timeIntervalSinceReferenceDate: $0)
    }
    try checkLaws(Unusual.with(\.date, [.distantFuture, .distantPast] + seconds))
    let longest = Duration.seconds(Int64.max) + .nanoseconds(999_999_999)
    let durations: [Duration] = [
      .zero, longest, .seconds(Int64.min), .seconds(Int64.min) - .nanoseconds(5),
      .nanoseconds(-1), Duration(secondsComponent: -1, attosecondsComponent: 1),
      longest + longest, longest + longest + .seconds(1), .seconds(Int64.min) + .seconds(Int64.min),
    ]
    try checkLaws(Unusual.with(\.duration, durations))
  }

  @Test("URLs of every kind, absolute and relative")
  func locators() throws {
    let texts = [
      "http://x/ü?q=ä#f", "mailto:x@y", "?q", "#", "//", "a%zz", "http://[::1]:80/",
      "data:text/plain,a%20b|c", "http://ü.de/",
    ]
    let relative = URL(string: "a/../b?x=ü#f", relativeTo: URL(string: "http://x.com/q/"))
    let file = URL(fileURLWithPath: "/tmp/ü /x")
    try checkLaws(Unusual.with(\.url, [nil, relative, file] + texts.map { URL(string: $0) }))
  }

  @Test("Data that begins in the middle of other data")
  func data() throws {
    let bytes = Data(repeating: 7, count: 100)
    var changed = bytes[10...]
    changed[20] = 8
    try checkLaws(
      Unusual.with(\.data, [Data(), bytes, bytes[10...], changed, bytes[3..<3], changed[15...]])
    )
  }

  @Test("Values that contain themselves")
  func recursion() throws {
    let one = Branching.named(["a": .leaf(1), "b": .node(.leaf(1), nil)])
    let other = Branching.named(["a": .leaf(2), "b": .node(.leaf(2), nil)])
    try checkLaws(
      Unusual.with(
        \.tree,
        [.leaf(0), .node(.leaf(1), nil), .node(.leaf(2), one), .node(.leaf(2), other)],
      )
    )
    let types = SchemaRegistry.document(for: Box<Box<String>>.self).definitions
    #expect(types.count == 2)
  }

  @Test("A dictionary with enum keys is refused unless they are in the order of their bytes")
  func keyOrder() throws {
    let ordered: [UInt8] = [0xa2, 0x61, 0x61, 0x02, 0x62, 0x62, 0x62, 0x01]
    let shuffled: [UInt8] = [0xa2, 0x62, 0x62, 0x62, 0x01, 0x61, 0x61, 0x02]
    #expect(try [Letter: Int](encoded: ordered) == [.a: 2, .bb: 1])
    #expect(try PersistentMap<Letter, Int>(encoded: ordered) == [.a: 2, .bb: 1])
    for refused in [
      #expect(throws: CodecError.self) { try [Letter: Int](encoded: shuffled) },
      #expect(throws: CodecError.self) { try PersistentMap<Letter, Int>(encoded: shuffled) },
    ] {
      #expect(refused?.code == .notCanonical)
    }
  }

  @Test("A case is refused with a payload that it does not have, or without its payload")
  func payloads() {
    let named: [UInt8] = [0xa1, 0x61, 0x61, 0xa0]
    #expect(throws: CodecError.self) { try Letter(encoded: named) }
    let leaf: [UInt8] = [0x64] + Array("leaf".utf8)
    for (bytes, text) in [(named, "\"a\" has no payload"), (leaf, "\"leaf\" has a payload")] {
      let error = #expect(throws: CodecError.self) {
        if bytes == named {
          _ = try Letter(encoded: bytes)
        } else {
          _ = try Branching(encoded: bytes)
        }
      }
      #expect(error?.message.contains(text) == true)
    }
  }
}
