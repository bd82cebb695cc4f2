import CustomDump

extension TestStore {
  /// Sends an action, and asserts its changes and its reducer's reply.
  ///
  /// ```swift
  /// await store.send(.add("Milk"), replied: UUID(0)) {
  ///   $0.items.append(Item(id: UUID(0), title: "Milk"))
  /// }
  /// ```
  ///
  /// A reply that an exhaustive test does not assert is a failure.
  ///
  /// - `action`: The action.
  /// - `reply`: The expected reply.
  /// - `updateStateToExpectedResult`: Changes the state before the action to the one after it. Omit
  ///   it if no change is expected.
  ///
  /// Returns the task of the action's effects.
  @discardableResult
  public func send<Reply: Equatable & Sendable>(
    _ action: Action,
    replied reply: Reply,
    assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async -> TestStoreTask {
    await send(
      action,
      expecting: .replied(ExpectedReply(reply)),
      update: updateStateToExpectedResult,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Sends an action without a value, and asserts its changes and its reducer's reply.
  ///
  /// - `action`: The case of the action.
  /// - `reply`: The expected reply.
  /// - `updateStateToExpectedResult`: Changes the state before the action to the one after it.
  ///
  /// Returns the task of the action's effects.
  @discardableResult
  public func send<Reply: Equatable & Sendable>(
    _ action: CaseKeyPath<Action, Void>,
    replied reply: Reply,
    assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async -> TestStoreTask {
    await send(
      AnyCasePath(action).embed(()),
      expecting: .replied(ExpectedReply(reply)),
      update: updateStateToExpectedResult,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Sends an action with a value, and asserts its changes and its reducer's reply.
  ///
  /// - `action`: The case of the action.
  /// - `value`: The value of the action.
  /// - `reply`: The expected reply.
  /// - `updateStateToExpectedResult`: Changes the state before the action to the one after it.
  ///
  /// Returns the task of the action's effects.
  @discardableResult
  public func send<Value, Reply: Equatable & Sendable>(
    _ action: CaseKeyPath<Action, Value>,
    _ value: Value,
    replied reply: Reply,
    assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async -> TestStoreTask {
    await send(
      AnyCasePath(action).embed(value),
      expecting: .replied(ExpectedReply(reply)),
      update: updateStateToExpectedResult,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Reports a reply that the test should have asserted.
  func reportUnassertedReply(_ reply: ActionReply, at location: IssueLocation) {
    let value =
      switch reply {
      case .value(let value): OutputMatcher.dump(value)
      case .forgotten: "a reply that the daemon does not keep any more"
      }
    recorder.report(
      """
      The reducer has replied, and the test did not assert it: …

      \(value.indented(by: 4))

      To fix, assert the reply with "store.send(…, replied: …)". If the test is not about it, make \
      the test store non-exhaustive: "store.exhaustivity = .off".
      """,
      at: location,
    )
  }
}

/// The outcome of an action that a test expects.
enum ExpectedOutcome {
  /// It is applied, and there is no reply.
  case applied
  /// It is applied, and its reducer replies.
  case replied(ExpectedReply)
  /// Its reducer refuses it.
  case refused(ExpectedRefusal)

  /// The expected refusal; nil if the action is to be applied.
  var refusal: ExpectedRefusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

/// A reply that a test expects.
struct ExpectedReply {
  /// Compares the reply of an action with the expected one.
  ///
  /// It returns the report of a difference; nil if both are equal. It throws an error if the action
  /// was not applied.
  let difference: @MainActor (_ task: StoreTask) async throws -> String?

  init<Reply: Equatable & Sendable>(_ expected: Reply) {
    difference = { task in
      do {
        let actual = try await task.reply(Reply.self)
        if actual == expected { return nil }
        let difference = StoreActor.difference(expected, actual, labels: ("Expected", "Actual"))
        return "The reply of the reducer is another one: …\n\n\(difference)"
      } catch let failure as ReplyFailure {
        return """
          Expected a reply, but there is none of its type: …

          \(String(customDumping: expected).indented(by: 4))

          \(failure.message) \(failure.remedy)
          """
      }
    }
  }
}
