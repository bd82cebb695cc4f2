import CustomDump
import StoreActor

extension TestStore where LocalState: Equatable, Action: Equatable {
  /// Asserts that an effect has sent an action, and what that changed, without waiting for it.
  ///
  /// - Parameters:
  ///   - expectedAction: The action.
  ///   - updateExpectingResult: Makes of the state before the action the one after it. Leave it out
  ///     when nothing is expected to change.
  ///   - fileID: The file that the assertion is in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the assertion is in.
  ///   - column: The column that the assertion is in.
  public func receive(
    _ expectedAction: Action,
    _ updateExpectingResult: ((inout LocalState) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) {
    take(
      .equal(to: expectedAction),
      updateExpectingResult,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Asserts that an effect sends an action within a time, and what that changes.
  ///
  /// - Parameters:
  ///   - expectedAction: The action.
  ///   - nanoseconds: How long to wait for it, in real time; ``timeout`` when nil.
  ///   - updateExpectingResult: Makes of the state before the action the one after it. Leave it out
  ///     when nothing is expected to change.
  ///   - fileID: The file that the assertion is in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the assertion is in.
  ///   - column: The column that the assertion is in.
  public func receive(
    _ expectedAction: Action,
    timeout nanoseconds: UInt64? = nil,
    _ updateExpectingResult: ((inout LocalState) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    await waitToTake(
      .equal(to: expectedAction),
      timeout: nanoseconds,
      updateExpectingResult,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }
}

extension TestStore where LocalState: Equatable {
  /// Asserts that an effect has sent an action of a case, and what that changed, without waiting.
  ///
  /// For actions that cannot be compared.
  ///
  /// - Parameters:
  ///   - casePath: The case.
  ///   - updateExpectingResult: Makes of the state before the action the one after it. Leave it out
  ///     when nothing is expected to change.
  ///   - fileID: The file that the assertion is in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the assertion is in.
  ///   - column: The column that the assertion is in.
  public func receive<Value>(
    _ casePath: AnyCasePath<Action, Value>,
    _ updateExpectingResult: ((inout LocalState) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) {
    take(
      .of(casePath),
      updateExpectingResult,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Asserts that an effect sends an action of a case within a time, and what that changes.
  ///
  /// For actions that cannot be compared.
  ///
  /// - Parameters:
  ///   - casePath: The case.
  ///   - nanoseconds: How long to wait for it, in real time; ``timeout`` when nil.
  ///   - updateExpectingResult: Makes of the state before the action the one after it. Leave it out
  ///     when nothing is expected to change.
  ///   - fileID: The file that the assertion is in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the assertion is in.
  ///   - column: The column that the assertion is in.
  public func receive<Value>(
    _ casePath: AnyCasePath<Action, Value>,
    timeout nanoseconds: UInt64? = nil,
    _ updateExpectingResult: ((inout LocalState) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    await waitToTake(
      .of(casePath),
      timeout: nanoseconds,
      updateExpectingResult,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  private func waitToTake(
    _ expectation: ActionExpectation<Action>,
    timeout nanoseconds: UInt64?,
    _ update: ((inout LocalState) throws -> Void)?,
    at location: IssueLocation,
  ) async {
    _ = await wait(upTo: nanoseconds ?? timeout) { [record] in !record.received.isEmpty }
    take(expectation, update, at: location)
    await Task.megaYield()
  }

  private func take(
    _ expectation: ActionExpectation<Action>,
    _ update: ((inout LocalState) throws -> Void)?,
    at location: IssueLocation,
  ) {
    record.location = location
    guard !record.received.isEmpty else {
      location.report(
        """
        Expected to receive an action, but received none. …

        \(expectation.wanted)

        \(advice)
        """
      )
      return
    }
    let received = record.received.removeFirst()
    if let mismatch = expectation.mismatch(received.action) { location.report(mismatch) }
    let previous = toLocalState(record.state)
    record.state = received.state
    check(update, from: previous, to: toLocalState(received.state), at: location)
  }

  private var advice: String {
    record.running.isEmpty
      ? """
      No effects are running that could send one. To fix, see to it that the \
      reducer returns one, and that nothing cancels it before.
      """
      : """
      There are effects running. To fix, advance the test scheduler if the one that sends the \
      action waits for that. If it is async, make the test async and await "receive".
      """
  }
}

/// Which action a test expects to receive, however it said so.
struct ActionExpectation<Action> {
  /// What was expected, when nothing came.
  let wanted: String
  /// What is wrong with an action; nil when nothing is.
  let mismatch: (Action) -> String?

  static func equal(to expected: Action) -> Self where Action: Equatable {
    Self(wanted: "Expected:\n\(dump(expected, indent: 2))") { actual in
      if actual == expected { return nil }
      let difference =
        diff(expected, actual, format: .proportional)
        .map { "\($0)\n\n(Expected: −, Received: +)" }
        ?? "Expected:\n\(dump(expected, indent: 2))\n\nReceived:\n\(dump(actual, indent: 2))"
      return "Received unexpected action: …\n\n\(difference)"
    }
  }

  static func of<Value>(_ casePath: AnyCasePath<Action, Value>) -> Self {
    Self(wanted: "Expected: an action of a case with a '\(Value.self)'") { actual in
      if casePath.extract(from: actual) != nil { return nil }
      return """
        Received unexpected action: …

        Expected:
          an action of a case with a "\(Value.self)"

        Received:
        \(dump(actual, indent: 2))
        """
    }
  }
}
