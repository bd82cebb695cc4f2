#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Whether values are being read from bytes.
///
/// A state that is being read begins with the defaults of its properties. They must have no effects
/// outside of the process: the bytes replace them, and the state may be a copy of a remote one.
///
/// Reading never suspends, so the mark belongs to the thread. A task-local value is allocated for
/// each scope, and a daemon opens a scope for each action: that cost a fifth of its throughput.
@usableFromInline
package enum ReadingScope {
  /// The slot in which each thread keeps its mark.
  private static let slot: pthread_key_t = {
    var key = pthread_key_t()
    let code = pthread_key_create(&key, nil)
    precondition(code == 0, "The system has no slot for a thread's own value: error \(code)")
    return key
  }()

  /// Whether this code runs while values are read from bytes.
  package static var isCurrent: Bool { pthread_getspecific(slot) != nil }

  /// Runs an operation that reads values from bytes.
  ///
  /// - Parameter operation: The operation.
  /// - Returns: The operation's result.
  /// - Throws: The operation's error.
  @inlinable
  package static func run<R, Failure: Error>(
    _ operation: () throws(Failure) -> R
  ) throws(Failure) -> R {
    let isOutermost = open()
    defer { if isOutermost { close() } }
    return try operation()
  }

  /// Opens a scope on this thread, unless one is open.
  ///
  /// - Returns: Whether this call opened it, so that the caller must close it.
  @usableFromInline
  package static func open() -> Bool {
    if isCurrent { return false }
    set(UnsafeRawPointer(bitPattern: 1))
    return true
  }

  /// Closes the scope of this thread.
  @usableFromInline
  package static func close() { set(nil) }

  private static func set(_ mark: UnsafeRawPointer?) {
    let code = pthread_setspecific(slot, mark)
    precondition(code == 0, "A thread's own value cannot be set: error \(code)")
  }
}
