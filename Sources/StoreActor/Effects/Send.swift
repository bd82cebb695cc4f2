/// What a `run` effect sends its actions with: `await send(.response(value))`.
///
/// ```swift
/// return .run { send in
///   for await event in client.events() {
///     await send(.received(event))
///   }
/// }
/// ```
///
/// Nothing is sent any more once the effect has been cancelled.
@MainActor
public struct Send<Action>: Sendable {
  let deliver: @MainActor @Sendable (Action) -> Void
  private let emit: @MainActor @Sendable (any Sendable) -> Void
  /// Waits until all that was sent is durable; nil where nothing is kept.
  private let keep: (@MainActor @Sendable () async throws -> Void)?

  /// Creates a sender of a function, for calling a feature's own effects in a test.
  public nonisolated init(send: @escaping @MainActor @Sendable (Action) -> Void) {
    self.init(deliver: send, emit: { _ in })
  }

  /// Creates a sender of two functions.
  ///
  /// - Parameters:
  ///   - deliver: Takes actions.
  ///   - emit: Takes outputs.
  ///   - keep: Waits until all that was sent is durable; nil where nothing is kept.
  nonisolated init(
    deliver: @escaping @MainActor @Sendable (Action) -> Void,
    emit: @escaping @MainActor @Sendable (any Sendable) -> Void,
    keep: (@MainActor @Sendable () async throws -> Void)? = nil,
  ) {
    self.deliver = deliver
    self.emit = emit
    self.keep = keep
  }

  /// Sends an action: it has been reduced when this returns.
  ///
  /// In a daemon that keeps its state it is not kept yet: if the daemon is killed now, it may be
  /// lost, and no client has seen it then. ``durable(_:)`` waits until it is kept.
  public func callAsFunction(_ action: Action) {
    guard !Task.isCancelled else { return }
    deliver(action)
  }

  /// Sends an action, and waits until the daemon's journal has it.
  ///
  /// For an effect that goes on with what must not be forgotten:
  ///
  /// ```swift
  /// return .run(name: "order") { send in
  ///   try await send.durable(.orderBegan)
  ///   try await shop.order()
  /// }
  /// ```
  ///
  /// Where nothing is kept it returns when the action has been reduced.
  ///
  /// - Parameter action: The action.
  /// - Throws: An ``ActionFailure`` when the journal was closed before it had the action;
  ///   `CancellationError` when the effect was cancelled.
  public func durable(_ action: Action) async throws {
    try Task.checkCancellation()
    deliver(action)
    try await keep?()
  }

  /// Gives an output to whoever observes `AsyncStream(outputsOf:)`.
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
    Send<T>(deliver: { [deliver] in deliver(transform($0)) }, emit: emit, keep: keep)
  }
}

/// What an effect of a feature sends its actions with: `SendOf<Self>`.
public typealias SendOf<R: Reducer> = Send<R.Action>
