/// Sends the actions of a `run` effect: `await send(.response(value))`.
///
/// ```swift
/// return .run { send in
///   for await event in client.events() {
///     await send(.received(event))
///   }
/// }
/// ```
///
/// After the effect has been cancelled, actions are dropped.
@MainActor
public struct Send<Action>: Sendable {
  let deliver: @MainActor @Sendable (Action) -> Void
  private let emit: @MainActor @Sendable (any Sendable) -> Void
  /// Waits until all sent actions are durable; nil without a journal.
  private let keep: (@MainActor @Sendable () async throws -> Void)?

  /// Creates a sender from a function, for calling a feature's own effects in a test.
  public nonisolated init(send: @escaping @MainActor @Sendable (Action) -> Void) {
    self.init(deliver: send, emit: { _ in })
  }

  /// Creates a sender from two functions.
  ///
  /// - Parameters:
  ///   - deliver: Takes actions.
  ///   - emit: Takes outputs.
  ///   - keep: Waits until all sent actions are durable; nil without a journal.
  nonisolated init(
    deliver: @escaping @MainActor @Sendable (Action) -> Void,
    emit: @escaping @MainActor @Sendable (any Sendable) -> Void,
    keep: (@MainActor @Sendable () async throws -> Void)? = nil,
  ) {
    self.deliver = deliver
    self.emit = emit
    self.keep = keep
  }

  /// Sends an action.
  ///
  /// It is reduced when this returns.
  ///
  /// In a daemon with a journal it is not durable yet: if the daemon is killed now, the action may
  /// be lost, but then no client has seen it. ``durable(_:)`` waits until it is durable.
  public func callAsFunction(_ action: Action) {
    guard !Task.isCancelled else { return }
    deliver(action)
  }

  /// Sends an action, and waits until the daemon's journal has it.
  ///
  /// For an effect that must continue only after the action is durable:
  ///
  /// ```swift
  /// return .run(name: "order") { send in
  ///   try await send.durable(.orderBegan)
  ///   try await shop.order()
  /// }
  /// ```
  ///
  /// Without a journal it returns when the action has been reduced.
  ///
  /// - Parameter action: The action.
  /// - Throws: An ``ActionFailure`` when the journal was closed before it had the action;
  ///   `CancellationError` when the effect was cancelled.
  public func durable(_ action: Action) async throws {
    try Task.checkCancellation()
    deliver(action)
    try await keep?()
  }

  /// Emits an output to the observers of `AsyncStream(outputsOf:)`.
  ///
  /// It arrives after the earlier actions and outputs of this sender. See ``Effect/output(_:)``.
  ///
  /// - Parameter output: The event.
  public func output(_ output: some Sendable) {
    guard !Task.isCancelled else { return }
    emit(output)
  }

  /// A sender of a child's actions, transformed to this sender's actions; outputs are unchanged.
  nonisolated func pullback<T>(_ transform: @escaping @Sendable (T) -> Action) -> Send<T> {
    Send<T>(deliver: { [deliver] in deliver(transform($0)) }, emit: emit, keep: keep)
  }
}

/// The sender of a feature's effects: `SendOf<Self>`.
public typealias SendOf<R: Reducer> = Send<R.Action>
