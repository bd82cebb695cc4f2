import StoreActor
import Testing

@Suite("Scoping to a child", .timeLimit(.minutes(1)))
@MainActor
struct ScopeTests {
  @Test("Only the child's actions reach the child")
  func actions() {
    let store = Store(initialState: Office.State()) { Office() }
    store.send(.boss(.tick))
    store.send(.guestCame(1))
    store.send(.guest(.tick))
    #expect(store.boss.ticks == 1)
    #expect(store.guest?.ticks == 1)
  }

  @Test("Both spellings are equivalent, and a child's effects return as the parent's actions")
  func spellings() async {
    struct Child: Reducer {
      var body: some Reducer<Int, String> {
        Reduce { state, action in
          state += 1
          return action == "again" ? .run { await $0("done") } : .none
        }
      }
    }
    struct Parent: Reducer {
      var body: some Reducer<Pair, Pair.Action> {
        Scope(\.first, action: \.first) { Child() }
        Scope(state: \.second, action: \.second) { Child() }
      }
    }
    let store = Store(initialState: Pair()) { Parent() }
    await store.send(.first("again")).finish()
    await store.send(.second("again")).finish()
    #expect(store.state == Pair(first: 2, second: 2))
  }

  @Test("On a case of an enum, the child runs in that case and its absence is reported")
  func enumState() {
    let store = Store(initialState: Screen.State.home(1)) {
      Scope(state: \Screen.State.Cases.home, action: \Screen.Action.Cases.home) {
        Reduce<Int, Int> { state, action in
          state += action
          return .none
        }
      }
    }
    store.send(.home(2))
    #expect(store.state == .home(3))
    let other = Store(initialState: Screen.State.settings("")) {
      Scope(state: \Screen.State.Cases.home, action: \Screen.Action.Cases.home) {
        EmptyReducer()
      }
    }
    withKnownIssue {
      _ = other.send(.home(1))
    } matching: { issue in
      issue.description.contains("A \"Scope\" at \"StoreActorTests/ScopeTests.swift:")
        && issue.description.contains("the child's state was set to another case")
    }
  }
}

extension ScopeTests {
  @Test("On an enum whose cases are also properties, the case is used and not the property")
  func enumProperties() {
    @Sendable func feature() -> some Reducer<Screen.State, Screen.Action> {
      CombineReducers {
        Scope(state: \.home, action: \.home) {
          // The type is not given: both an Int and an Int? can be set to 5.
          Reduce { state, _ in
            state = 5
            return .none
          }
        }
      }
    }
    let store = Store(initialState: Screen.State.home(1)) { feature() }
    store.send(.home(2))
    #expect(store.state == .home(5))
    let other = Store(initialState: Screen.State.settings("")) { feature() }
    withKnownIssue {
      _ = other.send(.home(1))
    } matching: { issue in
      issue.description.contains("the child's state was set to another case")
    }
  }
}

struct Pair: Equatable, Sendable {
  var first = 0
  var second = 0

  enum Action: Sendable, CasePathable {
    case first(String)
    case second(String)

    struct AllCasePaths: Sendable {
      var first: AnyCasePath<Action, String> {
        AnyCasePath(embed: Action.first) { if case .first(let value) = $0 { value } else { nil } }
      }
      var second: AnyCasePath<Action, String> {
        AnyCasePath(embed: Action.second) { if case .second(let value) = $0 { value } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }
}

/// A feature whose state is that of one of two screens.
struct Screen: Reducer {
  @dynamicMemberLookup
  enum State: Equatable, Sendable, CasePathable {
    case home(Int)
    case settings(String)

    struct AllCasePaths: CasePathReflectable, Sendable {
      var home: AnyCasePath<State, Int> {
        AnyCasePath(embed: State.home) { if case .home(let value) = $0 { value } else { nil } }
      }
      var settings: AnyCasePath<State, String> {
        AnyCasePath(embed: State.settings) {
          if case .settings(let value) = $0 { value } else { nil }
        }
      }
      subscript(root: State) -> PartialCaseKeyPath<State> {
        switch root {
        case .home: \.home
        case .settings: \.settings
        }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  enum Action: Equatable, Sendable, CasePathable {
    case home(Int)
    case settings(String)
    case show(State)

    struct AllCasePaths: Sendable {
      var home: AnyCasePath<Action, Int> {
        AnyCasePath(embed: Action.home) { if case .home(let value) = $0 { value } else { nil } }
      }
      var settings: AnyCasePath<Action, String> {
        AnyCasePath(embed: Action.settings) {
          if case .settings(let value) = $0 { value } else { nil }
        }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  /// Waits forever after the action zero.
  struct Home: Reducer {
    var body: some Reducer<Int, Int> {
      Reduce { state, action in
        state += action
        return action == 0 ? .run { _ in try await Task.never() } : .none
      }
    }
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .show(let screen) = action { state = screen }
      return .none
    }
    .ifCaseLet(\.home, action: \.home) {
      Home()
    }
  }
}
