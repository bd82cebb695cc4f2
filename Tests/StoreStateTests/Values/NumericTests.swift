import Foundation
import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// Every numeric type keeps every bit; PROTOCOL.md §1.
@Suite(.timeLimit(.minutes(3))) struct NumericTests {
  /// Numbers at the limits of a type and of the shortest forms, and next to them.
  private func edges<Number: FixedWidthInteger>(_ type: Number.Type) -> [Number] {
    var numbers: Set<Number> = [0, .min, .max, .min + 1, .max - 1]
    for bits in 0..<Number.bitWidth {
      let power = Number(truncatingIfNeeded: 1 as Number) << bits
      for number in [power, power &- 1, ~power, ~power &+ 1] { numbers.insert(number) }
    }
    for small in [23, 24, 255, 256, 65535, 65536] {
      if let number = Number(exactly: small) { numbers.formUnion([number, 0 &- number, ~number]) }
    }
    return numbers.sorted()
  }

  private func checkIntegers<Number: FixedWidthInteger & ReplicatedState>(
    _ type: Number.Type,
    sourceLocation: SourceLocation = #_sourceLocation,
  ) throws {
    let document = SchemaRegistry.document(for: type)
    let numbers = edges(type)
    for (index, number) in numbers.enumerated() {
      let other = numbers[(index * 7 + 3) % numbers.count]
      try check(from: number, to: other, sourceLocation: sourceLocation)
      let generic = try GenericValue(encoded: number.encoded())
      try generic.validate(against: document)
      let json = JSONProjection.json(generic, schema: document.root, in: document)
      #expect(json == number.description, sourceLocation: sourceLocation)
      let read = try JSONProjection.value(fromJSON: json, schema: document.root, in: document)
      #expect(read == generic, sourceLocation: sourceLocation)
      #expect(try Number(encoded: read.encoded()) == number, sourceLocation: sourceLocation)
    }
  }

  @Test("Integers of all widths")
  func integers() throws {
    try checkIntegers(Int8.self)
    try checkIntegers(Int16.self)
    try checkIntegers(Int32.self)
    try checkIntegers(Int64.self)
    try checkIntegers(Int.self)
    try checkIntegers(Int128.self)
    try checkIntegers(UInt8.self)
    try checkIntegers(UInt16.self)
    try checkIntegers(UInt32.self)
    try checkIntegers(UInt64.self)
    try checkIntegers(UInt.self)
    try checkIntegers(UInt128.self)
  }

  @Test("An integer outside of its type is refused")
  func ranges() {
    func refusal<Number: ReplicatedState>(_ type: Number.Type, _ text: String) -> CodecError.Code? {
      #expect(throws: CodecError.self) { try Number(encoded: hex(text)) }?.code
    }
    #expect(refusal(Int8.self, "1880") == .outOfRange)
    #expect(refusal(Int8.self, "3880") == .outOfRange)
    #expect(refusal(UInt8.self, "190100") == .outOfRange)
    #expect(refusal(UInt8.self, "20") == .typeMismatch)
    #expect(refusal(UInt32.self, "1b0000000100000000") == .outOfRange)
    #expect(refusal(Int64.self, "1b8000000000000000") == .outOfRange)
    #expect(refusal(Int128.self, "00") == .typeMismatch)
    #expect(refusal(Int128.self, "82 00 20") == .typeMismatch)
    #expect(refusal(Int128.self, "82 1b8000000000000000 00") == .outOfRange)
    #expect(refusal(UInt128.self, "82 20 00") == .typeMismatch)
    #expect(refusal(UInt128.self, "83 00 00 00") == .typeMismatch)
  }

  @Test("Every pattern of 16 bits is one float, and NaN is one value")
  func halves() throws {
    let document = SchemaRegistry.document(for: Float16.self)
    for pattern in 0...UInt16.max {
      let number = Float16(bitPattern: pattern)
      let bytes = number.encoded()
      #expect(bytes.count == 3 && bytes[0] == 0xf9)
      #expect(try Float16(encoded: bytes)._$isSame(as: number))
      #expect(
        number.isNaN || bytes[1...].elementsEqual([UInt8(pattern >> 8), UInt8(pattern & 255)])
      )
      guard pattern % 7 == 0 else { continue }
      let generic = try GenericValue(encoded: bytes)
      try generic.validate(against: document)
      let json = JSONProjection.json(generic, schema: .float16, in: document)
      let read = try JSONProjection.value(fromJSON: json, schema: .float16, in: document)
      #expect(read == generic, "\(json)")
      #expect(try Digest.of(canonical: bytes) == number._$digest)
    }
    for text in ["fa7f7fffff", "fb3ff199999999999a", "fa33000001"] {
      let error = #expect(throws: CodecError.self) { try Float16(encoded: hex(text)) }
      #expect(error?.code == .outOfRange)
      #expect(throws: CodecError.self) {
        try GenericValue(encoded: hex(text)).validate(against: document)
      }
    }
  }

  @Test("A number of JSON is rounded to 16 bits as the processor rounds it")
  func roundedHalves() {
    var random = SeededRandom(16)
    for _ in 0..<20_000 {
      let pattern = UInt32(truncatingIfNeeded: random.next())
      let number = Float(
        bitPattern: pattern & 0x9fff_ffff | UInt32(random.pick([0x20, 0x38])) << 24
      )
      let expected = Float16(number)
      guard number.isFinite, expected.isFinite else { continue }
      #expect(HalfFloat.rounded(number) == expected.bitPattern, "\(number)")
    }
    #expect(HalfFloat.rounded(65_520) == nil)
    #expect(HalfFloat.rounded(-.infinity) == nil)
    #expect(HalfFloat.rounded(-0.0) == 0x8000)
  }

  @Test("Floats keep their bits, and every NaN is the same", arguments: 0..<8 as Range<UInt64>)
  func floats(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let special: [Double] = [
      0, -0.0, .infinity, -.infinity, .nan, .signalingNaN, .leastNonzeroMagnitude,
      .leastNormalMagnitude, .greatestFiniteMagnitude, 65504, 65505, 0x1p-24, 0x1p-25, 0x1p-149,
    ]
    for _ in 0..<400 {
      let number = random.chance(3) ? random.pick(special) : Double(bitPattern: random.next())
      try check(from: random.pick(special), to: number)
      try check(from: Float(random.pick(special)), to: Float(number))
      let date = Date(timeIntervalSinceReferenceDate: number)
      try check(from: Date(timeIntervalSinceReferenceDate: 0), to: date)
    }
  }

  @Test("A character is a text of one character")
  func characters() throws {
    let long = Character("e" + String(repeating: "\u{301}", count: 40))
    let longer = Character("e" + String(repeating: "\u{301}", count: 41))
    try checkAllPairs(["a", "é", "e\u{301}", "👩‍👩‍👧", long, longer] as [Character])
    try checkAllPairs([nil, "a", "é"] as [Character?])
    #expect((longer.delta(from: long)?.count ?? 99) < 10)
    for text in ["60", "626161"] {
      let error = #expect(throws: CodecError.self) { try Character(encoded: hex(text)) }
      #expect(error?.code == .outOfRange)
    }
    #expect(throws: CodecError.self) { try Character("a").applying(delta: hex("83 01 00 61 61")) }
  }
}
