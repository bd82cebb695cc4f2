import StoreActor

extension TestStore {
  /// Waits until all effects have ended, and reports those that do not end in time.
  ///
  /// - Parameters:
  ///   - nanoseconds: The time limit, in real time; ``timeout`` if nil.
  ///   - fileID: The file that contains the assertion.
  ///   - filePath: The file's path.
  ///   - line: The line of the assertion.
  ///   - column: The column of the assertion.
  public func finish(
    timeout nanoseconds: UInt64? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    record.location = location
    let isFinished = await wait(upTo: nanoseconds ?? timeout) { [record] in
      record.running.isEmpty
    }
    guard !isFinished else { return }
    location.report(
      """
      Expected effects to finish, but there are still effects running. …

      Effects of these actions are still running: \(dump(record.running.map(\.action)))

      To fix, advance the test scheduler if one waits for that. If it needs more time, give \
      "finish" a longer "timeout".
      """
    )
  }
}

/// Lets other tasks run until a condition holds or a limit of real time has passed.
@MainActor
package func wait(upTo nanoseconds: UInt64, until condition: @MainActor () -> Bool) async -> Bool {
  await Task.megaYield()
  let clock = ContinuousClock()
  let deadline = clock.now.advanced(by: .nanoseconds(Int64(clamping: nanoseconds)))
  while !condition() {
    if Task.isCancelled || clock.now >= deadline { return condition() }
    await Task.megaYield(count: 1)
  }
  return true
}
