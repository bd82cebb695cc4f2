import Dispatch
import Synchronization
import ZeroMQ

/// Works with a file off the main thread, one piece of work after the other.
///
/// A file system may never answer. Then only this queue waits, and ``delay`` says so.
final class FileQueue: Sendable {
  /// How long a piece of work may take, in nanoseconds, before it counts as delayed.
  let patience: Int64
  let queue = DispatchQueue(label: "storeactor.files", qos: .userInitiated)
  /// When the piece of work in progress began; guarded by its mutex.
  private let start = Mutex<Int64?>(nil)

  init(patience: Int64 = 5_000_000_000) { self.patience = patience }

  /// Does a piece of work after those that were asked for before.
  func run(_ work: @escaping @Sendable () -> Void) { queue.async { self.perform(work) } }

  /// Does a piece of work; to be called on ``queue``.
  func perform<Result>(_ work: () -> Result) -> Result {
    start.withLock { $0 = LoopClock.nanoseconds }
    defer { start.withLock { $0 = nil } }
    return work()
  }

  /// How many seconds the work in progress takes already, where that is too long.
  var delay: Int64? {
    guard let start = start.withLock({ $0 }) else { return nil }
    let time = LoopClock.nanoseconds - start
    return time > patience ? time / 1_000_000_000 : nil
  }
}
