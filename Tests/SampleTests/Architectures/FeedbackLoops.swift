import StoreActor

// ReactiveFeedback, RxFeedback: the state starts an effect, not an action. Each feedback observes a
// value of the state: the effect runs while the value exists, restarts when it changes, and is
// cancelled when it disappears.

extension Reducer {
  /// Runs an effect while the state has a value, and restarts it for each other value.
  func feedback<Value: Equatable & Sendable>(
    _ id: some Hashable & Sendable,
    of value: @escaping (State) -> Value?,
    effect: @escaping (Value) -> Effect<Action>,
  ) -> some Reducer<State, Action> {
    onChange(of: value) { _, state in
      guard let value = value(state) else { return .cancel(id: id) }
      return effect(value).cancellable(id: id, cancelInFlight: true)
    }
  }
}

@Reducer
struct Download {
  @ObservableState
  struct State: Equatable, ReplicatedState, Sendable {
    var page: Int?
    var lines: [String] = []
  }

  enum ViewAction: Equatable, Sendable, WireAction {
    case pageChosen(Int)
    case stopButtonTapped
  }

  enum ReducerAction: Equatable, Sendable {
    case loaded([String])
  }

  private enum FeedbackID { case page }

  @Dependency(\.continuousClock) private var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .pageChosen(let page): state.page = page
      case .stopButtonTapped: state.page = nil
      case .loaded(let lines): (state.page, state.lines) = (nil, lines)
      }
      return .none
    }
    .feedback(FeedbackID.page, of: \.page) { page in
      .run { [clock] send in
        try await clock.sleep(for: .seconds(1))
        await send(.loaded(["page \(page)"]))
      }
    }
  }
}
