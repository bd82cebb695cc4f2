extension TestStore {
  /// Asserts that an effect has sent an action, or sends it within a time, and its changes.
  ///
  /// - `expectedAction`: The action.
  /// - `duration`: The time limit, in real time; ``timeout`` if nil.
  /// - `updateStateToExpectedResult`: Changes the state before the action to the one after it.
  public func receive(
    _ expectedAction: Action,
    timeout duration: Duration? = nil,
    assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async where Action: Equatable {
    await receive(
      .equal(to: expectedAction),
      timeout: duration,
      update: updateStateToExpectedResult,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Asserts that an effect sends an action that a closure accepts, and its changes.
  @_disfavoredOverload
  public func receive(
    _ isMatching: @escaping (_ action: Action) -> Bool,
    timeout duration: Duration? = nil,
    assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    await receive(
      .satisfying(isMatching),
      timeout: duration,
      update: updateStateToExpectedResult,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Asserts that an effect sends an action of a case, with any value, and its changes.
  @_disfavoredOverload
  public func receive<Value>(
    _ actionCase: CaseKeyPath<Action, Value>,
    timeout duration: Duration? = nil,
    assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    await receive(
      .of(actionCase),
      timeout: duration,
      update: updateStateToExpectedResult,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Asserts that an effect sends an action of a case with a value, and its changes.
  @_disfavoredOverload
  public func receive<Value: Equatable>(
    _ actionCase: CaseKeyPath<Action, Value>,
    _ value: Value,
    timeout duration: Duration? = nil,
    assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    await receive(
      .of(actionCase, value),
      timeout: duration,
      update: updateStateToExpectedResult,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }
}

extension TestStore {
  func receive(
    _ matcher: ActionMatcher<Action>,
    timeout duration: Duration?,
    refused refusal: ExpectedRefusal? = nil,
    update: ((inout State) throws -> Void)?,
    at location: IssueLocation,
  ) async {
    recorder.at(location)
    guard subject.isObserved else { return reportUnobservable(matcher, at: location) }
    let duration = duration ?? timeout
    guard await waitForAction(matcher, for: duration) else {
      return reportNothingReceived(matcher, after: duration, at: location)
    }
    guard let index = indexToReceive(matcher) else {
      // Only a non-exhaustive store searches beyond the first action.
      return reportNothingReceived(matcher, after: duration, at: location)
    }
    let received = recorder.received[index]
    reportSkipped(upTo: index, at: location)
    let before = index == 0 ? nil : recorder.received[index - 1]
    let previous = (before?.state ?? recorder.state, before?.version ?? recorder.version)
    recorder.removeReceived(upTo: index + 1)
    recorder.know(received)
    if matcher.matches(received.action) {
      if refusal != nil || received.refusal != nil {
        let subject = "The received action"
        ExpectedRefusal.check(refusal, received.refusal, of: subject, "receive", at: location)
      }
      check(
        StateExpectation(
          from: previous,
          to: (received.state, received.version),
          setsShared: received.setsShared,
        ),
        update: update,
        at: location,
      )
    } else {
      // A single failure: another action's changes are unrelated to the expected action.
      location.report(matcher.unexpected(received.action))
    }
    await letEffectsRun()
    checkSubject(at: location)
  }

  /// Lets running effects proceed until they wait for a clock or the test.
  ///
  /// It takes twice as many turns as an ``ImmediateClock`` takes for a sleep, so that an effect's
  /// work after one sleep, also in a separate task, is done when the test continues. Without
  /// running effects it takes no turn.
  func letEffectsRun() async {
    for _ in 0..<40 where !recorder.runningActions.isEmpty { await Task.megaYield(count: 1) }
  }

  /// The index of the action to receive: the first in an exhaustive test, else the first match.
  private func indexToReceive(_ matcher: ActionMatcher<Action>) -> Int? {
    if exhaustivity == .on { return recorder.received.isEmpty ? nil : 0 }
    return recorder.received.firstIndex { matcher.matches($0.action) }
  }

  private func waitForAction(
    _ matcher: ActionMatcher<Action>,
    for duration: Duration,
  ) async -> Bool {
    await wait(for: duration) { self.indexToReceive(matcher) != nil }
  }

  private func reportNothingReceived(
    _ matcher: ActionMatcher<Action>,
    after duration: Duration,
    at location: IssueLocation,
  ) {
    let advice =
      recorder.runningActions.isEmpty
      ? """
      There are no in-flight effects that could deliver this action. To fix, see to it that the \
      reducer returns one that sends it, and that nothing cancels that before.
      """
      : """
      There are effects in-flight. To fix, advance the test clock if the one that sends this \
      action waits for a clock, or use an immediate clock. If it needs more time, give "receive" a \
      longer "timeout".
      """
    location.report(
      """
      \(matcher.missing("didn't\(duration > .zero ? " after \(duration)" : "")"))

      \(advice)
      """
    )
  }

  private func reportSkipped(upTo index: Int, at location: IssueLocation) {
    guard index > 0, exhaustivity == .off(showSkippedAssertions: true) else { return }
    let actions = recorder.received.prefix(index).map(\.action)
    recorder.printSkipped(
      """
      \(index) received action\(index == 1 ? " was" : "s were") skipped: …

      \(TestRecorder<State, Action>.list(actions))
      """,
      at: location,
    )
  }

  private func reportUnobservable(_ matcher: ActionMatcher<Action>, at location: IssueLocation) {
    location.report(
      """
      \(matcher.missing("didn't, as effects' actions are reduced in another process"))

      The actions of this store's effects cannot be seen here. To fix, assert the state that they \
      lead to, with "store.assert".
      """
    )
  }

  /// Lets other tasks run until a condition holds, or the time limit in real time is reached.
  func wait(for duration: Duration, until condition: () -> Bool) async -> Bool {
    await waitForOthers(for: duration, until: condition)
  }
}

/// Lets other tasks run until a condition holds, or the time limit in real time is reached.
///
/// On a busy machine the limit may be reached before other tasks had a turn, so each of them gets
/// some turns even after it.
@MainActor
func waitForOthers(for duration: Duration, until condition: () -> Bool) async -> Bool {
  await Task.megaYield()
  let clock = ContinuousClock()
  let deadline = clock.now.advanced(by: duration)
  var turns = duration > .zero ? 200 : 0
  while !condition() {
    if Task.isCancelled || (clock.now >= deadline && turns <= 0) { return condition() }
    turns -= 1
    // At the lowest priority, so that everything that is ready runs first.
    await Task.megaYield(count: 1)
  }
  return true
}
