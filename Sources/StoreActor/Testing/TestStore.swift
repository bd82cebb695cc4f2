import IssueReporting

/// A store for tests, which requires assertions of all that a feature does.
///
/// ```swift
/// @MainActor @Test func increments() async {
///   let store = TestStore(initialState: Counter.State()) { Counter() }
///   await store.send(.incrementButtonTapped) { $0.count = 1 }
/// }
/// ```
///
/// - A `send` or `receive` states the changes of the state in a closure: it receives the state
///   before the action, and must change it to the state after the action.
/// - Every action that an effect sends, also one of `Effect.send`, has to be received.
/// - Every output of the feature has to be received, with `receive(output:)`.
/// - Every effect has to end before the test does.
///
/// A violation is reported, at the latest when the store is released. See ``exhaustivity`` for
/// tests of a part of the behavior.
///
/// With the module `StoreTesting` the same test runs against the feature in a daemon:
/// `TestStore(remote: Counter.State()) { Counter() }`.
@MainActor
public final class TestStore<State: Equatable, Action> {
  /// How strictly the test must assert the feature's behavior.
  public var exhaustivity: Exhaustivity {
    get { recorder.exhaustivity }
    set { recorder.exhaustivity = newValue }
  }

  /// The default time limit of ``finish(timeout:fileID:filePath:line:column:)`` and the `receive`
  /// methods, in real time.
  public var timeout: Duration = .seconds(1)

  let subject: TestSubject<State, Action>
  private var serialExecutor: SerialExecutorUse? = SerialExecutorUse()

  /// Creates a test store.
  ///
  /// - `initialState`: The state to start with.
  /// - `reducer`: The feature.
  /// - `prepareDependencies`: Overrides dependencies for the state, the reducer and its effects.
  public convenience init(
    initialState: @autoclosure () -> State,
    reducer: () -> some Reducer<State, Action>,
    withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in },
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    self.init(initialState, reducer, prepareDependencies, at: location)
  }

  /// Creates a test store of a feature that is a list of reducers, or has conditions.
  ///
  /// - `initialState`: The state to start with.
  /// - `reducer`: The feature.
  /// - `prepareDependencies`: Overrides dependencies for the state, the reducer and its effects.
  /// - `unused`: Unused: the compiler prefers the initializer without it if both match.
  public convenience init(
    initialState: @autoclosure () -> State,
    @ReducerBuilder<State, Action> reducer: () -> some Reducer<State, Action>,
    withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in },
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    unused: Never...,
  ) {
    // The other one allows `initialState: .init()` to have a type. `@_disfavoredOverload` would
    // weigh as much as that of an operator in the closure, and make both equal.
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    self.init(initialState, reducer, prepareDependencies, at: location)
  }

  private init(
    _ initialState: () -> State,
    _ reducer: () -> some Reducer<State, Action>,
    _ prepareDependencies: (inout DependencyValues) -> Void,
    at location: IssueLocation,
  ) {
    let dismissal = TestDismissal()
    subject = StoreActor.withDependencies {
      dismissal.prepare(&$0)
      prepareDependencies(&$0)
    } operation: {
      let state = initialState()
      let recorder = TestRecorder<State, Action>(state: state, location: location)
      let root = RootCore(
        initialState: { state },
        reducer: { recorder.recording(reducer()) },
      )
      dismissal.observe(root)
      return TestSubject(root: root, recorder: recorder, dismissal: dismissal)
    }
  }

  /// Creates a test store over any core.
  ///
  /// For a core that is not a root of this process, only states and outputs are visible. Actions of
  /// effects cannot be received, and each `send` asserts the state of the store when the action's
  /// outcome is known.
  package convenience init(
    core: any StoreCore<State, Action>,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    self.init(subject: TestSubject(core: core, location: location))
  }

  /// Creates a test store for an existing subject.
  package init(subject: TestSubject<State, Action>) {
    self.subject = subject
  }

  // Not isolated: isolation would delay the report to outside of the test if the last reference is
  // released on another thread.
  deinit {
    let recorder = subject.recorder
    waitForMainActor { recorder.complete() }
  }

  /// The state after the last action that the test sent or received.
  ///
  /// In the closure of an assertion it is the state before the action.
  public var state: State { recorder.state }

  /// Whether the feature has dismissed itself, with the `dismiss` dependency.
  ///
  /// In a test the feature is the root, even if it is presented in a program: so its dismissal is
  /// visible here.
  public var isDismissed: Bool { subject.dismissal.isDismissed }

  /// The dependencies of the feature; may be changed during a test.
  public var dependencies: DependencyValues {
    get { subject.dependencies.get() }
    set { subject.dependencies.set(newValue) }
  }

  /// Changes dependencies for an operation.
  public func withDependencies<R>(
    _ updateValues: (inout DependencyValues) throws -> Void,
    operation: () throws -> R,
  ) rethrows -> R {
    let previous = dependencies
    defer { dependencies = previous }
    try updateValues(&dependencies)
    return try operation()
  }

  /// Changes dependencies for an asynchronous operation.
  public func withDependencies<R>(
    _ updateValues: (inout DependencyValues) async throws -> Void,
    operation: () async throws -> R,
  ) async rethrows -> R {
    let previous = dependencies
    defer { dependencies = previous }
    var values = previous
    try await updateValues(&values)
    dependencies = values
    return try await operation()
  }

  /// Changes the exhaustivity for an operation.
  public func withExhaustivity<R>(
    _ exhaustivity: Exhaustivity,
    operation: () throws -> R,
  ) rethrows -> R {
    let previous = self.exhaustivity
    defer { self.exhaustivity = previous }
    self.exhaustivity = exhaustivity
    return try operation()
  }

  /// Changes the exhaustivity for an asynchronous operation.
  public func withExhaustivity<R>(
    _ exhaustivity: Exhaustivity,
    operation: () async throws -> R,
  ) async rethrows -> R {
    let previous = self.exhaustivity
    defer { self.exhaustivity = previous }
    self.exhaustivity = exhaustivity
    return try await operation()
  }

  /// Whether all tasks run one after the other on the main thread.
  ///
  /// So that tests run deterministically. On by default; the previous setting is restored when the
  /// last test store is released.
  public var useMainSerialExecutor: Bool {
    get { uncheckedUseMainSerialExecutor }
    set {
      serialExecutor = newValue ? SerialExecutorUse() : nil
    }
  }

  var core: any StoreCore<State, Action> { subject.core }
  var recorder: TestRecorder<State, Action> { subject.recorder }
}

/// The test store of a feature: `TestStoreOf<Counter>`.
public typealias TestStoreOf<R: Reducer> = TestStore<R.State, R.Action> where R.State: Equatable
