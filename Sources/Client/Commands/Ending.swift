/// How a command ends that waits for one of several things: by the first of them.
@MainActor
final class Ending {
  /// How it has ended; nil while it goes on.
  private(set) var result: Result<Void, any Error>?
  private var waiting: CheckedContinuation<Void, Never>?

  /// Ends the command, unless it has ended.
  func end(_ result: Result<Void, any Error>) {
    guard self.result == nil else { return }
    self.result = result
    waiting?.resume()
    waiting = nil
  }

  /// Suspends until it has ended; one task at most waits for that.
  func reached() async {
    if result == nil { await withCheckedContinuation { waiting = $0 } }
  }
}
