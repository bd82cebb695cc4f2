import StoreActor
import StoreState
import Testing

/// Actions: choices of which a client may send only the cases in the layout.
@Suite struct ActionLayoutTests {
  private func roundTrip(_ action: TodosAction) throws -> String {
    let bytes = try action.encoded()
    let decoded = try TodosAction(encoded: bytes)
    #expect(try decoded.encoded() == bytes)
    return "\(decoded)"
  }

  @Test(
    "Actions with and without payload, of children and of rows keep their value",
    arguments: [
      .clearCompletedButtonTapped, .addButtonTapped(title: "Milk"), .filterPicked(filter: .active),
      .moved(source: [1, 2], destination: 3, animated: true), .focused(.toggleButtonTapped),
      .items(.element(id: 7, action: .titleChanged(title: "Oats"))),
    ] as [TodosAction],
  )
  func roundTrips(action: TodosAction) throws {
    #expect(try roundTrip(action) == "\(action)")
  }

  @Test("An action's bytes")
  func bytes() throws {
    let row = TodosAction.items(.element(id: 7, action: .toggleButtonTapped))
    // {"items": {"_0": {"element": {"id": 7, "action": "toggleButtonTapped"}}}}
    #expect(
      try row.encoded()
        == hex("a1 656974656d73 a1 625f30 a1 67656c656d656e74 a2 626964 07 66616374696f6e")
        + "toggleButtonTapped".encoded()
    )
  }

  @Test("An action outside of the layout cannot be encoded")
  func privateActions() {
    let error = #expect(throws: CodecError.self) { try TodosAction.response(1).encoded() }
    #expect(error?.code == .privateAction)
    #expect(
      error?.description
        == "$: \"response\" of Todos.Action is private to the process that owns the state; "
        + "a client cannot send it"
    )
    let row = TodosAction.items(.element(id: 7, action: .loaded("x")))
    let inner = #expect(throws: CodecError.self) { try row.encoded() }
    #expect(
      inner?.description.hasPrefix("$.items._0.element[7].action: \"loaded\" of Todo.Action")
        == true
    )
  }

  @Test("An action outside of the layout is not decoded")
  func unknownActions() {
    let error = #expect(throws: CodecError.self) { try TodosAction(encoded: "response".encoded()) }
    #expect(error?.code == .unknownName)
    let misspelt = #expect(throws: CodecError.self) {
      try TodosAction(encoded: "clearCompletedButonTapped".encoded())
    }
    #expect(
      misspelt?.description
        == "$: there is no action \"clearCompletedButonTapped\"; "
        + "did you mean \"clearCompletedButtonTapped\"? (at byte 0)"
    )
    // {"focused": {"_0": "toggle"}}
    let nested = #expect(throws: CodecError.self) {
      try TodosAction(encoded: hex("a1 67666f6375736564 a1 625f30 66746f67676c65"))
    }
    #expect(nested?.description.hasPrefix("$.focused._0: there is no action \"toggle\"") == true)
  }

  @Test("A malformed action of a row is rejected with its path")
  func rowActions() {
    // {"items": {"_0": {"element": {"id": "x", …
    let wrongID = #expect(throws: CodecError.self) {
      try TodosAction(
        encoded: hex(
          "a1 656974656d73 a1 625f30 a1 67656c656d656e74 a2 626964 6178 66616374696f6e 00"
        )
      )
    }
    #expect(
      wrongID?.description.hasPrefix("$.items._0.element.id: expected an integer") == true
    )
    let noAction = #expect(throws: CodecError.self) {
      try TodosAction(encoded: hex("a1 656974656d73 a1 625f30 a1 67656c656d656e74 a1 626964 00"))
    }
    #expect(noAction?.message == "the field \"action\" is missing")
    let removed = #expect(throws: CodecError.self) {
      try TodosAction(encoded: hex("a1 656974656d73 a1 625f30 6672656d6f7665"))
    }
    #expect(removed?.code == .unknownName)
  }

  @Test("Cut and changed bytes are rejected or yield an action, and never trap")
  func hostility() throws {
    var random = SeededRandom(90)
    let action = TodosAction.moved(source: [1, 2], destination: 3, animated: true)
    let bytes = try action.encoded()
    for end in 0..<bytes.count {
      #expect(throws: CodecError.self) { try TodosAction(encoded: bytes[..<end]) }
    }
    for _ in 0..<5000 {
      var changed = bytes
      changed[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << (random.next() % 8)
      if let other = try? TodosAction(encoded: changed) {
        #expect(try other.encoded() == changed)
      }
    }
  }

  @Test("A schema lists exactly the cases that may be sent")
  func schema() {
    let document = SchemaRegistry.document(for: TodosAction.self)
    #expect(document.root == .named("Todos.Action"))
    guard case .choice(let cases) = document.definitions["Todos.Action"] else {
      Issue.record("There is no choice.")
      return
    }
    #expect(
      cases.map(\.name) == [
        "clearCompletedButtonTapped", "addButtonTapped", "filterPicked", "moved", "items",
        "focused",
      ]
    )
    #expect(cases[4].payload == [.init("_0", .named("IdentifiedAction"))])
    #expect(
      document.definitions["IdentifiedAction"]
        == .choice([
          .init("element", [.init("id", .int64), .init("action", .named("Todo.Action"))])
        ])
    )
    #expect(
      document.definitions["Todo.Action"]
        == .choice([
          .init("toggleButtonTapped"), .init("titleChanged", [.init("title", .text)]),
        ])
    )
  }
}
