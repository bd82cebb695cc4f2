import CasePathOperator
import StoreActor
import Testing

/// Case paths by functions in reducers, and changes of a value by them.
@Suite("Case paths by the operator change values, and show alerts")
@MainActor
struct PrefixOperatorChangeTests {
  private struct Notice: Reducer {
    struct State: Equatable, Sendable {
      var alert: AlertState<AlertAction>?
    }

    enum AlertAction: Equatable, Sendable { case confirm }

    enum Action: Equatable, Sendable {
      case show
      case alert(AlertAction)
    }

    var body: some ReducerOf<Self> {
      Reduce<State, Action> { state, action in
        if action == .show { state.alert = AlertState { TextState("Sure?") } }
        return .none
      }
      .ifLet(\.alert, action: /Action.alert)
    }
  }

  @Test("An optional alert is over with any action")
  func alert() {
    let store = Store(initialState: Notice.State()) { Notice() }
    store.send(.show)
    #expect(store.state.alert != nil)
    store.send(.alert(.confirm))
    #expect(store.state.alert == nil)
  }

  @Test("A value is changed in its case, and in another case an error is thrown")
  func modify() throws {
    let path: AnyCasePath<Result<Int, any Error>, Int> = /Result<Int, any Error>.success
    var result = Result<Int, any Error>.success(1)
    let old = try path.modify(&result) { value in
      defer { value += 1 }
      return value
    }
    #expect(old == 1)
    #expect(try result.get() == 2)
    #expect(throws: CancellationError.self) {
      try path.modify(&result) {
        $0 = 9
        throw CancellationError()
      }
    }
    #expect(try result.get() == 2)
    result = .failure(CancellationError())
    #expect(throws: (any Error).self) { try path.modify(&result) { $0 += 1 } }
  }
}
