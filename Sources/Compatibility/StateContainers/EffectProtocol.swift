/// An effect as a type, which contains all values that its work needs.
@MainActor
public protocol EffectProtocol<Feedback> {
  /// The feedback of the effect.
  associatedtype Feedback: Sendable

  /// Performs the work.
  ///
  /// - Parameter send: Sends feedback to the reducer.
  func run(send: @escaping @MainActor @Sendable (Feedback) async -> Void) async
}

extension Store where Output == Never {
  /// Creates a container whose effects contain their work.
  ///
  /// - Parameters:
  ///   - state: The initial state.
  ///   - reducer: The reducer, which changes the state and returns the effects.
  public convenience init(
    state: State,
    reducer: some CommandingReducer<State, Input, Feedback, any EffectProtocol<Feedback>>,
  ) {
    self.init(state: state, reducer: reducer, handler: SelfContained())
  }
}

/// Runs effects that contain their work.
private struct SelfContained<Feedback: Sendable>: EffectHandler {
  func handle(
    effect: any EffectProtocol<Feedback>,
    send: @escaping @MainActor @Sendable (Feedback) async -> Void,
  ) async {
    await effect.run(send: send)
  }
}
