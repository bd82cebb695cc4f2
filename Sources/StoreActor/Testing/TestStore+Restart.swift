extension TestStore {
  /// Ends the feature's daemon and starts it again, and asserts the changes.
  ///
  /// ```swift
  /// await store.send(.printButtonTapped) { $0.isPrinting = true }
  /// await store.restart {
  ///   $0.isPrinting = false
  ///   $0.interruptions = 1
  ///   …
  /// }
  /// ```
  ///
  /// All effects end, without an action. Schedules go on. If the state is a `DurableState`, its
  /// `@DurableIgnored` properties have their defaults. Then the features are informed, by
  /// ``Reducer/onRestored(_:)`` and ``Reducer/onStart(_:)``. Actions that were received before must
  /// be asserted before.
  ///
  /// - `interrupted`: The named effects that the end has interrupted, with their paths from the
  ///   store's feature; in a remote test, from the root. By default, all that run.
  /// - `wasStopped`: Whether the daemon before was stopped in order.
  /// - `updateStateToExpectedResult`: Changes the state before the restart to the one after it.
  public func restart(
    interrupted: [InterruptedEffect]? = nil,
    wasStopped: Bool = false,
    assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    recorder.at(location)
    guard let restart = subject.restart else {
      location.report(
        """
        The daemon of this store cannot be restarted: the test has only a client's view of it.

        To fix, create the test store with "TestStore(initialState:)" or "TestStore(remote:)".
        """
      )
      return
    }
    recorder.reportUnhandledActions(at: location)
    if let last = recorder.received.last {
      recorder.know(last)
      recorder.removeReceived(upTo: recorder.received.count)
    }
    let previous = (recorder.state, recorder.version)
    restart(interrupted, wasStopped)
    await letEffectsBegin()
    check(
      StateExpectation(from: previous, to: (recorder.state, recorder.version)),
      update: updateStateToExpectedResult,
      at: location,
    )
    await letEffectsRun()
    checkSubject(at: location)
  }
}
