extension TestStore {
  /// Sends an action, and asserts that a reducer refuses it.
  ///
  /// ```swift
  /// await store.send(.add("last"), refused: "At most 50 jobs.", code: "full")
  /// ```
  ///
  /// A refused action changes nothing, so there is no closure for the expected state. A refusal
  /// that a test does not assert is a failure.
  ///
  /// - `action`: The action.
  /// - `reason`: The expected reason.
  /// - `code`: The expected code; nil for any code.
  ///
  /// Returns the task of the action, which has no effects.
  @discardableResult
  public func send(
    _ action: Action,
    refused reason: String,
    code: String? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async -> TestStoreTask {
    await send(
      action,
      expecting: .refused(ExpectedRefusal(reason: reason, code: code)),
      update: nil,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Sends an action without a value, and asserts that a reducer refuses it.
  ///
  /// - `action`: The case of the action.
  /// - `reason`: The expected reason.
  /// - `code`: The expected code; nil for any code.
  ///
  /// Returns the task of the action, which has no effects.
  @discardableResult
  public func send(
    _ action: CaseKeyPath<Action, Void>,
    refused reason: String,
    code: String? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async -> TestStoreTask {
    await send(
      AnyCasePath(action).embed(()),
      expecting: .refused(ExpectedRefusal(reason: reason, code: code)),
      update: nil,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Sends an action with a value, and asserts that a reducer refuses it.
  ///
  /// - `action`: The case of the action.
  /// - `value`: The value of the action.
  /// - `reason`: The expected reason.
  /// - `code`: The expected code; nil for any code.
  ///
  /// Returns the task of the action, which has no effects.
  @discardableResult
  public func send<Value>(
    _ action: CaseKeyPath<Action, Value>,
    _ value: Value,
    refused reason: String,
    code: String? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async -> TestStoreTask {
    await send(
      AnyCasePath(action).embed(value),
      expecting: .refused(ExpectedRefusal(reason: reason, code: code)),
      update: nil,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Waits for an action of an effect, and asserts that a reducer refuses it.
  ///
  /// - `expectedAction`: The action.
  /// - `reason`: The expected reason.
  /// - `code`: The expected code; nil for any code.
  /// - `duration`: The time to wait; nil for the store's own.
  public func receive(
    _ expectedAction: Action,
    refused reason: String,
    code: String? = nil,
    timeout duration: Duration? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async where Action: Equatable {
    await receive(
      .equal(to: expectedAction),
      timeout: duration,
      refused: ExpectedRefusal(reason: reason, code: code),
      update: nil,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Waits for an action of an effect by its case, and asserts that a reducer refuses it.
  ///
  /// - `actionCase`: The case of the action.
  /// - `reason`: The expected reason.
  /// - `code`: The expected code; nil for any code.
  /// - `duration`: The time to wait; nil for the store's own.
  @_disfavoredOverload
  public func receive<Value>(
    _ actionCase: CaseKeyPath<Action, Value>,
    refused reason: String,
    code: String? = nil,
    timeout duration: Duration? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    await receive(
      .of(actionCase),
      timeout: duration,
      refused: ExpectedRefusal(reason: reason, code: code),
      update: nil,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }
}

/// A refusal that a test expects.
struct ExpectedRefusal {
  let reason: String
  /// The code; nil for any code.
  let code: String?

  /// The message for an action that was not refused.
  func missing(_ outcome: String) -> String {
    """
    Expected a refusal, but the action \(outcome): …

      Expected reason:
        "\(reason)"

    To fix, let the reducer return ".refuse" for this action in this state, or send the action \
    without "refused".
    """
  }

  /// Compares a refusal with the expected one, and reports a difference.
  ///
  /// - Parameters:
  ///   - expected: The expected refusal; nil if none is expected.
  ///   - actual: The reducer's refusal; nil if the action was accepted.
  ///   - subject: The action, as the subject of a sentence.
  ///   - method: The method of the test store that asserts a refusal.
  ///   - location: The position in the test.
  static func check(
    _ expected: ExpectedRefusal?,
    _ actual: Refusal?,
    of subject: String,
    _ method: String,
    at location: IssueLocation,
  ) {
    guard let actual else {
      if let expected { location.report(expected.missing("was accepted")) }
      return
    }
    guard let expected else {
      return location.report(
        """
        \(subject) was refused: "\(actual.reason)"

        To fix, change the state or the action so that the reducer accepts it, or assert the \
        refusal with "store.\(method)(…, refused: …)".
        """
      )
    }
    if expected.reason != actual.reason {
      location.report(
        """
        \(subject) was refused for another reason: …

        \(difference(expected.reason, actual.reason, labels: ("Expected", "Actual")))
        """
      )
    } else if let code = expected.code, code != actual.code {
      location.report(
        """
        \(subject) was refused with another code: …

        \(difference(code, actual.code ?? "nil", labels: ("Expected", "Actual")))
        """
      )
    }
  }
}
