public import StoreActor
import StoreActorClassic

extension TestStore {
  /// Asserts that an effect sends an action within a time, and what it changes.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - timeout: How long to wait for it, in seconds of real time.
  ///   - expected: Makes of the state before the action the one after it.
  ///   - fileID: The file that the assertion is in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the assertion is in.
  ///   - column: The column that the assertion is in.
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

  /// Asserts that an effect sends an action of a case within a time, and what it changes.
  ///
  /// - Parameters:
  ///   - casePath: The case.
  ///   - timeout: How long to wait for it, in seconds of real time.
  ///   - expected: Makes of the state before the action the one after it.
  ///   - fileID: The file that the assertion is in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the assertion is in.
  ///   - column: The column that the assertion is in.
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

  /// Asserts that an effect sends an action within a time, whatever it changes.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - timeout: How long to wait for it, in seconds of real time.
  ///   - fileID: The file that the assertion is in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the assertion is in.
  ///   - column: The column that the assertion is in.
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

  /// Asserts that an effect sends an action of a case within a time, whatever it changes.
  ///
  /// - Parameters:
  ///   - casePath: The case.
  ///   - timeout: How long to wait for it, in seconds of real time.
  ///   - fileID: The file that the assertion is in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the assertion is in.
  ///   - column: The column that the assertion is in.
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

  /// Takes the first action that was received, whether it is the one that was wanted or not.
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

  /// That the state is what a closure makes of the one before.
  private struct Expectation {
    let update: ((StateContainer<Reducer.Target>) -> Void)?
  }
}

/// How long to wait for an action, and where the test says so.
private struct ReceiveLimit {
  let seconds: Double
  let location: IssueLocation

  init(_ seconds: Double, _ location: IssueLocation) {
    self.seconds = max(0, seconds)
    self.location = location
  }

  var nanoseconds: UInt64 { UInt64(seconds * 1_000_000_000) }
}
