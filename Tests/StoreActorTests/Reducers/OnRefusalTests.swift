import StoreActor
import Testing

@Suite("A child's refusal and its parents", .timeLimit(.minutes(1)))
@MainActor
struct OnRefusalTests {
  private func core<R: Reducer>(
    _ state: R.State,
    _ reducer: R,
  ) -> RootCore<R.State, R.Action> {
    RootCore(initialState: { state }, reducer: { reducer })
  }

  @Test("After a refusal, no other reducer runs", arguments: Parents.Action.all)
  func others(action: Parents.Action) {
    let core = core(Parents.State(), Parents())
    #expect(core.send(action, lineage: nil).refusal?.reason == "No.")
    #expect(core.state == Parents.State())
    #expect(core.revision == 0)
  }

  @Test("A parent can accept an action that its child has refused")
  func accepted() {
    let core = core(Guarded.State(), Guarded())
    let task = core.send(.child(.refuse), lineage: nil)
    #expect(task.refusal == nil)
    // The child's change is reverted, and the reducers that follow run.
    #expect(core.state == Guarded.State(refusals: ["No."], followed: 1))
    #expect(core.revision == 1)
  }

  @Test("A parent can change the reason")
  func changed() {
    let core = core(Guarded.State(isStrict: true), Guarded())
    let task = core.send(.child(.refuse), lineage: nil)
    #expect(task.refusal?.reason == "The child's reason: No.")
    #expect(core.state == Guarded.State(isStrict: true))
  }

  @Test("A refusal of a child reverts its changes of shared values")
  func shared() {
    let count = Shared(value: 0)
    let core = core(SharedGuard.State(count: count), SharedGuard())
    #expect(core.send(.refuse, lineage: nil).refusal?.reason == "No.")
    #expect(count.wrappedValue == 0)
    #expect(core.state.count == 0)
    #expect(core.revision == 0)
    // Here the parent accepts the action: its change before and after the child's stays.
    #expect(core.send(.refuseInside, lineage: nil).refusal == nil)
    #expect(count.wrappedValue == 11)
    #expect(core.state.count == 11)
    // The child's change is accepted, but the action is refused later.
    #expect(core.send(.refuseLater, lineage: nil).refusal?.reason == "Later.")
    #expect(count.wrappedValue == 11)
    #expect(core.state.count == 11)
  }
}

extension OnRefusalTests {
  struct Leaf: Reducer {
    struct State: Equatable, Identifiable, Sendable {
      var id = 1
      var count = 0
    }

    enum Action: Sendable { case refuse }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
      state.count += 1
      return .refuse("No.")
    }
  }

  struct Parents: Reducer {
    struct State: Equatable, Sendable {
      var later = 0
      var scoped = Leaf.State()
      var optional: Leaf.State? = Leaf.State()
      var rows: IdentifiedArrayOf<Leaf.State> = [Leaf.State()]
      @PresentationState var presented: Leaf.State? = Leaf.State()
      var path = StackState<Leaf.State>([Leaf.State()])
      var choice = Choice.leaf(Leaf.State())
    }

    @CasePathable
    enum Choice: Equatable, Sendable { case leaf(Leaf.State) }

    @CasePathable
    enum Action: Sendable {
      case own
      case scoped(Leaf.Action)
      case optional(Leaf.Action)
      case rows(IdentifiedActionOf<Leaf>)
      case presented(PresentationAction<Leaf.Action>)
      case path(StackActionOf<Leaf>)
      case choice(ChoiceAction)

      static var all: [Action] {
        [
          .own, .scoped(.refuse), .optional(.refuse), .rows(.element(id: 1, action: .refuse)),
          .presented(.presented(.refuse)), .path(.element(id: 0, action: .refuse)),
          .choice(.leaf(.refuse)),
        ]
      }
    }

    @CasePathable
    enum ChoiceAction: Sendable { case leaf(Leaf.Action) }

    var body: some ReducerOf<Self> {
      Scope(\.scoped, action: \.scoped) { Leaf() }
      Scope(\.choice, action: \.choice) {
        EmptyReducer().ifCaseLet(\.leaf, action: \.leaf) { Leaf() }
      }
      Reduce { state, action in
        if case .own = action { return .refuse("No.") }
        // The parents of these two children would run before the others.
        switch action {
        case .scoped, .choice: Issue.record("A reducer runs after a refusal.")
        default: break
        }
        return .none
      }
      CombineReducers {
        Reduce<State, Action> { state, _ in
          Issue.record("A parent runs after a refusal.")
          return .run { _ in Issue.record("An effect runs after a refusal.") }
        }
      }
      .ifLet(\.optional, action: \.optional) { Leaf() }
      .forEach(\.rows, action: \.rows) { Leaf() }
      .ifLet(\.$presented, action: \.presented) { Leaf() }
      .forEach(\.path, action: \.path) { Leaf() }
      .onChange(of: \.rows) { _, _ in
        Issue.record("onChange runs after a refusal.")
        return .none
      }
      Reduce { _, _ in
        Issue.record("A reducer runs after a refusal.")
        return .none
      }
    }
  }

  struct Guarded: Reducer {
    struct State: Equatable, Sendable {
      var isStrict = false
      var child = Leaf.State()
      var refusals: [String] = []
      var followed = 0
    }

    @CasePathable
    enum Action: Sendable { case child(Leaf.Action) }

    var body: some ReducerOf<Self> {
      Scope(\.child, action: \.child) { Leaf() }
        .onRefusal { state, _, refusal in
          #expect(state.child.count == 0)
          if state.isStrict { return .refuse("The child's reason: \(refusal.reason)") }
          state.refusals.append(refusal.reason)
          return .none
        }
      Reduce { state, _ in
        state.followed += 1
        return .none
      }
    }
  }

  struct SharedGuard: Reducer {
    struct State: Equatable, Sendable { @Shared var count: Int }

    enum Action: Sendable { case refuse, refuseInside, refuseLater }

    var body: some ReducerOf<Self> {
      Reduce<State, Action> { state, action in
        if case .refuseInside = action { state.$count.withLock { $0 += 1 } }
        return .none
      }
      Reduce<State, Action> { state, action in
        state.$count.withLock { $0 += 100 }
        switch action {
        case .refuse: return .refuse("No.")
        case .refuseInside: return .refuse("Inside.")
        case .refuseLater: return .none
        }
      }
      .onRefusal { state, action, refusal in
        guard case .refuseInside = action else { return .refuse(refusal) }
        #expect(state.count == 1)
        state.$count.withLock { $0 += 10 }
        return .none
      }
      Reduce<State, Action> { _, action in
        if case .refuseLater = action { .refuse("Later.") } else { .none }
      }
    }
  }
}
