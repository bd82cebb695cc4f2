import StoreActor
import Testing

/// The actions that features receive after a restart of their daemon.
@MainActor
@Suite struct OnRestoredTests {
  @Reducer
  struct Row {
    @ObservableState
    struct State: Equatable, Identifiable, Sendable {
      let id: Int
      var told: [InterruptedEffect] = []
    }

    enum Action: Equatable, Sendable { case fetchTapped }

    var body: some ReducerOf<Self> {
      Reduce { _, _ in .run(name: "fetch") { _ in } }
        .onRestored { state, restoration in
          state.told = restoration.interrupted
          return .none
        }
    }
  }

  @Reducer
  struct Parent {
    @ObservableState
    struct State: Equatable, Sendable {
      var always = Row.State(id: 1)
      var optional: Row.State?
      @Presents var presented: Row.State?
      var rows: IdentifiedArrayOf<Row.State> = []
      var stack = StackState<Row.State>()
      var count = 0
    }

    enum Action: Equatable, Sendable {
      case always(Row.Action)
      case optional(Row.Action)
      case presented(PresentationAction<Row.Action>)
      case rows(IdentifiedActionOf<Row>)
      case stack(StackActionOf<Row>)
      case counted
    }

    var body: some ReducerOf<Self> {
      Scope(\.always, action: \.always) { Row() }
      Reduce { state, action in
        if action == .counted { state.count += 1 }
        return .none
      }
      .ifLet(\.optional, action: \.optional) { Row() }
      .ifLet(\.$presented, action: \.presented) { Row() }
      .forEach(\.rows, action: \.rows) { Row() }
      .forEach(\.stack, action: \.stack) { Row() }
      .onRestored { _, restoration in
        .merge(restoration.interrupted.map { _ in .send(.counted) })
      }
    }
  }

  private func core(_ state: Parent.State) -> RootCore<Parent.State, Parent.Action> {
    RootCore(initialState: { state }, reducer: { Parent() })
  }

  private func fetch(_ path: String...) -> InterruptedEffect {
    InterruptedEffect(name: "fetch", path: path + ["fetchTapped"])
  }

  @Test func `Each child is notified of its own effects, and a parent of all`() {
    var state = Parent.State(optional: Row.State(id: 2), presented: Row.State(id: 3))
    state.rows = [Row.State(id: 4), Row.State(id: 5)]
    state.stack.append(Row.State(id: 6))
    let core = core(state)
    core.restart(
      Restoration(
        wasStopped: false,
        interrupted: [
          fetch("always"), fetch("optional"), fetch("presented", "presented"),
          fetch("rows", "element", "[5]"), fetch("stack", "element", "[#0]"),
        ],
      ),
      reset: { $0.count = 10 },
      then: .counted,
    )
    #expect(core.revision == 1)
    let own = [fetch()]
    #expect(core.state.always.told == own)
    #expect(core.state.optional?.told == own)
    #expect(core.state.presented?.told == own)
    #expect(core.state.rows.map(\.told) == [[], own])
    #expect(core.state.stack.map(\.told) == [own])
    #expect(core.state.count == 16)
  }

  @Test func `A child that is absent by now is not notified, and reports no issue`() {
    let core = core(Parent.State())
    core.restart(
      Restoration(
        wasStopped: true,
        interrupted: [fetch("optional"), fetch("rows", "element", "[5]")],
      ),
      reset: { _ in },
      then: nil,
    )
    #expect(core.state.count == 2)
  }

  /// Records the starts and ends of effects.
  private final class Log: EffectLog {
    var began: [UInt64: InterruptedEffect] = [:]
    var ended: Set<UInt64> = []

    func began(_ number: UInt64, _ effect: InterruptedEffect) { began[number] = effect }
    func ended(_ number: UInt64) { ended.insert(number) }
    func tookBack(_ number: UInt64) { began[number] = nil }
  }

  @Test func `Named effects are reported by the way of their action, and so is their end`() async {
    let (core, log) = (core(Parent.State(rows: [Row.State(id: 7)])), Log())
    core.effectLog = log
    let tasks = [
      core.send(.always(.fetchTapped)), core.send(.rows(.element(id: 7, action: .fetchTapped))),
    ]
    #expect(
      Set(log.began.values) == [fetch("always"), fetch("rows", "element", "[7]")]
    )
    #expect(log.ended.isEmpty)
    for task in tasks { await task.finish() }
    #expect(log.ended == Set(log.began.keys))
  }

  @Test func `An effect that is restarted after an interruption is found a second time`() {
    let log = Log()
    let again = Row().onRestored { _, restoration in
      restoration.interrupted("fetch") ? .run(name: "fetch") { _ in } : .none
    }
    let feature = Scope(\Parent.State.always, action: \Parent.Action.Cases.always) { again }
    let core = RootCore(initialState: { Parent.State() }, reducer: { feature })
    core.effectLog = log
    core.restart(
      Restoration(wasStopped: false, interrupted: [fetch("always")]),
      reset: { _ in },
      then: nil,
    )
    #expect(
      Array(log.began.values)
        == [InterruptedEffect(name: "fetch", path: ["always", "onRestored"])]
    )
    core.cancelEffects()
  }
}
