import StoreState
import Testing

/// The examples of RFC 8949, appendix A, that the protocol allows; PROTOCOL.md §1.
@Suite struct RFC8949ExampleTests {
  @Test(
    "Integers of the RFC's examples",
    arguments: [
      ("00", 0), ("01", 1), ("0a", 10), ("17", 23), ("1818", 24), ("1819", 25), ("1864", 100),
      ("1903e8", 1000), ("1a000f4240", 1_000_000), ("1b000000e8d4a51000", 1_000_000_000_000),
      ("20", -1), ("29", -10), ("3863", -100), ("3903e7", -1000),
    ] as [(String, Int64)],
  )
  func integers(text: String, value: Int64) throws {
    #expect(value.encoded() == hex(text))
    #expect(try Int64(encoded: hex(text)) == value)
  }

  @Test("Integers at the ends of 64 bits")
  func extremeIntegers() throws {
    #expect(UInt64.max.encoded() == hex("1bffffffffffffffff"))
    #expect(try UInt64(encoded: hex("1bffffffffffffffff")) == .max)
    #expect(Int64.min.encoded() == hex("3b7fffffffffffffff"))
    #expect(try Int64(encoded: hex("3b7fffffffffffffff")) == .min)
    let tooLow = #expect(throws: CodecError.self) {
      try Int64(encoded: hex("3bffffffffffffffff"))
    }
    #expect(tooLow?.code == .outOfRange)
  }

  @Test(
    "Floats of the RFC's examples",
    arguments: [
      ("f90000", 0.0), ("f98000", -0.0), ("f93c00", 1.0), ("fb3ff199999999999a", 1.1),
      ("f93e00", 1.5), ("f97bff", 65504.0), ("fa47c35000", 100000.0),
      ("fa7f7fffff", 3.4028234663852886e+38), ("fb7e37e43c8800759c", 1.0e+300),
      ("f90001", 5.960464477539063e-8), ("f90400", 0.00006103515625), ("f9c400", -4.0),
      ("fbc010666666666666", -4.1), ("f97c00", .infinity), ("f9fc00", -.infinity),
    ] as [(String, Double)],
  )
  func floats(text: String, value: Double) throws {
    #expect(value.encoded() == hex(text))
    #expect(try Double(encoded: hex(text)).bitPattern == value.bitPattern)
  }

  @Test("All NaNs have one encoding")
  func nan() throws {
    #expect(Double.nan.encoded() == hex("f97e00"))
    #expect((-Double.nan).encoded() == hex("f97e00"))
    #expect(Double(nan: 12345, signaling: true).encoded() == hex("f97e00"))
    #expect(Float.signalingNaN.encoded() == hex("f97e00"))
    #expect(try Double(encoded: hex("f97e00")).isNaN)
  }

  @Test("Simple values of the RFC's examples")
  func simpleValues() throws {
    #expect(false.encoded() == hex("f4"))
    #expect(true.encoded() == hex("f5"))
    #expect(try Bool(encoded: hex("f4")) == false)
    #expect(try Bool(encoded: hex("f5")) == true)
    #expect(Optional<Int>.none.encoded() == hex("f6"))
  }

  @Test(
    "Texts of the RFC's examples",
    arguments: [
      ("60", ""), ("6161", "a"), ("6449455446", "IETF"), ("62225c", "\"\\"), ("62c3bc", "ü"),
      ("63e6b0b4", "水"), ("64f0908591", "\u{10151}"),
    ],
  )
  func texts(text: String, value: String) throws {
    #expect(value.encoded() == hex(text))
    #expect(try String(encoded: hex(text)).utf8.elementsEqual(value.utf8))
  }

  @Test("Byte strings of the RFC's examples")
  func byteStrings() throws {
    var encoder = CBOREncoder()
    encoder.encode(bytes: [])
    encoder.encode(bytes: [1, 2, 3, 4])
    #expect(encoder.bytes == hex("40 4401020304"))
    var decoder = CBORDecoder(encoder.bytes)
    #expect(try decoder.byteString() == [])
    #expect(try decoder.byteString() == [1, 2, 3, 4])
    try decoder.finish()
  }

  @Test("Arrays and maps of the RFC's examples")
  func containers() throws {
    #expect([Int]().encoded() == hex("80"))
    #expect([1, 2, 3].encoded() == hex("83010203"))
    #expect(
      Array(1...25).encoded() == hex("98190102030405060708090a0b0c0d0e0f101112131415161718181819")
    )
    #expect([Int: Int]().encoded() == hex("a0"))
    #expect([1: 2, 3: 4].encoded() == hex("a201020304"))
    let letters = ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"]
    #expect(letters.encoded() == hex("a56161614161626142616361436164614461656145"))
    #expect(try [String: String](encoded: letters.encoded()) == letters)
    #expect(decodingError(hex("8301820203820405")) == nil)
    #expect(decodingError(hex("a26161016162820203")) == nil)
    #expect(decodingError(hex("826161a161626163")) == nil)
  }

  @Test(
    "Examples outside of the protocol are rejected with the reason",
    arguments: [
      // Big numbers, dates, locators and other tags.
      ("c249010000000000000000", .unsupported), ("c349010000000000000000", .unsupported),
      ("c074323031332d30332d32315432303a30343a30305a", .unsupported),
      ("c11a514b67b0", .unsupported), ("c1fb41d452d9e20000000000", .unsupported),
      ("d74401020304", .unsupported), ("d818456449455446", .unsupported),
      ("d82076687474703a2f2f7777772e6578616d706c652e636f6d", .unsupported),
      // Simple values other than false, true and null.
      ("f7", .unsupported), ("f0", .unsupported), ("f8ff", .unsupported),
      // Indefinite lengths.
      ("5f42010243030405ff", .unsupported), ("7f657374726561646d696e67ff", .unsupported),
      ("9fff", .unsupported), ("9f018202039f0405ffff", .unsupported),
      ("9f01820203820405ff", .unsupported), ("83018202039f0405ff", .unsupported),
      ("83019f0203ff820405", .unsupported), ("bf61610161629f0203ffff", .unsupported),
      ("826161bf61626163ff", .unsupported), ("bf6346756ef563416d7421ff", .unsupported),
      // Floats that fit into fewer bits.
      ("fa7f800000", .notCanonical), ("fa7fc00000", .notCanonical), ("faff800000", .notCanonical),
      ("fb7ff0000000000000", .notCanonical), ("fb7ff8000000000000", .notCanonical),
      ("fbfff0000000000000", .notCanonical),
    ] as [(String, CodecError.Code)],
  )
  func refused(text: String, code: CodecError.Code) {
    #expect(decodingError(hex(text))?.code == code)
  }
}
