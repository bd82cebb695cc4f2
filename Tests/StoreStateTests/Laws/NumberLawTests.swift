import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@Suite("Numbers of the codec")
struct NumberLawTests {
  @Test("Sums and products modulo the prime match those in 128 bits")
  func modulus() {
    let modulus = SequenceDigest.modulus
    let numbers: [UInt64] = [
      0, 1, 2, modulus / 2, modulus / 2 + 1, modulus - 2, modulus - 1, SequenceDigest.base,
    ]
    for one in numbers {
      for other in numbers {
        let sum = (UInt128(one) + UInt128(other)) % UInt128(modulus)
        #expect(SequenceDigest.add(one, other) == UInt64(sum), "\(one) + \(other)")
        let product = UInt128(one) * UInt128(other) % UInt128(modulus)
        #expect(SequenceDigest.multiply(one, other) == UInt64(product), "\(one) · \(other)")
      }
    }
    for number in [modulus, modulus + 1, .max, .max - 1, 2 * modulus, 7 * modulus] as [UInt64] {
      #expect(SequenceDigest.reduce(number) == number % modulus)
    }
  }

  @Test("An integer is read as another kind exactly if that kind contains its range")
  func integers() throws {
    let kinds: [(schema: Schema, range: ClosedRange<Int128>)] = [
      (.int8, -0x80...0x7f), (.int16, -0x8000...0x7fff), (.uint8, 0...0xff),
      (.int32, Int128(Int32.min)...Int128(Int32.max)), (.uint16, 0...0xffff),
      (.int64, Int128(Int64.min)...Int128(Int64.max)), (.uint32, 0...Int128(UInt32.max)),
      (.uint64, 0...Int128(UInt64.max)),
    ]
    for writer in kinds {
      for reader in kinds {
        let resolution = try SchemaResolution(
          writer: SchemaDocument(root: writer.schema, definitions: [:]),
          reader: ReaderSchema(SchemaDocument(root: reader.schema, definitions: [:])),
        )
        let holds =
          reader.range.contains(writer.range.lowerBound)
          && reader.range.contains(writer.range.upperBound)
        #expect(resolution.isCompatible == holds, "\(writer.schema) as \(reader.schema)")
      }
    }
  }

  @Test("An integer matches a kind exactly if it is in its range, typed and generic")
  func ranges() throws {
    func check<Number: ReplicatedState & FixedWidthInteger>(_ type: Number.Type) throws {
      let document = SchemaRegistry.document(for: type)
      let (least, most) = (Int128(Number.min), Int128(Number.max))
      for number in [least - 1, least, least + 1, -1, 0, most - 1, most, most + 1] {
        let value: GenericValue
        if number < 0 {
          guard let complement = UInt64(exactly: -1 - number) else { continue }
          value = .negative(complement)
        } else {
          guard let magnitude = UInt64(exactly: number) else { continue }
          value = .unsigned(magnitude)
        }
        let isValid = (try? value.validate(against: document)) != nil
        #expect(isValid == (least...most).contains(number), "\(number) as \(type)")
        let read = (try? Number(encoded: value.encoded())).map { Int128($0) }
        let expected: Int128? = isValid ? number : nil
        #expect(read == expected, "\(number) as \(type)")
      }
    }
    try check(Int8.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
    try check(UInt8.self)
    try check(UInt16.self)
    try check(UInt32.self)
    try check(UInt64.self)
  }
}
