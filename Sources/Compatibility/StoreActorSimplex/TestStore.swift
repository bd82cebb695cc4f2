import StoreActor
import StoreActorClassic

/// A store for tests, which wants everything asserted that a view's reducer does.
///
/// ```swift
/// let store = MyView().testStore(viewState: .init())
/// await store.send(.increment) { $0.counter = 1 }
/// ```
///
/// Every change of the view's state and of the reducer's own is stated in a closure, every action
/// that an effect sends has to be received. What is not so is reported, at the latest when the
/// store goes.
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
        record.note(action, state)
        return record.track(effect, of: action)
      },
      withDependencies: prepareDependencies,
    )
    self.base = base
    // With the store alive, as its effects are cancelled when it goes.
    completion = TestCompletion { withExtendedLifetime(base) { record.complete() } }
  }

  /// Sends an action and asserts what it changes; its effects have begun when this returns.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - expected: Makes of the state before the action the one after it.
  ///   - fileID: The file that the assertion is in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the assertion is in.
  ///   - column: The column that the assertion is in.
  /// - Returns: What follows from the action.
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
    check(expected, from: previous, to: record.state, at: location)
    await Task.megaYield()
    return SendTask(task: task)
  }

  /// Waits until all effects have ended.
  public func waitForAll() async {
    _ = await wait(upTo: 5_000_000_000) { [record] in record.running.isEmpty }
  }

  /// Reports when a closure does not make of a state what became of it.
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
  /// A test store of this view's store.
  ///
  /// - Parameters:
  ///   - viewState: The state that the view begins with.
  ///   - prepareDependencies: Overrides dependencies.
  ///   - fileID: The file that the store is made in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the store is made in.
  ///   - column: The column that the store is made in.
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
