/// What a `run` effect sends its actions with: `await send(.response(value))`.
///
/// Nothing is sent any more once the effect has been cancelled.
@MainActor
public struct Send<Action>: Sendable {
  let deliver: @MainActor @Sendable (Action) -> Void

  /// Creates a sender of a function, for calling a feature's own effects in a test.
  public nonisolated init(send: @escaping @MainActor @Sendable (Action) -> Void) {
    deliver = send
  }

  /// Sends an action: it has been reduced when this returns.
  public func callAsFunction(_ action: Action) {
    guard !Task.isCancelled else { return }
    deliver(action)
  }
}

/// What an effect of a feature sends its actions with: `SendOf<Self>`.
public typealias SendOf<R: Reducer> = Send<R.Action>
