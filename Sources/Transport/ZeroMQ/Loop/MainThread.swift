import CZMQ

/// The thread on which the process started.
package enum MainThread {
  /// Whether this code runs on the main thread.
  ///
  /// This differs from running on the main actor: in a program with an asynchronous `main`, that
  /// actor moves to another thread at its first real suspension.
  package static var isCurrent: Bool { czmq_is_main_thread() }
}
