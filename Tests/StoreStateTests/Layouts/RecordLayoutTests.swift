import StoreState
import Testing

/// Records; PROTOCOL.md §1.
@Suite struct RecordLayoutTests {
  private func refusal(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> String
  {
    let error = #expect(throws: CodecError.self, sourceLocation: sourceLocation) {
      try Tree(encoded: hex(text))
    }
    return error?.description ?? ""
  }

  @Test("A record is a map in the order of its names' encodings")
  func encoding() throws {
    var todo = Todo()
    todo.title = "Milk"
    todo.tags = ["a"]
    let expected =
      "a5 626964 00 646e6f7465 f6 6474616773 81 6161 657469746c65 644d696c6b"
      + " 6b6973436f6d706c65746564 f4"
    #expect(todo.encoded() == hex(expected))
    #expect(try Todo(encoded: hex(expected)) == todo)
  }

  @Test("A schema names the fields in the order of declaration")
  func schema() {
    let document = SchemaRegistry.document(for: Todo.self)
    #expect(document.root == .named("Todo"))
    #expect(
      document.definitions["Todo"]
        == .record([
          .init("title", .text), .init("id", .int64), .init("isCompleted", .bool),
          .init("tags", .array(.text)), .init("note", .optional(.text)),
        ])
    )
  }

  @Test("An error names a field that is missing, unknown or out of order")
  func refusals() {
    // {"value": 0}
    #expect(refusal("a1 6576616c7565 00") == "$: the field \"children\" is missing (at byte 8)")
    // {"children": []}
    #expect(
      refusal("a1 686368696c6472656e 80") == "$: the field \"value\" is missing (at byte 10)"
    )
    // {"valux": 0, "children": []}
    #expect(
      refusal("a2 6576616c7578 00 686368696c6472656e 80")
        == "$: the field \"value\" is missing (at byte 7)"
    )
    // {"valua": 0, "children": []}
    #expect(
      refusal("a2 6576616c7561 00 686368696c6472656e 80")
        == "$: there is no field \"valua\"; did you mean \"value\"? (at byte 1)"
    )
    // {"value": 0, "children": [], "childrex": 0}
    #expect(
      refusal("a3 6576616c7565 00 686368696c6472656e 80 686368696c64726578 00")
        .contains("there is no field \"childrex\"; did you mean \"children\"?")
    )
    // {"value": 0, "children": [{}]}
    #expect(
      refusal("a2 6576616c7565 00 686368696c6472656e 81 a0")
        .hasPrefix("$.children[0]: the field \"value\" is missing")
    )
    #expect(refusal("80") == "$: expected a map, found an array (at byte 0)")
    #expect(refusal("a1 01 00") == "$: expected text, found 1 (at byte 1)")
  }

  @Test("A record that contains itself may have the depth that the protocol allows")
  func recursion() throws {
    var tree = Tree()
    for depth in 1...63 {
      var outer = Tree()
      outer.value = depth
      outer.children = [tree]
      tree = outer
    }
    #expect(try Tree(encoded: tree.encoded()) == tree)
    var tooDeep = Tree()
    tooDeep.children = [tree]
    let error = #expect(throws: CodecError.self) { try Tree(encoded: tooDeep.encoded()) }
    #expect(error?.code == .tooDeep)
  }
}
