import StoreActor
import Testing

@Suite("The lifetime of children", .timeLimit(.minutes(1)))
@MainActor
struct ChildLifetimeTests {
  private func office(
    _ state: Office.State,
    clock: TestClock<Duration> = TestClock(),
  ) -> StoreOf<Office> {
    Store(initialState: state) {
      Office()
    } withDependencies: {
      $0.continuousClock = clock
    }
  }

  @Test("A child's effects are cancelled when it becomes nil")
  func ifLetNil() async {
    let store = office(Office.State(guest: Worker.State(id: 1)))
    let task = store.send(.guest(.start))
    #expect(!task.isFinished)
    store.send(.guestLeft)
    await task.finish()
    #expect(store.guest == nil)
  }

  @Test("A child's effects are cancelled when another child replaces it")
  func ifLetIdentity() async {
    let store = office(Office.State(guest: Worker.State(id: 1)))
    let task = store.send(.guest(.start))
    store.send(.guestCame(1))
    #expect(!task.isCancelled)
    await Task.megaYield()
    #expect(!task.isFinished)
    store.send(.guestCame(2))
    await task.finish()
  }

  @Test("A row's effects are cancelled when it is removed, and those of other rows continue")
  func forEachRemoval() async {
    let clock = TestClock()
    let rows: IdentifiedArrayOf<Worker.State> = [Worker.State(id: 1), Worker.State(id: 2)]
    let store = office(Office.State(rows: rows), clock: clock)
    let first = store.send(.rows(.element(id: 1, action: .start)))
    let second = store.send(.rows(.element(id: 2, action: .start)))
    store.send(.rowRemoved(1))
    await first.finish()
    #expect(!second.isFinished)
    await clock.advance(by: .seconds(1))
    await eventually { store.rows[id: 2]?.ticks == 1 }
    store.send(.rowsReplaced([]))
    await second.finish()
  }

  @Test("A row that is removed by the action that starts its effect leaves no running effect")
  func forEachRemovalInOneAction() async {
    let store = Store(initialState: Office.State(rows: [Worker.State(id: 1)])) {
      CombineReducers {
        Reduce<Office.State, Office.Action> { state, action in
          if case .rows(.element(let id, .start)) = action { state.rows.remove(id: id) }
          return .none
        }
      }
      .forEach(\.rows, action: \.rows) {
        Worker()
      }
    } withDependencies: {
      $0.continuousClock = TestClock()
    }
    let task = store.send(.rows(.element(id: 1, action: .start)))
    #expect(task.isFinished)
    let core = store.core as? RootCore<Office.State, Office.Action>
    #expect(core?.hasRunningEffects == false)
  }

  @Test("Rows use the same cancellation id without affecting each other's effects")
  func rowIDs() async {
    let rows: IdentifiedArrayOf<Worker.State> = [Worker.State(id: 1), Worker.State(id: 2)]
    let store = office(Office.State(boss: Worker.State(id: 1), rows: rows))
    let boss = store.send(.boss(.start))
    let first = store.send(.rows(.element(id: 1, action: .start)))
    let second = store.send(.rows(.element(id: 2, action: .start)))
    store.send(.rows(.element(id: 1, action: .stop)))
    await first.finish()
    #expect(!second.isFinished)
    #expect(!boss.isFinished)
    second.cancel()
    boss.cancel()
    await second.finish()
    await boss.finish()
  }

  @Test("Effects of an action that a row's effect sent are that row's, under its ids")
  func idsOfEffectsActions() async {
    struct Starter: Reducer {
      var body: some ReducerOf<Worker> {
        Reduce { _, action in
          switch action {
          case .start: .run { await $0(.tick) }
          case .tick: .run { _ in try await Task.never() }.cancellable(id: "tick")
          case .stop: .cancel(id: "tick")
          }
        }
      }
    }
    let store = Store(initialState: Office.State(rows: [Worker.State(id: 1)])) {
      Reduce<Office.State, Office.Action> { state, action in
        if case .rowRemoved(let id) = action { state.rows.remove(id: id) }
        return .none
      }
      .forEach(\.rows, action: \.rows) {
        Starter()
      }
    }
    let core = store.core as? RootCore<Office.State, Office.Action>
    let ends = [Office.Action.rows(.element(id: 1, action: .stop)), .rowRemoved(1)]
    for (end, revision) in zip(ends, [2 as UInt64, 5]) {
      let task = store.send(.rows(.element(id: 1, action: .start)))
      await eventually { core?.revision == revision && core?.registry.count == 1 }
      store.send(end)
      await task.finish()
    }
  }

  @Test("A child's effects are cancelled when the state changes to another case")
  func ifCaseLet() async {
    let store = Store(initialState: Screen.State.home(1)) { Screen() }
    let task = store.send(.home(0))
    store.send(.show(.home(2)))
    await Task.megaYield()
    #expect(!task.isFinished)
    store.send(.show(.settings("")))
    await task.finish()
    #expect(store.state == .settings(""))
  }

  @Test("An action for a child that is nil is reported with its place, and ignored")
  func absentIfLet() {
    let store = office(Office.State())
    withKnownIssue {
      _ = store.send(.guest(.tick))
    } matching: { issue in
      issue.description.contains("An \"ifLet\" at \"StoreActorTests/Features.swift:")
        && issue.description.contains("when the child's state was nil. …")
        && issue.description.contains("Worker.Action.tick")
        && issue.description.contains("To fix, cancel the effect")
    }
    #expect(store.guest == nil)
  }

  @Test("An action for an absent row is reported with its id, and ignored")
  func absentForEach() {
    let store = office(Office.State())
    withKnownIssue {
      _ = store.send(.rows(.element(id: 42, action: .tick)))
    } matching: { issue in
      issue.description.contains("A \"forEach\" at \"StoreActorTests/Features.swift:")
        && issue.description.contains("there was no element with the id 42")
    }
  }

  @Test("An action for another case is reported, and ignored")
  func absentIfCaseLet() {
    let store = Store(initialState: Screen.State.settings("")) { Screen() }
    withKnownIssue {
      _ = store.send(.home(1))
    } matching: { issue in
      issue.description.contains("An \"ifCaseLet\" at \"StoreActorTests/ScopeTests.swift:")
        && issue.description.contains("set to another case")
    }
    #expect(store.state == .settings(""))
  }

  @Test("An optional enum child is another child if its case differs")
  func enumIdentity() async {
    struct Parent: Reducer {
      struct State { var screen: Screen.State? }

      enum Action: CasePathable {
        case screen(Screen.Action)
        case set(Screen.State?)

        struct AllCasePaths: Sendable {
          var screen: AnyCasePath<Action, Screen.Action> {
            AnyCasePath(embed: Action.screen) {
              if case .screen(let action) = $0 { action } else { nil }
            }
          }
        }
        static var allCasePaths: AllCasePaths { AllCasePaths() }
      }

      var body: some ReducerOf<Self> {
        Reduce { state, action in
          if case .set(let screen) = action { state.screen = screen }
          return .none
        }
        .ifLet(\.screen, action: \.screen) {
          Reduce<Screen.State, Screen.Action> { _, _ in .run { _ in try await Task.never() } }
        }
      }
    }
    let store = Store(initialState: Parent.State(screen: .home(1))) { Parent() }
    let task = store.send(.screen(.home(1)))
    store.send(.set(.home(2)))
    await Task.megaYield()
    #expect(!task.isFinished)
    store.send(.set(.settings("")))
    await task.finish()
  }
}
