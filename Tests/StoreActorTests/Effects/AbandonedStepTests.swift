import StoreActor
import Testing

@Suite("The changes of abandoned steps", .timeLimit(.minutes(1)))
@MainActor
struct AbandonedStepTests {
  private typealias Core = RootCore<Yard.State, Yard.Action>

  private func core(_ state: Yard.State = Yard.State()) -> Core {
    RootCore(
      initialState: { state },
      reducer: { Yard() },
      withDependencies: { $0.continuousClock = TestClock() },
    )
  }

  private func end(of core: Core, _ count: Int = 0) async {
    while core.registry.count > count { await Task.yield() }
  }

  @Test("After a client's change of a shared value, cancellations are immediate again")
  func afterChange() async {
    let core = core()
    core.send(.work)
    core.send(.cancelLater)
    let change = core.changeFromAfar { state in
      state.count += 1
      return true
    }
    #expect(change != nil)
    // The sequence continues outside of a step, and cancels at once.
    await end(of: core)
    #expect(core.send(.refuse, lineage: nil).refusal?.reason == "No.")
  }

  @Test("A refusal that a parent accepts leaves the cancellations of the step")
  func acceptedRefusal() async {
    let core = core()
    core.send(.work)
    #expect(core.send(.cancelAndAcceptRefusal, lineage: nil).refusal == nil)
    await end(of: core)
  }

  @Test("A child that is removed and added again in a refused step keeps its effects")
  func recreatedChild() async {
    var state = Yard.State()
    state.rows = [Yard.Row.State(id: 1)]
    let core = core(state)
    core.send(.rows(.element(id: 1, action: .work)))
    #expect(core.registry.count == 1)
    #expect(core.send(.recreate, lineage: nil).refusal?.reason == "No.")
    #expect(core.registry.count == 1)
    // The first child's work is still found by its place.
    core.send(.removeRows)
    await end(of: core)
  }

  @Test("A grandchild that is removed in a refused step is found again, beside a throttled one")
  func throttledSibling() async {
    var state = Yard.State()
    state.shed = Yard.Shed.State(rows: [Yard.Row.State(id: 1), Yard.Row.State(id: 2)])
    let core = core(state)
    core.send(.shed(.rows(.element(id: 1, action: .work))))
    #expect(core.send(.throttleAndRefuse, lineage: nil).refusal?.reason == "No.")
    #expect(core.registry.count == 1)
    core.send(.removeShed)
    await end(of: core)
  }

  @Test("Another thread's change of a shared value survives a refused part and a refused step")
  func otherThread() {
    let count = Shared(value: 0)
    let core = RootCore(
      initialState: { Counted.State(count: count) },
      reducer: { Counted(other: count) },
    )
    #expect(core.send(true, lineage: nil).refusal?.reason == "Outside.")
    #expect(count.wrappedValue == 4)
  }

  @Test("A refused step reverts a shared value that the root's state does not show")
  func unshown() {
    let core = RootCore<Int, Bool>(
      initialState: { 0 },
      reducer: {
        Reduce { _, isRefused in
          @Shared(.inMemory("unshown")) var number = 0
          $number.withLock { $0 += 1 }
          return isRefused ? .refuse("No.") : .none
        }
      },
    )
    @Shared(.inMemory("unshown")) var number = 0
    #expect(core.send(true, lineage: nil).refusal?.reason == "No.")
    #expect(number == 0)
    #expect(core.send(false, lineage: nil).refusal == nil)
    #expect(number == 1)
    #expect(core.send(true, lineage: nil).refusal?.reason == "No.")
    #expect(number == 1)
  }

  @Test("The value of a refusal has a limited depth")
  func deepValue() async {
    func nested(_ levels: Int) -> Tree {
      (1..<levels).reduce(Tree(parts: [])) { tree, _ in Tree(parts: [tree]) }
    }
    await expectIssue("in at most 64 levels. It was omitted.") {
      let effect = Effect<Int>.refuse("No.", value: nested(60))
      guard case .refuse(let refusal) = effect.operation else { return }
      #expect(refusal.value(as: Tree.self) == nil)
    }
    let effect = Effect<Int>.refuse("No.", value: nested(10))
    guard case .refuse(let refusal) = effect.operation else { return }
    #expect(refusal.value(as: Tree.self) == nested(10))
  }
}

