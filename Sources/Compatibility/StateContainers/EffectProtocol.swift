/// An effect that is a type of its own, with all that it needs for its work.
@MainActor
public protocol EffectProtocol<Feedback> {
  /// What comes back from it.
  associatedtype Feedback: Sendable

  /// Does the work.
  ///
  /// - Parameter send: What feedback is sent with.
  func run(send: @escaping @MainActor @Sendable (Feedback) async -> Void) async
}

extension Store where Output == Never {
  /// Creates a container whose effects bring their work along.
  ///
  /// - Parameters:
  ///   - state: The state to start with.
  ///   - reducer: What changes the state and returns the effects.
  public convenience init(
    state: State,
    reducer: some CommandingReducer<State, Input, Feedback, any EffectProtocol<Feedback>>,
  ) {
    self.init(state: state, reducer: reducer, handler: SelfContained())
  }
}

/// Runs effects that bring their work along.
private struct SelfContained<Feedback: Sendable>: EffectHandler {
  func handle(
    effect: any EffectProtocol<Feedback>,
    send: @escaping @MainActor @Sendable (Feedback) async -> Void,
  ) async {
    await effect.run(send: send)
  }
}
