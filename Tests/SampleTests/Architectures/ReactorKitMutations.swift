import StoreActor

// ReactorKit: an action does not change the state. `mutate` turns it into a stream of mutations,
// `reduce` applies those, and `transform(mutation:)` merges in other streams.

@Reducer
struct Profile {
  @ObservableState
  struct State: Equatable, ReplicatedState, Sendable {
    var user: String?
    var isFollowing = false
  }

  /// The actions that views send.
  enum ViewAction: Equatable, Sendable, WireAction {
    case appeared
    case followButtonTapped
  }

  /// The mutations that only effects send.
  enum ReducerAction: Equatable, Sendable {
    case setUser(String?)
    case setFollowing(Bool)
  }

  @Dependency(Session.self) private var session

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      // mutate: effects without a change of the state.
      case .appeared:
        // transform(mutation:): a stream from elsewhere, as mutations.
        return .run { [session] send in
          for await user in session.users() { await send(.setUser(user)) }
        }
      case .followButtonTapped:
        return .run { [isFollowing = state.isFollowing, session] send in
          await send(.setFollowing(!isFollowing))
          if await !session.follow(!isFollowing) { await send(.setFollowing(isFollowing)) }
        }

      // reduce: changes of the state without an effect.
      case .setUser(let user):
        state.user = user
        return .none
      case .setFollowing(let isFollowing):
        state.isFollowing = isFollowing
        return .none
      }
    }
  }
}

struct Session: Sendable, TestDependencyKey {
  var users: @Sendable () -> AsyncStream<String?>
  var follow: @Sendable (Bool) async -> Bool

  static let testValue = Session(
    users: { AsyncStream { $0.finish() } },
    follow: { _ in true },
  )
}
