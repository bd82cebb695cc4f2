import StoreActor
import StoreActorClassic

/// A store for tests, which requires the test to assert all of a view reducer's behavior.
///
/// ```swift
/// let store = MyView().testStore(viewState: .init())
/// await store.send(.increment) { $0.counter = 1 }
/// ```
///
/// A closure states every change of the view's state and of the reducer's private state. The test
/// receives every action that an effect sends. The store reports each violation, at the latest when
/// it is deinitialized.
@MainActor
public final class TestStore<Reducer: ReducerProtocol> {
  typealias Snapshot = SimplexState<Reducer.Target>
  typealias Record = TestRecord<Snapshot, Reducer.Action, Void>

  let record: Record
  private let target: Reducer.Target
  private let base: StoreActor.Store<Snapshot, Reducer.Action>
  private let completion: TestCompletion

  init(
    target: Reducer.Target,
    viewState: Reducer.Target.ViewState,
    prepareDependencies: @escaping (inout DependencyValues) -> Void,
    location: IssueLocation,
  ) {
    let state = Snapshot(
      viewState: viewState,
      reducerState: target.store.initialReducerState,
    )
    let record = Record(state: state, environment: (), location: location)
    self.record = record
    self.target = target
    let base = target.store.attach(
      to: target,
      viewState: viewState,
      note: { action, state, effect in
        // A refused action has no consequence.
        if effect.isRefusal { return effect }
        record.note(action, state)
        return record.track(effect, of: action)
      },
      withDependencies: prepareDependencies,
    )
    self.base = base
    // The closure keeps the store alive, because its deinitialization cancels the effects.
    completion = TestCompletion { withExtendedLifetime(base) { record.complete() } }
  }

  /// Sends an action and asserts its changes; its effects have started when this returns.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - expected: Changes the previous state into the expected one.
  ///   - fileID: The file that contains the assertion.
  ///   - filePath: The file's path.
  ///   - line: The line of the assertion.
  ///   - column: The column of the assertion.
  /// - Returns: A handle to cancel the action's effects, or to wait for them.
  @discardableResult
  public func send(
    _ action: Reducer.Action,
    assert expected: ((StateContainer<Reducer.Target>) -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async -> SendTask {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    record.location = location
    let previous = record.state
    let task = record.sending { base.send(action) }
    if let refusal = task.refusal {
      location.report(
        """
        The action was refused: "\(refusal.reason)"

        To fix, change the state or the action so that the reducer accepts it, or assert the \
        refusal with "store.send(…, refused: …)".
        """
      )
    }
    check(expected, from: previous, to: record.state, at: location)
    await Task.megaYield()
    return SendTask(task: task)
  }

  /// Sends an action, and asserts that the reducer refuses it.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - reason: The expected reason.
  ///   - fileID: The file that contains the assertion.
  ///   - filePath: The file's path.
  ///   - line: The line of the assertion.
  ///   - column: The column of the assertion.
  public func send(
    _ action: Reducer.Action,
    refused reason: String,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    record.location = location
    let task = record.sending { base.send(action) }
    if task.refusal?.reason == reason { return }
    location.report(
      """
      Expected a refusal: "\(reason)"

      The action was \(task.refusal.map { "refused: \"\($0.reason)\"" } ?? "applied.")
      """
    )
  }

  /// Waits until all effects have ended, for at most 5 seconds of real time.
  public func waitForAll() async {
    _ = await wait(upTo: 5_000_000_000) { [record] in record.running.isEmpty }
  }

  /// Reports a difference between a closure's expected state and the actual state.
  func check(
    _ expected: ((StateContainer<Reducer.Target>) -> Void)?,
    from previous: Snapshot,
    to actual: Snapshot,
    at location: IssueLocation,
  ) {
    let container = StateContainer(of: previous)
    expected?(container)
    let texts = (text(of: container.value), text(of: actual))
    guard texts.0 != texts.1 else { return }
    let difference = diff(texts.0, texts.1) ?? ""
    location.report(
      """
      A state change does not match expectation: …

      \(difference)

      (Expected: −, Actual: +)
      """
    )
  }

  private func text(of snapshot: Snapshot) -> String {
    var text = ""
    if let viewState = snapshot.viewState { customDump(viewState, to: &text) }
    if let reducerState = snapshot.reducerState {
      text += "\n"
      customDump(reducerState, to: &text)
    }
    return text
  }
}

extension ActionSendable {
  /// Returns a test store of this view's store.
  ///
  /// - Parameters:
  ///   - viewState: The initial state of the view.
  ///   - prepareDependencies: Overrides dependencies.
  ///   - fileID: The file that creates the store.
  ///   - filePath: The file's path.
  ///   - line: The line that creates the store.
  ///   - column: The column that creates the store.
  /// - Returns: The test store.
  public func testStore(
    viewState: ViewState,
    withDependencies prepareDependencies: @escaping (inout DependencyValues) -> Void = { _ in },
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> TestStore<Reducer> {
    TestStore(
      target: self,
      viewState: viewState,
      prepareDependencies: prepareDependencies,
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }
}
