extension Effect {
  /// Gives an event to whoever reads `AsyncStream(outputsOf:)`: something to be done
  /// once and then forgotten, which is no state.
  ///
  /// ```swift
  /// case .saveButtonTapped:
  ///   state.isSaved = true
  ///   return .output(Output.saved)
  /// ```
  ///
  /// Outputs come after the commit of the action that made them, when everybody has been told of
  /// the new state, and in the order in which they were made. One that nobody observes is lost.
  ///
  /// - Parameter output: The event. A feature best has one type for all of its outputs.
  /// - Returns: An effect that is over at once.
  public static func output(_ output: some Sendable) -> Self {
    Self(.output(output))
  }
}

/// An output on its way to those who observe it.
@usableFromInline
package struct StoreOutput<Action> {
  /// The event.
  package let value: any Sendable
  /// The action whose reducer, or whose effect, made the output.
  ///
  /// A child's output is told by this being an action of the child. Nil where it is not known: then
  /// it is no child's.
  package let action: Action?

  /// Creates an output.
  package init(value: any Sendable, action: Action?) {
    self.value = value
    self.action = action
  }

  /// The output as a child's; nil when it is not the child's.
  func narrowed<Child>(to child: AnyCasePath<Action, Child>) -> StoreOutput<Child>? {
    guard let action, let childAction = child.extract(from: action) else { return nil }
    return StoreOutput<Child>(value: value, action: childAction)
  }
}
