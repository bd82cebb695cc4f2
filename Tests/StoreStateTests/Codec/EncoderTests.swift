import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@Suite struct EncoderTests {
  @Test("A deferred map has its count, also when the count needs more than one byte")
  func deferredMap() throws {
    for count in [0, 1, 23, 24, 255, 256, 70_000] {
      var encoder = CBOREncoder()
      encoder.encode(bool: true)
      let map = encoder.beginDeferredMap()
      for key in 0..<count {
        encoder.encode(unsigned: UInt64(key))
        encoder.encodeNull()
      }
      encoder.endDeferredMap(map, count: count)
      encoder.encode(bool: false)

      var decoder = CBORDecoder(encoder.bytes)
      #expect(try decoder.bool())
      #expect(try decoder.mapHeader() == count)
      for key in 0..<count {
        guard try decoder.unsigned() == UInt64(key), try decoder.nullIfPresent() else {
          Issue.record("Entry \(key) of \(count) is another one.")
          return
        }
      }
      #expect(try decoder.bool() == false)
      try decoder.finish()
    }
  }

  @Test("Pieces end between elements, have the given size, and form the whole together")
  func pieces() {
    let rows = (0..<500).map { "row \($0)" }
    let state: [String: [String]] = ["rows": rows, "others": rows.reversed()]
    for bytes in [1, 10, 100, 1_000, 100_000] {
      var encoder = CBOREncoder(pieces: bytes)
      state.encode(to: &encoder)
      rows.encode(to: &encoder)
      #expect(Array(encoder.pieces.joined()) == state.encoded() + rows.encoded())
      // The map is one element of many bytes, and so is its second half.
      #expect(encoder.pieces.dropFirst(2).allSatisfy { $0.count < bytes + 16 })
      #expect(encoder.pieces.dropLast().allSatisfy { $0.count >= bytes })
    }
  }

  @Test("A piece has little spare capacity, for any last element")
  func room() {
    let rows = (0..<100).map { String(repeating: "x", count: $0 * 20) }
    var encoder = CBOREncoder(pieces: 1_000)
    rows.encode(to: &encoder)
    #expect(encoder.pieces.allSatisfy { $0.capacity <= $0.count + $0.count / 8 + 64 })
  }

  @Test("Deferred arrays can be nested")
  func nestedDeferredArrays() {
    var encoder = CBOREncoder()
    let outer = encoder.beginDeferredArray()
    let inner = encoder.beginDeferredArray()
    for number in Int64(0)..<30 { encoder.encode(signed: number) }
    encoder.endDeferredArray(inner, count: 30)
    encoder.encode(signed: -1)
    encoder.endDeferredArray(outer, count: 2)
    #expect(encoder.bytes == [0x82] + Array(0..<30).encoded() + [0x20])
  }

  @Test("Bytes written since a mark can be removed")
  func truncation() {
    var encoder = CBOREncoder()
    encoder.encode(text: "kept")
    let mark = encoder.mark
    encoder.encode(text: "taken back")
    encoder.truncate(to: mark)
    #expect(encoder.bytes == "kept".encoded())
  }

  @Test("A name literal is written like a text")
  func names() {
    var encoder = CBOREncoder()
    encoder.encode(name: "größe")
    encoder.encode(name: "x")
    #expect(encoder.bytes == "größe".encoded() + "x".encoded())
  }

  @Test("Every half precision float keeps its bits")
  func halves() throws {
    for pattern in UInt16.min...UInt16.max {
      let value = HalfFloat.value(of: pattern)
      guard !value.isNaN else {
        #expect(HalfFloat.pattern(exactly: value) == nil)
        continue
      }
      #expect(HalfFloat.pattern(exactly: value) == pattern)
    }
  }

  #if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
  @Test("Half precision floats have the same values as in the standard library")
  func halvesAgainstFloat16() {
    for pattern in UInt16.min...UInt16.max {
      let expected = Float(Float16(bitPattern: pattern))
      #expect(HalfFloat.value(of: pattern)._$isSame(as: expected))
    }
    var random = SeededRandom(8)
    for _ in 0..<20_000 {
      let value = Float(bitPattern: UInt32.random(in: 0...(.max), using: &random))
      let half = Float16(value)
      let expected = Float(half) == value ? half.bitPattern : nil
      #expect(HalfFloat.pattern(exactly: value) == expected)
    }
  }
  #endif

  @Test("Random floats keep their bits")
  func floats() throws {
    var random = SeededRandom(9)
    for _ in 0..<5000 {
      let double = Double(bitPattern: random.next() & random.next())
      #expect(try Double(encoded: double.encoded())._$isSame(as: double))
      let float = Float(bitPattern: UInt32.random(in: 0...(.max), using: &random) & 0xffff_f000)
      #expect(try Float(encoded: float.encoded())._$isSame(as: float))
    }
  }
}
