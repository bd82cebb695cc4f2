/// Decides how a message changes a container's state, and returns the effect.
///
/// The function shows in one place a message, its change of the state, its effect and that
/// effect's feedback.
@MainActor
public protocol Reducer<State, Input, Feedback, Output>: AnyObject where State: Equatable {
  /// The container's state.
  associatedtype State
  /// The messages that any caller may send.
  associatedtype Input: Sendable
  /// The messages that only the effects may send.
  associatedtype Feedback: Sendable = Never
  /// The values that the container emits and does not keep.
  associatedtype Output = Never

  /// Changes the state by a message.
  ///
  /// - Parameters:
  ///   - message: An input or feedback.
  ///   - state: The state.
  /// - Returns: The effect.
  func reduce(
    message: Message<Input, Feedback>,
    into state: inout State,
  ) -> Effect<Feedback, Output>
}
