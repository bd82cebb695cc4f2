package import StoreActor

/// A number that every client may increment and decrement, and request a fact about.
///
/// A fact is from an external service, so the request may fail. The failure becomes state too, and
/// every client of the counter sees the reason. The same applies to a request that the end of the
/// daemon has interrupted: it is not repeated, because the count may have changed.
@Reducer
package struct Counter {
  /// The state that every client sees.
  ///
  /// It has no flag for a pending request: a request ends with its session, without an action, and
  /// such a flag would stay set for ever.
  @ObservableState
  package struct State: Equatable, ReplicatedState, Sendable {
    /// The number.
    package var count: Int
    /// The fact about the number, or the reason for its absence, until a client dismisses it.
    package var numberFactAlert: String?

    package init(count: Int = 0, numberFactAlert: String? = nil) {
      self.count = count
      self.numberFactAlert = numberFactAlert
    }
  }

  package enum ViewAction: Equatable, Sendable, WireAction {
    case decrementButtonTapped
    case factAlertDismissed
    case incrementButtonTapped
    case numberFactButtonTapped
  }

  /// Actions that only the effect sends: a client cannot invent facts.
  package enum ReducerAction: DurableAction, Equatable, Sendable {
    case numberFactResponse(Result<String, NumberFactError>)
  }

  private enum CancelID { case numberFact }

  /// The name of the request in a report of interrupted effects.
  private static let asking = "ask for a number fact"

  @Dependency(\.numberFact) private var numberFact

  package init() {}

  package var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      // A count stays at its limit: an overflow would let a client end the daemon.
      case .decrementButtonTapped:
        state.count -= state.count == .min ? 0 : 1
        return .none

      case .incrementButtonTapped:
        state.count += state.count == .max ? 0 : 1
        return .none

      case .factAlertDismissed:
        state.numberFactAlert = nil
        return .none

      case .numberFactButtonTapped:
        state.numberFactAlert = nil
        return fetchFact(about: state.count)

      case .numberFactResponse(.success(let fact)):
        state.numberFactAlert = fact
        return .none

      case .numberFactResponse(.failure(let error)):
        state.numberFactAlert = error.message
        return .none
      }
    }
    .onRestored { state, restoration in
      if restoration.interrupted(Self.asking) {
        state.numberFactAlert = "The daemon was started again before the fact came. Ask once more."
      }
      return .none
    }
  }

  /// Requests a fact; an earlier request is canceled.
  private func fetchFact(about number: Int) -> Effect<Action> {
    .run(name: Self.asking) { [numberFact] send in
      let fact = try await numberFact.fetch(number)
      await send(.numberFactResponse(.success(fact)))
    } catch: { error, send in
      await send(.numberFactResponse(.failure(NumberFactError(error, about: number))))
    }
    .cancellable(id: CancelID.numberFact, cancelInFlight: true)
  }
}
