import Foundation
import Synchronization
import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// The plain reader is the fast path, and the decoder its simple twin: both must read the same.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PlainReaderTests {
  @Test("Numbers, texts and bytes are read as the decoder reads them")
  func scalars() {
    expectTwins([Bool.random(), true, false])
    expectTwins([0, 1, 23, 24, 255, 256, 65_536, -1, -24, -25, -257, .min, .max] as [Int])
    expectTwins([.min, -1, 0, 23, 24, .max] as [Int8])
    expectTwins([0, 23, 24, .max] as [UInt8])
    expectTwins([0, 24, 65_535, .max] as [UInt64])
    expectTwins([.min, -1, 0, .max] as [Int128], isPlain: false)
    expectTwins([0, 1, .max] as [UInt128], isPlain: false)
    expectTwins([0, -0.0, 1.5, 1.1, 1e300, .nan, .infinity, 65_504, 65_505] as [Double])
    expectTwins([0, -0.0, 1.5, 1.1, .nan, -.infinity] as [Float])
    expectTwins([
      "", "a", "sevenby", "eight by", "longer than fifteen bytes", "é", "ab𝄞", "e\u{301}",
    ])
    expectTwins([String(repeating: "é", count: 200), String(repeating: "a", count: 300)])
    expectTwins([UUID(), UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))])
    expectTwins([Date(timeIntervalSinceReferenceDate: 0.5), .distantFuture])
    expectTwins([Data(), Data([1, 2, 3])])
  }

  @Test("Composite values are read as the decoder reads them")
  func parts() {
    expectTwins([nil, 1, .max] as [Int?])
    expectTwins([nil, .some(nil), .some(1)] as [Int??])
    expectTwins([[], [1, 2, 3], Array(0..<30)] as [[Int]])
    expectTwins([[["a"], []], [[]]] as [[[String]]])
    expectTwins([.done, .move(from: 1, to: nil), .move(from: -1, to: 500)] as [Step])
    expectTwins([[], [.done, .move(from: 1, to: 2)]] as [[Step?]])
    expectTwins([Node(), Node(id: 7, name: "x", children: [Node(id: 1), Node(id: 2)])])
    expectTwins([Node.chain(3), Node(children: [Node.chain(1)], byKey: ["b": Node(name: "c")])])
    expectTwins([[], [Node(id: 1), Node(id: 2, name: "two")]] as [IdentifiedArrayOf<Node>])
    expectTwins([[1, 2], []] as [Set<Int>], isPlain: false)
    expectTwins([[Todo(title: "a")], []] as [[Todo]], isPlain: false)
  }

  @Test("A duplicate id is rejected at the second element")
  func duplicates() throws {
    let rows = [Node(id: 1), Node(id: 2), Node(id: 1)]
    expectTwin(rows.encoded(), of: IdentifiedArrayOf<Node>.self)
    let error = #expect(throws: CodecError.self) {
      try IdentifiedArrayOf<Node>(encoded: rows.encoded())
    }
    #expect(error?.path == [.index(2)])
    #expect(error?.offset == 1 + 2 * Node(id: 1).encoded().count)
  }

  @Test("Both track the depth of items")
  func depth() throws {
    for levels in [62, 63, 64] {
      let bytes = Node.chain(levels).encoded()
      expectTwin(bytes, of: Node.self)
      expectTwin([0x81] + bytes, of: [Node].self)
      let isTooDeep = (try? Node(encoded: bytes)) == nil
      #expect(isTooDeep == (2 * levels + 2 > CBOR.maximumDepth))
    }
    let tree = (0..<64).reduce(Node()) { node, _ in Node(children: [node]) }
    expectTwin(tree.encoded(), of: Node.self)
    #expect((try? Node(encoded: tree.encoded())) == nil)
  }

  @Test("A failed plain reader costs one more read at most, at any depth")
  func amplification() throws {
    var bytes = Node.chain(50).encoded()
    let place = try #require(bytes.lastIndex(of: UInt8(ascii: "b")))
    // The innermost node has a field of another name.
    bytes[place + 1] = UInt8(ascii: "j")
    Node.begun.withLock { $0 = 0 }
    #expect(throws: CodecError.self) { try Node(encoded: bytes) }
    #expect(Node.begun.withLock { $0 } <= 3 * 51)

    let bad: [UInt8] = [0xa1, 0x62, 0x69, 0x64, 0xf6]
    Node.begun.withLock { $0 = 0 }
    let many = [0x98, 100] + (0..<99).flatMap { Node(id: $0).encoded() } + bad
    #expect(throws: CodecError.self) { try [Node](encoded: many) }
    #expect(Node.begun.withLock { $0 } <= 2 * 100 + 2)
  }

  @Test("An array that announces more elements than its bytes justify allocates no memory for them")
  func memory() {
    // The limit is 16 bytes of memory for each byte.
    let claim = [0x19, 0x10, 0x00].map { UInt8($0) }
    let bytes = [0x99, claim[1], claim[2]] + [UInt8](repeating: 0x80, count: 4_096)
    expectTwin(bytes, of: [[Int]].self)
    expectTwin(bytes, of: [Wide].self)
    expectTwin([0x9b, 0x7f] + [UInt8](repeating: 0xff, count: 7), of: [Int].self)
  }

  @Test("A former name, a default and another order of fields are left to the decoder")
  func otherBuilds() throws {
    var encoder = CBOREncoder()
    encoder.arrayHeader(2)
    for isFormer in [true, false] {
      encoder.mapHeader(3)
      encoder._$field("id", 1)
      if isFormer { encoder._$field("rows", [Node(id: 2)]) }
      encoder._$field("byKey", [String: Node]())
      if !isFormer { encoder._$field("children", [Node(id: 2)]) }
    }
    let node = Node(id: 1, children: [Node(id: 2)])
    #expect(try [Node](encoded: encoder.bytes) == [node, node])
    expectTwin(encoder.bytes, of: [Node].self)
  }

  @Test("In a set or map, the order of plainly read items is checked too")
  func order() throws {
    for bytes in [hex("d90102 82 81 02 81 01"), hex("a2 61 62 80 61 61 80")] {
      var (quick, careful) = (CBORDecoder(bytes), CBORDecoder(bytes))
      let isSet = bytes[0] == 0xd9
      let count = isSet ? try quick.setHeader() : try quick.mapHeader()
      _ = isSet ? try careful.setHeader() : try careful.mapHeader()
      let found = failure { () throws(CodecError) in
        for _ in 0..<count {
          if !isSet { _ = try quick.value(String.self) }
          _ = try quick.value([Int].self)
        }
        try quick.finish()
      }
      let expected = failure { () throws(CodecError) in
        for _ in 0..<count {
          if !isSet { _ = try careful.text() }
          _ = try careful.skipItem()
        }
        try careful.finish()
      }
      #expect(found?.code == .notCanonical)
      #expect(found == expected)
    }
  }
}

