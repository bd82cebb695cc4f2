import Foundation
import GenericState
import StoreState

/// A record with a field of each kind of the protocol.
struct AllKinds: ReplicatedRecord {
  var bool = false
  var int8: Int8 = 0
  var uint16: UInt16 = 0
  var int64 = 0
  var uint64: UInt64 = 0
  var float: Float = 0
  var double = 0.0
  var text = ""
  var bytes = Data()
  var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var duration = Duration.zero
  var url: URL?
  var maybe: Int?
  var nested: Int??
  var numbers: [Int] = []
  var list: [Todo]?
  var set: Set<String> = []
  var byText: [String: Todo] = [:]
  var byNumber: [Int: String] = [:]
  var byUUID: [UUID: Bool] = [:]
  var byCase: [Filter: Double] = [:]
  var byFloat: [Double: Destination] = [:]
  var choice = Destination.nowhere
  var rows: Rows = []
  var any = GenericValue.null
  var maybeAny: GenericValue?
  var tree = Tree()

  static let layout = RecordLayout<AllKinds>(
    "AllKinds",
    [
      .field("bool", \.bool), .field("int8", \.int8), .field("uint16", \.uint16),
      .field("int64", \.int64), .field("uint64", \.uint64), .field("float", \.float),
      .field("double", \.double), .field("text", \.text), .field("bytes", \.bytes),
      .field("uuid", \.uuid), .field("date", \.date), .field("duration", \.duration),
      .field("url", \.url), .field("maybe", \.maybe), .field("nested", \.nested),
      .field("numbers", \.numbers), .field("list", \.list), .field("set", \.set),
      .field("byText", \.byText), .field("byNumber", \.byNumber), .field("byUUID", \.byUUID),
      .field("byCase", \.byCase), .field("byFloat", \.byFloat), .field("choice", \.choice),
      .field("rows", \.rows), .field("any", \.any), .field("maybeAny", \.maybeAny),
      .field("tree", \.tree),
    ],
  )

  static let document = SchemaRegistry.document(for: AllKinds.self)
}

extension AllKinds: RandomState {
  static func random(_ random: inout SeededRandom) -> AllKinds {
    var value = AllKinds()
    for _ in 0..<30 { value.mutate(&random) }
    return value
  }

  mutating func mutate(_ random: inout SeededRandom) {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: mutateNumbers(&random)
    case 1: mutateTexts(&random)
    case 2: mutateDictionaries(&random)
    default: mutateContainers(&random)
    }
  }

  private mutating func mutateNumbers(_ random: inout SeededRandom) {
    switch Int.random(in: 0..<9, using: &random) {
    case 0: bool.toggle()
    case 1: int8 = random.pick([.min, -1, 0, .max])
    case 2: uint16 = random.pick([0, 23, 24, .max])
    case 3: int64 = .random(&random)
    case 4: uint64 = random.pick([0, .max, 1 << 63])
    case 5: float = random.pick([0, -0.0, 0.1, 1.5, .nan, .infinity, .leastNonzeroMagnitude])
    case 6: double = .random(&random)
    case 7: date = Date(timeIntervalSinceReferenceDate: random.pick(Self.seconds))
    default:
      duration = random.pick([
        .zero, .seconds(3), .milliseconds(-1_500), .nanoseconds(1),
        Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999),
      ])
    }
  }

  private static let seconds = [
    0, -0.0, 0.123, -0.5, 791_544_600.123, 7.1e8 + 1e-7, 1e-20, 1e300, -1e12, .nan, -.infinity,
  ]

  private mutating func mutateTexts(_ random: inout SeededRandom) {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: text = .random(&random)
    case 1: bytes = Data((0..<Int.random(in: 0...5, using: &random)).map { UInt8($0 * 60) })
    case 2: uuid = Self.uuid(&random)
    case 3: url = random.pick([nil, URL(string: "https://example.com/a?b=c"), URL(string: "a/b")])
    default: any = Self.any(&random)
    }
  }

  private static func uuid(_ random: inout SeededRandom) -> UUID {
    UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, random.pick([1, 0xab, 0xff])))
  }

  /// A value that JSON can represent without a schema.
  private static func any(_ random: inout SeededRandom) -> GenericValue {
    random.pick([
      .null, .bool(true), .unsigned(.max), .negative(.max), .float(1), .float(-0.0), .text("é"),
      .array([.null, .array([]), .integer(-5)]),
      .map([.init(.text("b"), .null), .init(.text("aa"), .float(1e300))]),
    ])
  }

  private mutating func mutateDictionaries(_ random: inout SeededRandom) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: byText = .random(&random)
    case 1:
      for key in byText.keys.sorted().prefix(1) { byText[key]?.mutate(&random) }
    case 2: byNumber[.random(&random)] = String?.random(&random)
    case 3: byUUID[Self.uuid(&random)] = Bool?.random(&random)
    case 4: byCase[.random(&random)] = Double?.random(&random)
    default: byFloat[random.pick([0, 1.5, .infinity])] = Destination?.random(&random)
    }
  }

  private mutating func mutateContainers(_ random: inout SeededRandom) {
    switch Int.random(in: 0..<11, using: &random) {
    case 0: maybe = .random(&random)
    case 1: nested = .random(&random)
    case 2: numbers = .random(&random)
    case 3: list = .random(&random)
    case 4: list?.indices.last.map { list?[$0].mutate(&random) }
    case 5: set = .random(&random)
    case 6: choice = .random(&random)
    case 7: maybeAny = random.chance(3) ? nil : Self.any(&random)
    case 8: tree = .random(&random)
    default:
      var twin = IdentifiedTwin(rows: rows, plain: Array(rows))
      for _ in 0..<3 { twin.doSomething(&random) }
      rows = twin.rows
    }
  }
}
