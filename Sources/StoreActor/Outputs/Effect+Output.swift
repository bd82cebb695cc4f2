extension Effect {
  /// Emits an event to the readers of `AsyncStream(outputsOf:)`: it is handled once and is not a
  /// part of the state.
  ///
  /// ```swift
  /// case .saveButtonTapped:
  ///   state.isSaved = true
  ///   return .output(Output.saved)
  /// ```
  ///
  /// Outputs are delivered in the order of emission, after the commit of their action and after
  /// observers are notified of the new state. An output without observers is lost.
  ///
  /// - Parameter output: The event. Use one type for all outputs of a feature.
  /// - Returns: An effect that ends at once.
  public static func output(_ output: some Sendable) -> Self {
    Self(.output(output))
  }
}

/// An output that is to be delivered to its observers.
@usableFromInline
package struct StoreOutput<Action> {
  /// The event.
  package let value: any Sendable
  /// The action whose reducer, or whose effect, emitted the output.
  ///
  /// An output belongs to a child if this is an action of the child. Nil if it is unknown: then the
  /// output belongs to no child.
  package let action: Action?

  /// Creates an output.
  package init(value: any Sendable, action: Action?) {
    self.value = value
    self.action = action
  }

  /// The output as a child's; nil if it is not the child's.
  func narrowed<Child>(to child: AnyCasePath<Action, Child>) -> StoreOutput<Child>? {
    guard let action, let childAction = child.extract(from: action) else { return nil }
    return StoreOutput<Child>(value: value, action: childAction)
  }
}
