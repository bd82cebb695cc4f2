#if os(Linux)
import CZMQ
import Glibc

/// The main dispatch queue, and so the main actor, served by a poll loop of the program's own.
///
/// Only for a program that has taken the main thread: where `dispatchMain()` or an asynchronous
/// `main` has given it up, the queue is served by libdispatch and these must not be called.
package enum MainQueue {
  /// Becomes readable when work was put on the main queue.
  ///
  /// Belongs to libdispatch: poll it, but neither read nor close it.
  package static var descriptor: Int32 { _dispatch_get_main_queue_handle_4CF() }

  /// Runs what is on the main queue, including what that puts there meanwhile.
  ///
  /// To be called on the main thread, when ``descriptor`` is readable.
  package static func drain() {
    precondition(MainThread.isCurrent, "the main queue can only be drained on the main thread")
    acknowledge()
    _dispatch_main_queue_callback_4CF(nil)
  }

  /// Makes the descriptor unreadable, *before* the work is done: what arrives while it is being
  /// done makes it readable again, and so cannot be missed.
  private static func acknowledge() {
    var wakeUps: UInt64 = 0
    // An event counter that does not block: a failure means that there was nothing to take.
    _ = read(descriptor, &wakeUps, MemoryLayout.size(ofValue: wakeUps))
  }
}
#endif
