/// What a `run` effect sends its actions with: `await send(.response(value))`.
///
/// Nothing is sent any more once the effect has been cancelled.
@MainActor
public struct Send<Action>: Sendable {
  let deliver: @MainActor @Sendable (Action) -> Void
  private let emit: @MainActor @Sendable (any Sendable) -> Void

  /// Creates a sender of a function, for calling a feature's own effects in a test.
  public nonisolated init(send: @escaping @MainActor @Sendable (Action) -> Void) {
    self.init(deliver: send, emit: { _ in })
  }

  /// Creates a sender of two functions.
  ///
  /// - Parameters:
  ///   - deliver: Takes actions.
  ///   - emit: Takes outputs.
  nonisolated init(
    deliver: @escaping @MainActor @Sendable (Action) -> Void,
    emit: @escaping @MainActor @Sendable (any Sendable) -> Void,
  ) {
    self.deliver = deliver
    self.emit = emit
  }

  /// Sends an action: it has been reduced when this returns.
  public func callAsFunction(_ action: Action) {
    guard !Task.isCancelled else { return }
    deliver(action)
  }

  /// Gives an output to whoever observes ``Store/outputs(of:bufferingPolicy:)``.
  ///
  /// It comes after what this has sent before. See ``Effect/output(_:)``.
  ///
  /// - Parameter output: The event.
  public func output(_ output: some Sendable) {
    guard !Task.isCancelled else { return }
    emit(output)
  }

  /// A sender of a child's actions, which are turned into this one's; outputs stay as they are.
  nonisolated func pullback<T>(_ transform: @escaping @Sendable (T) -> Action) -> Send<T> {
    Send<T>(deliver: { [deliver] in deliver(transform($0)) }, emit: emit)
  }
}

/// What an effect of a feature sends its actions with: `SendOf<Self>`.
public typealias SendOf<R: Reducer> = Send<R.Action>
