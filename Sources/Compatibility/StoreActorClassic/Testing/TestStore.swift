import StoreActor

/// A store for tests, which wants everything asserted that a feature does.
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
/// Every change of the state has to be stated in the closure of `send` or `receive`, every action
/// that an effect sends has to be received, and every effect has to end before the test does. What
/// is not so is reported, at the latest when the store goes.
///
/// `send` and `receive` come in two forms: in a test that is not `async` they do not wait, which
/// suits effects on schedulers; in an `async` test they are awaited, and `receive` waits for async
/// effects.
@MainActor
public final class TestStore<State, LocalState, Action, LocalAction, Environment> {
  /// How long `receive` and `finish` wait, in nanoseconds of real time, unless they are told
  /// otherwise.
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

  /// What the feature needs from outside; may be changed in the course of a test.
  public var environment: Environment {
    get { record.environment }
    set { record.environment = newValue }
  }

  /// The state after the last action that the test sent or received.
  public var state: LocalState { toLocalState(record.state) }

  /// A test store of a part of the state, with actions of its own, as a view has it.
  ///
  /// - Parameters:
  ///   - toLocalState: The part of the state.
  ///   - fromLocalAction: Makes an action of the feature of one of the part's.
  /// - Returns: The part's test store; assertions on it are about the part.
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

  /// A test store of a part of the state, with the same actions.
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
  ///   - initialState: The state to start with.
  ///   - reducer: The feature.
  ///   - environment: What the feature needs from outside, as the test wants it.
  ///   - fileID: The file that the store is made in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the store is made in.
  ///   - column: The column that the store is made in.
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
      // With the store alive, as its effects are cancelled when it goes.
      completion: TestCompletion { withExtendedLifetime(base) { record.complete() } },
      toLocalState: { $0 },
      fromLocalAction: { $0 },
    )
  }
}

/// The end of a test: it comes when the last test store of it goes.
///
/// Meanwhile tasks run one after the other on the main thread, so that tests run the same way every
/// time.
package final class TestCompletion: Sendable {
  // Is called once, by whoever lets go last.
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
