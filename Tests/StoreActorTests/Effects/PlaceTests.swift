import StoreActor
import Testing

/// A parent with a worker of every kind, which cancels by the workers' id.
struct Workshop: Reducer {
  struct State: Sendable {
    var boss = Worker.State(id: 0)
    var deputy = Worker.State(id: 1)
    var guest: Worker.State?
    var rows: IdentifiedArrayOf<Worker.State> = []
    @PresentationState var sheet: PaperSheet.State?
    var path = StackState<PaperSheet.State>()

    /// A state with a worker of each kind.
    static var full: Self {
      var state = Self()
      state.guest = Worker.State(id: 2)
      state.rows = [Worker.State(id: 3), Worker.State(id: 4)]
      state.sheet = PaperSheet.State(id: 5, inner: Worker.State(id: 6))
      state.path.append(PaperSheet.State(id: 7, inner: Worker.State(id: 8)))
      return state
    }
  }

  @CasePathable
  enum Action: Sendable {
    case boss(Worker.Action)
    case deputy(Worker.Action)
    case guest(Worker.Action)
    case rows(IdentifiedActionOf<Worker>)
    case sheet(PresentationAction<PaperSheet.Action>)
    case path(StackActionOf<PaperSheet>)
    case start
    case restart
    case cancel
    case cancelOther
    case cancelInEffect
    case nothing

    /// Starts the worker of each kind.
    static var starts: [Action] {
      [
        .boss(.start), .deputy(.start), .guest(.start), .rows(.element(id: 3, action: .start)),
        .rows(.element(id: 4, action: .start)), .sheet(.presented(.inner(.presented(.start)))),
        .path(.element(id: 0, action: .inner(.presented(.start)))),
      ]
    }
  }

  enum Other { case work }

  var body: some ReducerOf<Self> {
    Scope(\.boss, action: \.boss) { Worker() }
    Scope(\.deputy, action: \.deputy) { Worker() }
    Reduce { _, action in
      let work = Effect<Action>.run { _ in try await Task.never() }
      switch action {
      case .start: return work.cancellable(id: Worker.CancelID.work)
      case .restart: return work.cancellable(id: Worker.CancelID.work, cancelInFlight: true)
      case .cancel: return .cancel(id: Worker.CancelID.work)
      case .cancelOther: return .cancel(id: Other.work)
      case .cancelInEffect: return .run { _ in Task.cancel(id: Worker.CancelID.work) }
      default: return .none
      }
    }
    .ifLet(\.guest, action: \.guest) { Worker() }
    .forEach(\.rows, action: \.rows) { Worker() }
    .ifLet(\.$sheet, action: \.sheet) { PaperSheet() }
    .forEach(\.path, action: \.path) { PaperSheet() }
  }
}

/// Two workshops side by side, one of them a scope deeper.
struct TwoWorkshops: Reducer {
  struct State: Sendable {
    var left: Workshop.State
    var right: Workshop.State
  }

  @CasePathable
  enum Action: Sendable {
    case left(Workshop.Action)
    case right(Workshop.Action)
  }

  var body: some ReducerOf<Self> {
    Scope(\.left, action: \.left) { CombineReducers { Workshop() } }
    Scope(\.right, action: \.right) { Workshop() }
  }
}

@Suite("The places of effects", .timeLimit(.minutes(1)))
@MainActor
struct PlaceTests {
  private func workshop() -> StoreOf<Workshop> {
    Store(initialState: .full) {
      Workshop()
    } withDependencies: {
      $0.continuousClock = TestClock()
    }
  }

  @Test(
    "A parent's id reaches its children's effects, at any depth and for any kind of cancel",
    arguments: [Workshop.Action.cancel, .restart, .cancelInEffect],
  )
  func downwards(cancel: Workshop.Action) async {
    let store = workshop()
    let tasks = Workshop.Action.starts.map { store.send($0) }
    store.send(.cancelOther)
    await Task.megaYield()
    #expect(tasks.allSatisfy { !$0.isFinished })
    let last = store.send(cancel)
    for task in tasks { await task.finish() }
    last.cancel()
  }

  @Test("A child's id reaches neither its parent's effects nor those of another child")
  func notUpwards() async {
    let store = workshop()
    let parent = store.send(.start)
    let tasks = Workshop.Action.starts.map { store.send($0) }
    store.send(.rows(.element(id: 3, action: .stop)))
    store.send(.guest(.stop))
    store.send(.sheet(.presented(.inner(.presented(.stop)))))
    for index in [2, 3, 5] { await tasks[index].finish() }
    #expect(!parent.isFinished)
    for index in [0, 1, 4, 6] { #expect(!tasks[index].isFinished) }
  }

  @Test("Siblings in a scope share their ids with each other and with their parent")
  func scopes() async {
    let store = workshop()
    let tasks = [Workshop.Action.start, .boss(.start), .deputy(.start)].map { store.send($0) }
    store.send(.deputy(.stop))
    for task in tasks { await task.finish() }
  }

  @Test("Two scopes of one feature have separate children, of every kind")
  func instances() async {
    let store = Store(initialState: TwoWorkshops.State(left: .full, right: Workshop.State())) {
      TwoWorkshops()
    } withDependencies: {
      $0.continuousClock = TestClock()
    }
    let tasks = Workshop.Action.starts.map { store.send(.left($0)) }
    store.send(.right(.nothing))
    await Task.megaYield()
    #expect(tasks.allSatisfy { !$0.isFinished })
    store.send(.left(.cancel))
    for task in tasks { await task.finish() }
  }

  @Test("Effects that are cancelled together are cancelled in the order of their start")
  func order() async {
    enum End: CaseIterable { case id, task, effects, child, store }
    for end in End.allCases {
      let log = Log()
      var core: RootCore<Office.State, Office.Action>? = RootCore(
        initialState: { Office.State(guest: Worker.State(id: 1)) },
        reducer: {
          Reduce { state, action in
            switch action {
            case .guestLeft: state.guest = nil
            case .rowRemoved: return .cancel(id: "work")
            default: break
            }
            return .none
          }
          .ifLet(\.guest, action: \.guest) {
            Reduce { _, _ in
              .merge(
                (0..<20).map { number in
                  Effect(.source(EffectSource { $0.onCancel = { log("\(number)") } }))
                    .cancellable(id: "work")
                }
              )
            }
          }
        },
      )
      let task = core?.send(.guest(.start))
      switch end {
      case .id: core?.send(.rowRemoved(0))
      case .task: task?.cancel()
      case .effects: core?.cancelEffects()
      case .child: core?.send(.guestLeft)
      case .store: core = nil
      }
      await task?.finish()
      #expect(log.all == (0..<20).map { "\($0)" }, "\(end)")
    }
  }
}
