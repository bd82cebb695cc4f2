public import StoreActor
import StoreActorClassic

extension TestStore {
  /// Asserts that an effect sends an action with given changes within a time limit.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - timeout: The time limit, in seconds of real time.
  ///   - expected: Changes the previous state into the expected one.
  ///   - fileID: The file that contains the assertion.
  ///   - filePath: The file's path.
  ///   - line: The line of the assertion.
  ///   - column: The column of the assertion.
  public func receive(
    _ action: Reducer.Action,
    timeout: Double = 5,
    expected: ((StateContainer<Reducer.Target>) -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async where Reducer.Action: Equatable {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    await take(
      .init(timeout, location),
      wanted: "\(action)",
      check: Expectation(update: expected),
    ) { $0 == action }
  }

  /// Asserts that an effect sends an action of a case with given changes within a time limit.
  ///
  /// - Parameters:
  ///   - casePath: The case.
  ///   - timeout: The time limit, in seconds of real time.
  ///   - expected: Changes the previous state into the expected one.
  ///   - fileID: The file that contains the assertion.
  ///   - filePath: The file's path.
  ///   - line: The line of the assertion.
  ///   - column: The column of the assertion.
  @_disfavoredOverload
  public func receive<Value>(
    _ casePath: CaseKeyPath<Reducer.Action, Value>,
    timeout: Double = 5,
    expected: ((StateContainer<Reducer.Target>) -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let path = AnyCasePath(casePath)
    let wanted = "an action of a case with a '\(Value.self)'"
    await take(.init(timeout, location), wanted: wanted, check: Expectation(update: expected)) {
      path.extract(from: $0) != nil
    }
  }

  /// Asserts that an effect sends an action within a time limit, regardless of its changes.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - timeout: The time limit, in seconds of real time.
  ///   - fileID: The file that contains the assertion.
  ///   - filePath: The file's path.
  ///   - line: The line of the assertion.
  ///   - column: The column of the assertion.
  public func receiveWithoutStateCheck(
    _ action: Reducer.Action,
    timeout: Double = 5,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async where Reducer.Action: Equatable {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    await take(.init(timeout, location), wanted: "\(action)", check: nil) { $0 == action }
  }

  /// Asserts that an effect sends an action of a case within a time limit, regardless of
  /// its changes.
  ///
  /// - Parameters:
  ///   - casePath: The case.
  ///   - timeout: The time limit, in seconds of real time.
  ///   - fileID: The file that contains the assertion.
  ///   - filePath: The file's path.
  ///   - line: The line of the assertion.
  ///   - column: The column of the assertion.
  @_disfavoredOverload
  public func receiveWithoutStateCheck<Value>(
    _ casePath: CaseKeyPath<Reducer.Action, Value>,
    timeout: Double = 5,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let path = AnyCasePath(casePath)
    let wanted = "an action of a case with a '\(Value.self)'"
    await take(.init(timeout, location), wanted: wanted, check: nil) {
      path.extract(from: $0) != nil
    }
  }

  /// Removes the first received action, whether it is the expected one or not.
  private func take(
    _ limit: ReceiveLimit,
    wanted: String,
    check expectation: Expectation?,
    isWanted: (Reducer.Action) -> Bool,
  ) async {
    let location = limit.location
    record.location = location
    let isThere = await wait(upTo: limit.nanoseconds) { [record] in !record.received.isEmpty }
    guard isThere else {
      location.report(
        """
        Expected to receive \(wanted), but received nothing within \(limit.seconds) seconds.

        To fix, override the clock that the effect waits for, if it does, with an immediate one or \
        with a test clock that the test advances.
        """
      )
      return
    }
    let received = record.received.removeFirst()
    if !isWanted(received.action) {
      location.report(
        "Expected to receive \(wanted), but received another action: …\n\n\(received.action)"
      )
    }
    let previous = record.state
    record.state = received.state
    if let expectation {
      check(expectation.update, from: previous, to: received.state, at: location)
    }
    await Task.megaYield()
  }

  /// The expectation that a closure changes the previous state into the actual one.
  private struct Expectation {
    let update: ((StateContainer<Reducer.Target>) -> Void)?
  }
}

/// The time limit for an action, and the location of the assertion.
private struct ReceiveLimit {
  let seconds: Double
  let location: IssueLocation

  init(_ seconds: Double, _ location: IssueLocation) {
    self.seconds = max(0, seconds)
    self.location = location
  }

  var nanoseconds: UInt64 { UInt64(seconds * 1_000_000_000) }
}
