import CustomDump
import StoreActor

extension TestStore where LocalState: Equatable, Action: Equatable {
  /// Asserts that an effect has sent an action with given changes, without waiting for it.
  ///
  /// - Parameters:
  ///   - expectedAction: The expected action.
  ///   - updateExpectingResult: Changes the previous state into the expected one. Omit it if the
  ///     action changes no state.
  ///   - fileID: The file that contains the assertion.
  ///   - filePath: The file's path.
  ///   - line: The line of the assertion.
  ///   - column: The column of the assertion.
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

  /// Asserts that an effect sends an action with given changes within a time limit.
  ///
  /// - Parameters:
  ///   - expectedAction: The expected action.
  ///   - nanoseconds: The time limit, in real time; ``timeout`` if nil.
  ///   - updateExpectingResult: Changes the previous state into the expected one. Omit it if the
  ///     action changes no state.
  ///   - fileID: The file that contains the assertion.
  ///   - filePath: The file's path.
  ///   - line: The line of the assertion.
  ///   - column: The column of the assertion.
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
  /// Asserts that an effect has sent an action of a case with given changes, without waiting.
  ///
  /// This form suits actions that are not equatable.
  ///
  /// - Parameters:
  ///   - casePath: The case.
  ///   - updateExpectingResult: Changes the previous state into the expected one. Omit it if the
  ///     action changes no state.
  ///   - fileID: The file that contains the assertion.
  ///   - filePath: The file's path.
  ///   - line: The line of the assertion.
  ///   - column: The column of the assertion.
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

  /// Asserts that an effect sends an action of a case with given changes within a time limit.
  ///
  /// This form suits actions that are not equatable.
  ///
  /// - Parameters:
  ///   - casePath: The case.
  ///   - nanoseconds: The time limit, in real time; ``timeout`` if nil.
  ///   - updateExpectingResult: Changes the previous state into the expected one. Omit it if the
  ///     action changes no state.
  ///   - fileID: The file that contains the assertion.
  ///   - filePath: The file's path.
  ///   - line: The line of the assertion.
  ///   - column: The column of the assertion.
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

/// The action that a test expects, by value or by case.
struct ActionExpectation<Action> {
  /// A description of the expected action, for a report that no action was received.
  let wanted: String
  /// Describes the mismatch of an action; nil if it matches.
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
