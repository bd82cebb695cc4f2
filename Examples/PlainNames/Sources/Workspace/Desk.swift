public import StoreActor

/// A desk with papers on it.
@Reducer
public struct Desk {
  /// The state that all clients see.
  @ObservableState
  public struct State: Equatable, ReplicatedState, Sendable {
    /// The number of papers.
    public var papers = 0

    /// An empty desk.
    public init() {}
  }

  /// The actions that clients may send.
  public enum Action: Equatable, Sendable, WireAction {
    case paperAdded
    case paperTaken
  }

  /// Creates the feature.
  public init() {}

  /// The effect of each action on the state.
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
