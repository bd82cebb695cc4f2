import StoreState
import Testing

/// Only the deterministic form is accepted, and the error names the offset; PROTOCOL.md §1.
@Suite struct CanonicalFormTests {
  @Test(
    "Forms other than the deterministic one are rejected with their offset",
    arguments: [
      // Integers and lengths that are longer than necessary.
      ("1800", 0, .notCanonical), ("1817", 0, .notCanonical), ("1900ff", 0, .notCanonical),
      ("1a0000ffff", 0, .notCanonical), ("1b00000000ffffffff", 0, .notCanonical),
      ("3817", 0, .notCanonical), ("580101", 0, .notCanonical), ("780161", 0, .notCanonical),
      ("980101", 0, .notCanonical), ("b8010101", 0, .notCanonical),
      ("8201 1801", 2, .notCanonical),
      // Floats that fit in fewer bits, and other NaNs.
      ("fa3f800000", 0, .notCanonical), ("fb3ff0000000000000", 0, .notCanonical),
      ("fb40f86a0000000000", 0, .notCanonical), ("f97e01", 0, .notCanonical),
      ("f9fe00", 0, .notCanonical), ("81fa7fc00000", 1, .notCanonical),
      // Keys of a map and elements of a set out of order or duplicated.
      ("a2 02 00 01 00", 3, .notCanonical), ("a2 01 00 01 00", 3, .notCanonical),
      ("a2 626262 00 6161 00", 5, .notCanonical), ("d90102 82 02 01", 5, .notCanonical),
      ("d90102 82 01 01", 5, .notCanonical), ("82 d90102 82 01 01 00", 6, .notCanonical),
      ("82 d90102 83 01 02 02 00", 7, .notCanonical), ("d90102 82 8102 8101", 6, .notCanonical),
      // Items that the protocol does not use.
      ("9f01ff", 0, .unsupported), ("5f4101ff", 0, .unsupported), ("f7", 0, .unsupported),
      ("f814", 0, .unsupported), ("1c", 0, .unsupported), ("c100", 0, .unsupported),
      ("d9010200", 3, .typeMismatch), ("81d90102a0", 4, .typeMismatch), ("ff", 0, .unsupported),
      // Text that is not UTF-8: a lone continuation, an overlong form, a surrogate, too high.
      ("6180", 1, .invalidText), ("62c080", 1, .invalidText), ("6361eda0", 2, .invalidText),
      ("63eda080", 1, .invalidText), ("64f4908080", 1, .invalidText),
      ("63616263 6161", 4, .trailingBytes),
      // Bytes that end too early or too late.
      ("", 0, .truncated), ("18", 1, .truncated), ("6261", 0, .truncated), ("8201", 0, .truncated),
      ("a101", 0, .truncated), ("d90102", 3, .truncated), ("0000", 1, .trailingBytes),
    ] as [(String, Int, CodecError.Code)],
  )
  func refused(text: String, offset: Int, code: CodecError.Code) {
    let error = decodingError(hex(text))
    #expect(error?.code == code, "\(text): \(String(describing: error))")
    #expect(error?.offset == offset, "\(text): \(String(describing: error))")
  }

  @Test("The typed decoders reject the same bytes as skipping")
  func typedDecoders() {
    for text in ["6180", "62c080", "63eda080", "64f4908080"] {
      #expect(throws: CodecError.self) { try String(encoded: hex(text)) }
    }
    #expect(throws: CodecError.self) { try [Int: Int](encoded: hex("a202000100")) }
    #expect(throws: CodecError.self) { try Set<Int>(encoded: hex("d90102820201")) }
    #expect(throws: CodecError.self) { try Set<Int>(encoded: hex("820102")) }
    #expect(throws: CodecError.self) { try [Int](encoded: hex("d90102820102")) }
    #expect(throws: CodecError.self) { try Float(encoded: hex("fb3ff199999999999a")) }
    #expect(throws: CodecError.self) { try Double(encoded: hex("01")) }
    #expect(throws: CodecError.self) { try Int8(encoded: hex("1880")) }
    #expect(throws: CodecError.self) { try UInt8(encoded: hex("20")) }
  }

  @Test("Arrays may be nested 128 deep and not deeper")
  func depth() {
    let deepest = [UInt8](repeating: 0x81, count: 128) + [0]
    #expect(decodingError(deepest) == nil)
    let deeper = [UInt8](repeating: 0x81, count: 129) + [0]
    #expect(decodingError(deeper)?.code == .tooDeep)
    #expect(decodingError(deeper)?.offset == 128)
    let emptyAndDeeper = [UInt8](repeating: 0x81, count: 128) + [0x80]
    #expect(decodingError(emptyAndDeeper)?.code == .tooDeep)
    // A container that has ended does not count.
    let siblings =
      [0x98, 100] + [UInt8](repeating: 0x81, count: 0)
      + (0..<100).flatMap { _ in [UInt8(0x81), 0] }
    #expect(decodingError(siblings) == nil)
  }

  @Test("A hundred thousand open arrays are refused without exhausting the stack")
  func deepHostility() {
    let bytes = [UInt8](repeating: 0x81, count: 100_000)
    #expect(decodingError(bytes)?.code == .tooDeep)
    #expect(throws: CodecError.self) { try Digest.of(canonical: bytes) }
  }

  @Test("An announced length that the bytes cannot hold is refused at once")
  func hugeLengths() {
    for text in [
      "9affffffff", "9bffffffffffffffff", "baffffffff", "bbffffffffffffffff", "7bffffffffffffffff",
      "5bffffffffffffffff", "7affffffff61", "9b7fffffffffffffff00", "bb7fffffffffffffff00",
    ] {
      let error = decodingError(hex(text))
      #expect(error?.code == .truncated, "\(text)")
      #expect(error?.offset == 0, "\(text)")
      #expect(throws: CodecError.self) { try [Int](encoded: hex(text)) }
      #expect(throws: CodecError.self) { try [Int: Int](encoded: hex(text)) }
    }
  }
}
