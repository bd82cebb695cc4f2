extension TestStore {
  /// Asserts what others have changed of shared values, or change within a time: another process,
  /// a file, a model.
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
  /// What several of them change may come as one change. So it waits until all that has come is
  /// what the closure makes of the state, and reports how they differ if that is never so.
  ///
  /// - `duration`: How long to wait for it, in real time; ``timeout`` when nil.
  /// - `updateStateToExpectedResult`: Makes of the state that the test knows the one after the
  ///   change. It is called once for each change that comes.
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
