package import StoreActor

/// A number that everyone may count up and down, and ask a fact about.
///
/// A fact comes from the outside, so it may fail: the answer that could not be had becomes state as
/// well, and everyone who looks at the counter sees why. So does one that the daemon's end has
/// interrupted: the count may be another one since, so it is not asked for again.
@Reducer
package struct Counter {
  /// What everyone sees of the counter.
  ///
  /// There is no flag for a request under way: a request ends with the session that asked, without
  /// an action, and such a flag would stay set for ever.
  @ObservableState
  package struct State: Equatable, ReplicatedState, Sendable {
    /// The number.
    package var count: Int
    /// The fact about the number, or why there is none, until someone dismisses it.
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

  /// What only the effect sends: a client cannot make up facts.
  package enum ReducerAction: Equatable, Sendable {
    case numberFactResponse(Result<String, NumberFactError>)
  }

  private enum CancelID { case numberFact }

  /// What asking for a fact is called when it was interrupted.
  private static let asking = "ask for a number fact"

  @Dependency(\.numberFact) private var numberFact

  package init() {}

  package var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      // A count that cannot go further stays where it is: no client may bring the daemon down.
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

  /// Asks for a fact; whoever asked before gets no answer any more.
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
