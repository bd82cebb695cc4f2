import StoreActor
import Testing

@Suite("A body with a condition or a loop", .timeLimit(.minutes(1)))
@MainActor
struct ConditionalBodyTests {
  @Test("runs the branch whose condition holds when an action arrives")
  func branches() {
    let flags = Flags()
    let store = Store(initialState: [String]()) { Branches(flags: flags) }
    store.send(0)
    #expect(store.state == ["off"])
    flags.isOn.setValue(true)
    store.send(0)
    #expect(store.state == ["off", "on", "also on"])
    flags.isOn.setValue(false)
    store.send(0)
    #expect(store.state == ["off", "on", "also on", "off"])
  }

  @Test("runs a loop with the iterations that apply when an action arrives")
  func loop() {
    let flags = Flags()
    let store = Store(initialState: [String]()) { Loop(flags: flags) }
    store.send(0)
    flags.names.setValue(["a", "b"])
    store.send(0)
    #expect(store.state == ["a", "b"])
  }

  @Test("runs an optional reducer if it is present")
  func optional() {
    let flags = Flags()
    let store = Store(initialState: [String]()) { Maybe(flags: flags) }
    store.send(0)
    flags.isOn.setValue(true)
    store.send(0)
    #expect(store.state == ["there"])
  }

  @Test("reads the dependencies of the action")
  func dependencies() async {
    let store = TestStore(initialState: [String]()) { Dependent() }
    store.dependencies.locale = Locale(identifier: "de")
    await store.send(0) { $0 = ["Hallo"] }
    store.dependencies.locale = Locale(identifier: "en")
    await store.send(0) { $0 = ["Hallo", "Hello"] }
  }

  @Test("may have its condition inside an operator, or after one")
  func inOperators() {
    let flags = Flags()
    let evaluations = LockIsolated(0)
    let store = Store(initialState: Operators.State()) {
      Operators(flags: flags, evaluations: evaluations)
    }
    store.send(.child(0))
    store.send(.other(0))
    flags.isOn.setValue(true)
    store.send(.child(0))
    store.send(.other(0))
    #expect(store.child == ["off", "on", "also on"])
    #expect(store.other == ["on", "also on"])
    #expect(evaluations.value == 4)
  }

  @Test("is evaluated again without its enclosing bodies")
  func around() {
    let (inner, outer) = (LockIsolated(0), LockIsolated(0))
    let store = Store(initialState: 0) { Around(inner: inner, outer: outer) }
    for _ in 0..<3 { store.send(1) }
    #expect(inner.value == 3)
    #expect(outer.value == 1)
  }

  @Test("knows the children whose effects an earlier evaluation began")
  func effects() async {
    let clock = TestClock()
    let flags = Flags()
    let store = TestStore(initialState: Household.State()) {
      Household(flags: flags)
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(.child(.start))
    flags.isOn.setValue(true)
    await store.send(.leave) { $0.child = nil }
    await store.finish()
    await store.send(.enter) { $0.child = Household.Child.State() }
    await store.send(.child(.start))
    await store.send(.stop)
    await store.finish()
  }
}

private struct Flags: Sendable {
  let isOn = LockIsolated(false)
  let names = LockIsolated<[String]>([])
}

private func note(_ line: String) -> Reduce<[String], Int> {
  Reduce { state, _ in
    state.append(line)
    return .none
  }
}

private struct Branches: Reducer {
  let flags: Flags

  var body: some Reducer<[String], Int> {
    if flags.isOn.value { note("on") } else { note("off") }
    if flags.isOn.value { note("also on") }
  }
}

private struct Loop: Reducer {
  let flags: Flags

  var body: some Reducer<[String], Int> {
    for name in flags.names.value { note(name) }
  }
}

private struct Maybe: Reducer {
  let flags: Flags

  var body: some Reducer<[String], Int> {
    flags.isOn.value ? note("there") : nil
  }
}

private struct Dependent: Reducer {
  @Dependency(\.locale) var locale

  var body: some Reducer<[String], Int> {
    switch locale.identifier {
    case "de": note("Hallo")
    default: note("Hello")
    }
  }
}

@Reducer
private struct Operators {
  struct State: Equatable {
    var child: [String] = []
    var other: [String]? = []
  }

  enum Action {
    case child(Int)
    case other(Int)
  }

  let flags: Flags
  let evaluations: LockIsolated<Int>

  var body: some ReducerOf<Self> {
    let _ = evaluations.withValue { $0 += 1 }
    CombineReducers {
      Scope(state: \.child, action: \.child) { Branches(flags: flags) }
      Reduce { _, _ in .none }
    }
    .onChange(of: \.child) { _, _ in .none }
    .ifLet(\.other, action: \.other) {
      if flags.isOn.value { Branches(flags: flags) }
    }
    ._printChanges(nil)
  }
}

private struct Around: Reducer {
  let inner: LockIsolated<Int>
  let outer: LockIsolated<Int>

  var body: some Reducer<Int, Int> {
    let _ = outer.withValue { $0 += 1 }
    Reduce { _, _ in .none }
    Inner(evaluations: inner)
  }

  struct Inner: Reducer {
    let evaluations: LockIsolated<Int>

    var body: some Reducer<Int, Int> {
      let _ = evaluations.withValue { $0 += 1 }
      if evaluations.value > 0 { EmptyReducer() }
    }
  }
}

@Reducer
private struct Household {
  @Reducer
  struct Child {
    struct State: Equatable {}
    enum Action { case start }
    @Dependency(\.continuousClock) var clock

    var body: some ReducerOf<Self> {
      Reduce { _, _ in
        .run { _ in try await clock.sleep(for: .seconds(1)) }.cancellable(id: "work")
      }
    }
  }

  struct State: Equatable { var child: Child.State? = Child.State() }

  enum Action {
    case child(Child.Action)
    case enter, leave, stop
  }

  let flags: Flags

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .child: return .none
      case .enter: state.child = Child.State()
      case .leave: state.child = nil
      case .stop: return .cancel(id: "work")
      }
      return .none
    }
    .ifLet(\.child, action: \.child) {
      if flags.isOn.value { Child() } else { Child() }
    }
  }
}
