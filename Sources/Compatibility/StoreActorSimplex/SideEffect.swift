import StoreActor

/// What a reducer wants done outside of it.
public struct SideEffect<Reducer: ReducerProtocol>: Sendable {
  let effect: StoreActor.Effect<Reducer.Action>

  init(_ effect: StoreActor.Effect<Reducer.Action>) {
    self.effect = effect
  }

  /// Nothing.
  public static var none: Self { Self(.none) }

  /// Sends an action at once.
  public static func send(_ action: Reducer.Action) -> Self { Self(.send(action)) }

  /// Work that may suspend and send any number of actions back.
  ///
  /// - Parameters:
  ///   - priority: The priority of the task.
  ///   - operation: The work.
  ///   - handler: What to do about an error. Without it errors are reported as mistakes, except for
  ///     `CancellationError`, which is dropped.
  ///   - fileID: The file that the effect is made in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the effect is made in.
  ///   - column: The column that the effect is made in.
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

  /// Sends several actions, all at once.
  public static func concurrent(_ actions: Reducer.Action...) -> Self {
    Self(.merge(actions.map { .send($0) }))
  }

  /// Sends several actions, each when the effects of the one before have ended.
  public static func serial(_ actions: Reducer.Action...) -> Self {
    Self(.concatenate(actions.map { .send($0) }))
  }

  /// Several effects at once.
  public static func concurrent(_ effects: Self...) -> Self {
    Self(.merge(effects.map(\.effect)))
  }

  /// Several effects, each beginning when the one before has ended.
  public static func serial(_ effects: Self...) -> Self {
    Self(.concatenate(effects.map(\.effect)))
  }

  /// Makes the effect one that can be cancelled by an id.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - cancelInFlight: Whether whatever already runs under the id is cancelled first.
  /// - Returns: The effect, cancellable.
  public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Self {
    Self(effect.cancellable(id: id, cancelInFlight: cancelInFlight))
  }

  /// Cancels whatever runs under an id.
  public static func cancel(id: some Hashable & Sendable) -> Self {
    Self(.cancel(id: id))
  }

  /// Delays the effect until nothing has been returned under the id for a while.
  ///
  /// - Parameters:
  ///   - id: What is debounced. The id cancels, too.
  ///   - duration: How long nothing may follow.
  ///   - clock: What measures the time.
  /// - Returns: The effect, delayed.
  public func debounce(
    id: some Hashable & Sendable,
    for duration: Duration,
    clock: any Clock<Duration>,
  ) -> Self {
    Self(effect.debounce(id: id, for: duration, clock: clock))
  }
}

/// What a running effect sends its actions with: `await send(.loginResponse(result))`.
@MainActor
public struct Send<Reducer: ReducerProtocol>: Sendable {
  private let base: StoreActor.Send<Reducer.Action>

  nonisolated init(base: StoreActor.Send<Reducer.Action>) {
    self.base = base
  }

  /// Sends an action: it has been reduced when this returns.
  public func callAsFunction(_ action: Reducer.Action) {
    base(action)
  }

  /// Sends an action of the reducer's own: it has been reduced when this returns.
  @_disfavoredOverload
  public func callAsFunction(_ action: Reducer.ReducerAction) {
    base(Reducer.Action(reducerAction: action))
  }
}
