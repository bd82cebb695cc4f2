import GenericState
import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// Decoders return a value or one error for any cut or changed bytes.
@Suite(.timeLimit(.minutes(2))) struct DecoderRobustnessTests {
  @Test("Every prefix of an item is rejected, and the whole item is accepted")
  func truncation() {
    var random = SeededRandom(1)
    for _ in 0..<300 {
      let item = randomItem(&random)
      #expect(decodingError(item) == nil, "\(hexText(item))")
      for end in 0..<item.count {
        let error = decodingError(Array(item[..<end]))
        #expect(
          error?.code == .truncated,
          "\(hexText(item[..<end])): \(String(describing: error))",
        )
      }
    }
  }

  @Test("An item followed by another is rejected as one, and read as two")
  func gluing() throws {
    var random = SeededRandom(2)
    for _ in 0..<300 {
      let (first, second) = (randomItem(&random), randomItem(&random))
      let error = decodingError(first + second)
      #expect(error?.code == .trailingBytes)
      #expect(error?.offset == first.count)
      var decoder = CBORDecoder(first + second)
      #expect(try decoder.rawItem().elementsEqual(first))
      #expect(decoder.offset == first.count)
      #expect(try decoder.rawItem().elementsEqual(second))
      try decoder.finish()
    }
  }

  @Test("An item is read the same from the middle of other bytes")
  func slices() throws {
    var random = SeededRandom(3)
    for _ in 0..<300 {
      let item = randomItem(&random)
      let bytes = [0xff, 0x18] + item + [0x61]
      let slice = bytes[2..<(2 + item.count)]
      #expect(try Digest.of(canonical: slice) == Digest.of(canonical: item))
      #expect(try Digest.of(canonical: slice) == Digest(ofTrusted: item))
    }
  }

  @Test("A changed byte yields another item or one error, and never a trap")
  func flippedBits() {
    var random = SeededRandom(4)
    for _ in 0..<500 {
      var item = randomItem(&random)
      let place = Int.random(in: 0..<item.count, using: &random)
      let original = item
      item[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      let error = decodingError(item)
      #expect(error.map { ($0.offset ?? -1) <= item.count } ?? true)
      if error == nil {
        let digests = (try? Digest.of(canonical: item), try? Digest.of(canonical: original))
        #expect(digests.0 != digests.1)
      }
    }
  }

  @Test("A decoder that found a set out of order finds it again")
  func useAfterError() {
    var decoder = CBORDecoder(hex("d90102 82 02 01 00"))
    for _ in 0..<3 {
      _ = try? decoder.rawItem()
      #expect(throws: CodecError.self) { try decoder.finish() }
    }
  }

  @Test("Random bytes never trap any decoder")
  func randomBytes() {
    var random = SeededRandom(5)
    var accepted = 0
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...24, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      if decodingError(bytes) == nil { accepted += 1 }
      _ = try? SchemaDocument(encoded: bytes)
      _ = try? [String: [Int?]](encoded: bytes)
      _ = try? Set<String>(encoded: bytes)
      _ = try? Duration(encoded: bytes)
      _ = try? [1: "a", 2: "b"].applying(delta: bytes)
      _ = try? [1, 2, 3].applying(delta: bytes)
      _ = try? Set([1, 2]).applying(delta: bytes)
      _ = try? Optional(7).applying(delta: bytes)
    }
    #expect(accepted > 0)
  }

  @Test("Accepted bytes are written back unchanged")
  func acceptedIsCanonical() throws {
    var random = SeededRandom(6)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        random.chance(3)
          ? UInt8.random(in: 0...255, using: &random)
          : random.pick([0x81, 0x82, 0xa1, 0x61, 0xf6, 0x00, 0x01])
      }
      expectSameBytes(bytes, [Int?].self)
      expectSameBytes(bytes, [String].self)
      expectSameBytes(bytes, [Int: Bool?].self)
      expectSameBytes(bytes, Int???.self)
    }
  }

  private func expectSameBytes<Value: WireValue>(_ bytes: [UInt8], _ type: Value.Type) {
    do throws(CodecError) {
      let value = try Value(encoded: bytes)
      #expect(value.encoded() == bytes)
    } catch {
      #expect(error.offset.map { $0 <= bytes.count } == true)
    }
  }

  @Test("Skipping and reading accept and reject the same bytes")
  func skippedIsReadable() throws {
    for first in UInt8.min...UInt8.max {
      expectSkippedAsRead([first])
      for second in UInt8.min...UInt8.max { expectSkippedAsRead([first, second]) }
    }
    var random = SeededRandom(8)
    // The first bytes of arguments, texts and containers, and those of the shortest forms.
    let interesting: [UInt8] = [
      0x00, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x20, 0x38, 0x41, 0x58, 0x61, 0x62, 0x78, 0x7f,
      0x80, 0x81, 0x82, 0x98, 0x9f, 0xa0, 0xa1, 0xa2, 0xb8, 0xd9, 0x01, 0x02, 0xf4, 0xf6, 0xf9,
      0xff,
    ]
    for _ in 0..<30_000 {
      expectSkippedAsRead(
        (0..<Int.random(in: 3...9, using: &random)).map { _ in random.pick(interesting) }
      )
    }
    for _ in 0..<300 { expectSkippedAsRead(randomItem(&random)) }
  }

  private func expectSkippedAsRead(_ bytes: [UInt8]) {
    var error: CodecError?
    do throws(CodecError) {
      _ = try GenericValue(encoded: bytes)
    } catch let refusal {
      error = refusal
    }
    let skipped = decodingError(bytes)
    #expect(skipped?.code == error?.code, "\(hexText(bytes))")
    #expect(skipped?.offset == error?.offset, "\(hexText(bytes))")
  }

  @Test("UTF-8 is valid exactly if the standard library accepts it")
  func utf8() {
    var random = SeededRandom(7)
    let interesting: [UInt8] = [
      0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1,
      0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
    ]
    for _ in 0..<50_000 {
      let bytes = (0..<Int.random(in: 0...5, using: &random)).map { _ in random.pick(interesting) }
      let isValid = bytes.withUnsafeBufferPointer { UTF8Validation.firstError(in: $0) == nil }
      #expect(isValid == (String(validating: bytes, as: UTF8.self) != nil), "\(hexText(bytes))")
    }
  }
}
