import StoreActor

/// An effect that a reducer requests.
public struct SideEffect<Reducer: ReducerProtocol>: Sendable {
  let effect: StoreActor.Effect<Reducer.Action>

  init(_ effect: StoreActor.Effect<Reducer.Action>) {
    self.effect = effect
  }

  /// An effect without work.
  public static var none: Self { Self(.none) }

  /// Sends an action at once.
  public static func send(_ action: Reducer.Action) -> Self { Self(.send(action)) }

  /// Refuses the action: the reducer's state is as before, no effect runs, and the sender is
  /// notified of the reason.
  ///
  /// Refuse before you change a property of the view. The view has these properties, so their
  /// changes are not taken back.
  ///
  /// - `reason`: The reason, for people: at most 512 bytes.
  /// - `code`: The kind of refusal, for programs: at most 64 bytes.
  public static func refuse(
    _ reason: String,
    code: String? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Self {
    Self(
      .refuse(
        reason,
        code: code,
        fileID: fileID,
        filePath: filePath,
        line: line,
        column: column,
      )
    )
  }

  /// Returns an effect of asynchronous work that sends any number of actions.
  ///
  /// - Parameters:
  ///   - priority: The priority of the task.
  ///   - operation: The work.
  ///   - handler: Handles an error. Without it errors are reported as mistakes, except for
  ///     `CancellationError`, which is dropped.
  ///   - fileID: The file that creates the effect.
  ///   - filePath: The file's path.
  ///   - line: The line that creates the effect.
  ///   - column: The column that creates the effect.
  /// - Returns: The effect.
  public static func run(
    priority: TaskPriority? = nil,
    _ operation: @escaping @concurrent @Sendable (_ send: Send<Reducer>) async throws -> Void,
    catch handler: (
      @concurrent @Sendable (_ error: any Error, _ send: Send<Reducer>) async -> Void
    )? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Self {
    var recover: (@concurrent @Sendable (any Error, StoreActor.Send<Reducer.Action>) async -> Void)?
    if let handler { recover = { await handler($0, Send(base: $1)) } }
    return Self(
      .run(
        priority: priority,
        operation: { try await operation(Send(base: $0)) },
        catch: recover,
        fileID: fileID,
        filePath: filePath,
        line: line,
        column: column,
      )
    )
  }

  /// Sends several actions concurrently.
  public static func concurrent(_ actions: Reducer.Action...) -> Self {
    Self(.merge(actions.map { .send($0) }))
  }

  /// Sends several actions in order, each after the effects of the previous one have ended.
  public static func serial(_ actions: Reducer.Action...) -> Self {
    Self(.concatenate(actions.map { .send($0) }))
  }

  /// Runs several effects concurrently.
  public static func concurrent(_ effects: Self...) -> Self {
    Self(.merge(effects.map(\.effect)))
  }

  /// Runs several effects in order, each after the previous one has ended.
  public static func serial(_ effects: Self...) -> Self {
    Self(.concatenate(effects.map(\.effect)))
  }

  /// Makes the effect cancellable by an id.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - cancelInFlight: Whether to cancel running effects with the same id first.
  /// - Returns: The effect, cancellable.
  public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Self {
    Self(effect.cancellable(id: id, cancelInFlight: cancelInFlight))
  }

  /// Cancels all running effects with an id.
  public static func cancel(id: some Hashable & Sendable) -> Self {
    Self(.cancel(id: id))
  }

  /// Delays the effect until a pause in which no other effect with the id was returned.
  ///
  /// - Parameters:
  ///   - id: The id of the debounced effects, which also cancels them.
  ///   - duration: The length of the pause.
  ///   - clock: The clock that measures the time.
  /// - Returns: The effect, delayed.
  public func debounce(
    id: some Hashable & Sendable,
    for duration: Duration,
    clock: any Clock<Duration>,
  ) -> Self {
    Self(effect.debounce(id: id, for: duration, clock: clock))
  }
}

/// The function by which a running effect sends actions: `await send(.loginResponse(result))`.
@MainActor
public struct Send<Reducer: ReducerProtocol>: Sendable {
  private let base: StoreActor.Send<Reducer.Action>

  nonisolated init(base: StoreActor.Send<Reducer.Action>) {
    self.base = base
  }

  /// Sends an action, which has been reduced when this returns.
  public func callAsFunction(_ action: Reducer.Action) {
    base(action)
  }

  /// Sends a reducer's private action, which has been reduced when this returns.
  @_disfavoredOverload
  public func callAsFunction(_ action: Reducer.ReducerAction) {
    base(Reducer.Action(reducerAction: action))
  }
}
