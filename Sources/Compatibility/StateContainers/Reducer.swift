/// What decides how a container's state changes by a message, and which effect follows.
///
/// So one can follow, in one place, a message to the change it makes, to the effect and to that
/// effect's feedback.
@MainActor
public protocol Reducer<State, Input, Feedback, Output>: AnyObject where State: Equatable {
  /// What the container knows.
  associatedtype State
  /// What anybody may send to it.
  associatedtype Input: Sendable
  /// What only its effects may send to it.
  associatedtype Feedback: Sendable = Never
  /// What it tells and forgets.
  associatedtype Output = Never

  /// Changes the state by a message.
  ///
  /// - Parameters:
  ///   - message: An input or feedback.
  ///   - state: The state.
  /// - Returns: What is to be done.
  func reduce(
    message: Message<Input, Feedback>,
    into state: inout State,
  ) -> Effect<Feedback, Output>
}
