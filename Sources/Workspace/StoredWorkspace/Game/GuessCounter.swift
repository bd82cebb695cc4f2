package import StoreActor

/// A number to guess: a counter with a secret, and the count's relation to the secret.
@Reducer
package struct GuessCounter {
  @ObservableState
  package struct State: DurableState, Equatable, Identifiable, Sendable {
    /// The round's id.
    package let id: UUID
    package var count: Int
    /// The number to guess: private to the daemon, because clients must not see it.
    @ReplicationIgnored package var secret: Int = 0
    /// The count's relation to the secret.
    package var verdict: Verdict

    package init(id: UUID, count: Int = 0, secret: Int) {
      self.id = id
      self.count = count
      self.secret = secret
      verdict = Verdict(of: count, against: secret)
    }

    fileprivate mutating func set(_ count: Int) {
      self.count = min(max(count, Self.range.lowerBound), Self.range.upperBound)
      verdict = Verdict(of: self.count, against: secret)
    }

    /// The range of secrets and guesses.
    package static let range = -100...100
  }

  /// A guess's relation to the secret.
  package enum Verdict: String, CaseIterable, ReplicatedState {
    case lower, equal, higher

    init(of count: Int, against secret: Int) {
      self = count < secret ? .lower : count > secret ? .higher : .equal
    }
  }

  package enum Action: Equatable, Sendable, WireAction {
    case decrementButtonTapped
    case guessChanged(guess: Int)
    case incrementButtonTapped
    /// Ends the round, right or wrong; the game starts the next one.
    case playNextButtonTapped
  }

  package init() {}

  package var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .decrementButtonTapped: state.set(state.count - 1)
      case .guessChanged(let guess): state.set(guess)
      case .incrementButtonTapped: state.set(state.count + 1)
      case .playNextButtonTapped: break
      }
      return .none
    }
  }
}
