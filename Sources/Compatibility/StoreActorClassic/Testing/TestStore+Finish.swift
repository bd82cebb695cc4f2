import StoreActor

extension TestStore {
  /// Waits until all effects have ended, and reports those that do not end in time.
  ///
  /// - Parameters:
  ///   - nanoseconds: How long to wait, in real time; ``timeout`` when nil.
  ///   - fileID: The file that the assertion is in.
  ///   - filePath: The path of that file.
  ///   - line: The line that the assertion is in.
  ///   - column: The column that the assertion is in.
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

/// Lets other tasks run until a condition holds, or real time is up.
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
