package import StoreActor

/// The time that the game has been played, in steps of a tenth of a second.
///
/// The ticks are an effect of the session that started them, and end with it. So there is no flag
/// for a running timer: it would stay set for ever. A new start replaces the earlier ticks.
@Reducer
package struct GameTimer {
  @ObservableState
  package struct State: Equatable, ReplicatedState, Sendable {
    /// The time played, all rounds together.
    package var duration: Duration

    package init(duration: Duration = .zero) {
      self.duration = duration
    }
  }

  package enum ViewAction: Equatable, Sendable, WireAction {
    case pauseButtonTapped
    case startButtonTapped
  }

  package enum ReducerAction: DurableAction, Equatable, Sendable {
    case ticked
  }

  private enum CancelID { case ticks }

  /// The time between two ticks.
  package static let step = Duration.milliseconds(100)

  @Dependency(\.continuousClock) private var clock

  package init() {}

  package var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .pauseButtonTapped:
        return .cancel(id: CancelID.ticks)

      case .startButtonTapped:
        return .run { [clock] send in
          for await _ in clock.timer(interval: Self.step) { await send(.ticked) }
        }
        .cancellable(id: CancelID.ticks, cancelInFlight: true)

      case .ticked:
        state.duration += Self.step
        return .none
      }
    }
  }
}
