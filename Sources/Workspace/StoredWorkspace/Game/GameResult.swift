package import StoreActor

/// A finished round, and its edits in the list of results.
@Reducer
package struct GameResult {
  @ObservableState
  package struct State: Equatable, Identifiable, ReplicatedState, Sendable {
    /// The round's id.
    package let id: UUID
    package var guess: Int
    /// The number to guess; the round is over, so clients may see it.
    package let secret: Int
    package let timeSpent: Duration

    package init(id: UUID, guess: Int, secret: Int, timeSpent: Duration) {
      self.id = id
      self.guess = guess
      self.secret = secret
      self.timeSpent = timeSpent
    }

    /// Whether the guess was right.
    package var isCorrect: Bool { guess == secret }
  }

  package enum Action: Equatable, Sendable, WireAction {
    case guessChanged(guess: Int)
  }

  package init() {}

  package var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .guessChanged(let guess):
        state.guess = guess
        return .none
      }
    }
  }
}
