#if os(Linux)
import CZMQ
import Glibc

/// The main dispatch queue, and so the main actor, served by the program's own poll loop.
///
/// Only for a program that keeps the main thread. After `dispatchMain()` or in an asynchronous
/// `main`, libdispatch serves the queue and these functions must not be called.
package enum MainQueue {
  /// Becomes readable when work is added to the main queue.
  ///
  /// The descriptor belongs to libdispatch: poll it, but neither read nor close it.
  package static var descriptor: Int32 { _dispatch_get_main_queue_handle_4CF() }

  /// Runs the work on the main queue, including work that is added meanwhile.
  ///
  /// Must be called on the main thread, when ``descriptor`` is readable.
  package static func drain() {
    precondition(MainThread.isCurrent, "the main queue can only be drained on the main thread")
    acknowledge()
    _dispatch_main_queue_callback_4CF(nil)
  }

  /// Makes the descriptor unreadable *before* the work runs: later work makes it readable again, so
  /// the loop does not miss it.
  private static func acknowledge() {
    var wakeUps: UInt64 = 0
    // The event counter does not block: a failure means that it was zero.
    _ = read(descriptor, &wakeUps, MemoryLayout.size(ofValue: wakeUps))
  }
}
#endif
