/// A reducer whose effects are values that say what is to be done, and not how: an
/// ``EffectHandler`` does it.
///
/// Such a reducer can be tested without anything that its effects depend on.
@MainActor
public protocol CommandingReducer<State, Input, Feedback, Command>: AnyObject
where State: Equatable {
  /// What the container knows.
  associatedtype State
  /// What anybody may send to it.
  associatedtype Input: Sendable
  /// What only its effects may send to it.
  associatedtype Feedback: Sendable = Never
  /// What is to be done.
  associatedtype Command

  /// Changes the state by a message.
  ///
  /// - Parameters:
  ///   - message: An input or feedback.
  ///   - state: The state.
  /// - Returns: What is to be done, all at once.
  func reduce(message: Message<Input, Feedback>, into state: inout State) -> [Command]
}

/// What does what a reducer's effects say.
@MainActor
public protocol EffectHandler<Command, Feedback> {
  /// What is to be done.
  associatedtype Command
  /// What comes back from it.
  associatedtype Feedback: Sendable

  /// Does what an effect says.
  ///
  /// - Parameters:
  ///   - effect: The effect.
  ///   - send: What feedback is sent with.
  func handle(
    effect: Command,
    send: @escaping @MainActor @Sendable (Feedback) async -> Void,
  ) async
}

extension Store where Output == Never {
  /// Creates a container whose effects are values that a handler interprets.
  ///
  /// - Parameters:
  ///   - state: The state to start with.
  ///   - reducer: What changes the state and says what is to be done.
  ///   - handler: What does it.
  public convenience init<Command>(
    state: State,
    reducer: some CommandingReducer<State, Input, Feedback, Command>,
    handler: some EffectHandler<Command, Feedback>,
  ) {
    self.init(state: state) { message, state in
      let commands = reducer.reduce(message: message, into: &state)
      if commands.isEmpty { return .none }
      return .run { send in
        await withTaskGroup { group in
          for command in commands {
            let work: @MainActor () async -> Void = {
              await handler.handle(effect: command, send: send)
            }
            group.addTask { await work() }
          }
        }
      }
    }
  }
}
