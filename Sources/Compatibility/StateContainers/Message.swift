/// What comes to a reducer: an input from outside, or feedback from an effect.
public enum Message<Input: Sendable, Feedback: Sendable>: Sendable {
  /// What anybody may send.
  case input(Input)
  /// What only effects send.
  case feedback(Feedback)
}

extension Message: Equatable where Input: Equatable, Feedback: Equatable {}
