import StoreActor

/// A handle of the effects of an action that a test sent.
public struct TestStoreTask: Sendable {
  private let task: StoreTask
  private let timeout: UInt64

  init(task: StoreTask, timeout: UInt64) {
    self.task = task
    self.timeout = timeout
  }

  /// Cancels the effects of the action, and waits until they have ended.
  public func cancel() async {
    task.cancel()
    await task.finish()
  }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool { task.isCancelled }

  /// Waits until the effects of the action have ended, and reports them after a time limit.
  ///
  /// - Parameters:
  ///   - nanoseconds: The time limit, in real time; the test store's timeout if nil.
  ///   - fileID: The file that contains the assertion.
  ///   - filePath: The file's path.
  ///   - line: The line of the assertion.
  ///   - column: The column of the assertion.
  @MainActor
  public func finish(
    timeout nanoseconds: UInt64? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    let isFinished = await wait(upTo: nanoseconds ?? timeout) { task.isFinished }
    guard !isFinished else { return }
    IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column).report(
      """
      Expected task to finish, but it is still running.

      To fix, advance the test scheduler if it waits for that. If it needs more time, give \
      "finish" a longer "timeout".
      """
    )
  }
}
