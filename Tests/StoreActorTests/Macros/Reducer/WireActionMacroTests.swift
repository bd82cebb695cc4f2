import StoreActor
import Testing

/// Compares wire forms that `@CasePathable` and `@Reducer` generated with manual ones.
@Suite("A generated wire form")
struct WireActionMacroTests {
  private static let pairs: [(ParentWire, ParentLayout)] = [
    (.clear, .clear),
    (
      .moved(source: [1, 2], destination: 3, animated: true),
      .moved(source: [1, 2], destination: 3, animated: true),
    ),
    (.child(.toggleButtonTapped), .child(.toggleButtonTapped)),
    (
      .rows(.element(id: 7, action: .titleChanged(title: "Oats"))),
      .rows(.element(id: 7, action: .titleChanged(title: "Oats"))),
    ),
  ]

  @Test("has the bytes of a manual layout, and reads them", arguments: pairs.indices)
  func bytes(index: Int) throws {
    let (generated, written) = Self.pairs[index]
    let bytes = try generated.encoded()
    #expect(try bytes == written.encoded())
    #expect(try ParentWire(encoded: bytes) == generated)
  }

  @Test(
    "reads its own bytes, with any payload",
    arguments: [
      .mixed(1, b: "x", default: true), .optional(nil), .optional("y"), .here(3),
    ] as [ParentWire],
  )
  func roundTrips(action: ParentWire) throws {
    #expect(try ParentWire(encoded: action.encoded()) == action)
  }

  @Test("refuses the same bytes as a manual layout, with the same error")
  func errors() throws {
    var samples: [[UInt8]] = [[], [0xa0], [0x01], [0x61, 0x78]]
    for (action, _) in Self.pairs {
      let bytes = try action.encoded()
      samples += bytes.indices.map { Array(bytes[..<$0]) }
      for place in bytes.indices {
        for change in [1, 2, 0x20, 0x80] as [UInt8] {
          var changed = bytes
          changed[place] ^= change
          samples.append(changed)
        }
      }
    }
    for bytes in samples {
      let generated = Result { () throws(CodecError) in try ParentWire(encoded: bytes) }
      let written = Result { () throws(CodecError) in try ParentLayout(encoded: bytes) }
      #expect(Self.text(generated) == Self.text(written), "\(bytes)")
    }
  }

  /// A result without the differences that follow from the enums' own cases.
  private static func text<Action>(_ result: Result<Action, CodecError>) -> String {
    switch result {
    case .success(let action):
      return "\(action)".replacing("ParentLayout", with: "ParentWire")
        .replacing("ChildLayout", with: "ChildWire")
    case .failure(let error):
      let text = "\(error)"
      // The nearest names differ between the enums.
      guard error.code == .unknownName, let end = text.firstIndex(of: ";") else { return text }
      return String(text[..<end])
    }
  }

  @Test("does not write a private case, and reports its path")
  func privateCases() {
    let error = #expect(throws: CodecError.self) { try ParentWire.response(1).encoded() }
    #expect(
      error?.description
        == "$: \"response\" of ParentWire is private to the process that owns the state; "
        + "a client cannot send it"
    )
    let row = ParentWire.rows(.element(id: 7, action: .loaded(.init())))
    let inner = #expect(throws: CodecError.self) { try row.encoded() }
    #expect(
      inner?.description.hasPrefix("$.rows._0.element[7].action: \"loaded\" of ChildWire") == true
    )
    #expect(throws: CodecError.self) { try Mute.response(1).encoded() }
  }

  @Test("does not read a private case")
  func privateNames() {
    for name in ["response", "loaded"] {
      let error = #expect(throws: CodecError.self) { try ParentWire(encoded: name.encoded()) }
      #expect(error?.code == .unknownName)
    }
    let mute = #expect(throws: CodecError.self) { try Mute(encoded: "response".encoded()) }
    #expect(mute?.code == .unknownName)
    let near = #expect(throws: CodecError.self) { try ParentWire(encoded: "cleer".encoded()) }
    #expect(
      near?.description == "$: there is no action \"cleer\"; did you mean \"clear\"? (at byte 0)"
    )
  }

  @Test("reads a case under its former name, and writes it under its new one")
  func formerNames() throws {
    #expect(try ChildWire(encoded: "gone".encoded()) == .removed)
    #expect(try ChildWire.removed.encoded() == "removed".encoded())
  }

  @Test("has a schema of the cases that may be sent, by the type's full name")
  func schema() {
    let document = SchemaRegistry.document(for: ParentWire.self)
    #expect(document.root == .named("ParentWire"))
    #expect(
      document.definitions["ChildWire"]
        == .choice([
          .init("toggleButtonTapped"), .init("titleChanged", [.init("title", .text)]),
          .init("removed"),
        ])
    )
    guard case .choice(let cases) = document.definitions["ParentWire"] else {
      Issue.record("There is no choice.")
      return
    }
    #expect(
      cases.map(\.name) == ["clear", "moved", "rows", "child", "mixed", "optional", "here"]
    )
    #expect(cases[4].payload.map(\.name) == ["_0", "b", "default"])
    #expect(SchemaRegistry.document(for: Mute.self).definitions["Mute"] == .choice([]))
  }

  @Test("of an action in two parts has the view's cases")
  func splitAction() throws {
    let document = SchemaRegistry.document(for: Remote.Action.self)
    #expect(document.root == .named("Remote.Action"))
    #expect(
      document.definitions["Remote.Action"]
        == .choice([.init("nameChanged", [.init("_0", .text)]), .init("reload")])
    )
    #expect(try Remote.Action(encoded: "reload".encoded()) == .reload)
    let error = #expect(throws: CodecError.self) {
      try Remote.Action.loaded(.success("x")).encoded()
    }
    #expect(error?.code == .privateAction)
  }

  @Test("of an enum reducer's action reaches into its features")
  func enumReducer() throws {
    let action = RemotePath.Action.remote(.tapped)
    #expect(try RemotePath.Action(encoded: action.encoded()) == action)
    #expect(
      SchemaRegistry.document(for: RemotePath.Action.self).definitions["RemotePath.Action"]
        == .choice([.init("remote", [.init("_0", .named("RemoteChild.Action"))])])
    )
  }

  @Test("of an enum reducer's state has the enum's name")
  func enumReducerState() throws {
    let document = SchemaRegistry.document(for: Travelling.State.self)
    #expect(document.root == .named("Travelling"))
    let state = Travelling.State.row(.init(count: 3))
    #expect(try Travelling.State(encoded: state.encoded()) == state)
  }

  @Test("may have children without public cases")
  func silence() throws {
    #expect(try Quiet(encoded: Quiet.spoken.encoded()).is(\.spoken))
    #expect(throws: CodecError.self) { try Quietest(encoded: "child".encoded()) }
  }

  @Test("may be generic")
  func generic() throws {
    let bytes = try Generic.changed(3).encoded()
    guard case .changed(let value) = try Generic<Int>(encoded: bytes) else { return }
    #expect(value == 3)
  }
}
