import CustomDump

extension TestStore {
  /// Sends an action and asserts its changes.
  ///
  /// It returns after the action has been reduced and its effects have had enough turns to reach
  /// their first wait: actions that an effect sends without waiting, or after a sleep on an
  /// immediate clock, have been sent.
  ///
  /// - `action`: The action.
  /// - `updateStateToExpectedResult`: Changes the state before the action to the one after it. Omit
  ///   it if no change is expected.
  ///
  /// Returns the task of the action's effects: wait for them, or cancel them.
  @discardableResult
  public func send(
    _ action: Action,
    assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async -> TestStoreTask {
    await send(
      action,
      expecting: .applied,
      update: updateStateToExpectedResult,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Sends the action of a case without a value, and asserts its changes.
  @discardableResult
  public func send(
    _ action: CaseKeyPath<Action, Void>,
    assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async -> TestStoreTask {
    await send(
      AnyCasePath(action).embed(()),
      assert: updateStateToExpectedResult,
      fileID: fileID,
      filePath: filePath,
      line: line,
      column: column,
    )
  }

  /// Sends the action of a case with a value, and asserts its changes.
  @discardableResult
  public func send<Value>(
    _ action: CaseKeyPath<Action, Value>,
    _ value: Value,
    assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async -> TestStoreTask {
    await send(
      AnyCasePath(action).embed(value),
      assert: updateStateToExpectedResult,
      fileID: fileID,
      filePath: filePath,
      line: line,
      column: column,
    )
  }

  /// Asserts the current state, without an action.
  ///
  /// Mostly useful in a non-exhaustive test, for example after `await store.finish()`.
  ///
  /// - `updateStateToExpectedResult`: Sets the expected values in the state.
  public func assert(
    _ updateStateToExpectedResult: @escaping (_ state: inout State) throws -> Void,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    recorder.at(location)
    recorder.showShared()
    if subject.isObserved { recorder.catchUp() } else { recorder.note(state: core.state) }
    check(
      StateExpectation(
        from: (recorder.state, recorder.version),
        to: (recorder.currentState, recorder.currentVersion),
        mayChangeNothing: true,
      ),
      update: updateStateToExpectedResult,
      at: location,
    )
    if recorder.received.isEmpty { recorder.knowAll() }
    checkSubject(at: location)
  }

  /// Reports a fault of the test's subject, in addition to the feature's behavior.
  func checkSubject(at location: IssueLocation) {
    if let complaint = subject.complaint() { location.report(complaint) }
  }

  /// Gives the tasks of effects an opportunity to start.
  func letEffectsBegin() async {
    if uncheckedUseMainSerialExecutor { await Task.yield() } else { await Task.megaYield() }
  }

  private func noteOutcome(
    of action: Action,
    _ task: StoreTask,
    expecting expectation: ExpectedOutcome,
    at location: IssueLocation,
  ) async {
    do {
      let applied = try await task.appliedAction()
      switch expectation {
      case .applied:
        if let reply = applied.reply { reportUnassertedReply(reply, at: location) }
      case .replied(let reply):
        if let difference = try await reply.difference(task) { location.report(difference) }
      case .refused(let refusal):
        location.report(refusal.missing("was applied at revision \(applied.revision)"))
      }
    } catch let failure as ActionFailure where failure.refusal != nil {
      let refusal = expectation.refusal
      ExpectedRefusal.check(refusal, failure.refusal, of: "The action", "send", at: location)
    } catch {
      location.report("The action was not applied: \(error)")
    }
    guard !subject.isObserved else { return }
    recorder.note(state: core.state)
    if !task.isFinished { recorder.foreignTasks.append((action, task, location)) }
  }

  private func reportDismissed(_ action: Action, at location: IssueLocation) {
    var dump = ""
    customDump(action, to: &dump, indent: 4)
    location.report(
      """
      Can't send action to dismissed test store. …

        Action:
      \(dump)

      The feature has called "dismiss": in a program it is gone by now, and nobody can send it \
      anything. To fix, end the test here, or begin another one with a new store.
      """
    )
  }

  /// Reports actions that should have been received before the next one is sent.
  private func dealWithUnreceivedActions(before action: Action, at location: IssueLocation) {
    let unreceived = recorder.received
    guard let last = unreceived.last else { return }
    let message = """
      Must handle \(unreceived.count) received action\(unreceived.count == 1 ? "" : "s") before \
      sending an action: …

        Unhandled actions:
      \(TestRecorder<State, Action>.list(unreceived.map(\.action)))

      To fix, receive the action\(unreceived.count == 1 ? "" : "s") with "store.receive" first.
      """
    recorder.report(message, at: location)
    if exhaustivity != .on {
      recorder.know(last)
      recorder.removeReceived(upTo: unreceived.count)
    }
  }
}

extension TestStore {
  /// Sends an action, and checks its outcome and its changes.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - expectation: The expected outcome.
  ///   - update: Changes the known state to the expected one.
  ///   - location: The position in the test.
  /// - Returns: The task of the action's effects.
  func send(
    _ action: Action,
    expecting expectation: ExpectedOutcome,
    update: ((inout State) throws -> Void)?,
    at location: IssueLocation,
  ) async -> TestStoreTask {
    recorder.at(location)
    if isDismissed { reportDismissed(action, at: location) }
    dealWithUnreceivedActions(before: action, at: location)
    dealWithUnreceivedOutputs(at: location)
    let previous = (recorder.state, recorder.version)
    let task = recorder.sending { core.send(action) }
    await noteOutcome(of: action, task, expecting: expectation, at: location)
    if subject.isObserved { await letEffectsBegin() }
    check(
      StateExpectation(
        from: previous,
        to: (recorder.state, recorder.version),
        setsShared: recorder.setsShared,
      ),
      update: update,
      at: location,
    )
    if subject.isObserved { await letEffectsRun() }
    checkSubject(at: location)
    return TestStoreTask(task: task, timeout: timeout)
  }
}
