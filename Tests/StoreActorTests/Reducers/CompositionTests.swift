import StoreActor
import Testing

@Suite("Composing reducers", .timeLimit(.minutes(1)))
@MainActor
struct CompositionTests {
  @Test("A child's reducer runs before its parent's, and so do its effects' registrations")
  func childFirst() {
    let store = Store(initialState: Office.State(guest: Worker.State(id: 1))) { Office() }
    store.send(.guest(.tick))
    #expect(store.guestWasThere == true)
    #expect(store.guest?.ticks == 1)
  }

  @Test("The reducers of a body run in the order of the list, and so do their effects")
  func order() {
    let store = Store(initialState: [String]()) {
      CombineReducers {
        Reduce<[String], Int> { state, action in
          state.append("first \(action)")
          return action == 0 ? .send(1) : .none
        }
        EmptyReducer()
        Reduce { state, action in
          state.append("second \(action)")
          return action == 0 ? .send(2) : .none
        }
      }
    }
    store.send(0)
    #expect(
      store.state == ["first 0", "second 0", "first 1", "second 1", "first 2", "second 2"]
    )
  }

  @Test("A body may have conditions, loops, availability and reducers whose type is hidden")
  func builder() {
    struct Feature: Reducer {
      let isLoud: Bool
      let name: String?
      let hidden: any Reducer<[String], Int>

      @ReducerBuilder<[String], Int>
      var body: some Reducer<[String], Int> {
        if isLoud { note("loud") } else { note("quiet") }
        if let name { note(name) }
        for index in 0..<3 { note("\(index)") }
        switch isLoud {
        case true: note("yes")
        case false: note("no")
        }
        if #available(macOS 10.15, *) { note("available") }
        hidden
      }

      func note(_ line: String) -> Reduce<[String], Int> {
        Reduce { state, _ in
          state.append(line)
          return .none
        }
      }
    }
    func result(_ feature: Feature) -> [String] {
      let store = Store(initialState: [String]()) { feature }
      store.send(0)
      var direct: [String] = []
      _ = feature._reduce(into: &direct, action: 0)
      #expect(direct == store.state)
      return store.state
    }
    let hidden = Reduce<[String], Int> { state, _ in
      state.append("hidden")
      return .none
    }
    #expect(
      result(Feature(isLoud: true, name: "Max", hidden: hidden))
        == ["loud", "Max", "0", "1", "2", "yes", "available", "hidden"]
    )
    #expect(
      result(Feature(isLoud: false, name: nil, hidden: EmptyReducer()))
        == ["quiet", "0", "1", "2", "no", "available"]
    )
  }

  @Test("An optional reducer that is nil has no effect")
  func optionalReducer() {
    var state = 0
    let none: Reduce<Int, Int>? = nil
    _ = none._reduce(into: &state, action: 1)
    #expect(state == 0)
    let some: Reduce<Int, Int>? = Reduce { state, action in
      state += action
      return .none
    }
    _ = some._reduce(into: &state, action: 1)
    _ = some._prepared()._reduce(into: &state, action: 1)
    #expect(state == 2)
  }

  @Test("A store evaluates a body once, for any number of actions")
  func bodyOnce() {
    struct Feature: Reducer {
      let evaluations: LockIsolated<Int>

      var body: some Reducer<Int, Int> {
        let _ = evaluations.withValue { $0 += 1 }
        Reduce { state, action in
          state += action
          return .none
        }
      }
    }
    let outer = LockIsolated(0)
    let store = Store(initialState: 0) {
      Reduce<Int, Int> { _, _ in .none }
      Feature(evaluations: outer)
    }
    #expect(outer.value == 0)
    for _ in 0..<5 { store.send(1) }
    #expect(store.state == 5)
    #expect(outer.value == 1)
  }

  @Test("A feature may contain itself")
  func recursion() {
    let store = Store(initialState: Tree.State(id: 0)) { Tree() }
    store.send(.addChild(1))
    store.send(.children(.element(id: 1, action: .addChild(2))))
    store.send(
      .children(.element(id: 1, action: .children(.element(id: 2, action: .addChild(3)))))
    )
    #expect(store.children[id: 1]?.children[id: 2]?.children.ids == [3])
  }

  @Test("A wrapper may call another reducer directly")
  func wrapper() {
    struct Twice<Base: Reducer>: Reducer {
      let base: Base

      var body: some ReducerOf<Base> {
        Reduce { state, action in
          base._reduce(into: &state, action: action)
            .merge(with: base._reduce(into: &state, action: action))
        }
      }
    }
    let store = Store(initialState: Counter.State()) { Twice(base: Counter()) }
    store.send(.increment)
    #expect(store.count == 2)
  }
}

/// A feature that contains itself.
private struct Tree: Reducer {
  struct State: Equatable, Sendable, Identifiable {
    let id: Int
    var children: IdentifiedArrayOf<State> = []
  }

  indirect enum Action: Sendable, CasePathable {
    case addChild(Int)
    case children(IdentifiedAction<Int, Action>)

    struct AllCasePaths: Sendable {
      var children: AnyCasePath<Action, IdentifiedAction<Int, Action>> {
        AnyCasePath(embed: Action.children) {
          if case .children(let action) = $0 { action } else { nil }
        }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some Reducer<State, Action> {
    Reduce { state, action in
      if case .addChild(let id) = action { state.children.append(State(id: id)) }
      return .none
    }
    .forEach(\.children, action: \.children) {
      Tree()
    }
  }
}
