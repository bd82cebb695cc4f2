import StoreState
import Testing

/// Choices; PROTOCOL.md §1.
@Suite struct ChoiceLayoutTests {
  private func refusal(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> String
  {
    let error = #expect(throws: CodecError.self, sourceLocation: sourceLocation) {
      try Destination(encoded: hex(text))
    }
    return error?.description ?? ""
  }

  @Test("A case without payload is its name, one with payload a map")
  func encoding() throws {
    #expect(Destination.home.encoded() == hex("64686f6d65"))
    #expect(
      Destination.move(from: 1, to: 2).encoded() == hex("a1 646d6f7665 a2 62746f 02 6466726f6d 01")
    )
    #expect(Destination.edit(Todo()).encoded().starts(with: hex("a1 6465646974 a1 625f30")))
    try checkAllPairs(
      [
        .nowhere, .home, .edit(Todo()), .move(from: 1, to: 2), .move(from: 2, to: 1),
        .pick(isFirst: true, at: 1, _tags: []), .pick(isFirst: true, at: 1, _tags: ["a"]),
      ] as [Destination]
    )
  }

  @Test("A schema names the cases and labels in the order of declaration")
  func schema() {
    let document = SchemaRegistry.document(for: Destination.self)
    #expect(
      document.definitions["Destination"]
        == .choice([
          .init("nowhere"), .init("home"), .init("edit", [.init("_0", .named("Todo"))]),
          .init("move", [.init("from", .int64), .init("to", .int64)]),
          .init(
            "pick",
            [.init("isFirst", .bool), .init("at", .int64), .init("tags", .array(.text))],
          ),
        ])
    )
    #expect(document.definitions.keys.sorted() == ["Destination", "Todo"])
  }

  @Test("An error names an unknown case or a case of another form")
  func refusals() {
    #expect(
      refusal("64686f6d66")
        == "$: there is no case \"homf\"; did you mean \"home\"? (at byte 0)"
    )
    // {"home": {}}
    #expect(refusal("a1 64686f6d65 a0").contains("\"home\" has no payload"))
    // "move"
    #expect(refusal("646d6f7665").contains("\"move\" has a payload"))
    // {"move": {"to": 2}}
    #expect(
      refusal("a1 646d6f7665 a1 62746f 02")
        == "$.move: the field \"from\" is missing (at byte 11)"
    )
    // {"move": {"to": 2, "from": true}}
    #expect(
      refusal("a1 646d6f7665 a2 62746f 02 6466726f6d f5")
        == "$.move.from: expected an integer, found true (at byte 16)"
    )
    #expect(refusal("a2 64686f6d65 00 646d6f7665 00").contains("found a map of 2"))
    #expect(refusal("a0").contains("found a map of 0"))
    #expect(refusal("01") == "$: expected the name of a case, found 1 (at byte 0)")
    #expect(refusal("a1 01 00") == "$: expected the name of a case, found 1 (at byte 1)")
    // {"move": {"to": 2, "from": 1, "zzzzz": 0}}
    #expect(refusal("a1 646d6f7665 a3 62746f 02 6466726f6d 01 657a7a7a7a7a 00").contains("zzzzz"))
  }
}
