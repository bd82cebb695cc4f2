import StoreActor

/// A store for tests, which requires the test to assert all of a feature's behavior.
///
/// ```swift
/// let scheduler = DispatchQueue.test
/// let store = TestStore(
///   initialState: AppState(),
///   reducer: appReducer,
///   environment: AppEnvironment(
///     mainQueue: scheduler.eraseToAnyScheduler(),
///     numberFact: { Effect(value: "\($0) is a good number") }
///   )
/// )
/// store.send(.numberFactButtonTapped)
/// scheduler.advance()
/// store.receive(.numberFactResponse(.success("0 is a good number"))) {
///   $0.numberFactAlert = "0 is a good number"
/// }
/// ```
///
/// The closure of `send` or `receive` states every change of the state. The test receives every
/// action that an effect sends, and every effect ends before the test does. The store reports each
/// violation, at the latest when it is deinitialized.
///
/// `send` and `receive` have two forms. In a synchronous test they do not wait, which suits effects
/// on schedulers. In an `async` test they are awaited, and `receive` waits for async effects.
@MainActor
public final class TestStore<State, LocalState, Action, LocalAction, Environment> {
  /// The default time limit of `receive` and `finish`, in nanoseconds of real time.
  public var timeout: UInt64 = 1_000_000_000

  let record: TestRecord<State, Action, Environment>
  let toLocalState: @MainActor (State) -> LocalState
  private let fromLocalAction: @MainActor (LocalAction) -> Action
  private let base: StoreActor.Store<State, Action>
  private let completion: TestCompletion

  private init(
    record: TestRecord<State, Action, Environment>,
    base: StoreActor.Store<State, Action>,
    completion: TestCompletion,
    toLocalState: @escaping @MainActor (State) -> LocalState,
    fromLocalAction: @escaping @MainActor (LocalAction) -> Action,
  ) {
    self.record = record
    self.base = base
    self.completion = completion
    self.toLocalState = toLocalState
    self.fromLocalAction = fromLocalAction
  }

  /// The feature's dependencies, which a test may replace at any time.
  public var environment: Environment {
    get { record.environment }
    set { record.environment = newValue }
  }

  /// The state after the last action that the test sent or received.
  public var state: LocalState { toLocalState(record.state) }

  /// Returns a test store of a part of the state with its own actions, as a view uses it.
  ///
  /// - Parameters:
  ///   - toLocalState: Returns the part of the state.
  ///   - fromLocalAction: Embeds an action of the part in an action of the feature.
  /// - Returns: The part's test store; its assertions cover only the part.
  public func scope<S, A>(
    state toLocalState: @escaping @MainActor (LocalState) -> S,
    action fromLocalAction: @escaping @MainActor (A) -> LocalAction,
  ) -> TestStore<State, S, Action, A, Environment> {
    TestStore<State, S, Action, A, Environment>(
      record: record,
      base: base,
      completion: completion,
      toLocalState: { [toState = self.toLocalState] in toLocalState(toState($0)) },
      fromLocalAction: { [fromAction = self.fromLocalAction] in fromAction(fromLocalAction($0)) },
    )
  }

  /// Returns a test store of a part of the state, with the same actions.
  public func scope<S>(
    state toLocalState: @escaping @MainActor (LocalState) -> S
  ) -> TestStore<State, S, Action, LocalAction, Environment> {
    scope(state: toLocalState, action: { $0 })
  }

  func submit(_ action: LocalAction) -> StoreTask {
    let action = fromLocalAction(action)
    return record.sending { base.send(action) }
  }
}

extension TestStore where State == LocalState, Action == LocalAction {
  /// Creates a test store.
  ///
  /// - Parameters:
  ///   - initialState: The initial state.
  ///   - reducer: The feature.
  ///   - environment: The feature's dependencies in the test.
  ///   - fileID: The file that creates the store.
  ///   - filePath: The file's path.
  ///   - line: The line that creates the store.
  ///   - column: The column that creates the store.
  public convenience init(
    initialState: State,
    reducer: AnyReducer<State, Action, Environment>,
    environment: Environment,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let record = TestRecord<State, Action, Environment>(
      state: initialState,
      environment: environment,
      location: location,
    )
    let feature = reducer.feature(
      environment: { record.environment },
      note: { action, state, effect in
        record.note(action, state)
        return record.track(effect, of: action)
      },
    )
    let base = StoreActor.Store(initialState: initialState) { feature }
    self.init(
      record: record,
      base: base,
      // The closure keeps the store alive, because its deinitialization cancels the effects.
      completion: TestCompletion { withExtendedLifetime(base) { record.complete() } },
      toLocalState: { $0 },
      fromLocalAction: { $0 },
    )
  }
}

/// The end of a test, when its last test store is deinitialized.
///
/// Until then tasks run one after the other on the main thread, so that tests are deterministic.
package final class TestCompletion: Sendable {
  // Called once, when the last reference is released.
  nonisolated(unsafe) private let complete: () -> Void

  package init(_ complete: @escaping () -> Void) {
    self.complete = complete
    MainSerialExecutor.acquire()
  }

  deinit {
    complete()
    MainSerialExecutor.release()
  }
}
