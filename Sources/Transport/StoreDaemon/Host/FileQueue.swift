import Dispatch
import Synchronization
import ZeroMQ

/// Works with a file off the main thread, one piece of work after the other.
///
/// A file system may never answer. Then only this queue waits, and ``delay`` reports it.
final class FileQueue: Sendable {
  /// The time that a piece of work may take before it counts as delayed, in nanoseconds.
  let patience: Int64
  let queue = DispatchQueue(label: "storeactor.files", qos: .userInitiated)
  /// The time at which the work in progress began; guarded by its mutex.
  private let start = Mutex<Int64?>(nil)

  init(patience: Int64 = 5_000_000_000) { self.patience = patience }

  /// Performs a piece of work after all earlier ones.
  func run(_ work: @escaping @Sendable () -> Void) { queue.async { self.perform(work) } }

  /// Performs a piece of work; to be called on ``queue``.
  func perform<Result>(_ work: () -> Result) -> Result {
    start.withLock { $0 = LoopClock.nanoseconds }
    defer { start.withLock { $0 = nil } }
    return work()
  }

  /// The duration of the work in progress in seconds, if it exceeds ``patience``; else nil.
  var delay: Int64? {
    guard let start = start.withLock({ $0 }) else { return nil }
    let time = LoopClock.nanoseconds - start
    return time > patience ? time / 1_000_000_000 : nil
  }
}
