extension TestStore {
  /// Waits until all effects have ended, and reports effects that exceed the time limit.
  ///
  /// It also reports actions that were sent before and not received.
  ///
  /// - `duration`: The time limit, in real time; ``timeout`` if nil.
  public func finish(
    timeout duration: Duration? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let duration = duration ?? timeout
    recorder.at(location)
    recorder.reportUnhandledActions(at: location)
    let isFinished = await wait(for: duration) { recorder.runningActions.isEmpty }
    checkSubject(at: location)
    guard !isFinished else { return }
    location.report(
      """
      Expected effects to finish, but there are still effects in-flight\
      \(duration > .zero ? " after \(duration)" : ""). …

        Actions with effects that are still running:
      \(TestRecorder<State, Action>.list(recorder.runningActions.map(\.action)))

      To fix, advance the test clock if one waits for it. If it needs more time, give "finish" a \
      longer "timeout".
      """
    )
  }

  /// Skips all actions that effects have sent, without asserting them.
  ///
  /// - `strict`: Whether their absence is a mistake.
  public func skipReceivedActions(
    strict: Bool = true,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    recorder.at(location)
    await Task.megaYield()
    let skipped = recorder.received
    guard let last = skipped.last else {
      if strict { location.report("There were no received actions to skip.") }
      return
    }
    recorder.know(last)
    recorder.removeReceived(upTo: skipped.count)
    guard exhaustivity == .off(showSkippedAssertions: true) else { return }
    recorder.printSkipped(
      """
      \(skipped.count) received action\(skipped.count == 1 ? " was" : "s were") skipped: …

      \(TestRecorder<State, Action>.list(skipped.map(\.action)))
      """,
      at: location,
    )
  }

  /// Skips all running effects: they continue, but need not end before the test.
  ///
  /// - `strict`: Whether their absence is a mistake.
  public func skipInFlightEffects(
    strict: Bool = true,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    recorder.at(location)
    await Task.megaYield()
    let actions = recorder.runningActions.map(\.action)
    if actions.isEmpty {
      if strict { location.report("There were no in-flight effects to skip.") }
      return
    }
    recorder.forgetRunningEffects()
    guard exhaustivity == .off(showSkippedAssertions: true) else { return }
    recorder.printSkipped(
      """
      The effects of \(actions.count) action\(actions.count == 1 ? " were" : "s were") skipped: …

      \(TestRecorder<State, Action>.list(actions))
      """,
      at: location,
    )
  }
}
