/// A reducer whose effects are values that describe work; an ``EffectHandler`` performs it.
///
/// A test of such a reducer does not need the dependencies of its effects.
@MainActor
public protocol CommandingReducer<State, Input, Feedback, Command>: AnyObject
where State: Equatable {
  /// The container's state.
  associatedtype State
  /// The messages that any caller may send.
  associatedtype Input: Sendable
  /// The messages that only the effects may send.
  associatedtype Feedback: Sendable = Never
  /// The description of an effect.
  associatedtype Command

  /// Changes the state by a message.
  ///
  /// - Parameters:
  ///   - message: An input or feedback.
  ///   - state: The state.
  /// - Returns: The effects, which run concurrently.
  func reduce(message: Message<Input, Feedback>, into state: inout State) -> [Command]
}

/// The interpreter of a reducer's effects.
@MainActor
public protocol EffectHandler<Command, Feedback> {
  /// The description of an effect.
  associatedtype Command
  /// The feedback of the effects.
  associatedtype Feedback: Sendable

  /// Performs an effect.
  ///
  /// - Parameters:
  ///   - effect: The effect.
  ///   - send: Sends feedback to the reducer.
  func handle(
    effect: Command,
    send: @escaping @MainActor @Sendable (Feedback) async -> Void,
  ) async
}

extension Store where Output == Never {
  /// Creates a container whose effects are values that a handler interprets.
  ///
  /// - Parameters:
  ///   - state: The initial state.
  ///   - reducer: The reducer, which changes the state and returns the effects.
  ///   - handler: The handler that performs the effects.
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
