import Foundation
import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// Foreign bytes yield a value or one error; they never trap, and use no more memory than they
/// justify.
@Suite(.timeLimit(.minutes(3))) struct HostileBytesTests {
  /// The values of the corpus, with their schemas.
  private func corpus() throws -> [(document: SchemaDocument, bytes: [UInt8])] {
    var result: [(document: SchemaDocument, bytes: [UInt8])] = []
    for file in try GoldenFile.committed() {
      var document: SchemaDocument?
      for line in file.lines {
        let words = line.split(separator: " ").map(String.init)
        if words[0] == "schema" { document = try SchemaDocument(encoded: hex(words[1])) }
        if words[0] == "value", let document { result.append((document, hex(words[2]))) }
      }
    }
    return result
  }

  @Test("Every prefix of every value is rejected as truncated")
  func beginnings() throws {
    for (_, bytes) in try corpus() {
      for end in 0..<bytes.count {
        let part = bytes[..<end]
        for error in [
          #expect(throws: CodecError.self) { try GenericValue(encoded: part) },
          #expect(throws: CodecError.self) { try Digest.of(canonical: part) },
        ] {
          #expect(error?.code == .truncated)
          #expect(error?.offset.map { $0 <= end } == true)
        }
      }
    }
  }

  @Test("Every other byte at every place yields a value with these bytes, or one error")
  func otherBytes() throws {
    for (document, bytes) in try corpus() where bytes.count <= 120 {
      for place in bytes.indices {
        var changed = bytes
        for byte in stride(from: 0, through: 255, by: bytes.count > 40 ? 7 : 1) {
          changed[place] = UInt8(byte)
          guard let value = try? GenericValue(encoded: changed) else { continue }
          #expect(value.encoded() == changed)
          try? value.validate(against: document)
          _ = JSONProjection.json(value, schema: document.root, in: document)
        }
      }
    }
  }

  @Test("Every slice of a value's bytes yields a value with these bytes, or one error")
  func slices() throws {
    for (_, bytes) in try corpus() where bytes.count <= 400 {
      for start in 0..<bytes.count {
        for end in Set([start, bytes.count, (start + bytes.count) / 2]) {
          guard let value = try? GenericValue(encoded: bytes[start..<end]) else { continue }
          #expect(value.encoded().elementsEqual(bytes[start..<end]))
        }
      }
    }
  }

  @Test("A header that claims more than the bytes left is rejected before any allocation")
  func claims() {
    for major in [2, 3, 4, 5, 6] as [UInt8] {
      for count in [0x1_0000, 1 << 32, 1 << 60, .max] as [UInt64] {
        var encoder = CBOREncoder()
        if major == 6 {
          encoder.tag(258)
          encoder.header(CBOR.array, count)
        } else {
          encoder.header(major << 5, count)
        }
        let bytes = encoder.bytes + [0xf6, 0xf6]
        func refusal<Value: WireValue>(_ type: Value.Type) -> CodecError.Code? {
          #expect(throws: CodecError.self, "\(type)") { try Value(encoded: bytes) }?.code
        }
        #expect(refusal(GenericValue.self) == .truncated)
        let known: [CodecError.Code?] = [.truncated, .typeMismatch]
        #expect(known.contains(refusal([Int?].self)))
        #expect(known.contains(refusal(Set<Int>.self)))
        #expect(known.contains(refusal([Int: Int].self)))
        #expect(known.contains(refusal(Rows.self)))
        #expect(known.contains(refusal(String.self)))
        #expect(known.contains(refusal(Data.self)))
        #expect(known.contains(refusal(AppState.self)))
        #expect(known.contains(refusal(Destination.self)))
        #expect(known.contains(refusal(SchemaDocument.self)))
      }
    }
  }

  @Test("Every reader limits the depth")
  func depth() throws {
    let openings: [(String, [UInt8], [UInt8])] = [
      ("array", [0x81], [0xf6]), ("map", [0xa1, 0x00], [0xf6]),
      ("set", [0xd9, 0x01, 0x02, 0x81], [0xf6]),
      ("key", [0xa1], [0xf6] + Array(repeating: 0xf6, count: 128)),
    ]
    for (name, opening, end) in openings {
      func nested(_ depth: Int) -> [UInt8] {
        let tail = name == "key" ? [0xf6] + Array(repeating: 0xf6, count: depth) : end
        return Array(repeatElement(opening, count: depth).joined()) + tail
      }
      #expect(decodingError(nested(128)) == nil, "\(name)")
      #expect(try GenericValue(encoded: nested(128)).encoded() == nested(128))
      for depth in [129, 200, 100_000] {
        let bytes = nested(depth)
        #expect(decodingError(bytes)?.code == .tooDeep, "\(name)")
        let generic = #expect(throws: CodecError.self) { try GenericValue(encoded: bytes) }
        #expect(generic?.code == .tooDeep)
        let digest = #expect(throws: CodecError.self) { try Digest.of(canonical: bytes) }
        #expect(digest?.code == .tooDeep)
        #expect(throws: CodecError.self) { try Tree(encoded: bytes) }
        #expect(throws: CodecError.self) { try Int????.init(encoded: bytes) }
      }
    }
    let types = Array(repeatElement(hex("82 686f7074696f6e616c"), count: 100_000).joined())
    let error = #expect(throws: CodecError.self) {
      try SchemaDocument(encoded: hex("82") + types + hex("64626f6f6c a0"))
    }
    #expect(error?.code == .tooDeep)
  }

  @Test("The JSON of nested map keys does not double with each level")
  func nestedKeys() throws {
    let depth = 100
    let bytes =
      [UInt8](repeating: 0xa1, count: depth) + [UInt8](repeating: 0xf6, count: depth + 1)
    let value = try GenericValue(encoded: bytes)
    #expect(value.description.utf8.count < 1_000)
    let document = try SchemaDocument(root: .any, definitions: [:])
    #expect(JSONProjection.json(value, schema: .any, in: document).utf8.count < 1_000)
  }

  @Test("The difference of equal values is empty", arguments: 0..<60 as Range<UInt64>)
  func equalValues(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let state = AllKinds.random(&random)
    #expect(state.delta(from: state) == nil)
    // Rebuilt, so that no memory is shared.
    #expect(try AllKinds(encoded: state.encoded()).delta(from: state) == nil)
    let schema = try RandomSchema(&random).identified()
    let value = schema.value(&random)
    #expect(
      try value.delta(from: GenericValue(encoded: value.encoded()), in: schema.document) == nil
    )
  }

  @Test(
    "Damaged deltas are applied and translated or rejected, and never trap",
    arguments: 0..<60 as Range<UInt64>,
  )
  func damagedDeltas(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let schema = try RandomSchema(&random).identified()
    let resolution = SchemaResolution(
      writer: schema.document,
      reader: ReaderSchema(schema.document),
    )
    for _ in 0..<8 {
      let old = schema.value(&random)
      let next = schema.mutated(old, &random)
      guard let delta = try next.delta(from: old, in: schema.document) else { continue }
      #expect(try resolution.translate(delta: delta) == delta)
      for _ in 0..<40 {
        var damaged = delta
        let place = Int.random(in: 0..<damaged.count, using: &random)
        damaged[place] = UInt8.random(in: 0...255, using: &random)
        let translated = Result { try resolution.translate(delta: damaged) }
        guard let result = try? old.applying(delta: damaged, in: schema.document) else { continue }
        try result.validate(against: schema.document)
        let other = try translated.get().map { try old.applying(delta: $0, in: schema.document) }
        #expect((other ?? old) == result)
      }
    }
  }
}
