/// A message to a reducer: an input from outside, or feedback from an effect.
public enum Message<Input: Sendable, Feedback: Sendable>: Sendable {
  /// A message that any caller may send.
  case input(Input)
  /// A message that only effects send.
  case feedback(Feedback)
}

extension Message: Equatable where Input: Equatable, Feedback: Equatable {}
