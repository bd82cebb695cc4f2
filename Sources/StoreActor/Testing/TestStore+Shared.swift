extension TestStore {
  /// Asserts others' changes of shared values, past ones or within a time: by another process, a
  /// file, or a model.
  ///
  /// ```swift
  /// let store = TestStore(initialState: Form.State()) {
  ///   Form()
  /// } withDependencies: {
  ///   connection.share(in: &$0)
  /// }
  /// …
  /// await store.receiveSharedChange { $0.$settings.withLock { $0 = Settings() } }
  /// ```
  ///
  /// Several changes may arrive as one. So this waits until the total change matches the closure's
  /// result, and reports the difference if it never does.
  ///
  /// - `duration`: The time limit, in real time; ``timeout`` if nil.
  /// - `updateStateToExpectedResult`: Changes the state that the test knows to the one after the
  ///   change. It is called once for each change that arrives.
  public func receiveSharedChange(
    timeout duration: Duration? = nil,
    assert updateStateToExpectedResult: @escaping (_ state: inout State) throws -> Void,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    recorder.at(location)
    let duration = duration ?? timeout
    var seen: UInt64?
    var failure: String?
    let fits = await wait(for: duration) {
      recorder.showShared()
      guard recorder.hasSharedChange else { return false }
      if seen != recorder.currentVersion {
        seen = recorder.currentVersion
        let expectation = StateExpectation(
          from: (recorder.state, recorder.version),
          to: (recorder.currentState, recorder.currentVersion),
        )
        failure = self.failure(of: expectation, updateStateToExpectedResult)
      }
      return failure == nil
    }
    if seen == nil { reportNoSharedChange(after: duration, at: location) }
    if !fits, let failure { location.report(failure) }
    if recorder.received.isEmpty { recorder.knowAll() }
    checkSubject(at: location)
  }

  private func reportNoSharedChange(after duration: Duration, at location: IssueLocation) {
    location.report(
      """
      Expected shared values to be changed by others, but they weren't\
      \(duration > .zero ? " after \(duration)" : "").

      To fix, see to it that whoever changes them shares the same ones, by an equal key and in the \
      same storage or daemon. If it needs more time, give "receiveSharedChange" a longer "timeout".
      """
    )
  }
}