/// An element that takes more memory than its bytes justify.
private struct Wide: ReplicatedState {
  static func schema(in registry: inout SchemaRegistry) -> Schema { .array(.int64) }

  private var words = (0, 0, 0, 0, 0, 0, 0, 0)

  init(from decoder: inout CBORDecoder) throws(CodecError) { words.0 = try decoder.arrayHeader() }

  static var _$isPlain: Bool { true }

  init(_$plain reader: inout _$PlainReader) throws(_$NotPlain) {
    words.0 = try reader.array()
    reader.leave()
  }

  func encode(to encoder: inout CBOREncoder) { encoder.arrayHeader(words.0) }
}

private func failure(_ body: () throws(CodecError) -> Void) -> CodecError? {
  do throws(CodecError) {
    try body()
    return nil
  } catch {
    return error
  }
}

/// Decodes the bytes without the fast path.
private func carefully<Value: WireValue>(
  _ bytes: [UInt8],
  _: Value.Type,
) throws(CodecError) -> Value {
  var decoder = CBORDecoder(bytes)
  decoder.lastNotPlain = .max
  let value = try Value(from: &decoder)
  try decoder.finish()
  return value
}

/// Expects the same value, or the same error, from both ways.
private func expectTwin<Value: WireValue>(
  _ bytes: [UInt8],
  of type: Value.Type,
  location: SourceLocation = #_sourceLocation,
) {
  var (found, expected): ([UInt8]?, [UInt8]?)
  let error = failure { () throws(CodecError) in found = try Value(encoded: bytes).encoded() }
  let twin = failure { () throws(CodecError) in expected = try carefully(bytes, type).encoded() }
  #expect(error == twin, "\(hexText(bytes))", sourceLocation: location)
  #expect(found == expected, "\(hexText(bytes))", sourceLocation: location)
}

/// Expects both ways to agree on the values' encodings, whole, cut, and with each byte changed.
private func expectTwins<Value: WireValue>(
  _ values: [Value],
  isPlain: Bool = true,
  location: SourceLocation = #_sourceLocation,
) {
  #expect(Value._$isPlain == isPlain, sourceLocation: location)
  for value in values {
    let bytes = value.encoded()
    var decoder = CBORDecoder(bytes)
    let plain = (try? decoder.plain(Value.self)) ?? nil
    #expect(plain?.encoded() == bytes, "\(hexText(bytes))", sourceLocation: location)
    #expect(decoder.isAtEnd, sourceLocation: location)
    expectTwin(bytes + [0], of: Value.self, location: location)
    for place in bytes.indices {
      expectTwin(Array(bytes[..<place]), of: Value.self, location: location)
      for other in [0x00, 0x01, 0x18, 0x60, 0x61, 0x80, 0x9f, 0xa1, 0xc3, 0xf6, 0xff] as [UInt8] {
        var changed = bytes
        changed[place] = other
        expectTwin(changed, of: Value.self, location: location)
        changed[place] = bytes[place] ^ (1 << (other & 7))
        expectTwin(changed, of: Value.self, location: location)
      }
      var longer = bytes
      longer.insert(0x18, at: place)
      expectTwin(longer, of: Value.self, location: location)
    }
  }
}
