import StoreState
import Testing

/// Schema documents; PROTOCOL.md §2.
@Suite struct SchemaDocumentTests {
  @Test("A document has the protocol's encoding, and is read as it was written")
  func encoding() throws {
    let document = SchemaRegistry.document(for: Tree.self)
    // [["named", "Tree"], {"Tree": ["record", [["value", "int64"],
    //   ["children", ["array", ["named", "Tree"]]]]]}]
    let expected =
      "82 82 656e616d6564 6454726565 a1 6454726565 82 667265636f7264"
      + " 82 82 6576616c7565 65696e743634"
      + " 82 686368696c6472656e 82 656172726179 82 656e616d6564 6454726565"
    #expect(document.encoded() == hex(expected))
    #expect(try SchemaDocument(encoded: hex(expected)) == document)
    // The hash is that of the same document with its definition renamed to "0".
    let renamed = expected.replacing("6454726565", with: "6130")
    #expect(document.hash == (try Digest.of(canonical: hex(renamed))))
  }

  @Test("A choice with some of its cases lacks definitions that only the others need")
  func keepingCases() throws {
    let part = Definition.record([.init("next", .optional(.named("Part")))])
    let key = Definition.choice([.init("a"), .init("b")])
    let document = try SchemaDocument(
      root: .named("Action"),
      definitions: [
        "Action": .choice([
          .init("moved", [.init("_0", .named("Part"))]),
          .init("filed", [.init("at", .dictionary(key: .named("Key"), value: .array(.text)))]),
          .init("cleared"),
        ]),
        "Part": part, "Key": key,
      ],
    )
    let moves = document.keepingCases { $0 == "moved" }
    #expect(
      moves.definitions
        == ["Action": .choice([.init("moved", [.init("_0", .named("Part"))])]), "Part": part]
    )
    #expect(document.keepingCases { $0 == "filed" }.definitions.keys.sorted() == ["Action", "Key"])
    #expect(document.keepingCases { _ in false }.definitions == ["Action": .choice([])])
    #expect(document.keepingCases { _ in true } == document)
    let record = try SchemaDocument(root: .named("Part"), definitions: ["Part": part])
    #expect(record.keepingCases { _ in false } == record)
  }

  @Test("Documents of all kinds are read as they were written")
  func roundTrips() throws {
    try roundTrip(AppState.self)
    try roundTrip(TodosAction.self)
    try roundTrip([[Double: Set<Float?>]: Duration?].self)
    let kinds: [Schema] = [
      .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float32, .float64,
      .text, .bytes, .uuid, .date, .duration, .url, .null, .any, .optional(.any), .array(.null),
      .set(.text), .dictionary(key: .text, value: .any),
      .identified(idField: "id", id: .uuid, element: .named("Row")), .named("Row"),
    ]
    for kind in kinds {
      let row = Definition.record([.init("id", .uuid)])
      let document = try SchemaDocument(root: kind, definitions: ["Row": row])
      #expect(try SchemaDocument(encoded: document.encoded()) == document)
    }
  }

  private func roundTrip<T: WirePayload>(_ type: T.Type) throws {
    let document = SchemaRegistry.document(for: type)
    let bytes = document.encoded()
    #expect(try SchemaDocument(encoded: bytes) == document)
    #expect(try SchemaDocument(encoded: bytes).hash == document.hash)
    for end in 0..<bytes.count {
      #expect(throws: CodecError.self) { try SchemaDocument(encoded: bytes[..<end]) }
    }
  }

  @Test("Another type has another hash")
  func hashes() {
    let hashes = [
      SchemaRegistry.document(for: Todo.self).hash, SchemaRegistry.document(for: Tree.self).hash,
      SchemaRegistry.document(for: [Todo].self).hash, SchemaRegistry.document(for: Int.self).hash,
    ]
    #expect(Set(hashes).count == hashes.count)
    #expect(SchemaRegistry.document(for: Todo.self).hash == hashes[0])
  }

  @Test("Random changes of a document never trap, and a document that is read is valid")
  func hostility() {
    var random = SeededRandom(100)
    let bytes = SchemaRegistry.document(for: AppState.self).encoded()
    for _ in 0..<5000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        changed[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << (random.next() % 8)
      }
      if let document = try? SchemaDocument(encoded: changed) {
        #expect(document.encoded() == changed)
      }
    }
  }
}
