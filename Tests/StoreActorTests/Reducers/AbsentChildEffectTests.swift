import StoreActor
import Testing

/// A workshop whose visitors are removed by a reducer outside of all operators.
private struct GuardedWorkshop: Reducer {
  let clear: @Sendable (inout Workshop.State) -> Void

  var body: some Reducer<Workshop.State, Workshop.Action> {
    Workshop()
    Reduce { state, action in
      if case .cancelOther = action { clear(&state) }
      return .none
    }
  }
}

@Suite("Children that another reducer removes", .timeLimit(.minutes(1)))
@MainActor
struct AbsentChildEffectTests {
  private func workshop(
    _ clear: @escaping @Sendable (inout Workshop.State) -> Void
  ) -> StoreOf<GuardedWorkshop> {
    Store(initialState: .full) {
      GuardedWorkshop(clear: clear)
    } withDependencies: {
      $0.continuousClock = TestClock()
    }
  }

  @Test("Their effects end with the next action, and those of the others continue")
  func removed() async {
    let store = workshop {
      $0.guest = nil
      $0.rows.remove(id: 3)
      $0.sheet = nil
      $0.path.removeAll()
    }
    let parent = store.send(.start)
    let tasks = Workshop.Action.starts.map { store.send($0) }
    store.send(.cancelOther)
    store.send(.nothing)
    for index in [2, 3, 5, 6] { await tasks[index].finish() }
    #expect(!parent.isFinished)
    for index in [0, 1, 4] { #expect(!tasks[index].isFinished) }
  }

  @Test("Their effects end with the next action if another child replaces them")
  func replaced() async {
    let store = workshop {
      $0.guest = Worker.State(id: 20)
      $0.sheet = PaperSheet.State(id: 50, inner: Worker.State(id: 6))
      $0.path = StackState([PaperSheet.State(id: 7, inner: Worker.State(id: 8))])
    }
    let tasks = Workshop.Action.starts.map { store.send($0) }
    store.send(.cancelOther)
    store.send(.nothing)
    for index in [2, 5, 6] { await tasks[index].finish() }
    for index in [0, 1, 3, 4] { #expect(!tasks[index].isFinished) }
  }

  @Test("The effects of a case end if another reducer changes the case")
  func cases() async {
    let store = Store(initialState: Lamp.State.on(1)) {
      CombineReducers {
        EmptyReducer<Lamp.State, Lamp.Action>()
          .ifCaseLet(\.on, action: \.on) { Lamp.Light() }
        Reduce<Lamp.State, Lamp.Action> { state, action in
          if case .switchOff = action { state = .off }
          return .none
        }
      }
    }
    let task = store.send(.on(1))
    store.send(.look)
    await Task.megaYield()
    #expect(!task.isFinished)
    store.send(.switchOff)
    store.send(.look)
    await task.finish()
  }

  @Test("The parent of a case's child cancels the child's effects by their id")
  func cancelledCase() async {
    let store = Store(initialState: Lamp.State.on(1)) {
      Reduce<Lamp.State, Lamp.Action> { _, action in
        action == .look ? .cancel(id: "light") : .none
      }
      .ifCaseLet(\.on, action: \.on) {
        Reduce<Int, Int> { _, _ in
          .run { _ in try await Task.never() }.cancellable(id: "light")
        }
      }
    }
    let task = store.send(.on(1))
    await Task.megaYield()
    #expect(!task.isFinished)
    store.send(.look)
    await task.finish()
  }

  @Test("A child that changes its own case keeps its effects")
  func goesOnByItself() async {
    let store = Store(initialState: Lamp.Post.State(lamp: .on(1))) { Lamp.Post() }
    let tasks = [Lamp.Action.look, .switchOff, .look].map { store.send(.lamp($0)) }
    store.send(.look)
    await Task.megaYield()
    #expect(tasks.allSatisfy { !$0.isFinished })
    store.send(.remove)
    for task in tasks { await task.finish() }
  }

  @Test("A presented child that changes its own case keeps only its later effects")
  func goesOnPresented() async {
    let store = Store(initialState: Lamp.Post.State(shown: .on(1))) { Lamp.Post() }
    let before = store.send(.shown(.presented(.look)))
    let tasks = [Lamp.Action.switchOff, .look].map { store.send(.shown(.presented($0))) }
    await before.finish()
    store.send(.look)
    await Task.megaYield()
    #expect(tasks.allSatisfy { !$0.isFinished })
    store.send(.remove)
    for task in tasks { await task.finish() }
  }
}

/// A feature with two cases.
///
/// Each of its actions has an effect.
private enum Lamp {
  @CasePathable
  enum State: Equatable, Sendable {
    case on(Int)
    case off
  }

  @CasePathable
  enum Action: Equatable, Sendable {
    case on(Int)
    case look
    case switchOff
  }

  struct Light: Reducer {
    func reduce(into _: inout Int, action _: Int) -> Effect<Int> {
      .run { _ in try await Task.never() }
    }
  }

  /// Contains a lamp as an optional, and as a presented state.
  struct Post: Reducer {
    struct State: Equatable, Sendable {
      var lamp: Lamp.State?
      @PresentationState var shown: Lamp.State?
    }

    @CasePathable
    enum Action: Equatable, Sendable {
      case lamp(Lamp.Action)
      case shown(PresentationAction<Lamp.Action>)
      case look
      case remove
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .remove = action { state = State() }
        return .none
      }
      .ifLet(\.lamp, action: \.lamp) { lamp }
      .ifLet(\.$shown, action: \.shown) { lamp }
    }

    private var lamp: some Reducer<Lamp.State, Lamp.Action> {
      Reduce { state, action in
        if case .switchOff = action { state = .off }
        return .run { _ in try await Task.never() }
      }
    }
  }
}
