import StoreActor
import Testing

/// Tests of features that `@Reducer` completed.
@MainActor
@Suite("A feature with @Reducer")
struct ReducerMacroTests {
  @Test("may omit every part")
  func nothing() {
    let store = Store(initialState: Nothing.State()) { Nothing() }
    #expect(store.state == Nothing.State())
    #expect(Nothing.Action._$caseNames == [])
  }

  @Test("runs its body, or its reduce(into:action:)")
  func runs() {
    let clicker = Store(initialState: Clicker.State()) { Clicker() }
    clicker.send(.tapped)
    #expect(clicker.count == 1)
    let leaf = Store(initialState: Leaf.State()) { Leaf() }
    leaf.send(.tapped(3))
    #expect(leaf.count == 3)
    let holder = Store(initialState: Holder<Int>.State(value: 1)) { Holder<Int>() }
    holder.send(.changed(2))
    #expect(holder.value == 2)
  }

  @Test("may reduce a state and an action that are declared outside")
  func outerTypes() {
    let store = Store(initialState: Toggled(id: 1)) { Toggler<Int>() }
    store.send(.toggled)
    #expect(store.withState { $0 } == Toggled(id: 1, isOn: true))
  }

  @Test("accepts a long chain of operators")
  func longChain() {
    let store = Store(initialState: LongChain.State()) { LongChain() }
    store.send(.press)
    store.send(.one(.tapped))
    #expect(store.state.one?.count == 1)
    #expect(store.total == 1)
    let many = Store(initialState: ManyCases.State.ten(.init())) { ManyCases.body }
    many.send(.ten(.tapped))
    #expect(many.state[case: \.ten]?.count == 1)
  }

  @Test("in two parts has an action that combines both")
  func split() async {
    let store = Store(initialState: Login.State()) { Login() }
    store.send(Login.Action(viewAction: .nameChanged("x")))
    #expect(store.name == "x")
    store.send(.init(reducerAction: .loginResponse(name: "y", 1)))
    #expect(store.name == "y")
    await store.send(.loginButtonTapped).finish()
    #expect(store.name == "a")
    store.send(.delegate(.done))
    #expect(Login.Action.nameChanged("z") == Login.Action(viewAction: .nameChanged("z")))
    #expect(Login.Action.nameChanged("z")[case: \.nameChanged] == "z")
    #expect(
      Login.Action._$caseNames
        == ["nameChanged", "loginButtonTapped", "delegate", "loginResponse"]
    )
  }
}

/// Tests of features that are enums of other features.
@MainActor
@Suite("An enum of features")
struct EnumReducerTests {
  @Test("runs the feature of the current case")
  func runs() {
    let store = Store(initialState: Path.State.clicker(.init())) { Path.body }
    store.send(.clicker(.tapped))
    #expect(store.state == .clicker(.init(count: 1)))
  }

  @Test("runs features with arguments, generic ones and enums of features")
  func kinds() {
    let leaf = Store(initialState: Path.State.leaf(.init())) { Path.body }
    leaf.send(.leaf(.tapped(5)))
    #expect(leaf.state == .leaf(.init(count: 5)))
    let generic = Store(initialState: Path.State.generic(.init(value: 1))) { Path.body }
    generic.send(.generic(.changed(2)))
    #expect(generic.state == .generic(.init(value: 2)))
    let sheet = Store(initialState: Path.State.sheet(.clicker(.init()))) { Path.body }
    #expect(sheet.state == .sheet(.clicker(.init())))
    let more = Store(initialState: Path.State.more(.init())) { Path.body }
    more.send(.more(.tapped))
    #expect(more.state == .more(.init(count: 1)))
  }

  @Test("reports an action for a feature of another case")
  func wrongCase() {
    let store = Store(initialState: Path.State.clicker(.init())) { Path.body }
    withKnownIssue {
      _ = store.send(.leaf(.tapped(1)))
    } matching: { issue in
      "\(issue)".contains("ifCaseLet")
    }
    #expect(store.state == .clicker(.init()))
  }

  @Test("returns the store of the current case's feature, or its data")
  func stores() throws {
    let store = Store(initialState: Path.State.clicker(.init())) { Path.body }
    guard case .clicker(let clicker) = store.case else {
      Issue.record("Another case: \(store.case)")
      return
    }
    clicker.send(.tapped)
    #expect(clicker.count == 1)
    #expect(store.state == .clicker(.init(count: 1)))
    #expect(store.case.clicker === clicker)
    #expect(store.case.leaf == nil)
    let note = Store(initialState: Path.State.note("a", size: 1)) { Path.body }
    #expect(note.case.note?.0 == "a")
    #expect(note.case.note?.size == 1)
    let alert = AlertState<Path.Alert> { TextState("Sure?") }
    let asking = Store(initialState: Path.State.alert(alert)) { Path.body }
    #expect(asking.case.alert == alert)
    asking.send(.alert(.confirmed))
    #expect(asking.state == .alert(alert))
  }

  @Test("has the given conformances")
  func conformances() {
    #expect(Conformed.State.clicker(.init()) == .clicker(.init()))
    func isSendable<T: Sendable & Equatable>(_: T.Type) -> Bool { true }
    #expect(isSendable(Conformed.State.self))
  }

  @Test("has case paths of state, action and stores")
  func casePaths() {
    #expect(Path.State.note("a", size: 2).note?.size == 2)
    #expect(caseName(of: \Path.Action.Cases.clicker.tapped) == "\\.clicker.tapped")
    #expect(Path.State._$caseNames == Path.Action._$caseNames)
    #expect(Path.CaseScope._$caseNames == Path.State._$caseNames)
  }
}
