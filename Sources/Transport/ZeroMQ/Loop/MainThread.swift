import CZMQ

/// The thread that the process started on.
package enum MainThread {
  /// Whether this code runs on it.
  ///
  /// Not the same as running on the main actor: in a program with an asynchronous `main`, the main
  /// actor moves to another thread at its first real suspension.
  package static var isCurrent: Bool { czmq_is_main_thread() }
}
