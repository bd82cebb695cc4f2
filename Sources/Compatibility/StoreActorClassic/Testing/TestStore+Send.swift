import CustomDump
import StoreActor

extension TestStore where LocalState: Equatable {
  /// Sends an action and asserts its changes, without waiting.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - updateExpectingResult: Changes the previous state into the expected one. Omit it if the
  ///     action changes no state.
  ///   - fileID: The file that contains the assertion.
  ///   - filePath: The file's path.
  ///   - line: The line of the assertion.
  ///   - column: The column of the assertion.
  /// - Returns: A handle to cancel the action's effects, or to wait for them.
  @discardableResult
  public func send(
    _ action: LocalAction,
    _ updateExpectingResult: ((inout LocalState) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> TestStoreTask {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    return perform(action, updateExpectingResult, at: location)
  }

  /// Sends an action and asserts its changes; its effects have started when this returns.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - updateExpectingResult: Changes the previous state into the expected one. Omit it if the
  ///     action changes no state.
  ///   - fileID: The file that contains the assertion.
  ///   - filePath: The file's path.
  ///   - line: The line of the assertion.
  ///   - column: The column of the assertion.
  /// - Returns: A handle to cancel the action's effects, or to wait for them.
  @discardableResult
  public func send(
    _ action: LocalAction,
    _ updateExpectingResult: ((inout LocalState) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async -> TestStoreTask {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let task = perform(action, updateExpectingResult, at: location)
    await Task.megaYield()
    return task
  }

  private func perform(
    _ action: LocalAction,
    _ update: ((inout LocalState) throws -> Void)?,
    at location: IssueLocation,
  ) -> TestStoreTask {
    record.location = location
    if !record.received.isEmpty {
      let count = record.received.count
      location.report(
        """
        Must handle \(count) received action\(count == 1 ? "" : "s") before sending an action: …

        Unhandled actions: \(dump(record.received.map(\.action)))

        To fix, receive the action\(count == 1 ? "" : "s") with "store.receive" first.
        """
      )
    }
    let previous = state
    let task = submit(action)
    check(update, from: previous, to: state, at: location)
    return TestStoreTask(task: task, timeout: timeout)
  }

  /// Reports a difference between a closure's expected state and the actual state.
  func check(
    _ update: ((inout LocalState) throws -> Void)?,
    from previous: LocalState,
    to actual: LocalState,
    at location: IssueLocation,
  ) {
    var expected = previous
    do {
      try update?(&expected)
    } catch {
      location.report("The closure of an assertion threw an error: \(error)")
      return
    }
    guard expected == actual else {
      location.report(mismatch(expected, actual, hasUpdate: update != nil))
      return
    }
    guard update != nil, expected == previous else { return }
    location.report(
      """
      Expected state to change, but no change occurred.

      The closure leaves the state as it is. To fix, set in it what the action changes, or leave \
      it out if that is nothing.
      """
    )
  }

  private func mismatch(_ expected: LocalState, _ actual: LocalState, hasUpdate: Bool) -> String {
    let difference =
      diff(expected, actual, format: .proportional)
      .map { "\($0)\n\n(Expected: −, Actual: +)" }
      ?? "Expected:\n\(dump(expected, indent: 2))\n\nActual:\n\(dump(actual, indent: 2))"
    let heading =
      hasUpdate
      ? "A state change does not match expectation"
      : "State was not expected to change, but a change occurred"
    return "\(heading): …\n\n\(difference)"
  }
}
