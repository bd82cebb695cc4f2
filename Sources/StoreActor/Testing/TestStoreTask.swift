/// The task of the effects of an action that a test sent.
///
/// ```swift
/// let task = await store.send(.startTimerButtonTapped)
/// await task.cancel()
/// ```
public struct TestStoreTask: Sendable {
  private let task: StoreTask
  private let timeout: Duration

  init(task: StoreTask, timeout: Duration) {
    self.task = task
    self.timeout = timeout
  }

  /// Cancels the effects of the action, and waits until they have ended.
  public func cancel() async {
    task.cancel()
    await task.finish()
  }

  /// Waits until the effects of the action have ended, and reports effects that exceed the
  /// time limit.
  ///
  /// - `duration`: The time limit, in real time; the test store's timeout if nil.
  @MainActor
  public func finish(
    timeout duration: Duration? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    let duration = duration ?? timeout
    guard await !waitForOthers(for: duration, until: { task.isFinished }) else { return }
    IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column).report(
      """
      Expected task to finish, but it is still in-flight\
      \(duration > .zero ? " after \(duration)" : "").

      To fix, advance the test clock if the task waits for it. If it needs more time, give \
      "finish" a longer "timeout".
      """
    )
  }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool {
    task.isCancelled
  }
}
