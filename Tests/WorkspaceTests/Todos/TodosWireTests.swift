import GenericState
import StoreActor
import StoreState
import StoredWorkspace
import Testing

@Suite struct TodosWireTests {
  private let id = "00000000-0000-0000-0000-00000000002A"

  @Test("Clients may send every action of the list and of its rows")
  func listsAllActions() throws {
    #expect(
      try sendableCases(of: Todos.Action.self) == [
        "addButtonTapped", "clearCompletedButtonTapped", "filterPicked", "items", "moved",
        "removed",
      ]
    )
    #expect(try sendableCases(of: Todo.Action.self) == ["titleChanged", "toggleButtonTapped"])
  }

  @Test("A case without payload is a string, one with payload an object")
  func actionsOfTheList() throws {
    try expectRoundTrip(
      Todos.Action.addButtonTapped(title: "Milk"),
      #"{"addButtonTapped":{"title":"Milk"}}"#,
    )
    try expectRoundTrip(
      Todos.Action.clearCompletedButtonTapped,
      #""clearCompletedButtonTapped""#,
    )
    for filter in Todos.Filter.allCases {
      try expectRoundTrip(
        Todos.Action.filterPicked(filter: filter),
        #"{"filterPicked":{"filter":"\#(filter.rawValue)"}}"#,
      )
    }
    try expectRoundTrip(
      Todos.Action.moved(id: UUID(42), toOffset: 3),
      #"{"moved":{"id":"\#(id)","toOffset":3}}"#,
    )
    try expectRoundTrip(Todos.Action.removed(id: UUID(42)), #"{"removed":{"id":"\#(id)"}}"#)
  }

  @Test("In the row's scope a row's action has no id")
  func actionsOfARow() throws {
    try expectRoundTrip(Todo.Action.toggleButtonTapped, #""toggleButtonTapped""#)
    try expectRoundTrip(
      Todo.Action.titleChanged(title: "Bread"),
      #"{"titleChanged":{"title":"Bread"}}"#,
    )
  }

  @Test("In the list's scope a row's action contains the row's id")
  func actionsOfARowInTheList() throws {
    let toggle = Todos.Action.items(.element(id: UUID(42), action: .toggleButtonTapped))
    let element = #"{"element":{"id":"\#(id)","action":"toggleButtonTapped"}}"#
    try expectRoundTrip(toggle, #"{"items":{"_0":\#(element)}}"#)
    #expect(try action(#"{"items":\#(element)}"#, as: Todos.Action.self) == toggle)
    try expectRoundTrip(
      Todos.Action.items(.element(id: UUID(42), action: .titleChanged(title: "Bread"))),
      #"{"items":{"_0":{"element":{"id":"\#(id)","action":{"titleChanged":{"title":"Bread"}}}}}}"#,
    )
  }

  @Test("An unknown filter is refused, and the error names the nearest filter")
  func refusesUnknownFilters() throws {
    let error = #expect(throws: JSONProjectionError.self) {
      try action(#"{"filterPicked":{"filter":"activ"}}"#, as: Todos.Action.self)
    }
    #expect("\(try #require(error))".contains("active"))
  }

  @Test("The state has the names that clients know")
  func stateNames() throws {
    var state = Todos.State(titles: ["Milk"])
    state.filter = .active
    let row = #"{"id":"\#(UUID(0).uuidString)","title":"Milk","isCompleted":false}"#
    #expect(try json(state: state) == #"{"items":[\#(row)],"filter":"active"}"#)
    #expect(try json(state: state.items[0]) == row)
  }

  @Test(
    "Deltas follow a list through hundreds of random actions",
    arguments: [1, 2, 3] as [UInt64],
  )
  func deltas(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let todos = withDependencies {
      $0.uuid = .incrementing
    } operation: {
      Todos()
    }
    var state = Todos.State()
    var replica = state
    for _ in 0..<300 {
      let old = state
      let action = Todos.Action.random(on: state, using: &generator)
      _ = todos.reduce(into: &state, action: action)
      try expectDelta(from: old, to: state)
      if let delta = state.delta(from: old) { replica = try replica.applying(delta: delta) }
    }
    #expect(replica == state)
    #expect(state.items.count > 3)
    try expectRoundTrip(state: state)
  }

  @Test("Completing a row is a delta of a few bytes in a list of any length")
  func deltaOfOneRow() throws {
    let old = Todos.State(titles: (0..<1000).map { "Todo \($0)" })
    var new = old
    new.items[id: UUID(500)]?.isCompleted = true
    let delta = try #require(new.delta(from: old))
    #expect(delta.count <= 32)
    try expectDelta(from: old, to: new)
  }
}

extension Todos.Action {
  /// A random action, mostly on an existing row.
  fileprivate static func random(
    on state: Todos.State,
    using generator: inout SeededGenerator,
  ) -> Todos.Action {
    let id = state.items.ids.randomElement(using: &generator) ?? UUID(0)
    let number = Int.random(in: 0..<100, using: &generator)
    switch number {
    case 0..<35: return .addButtonTapped(title: "Todo \(number)")
    case 35..<55: return .items(.element(id: id, action: .toggleButtonTapped))
    case 55..<70: return .items(.element(id: id, action: .titleChanged(title: "New \(number)")))
    case 70..<90: return .moved(id: id, toOffset: .random(in: -2...60, using: &generator))
    case 90..<95: return .removed(id: id)
    case 95..<98:
      return .filterPicked(filter: Todos.Filter.allCases.randomElement(using: &generator) ?? .all)
    case 98: return .clearCompletedButtonTapped
    default: return .removed(id: UUID(-1))
    }
  }
}
