public import StoreActor

/// A desk with papers on it.
@Reducer
public struct Desk {
  /// What everybody sees.
  @ObservableState
  public struct State: Equatable, ReplicatedState, Sendable {
    /// How many papers lie there.
    public var papers = 0

    /// An empty desk.
    public init() {}
  }

  /// What clients may send.
  public enum Action: Equatable, Sendable, WireAction {
    case paperAdded
    case paperTaken
  }

  /// Creates the feature.
  public init() {}

  /// What each action does.
  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .paperAdded:
        state.papers += 1
      case .paperTaken:
        state.papers = max(0, state.papers - 1)
      }
      return .none
    }
  }
}