/// A value of any depth.
@ObservableState
private struct Tree: Equatable, ReplicatedState, Sendable {
  var parts: [Tree] = []
}

private struct Yard: Reducer {
  struct State: Equatable, Sendable {
    var count = 0
    var rows: IdentifiedArrayOf<Row.State> = []
    var shed: Shed.State?
    var leaf = Leaf.State()
  }

  @CasePathable
  enum Action: Sendable {
    case work, cancelLater, cancelAndAcceptRefusal
    case recreate, add, refuse, removeRows
    case throttleAndRefuse, removeShed
    case rows(IdentifiedActionOf<Row>)
    case shed(Shed.Action)
    case leaf(Leaf.Action)
  }

  struct Leaf: Reducer {
    struct State: Equatable, Sendable {}
    enum Action: Sendable { case bad }

    func reduce(into state: inout State, action: Action) -> Effect<Action> { .refuse("Bad.") }
  }

  struct Row: Reducer {
    struct State: Equatable, Identifiable, Sendable { var id: Int }
    enum Action: Sendable { case work, throttle, nothing }

    @Dependency(\.continuousClock) private var clock

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
      switch action {
      case .work: .run { _ in try await Task.never() }
      case .throttle:
        .send(.nothing).throttle(id: 1, for: .seconds(1), clock: clock, latest: true)
      case .nothing: .none
      }
    }
  }

  struct Shed: Reducer {
    struct State: Equatable, Sendable { var rows: IdentifiedArrayOf<Row.State> = [] }

    @CasePathable
    enum Action: Sendable {
      case removeFirst
      case rows(IdentifiedActionOf<Row>)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .removeFirst = action { state.rows.remove(id: 1) }
        return .none
      }
      .forEach(\.rows, action: \.rows) { Row() }
    }
  }

  enum CancelID { case work }

  var body: some ReducerOf<Self> {
    Scope(\.leaf, action: \.leaf) { Leaf() }
      .onRefusal { _, _, _ in .none }
    Reduce { state, action in
      switch action {
      case .work: return .run { _ in try await Task.never() }.cancellable(id: CancelID.work)
      case .cancelLater:
        return .concatenate(.run { _ in await Task.yield() }, .cancel(id: CancelID.work))
      case .cancelAndAcceptRefusal:
        return .concatenate(.cancel(id: CancelID.work), .send(.leaf(.bad)))
      case .recreate:
        state.rows = []
        return .concatenate(
          .send(.add),
          .send(.rows(.element(id: 1, action: .work))),
          .send(.refuse),
        )
      case .add: state.rows = [Row.State(id: 1)]
      case .refuse: return .refuse("No.")
      case .removeRows: state.rows = []
      case .throttleAndRefuse:
        return .concatenate(
          .send(.shed(.removeFirst)),
          .send(.shed(.rows(.element(id: 2, action: .throttle)))),
          .send(.refuse),
        )
      case .removeShed: state.shed = nil
      case .rows, .shed, .leaf: break
      }
      return .none
    }
    .forEach(\.rows, action: \.rows) { Row() }
    .ifLet(\.shed, action: \.shed) { Shed() }
  }
}

/// A feature whose part is refused after another thread has changed its shared value.
private struct Counted: Reducer {
  struct State: Equatable, Sendable { @Shared var count: Int }

  let other: Shared<Int>

  var body: some Reducer<State, Bool> {
    Reduce { state, _ in
      state.$count.withLock { $0 = 1 }
      return .none
    }
    Reduce { [other] state, _ in
      state.$count.withLock { $0 = 2 }
      onAnotherThread { other.withLock { $0 = 4 } }
      return .refuse("Inside.")
    }
    .onRefusal { _, _, _ in .none }
    Reduce { _, _ in .refuse("Outside.") }
  }
}
