import CZMQ
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The I/O threads that serve a process's sockets.
///
/// One per process is enough. May be shared between threads; its sockets may not.
///
/// What guards what: `handle` never changes and libzmq guards what is behind it; the count of open
/// sockets and whether the context was terminated are behind `life`.
package final class Context: Sendable {
  /// Routing ids that the library makes up count up from a number of `rand()`, which it never
  /// seeds: they would begin alike everywhere, and who claims the next one ends the process.
  private static let isSeeded: Void = {
    var generator = SystemRandomNumberGenerator()
    srand(generator.next())
  }()

  private struct Life {
    var openSockets = 0
    var isTerminated = false
  }

  // A context is the one thing in libzmq that any thread may use at any time.
  nonisolated(unsafe) let handle: UnsafeMutableRawPointer

  private let processID = getpid()
  private let life = Mutex(Life())

  /// Starts the I/O threads, after a look at the library and at the descriptors that there are.
  ///
  /// - Parameters:
  ///   - ioThreads: One serves about a gigabyte a second.
  ///   - maxSockets: How many sockets may be open at once; a socket has any number of peers.
  /// - Throws: ``ZeroMQError`` when the library will not do or refuses one of the numbers, or when
  ///   the process may have too few descriptors.
  package init(ioThreads: Int = 1, maxSockets: Int = 1023) throws(ZeroMQError) {
    try ZeroMQLibrary.check()
    try FileDescriptorLimit.check()
    _ = Self.isSeeded
    guard let handle = zmq_ctx_new() else { throw .last("create", "a ZeroMQ context") }
    self.handle = handle
    try set(ZMQ_IO_THREADS, "ioThreads", ioThreads)
    try set(ZMQ_MAX_SOCKETS, "maxSockets", maxSockets)
    // Sockets then start with a linger of 0, not for ever: with the library's default one unsent
    // message to a peer that is away would keep the process from exiting.
    try set(ZMQ_BLOCKY, "blocky", 0)
  }

  deinit {
    terminate()
  }

  /// Stops the I/O threads, when what sockets still had to send is sent or their linger is over.
  ///
  /// All sockets must have been closed. Calling it again does nothing; `deinit` calls it, too.
  package func terminate() {
    let isFirst = life.withLock { life in
      precondition(
        life.openSockets == 0,
        "terminate() with \(life.openSockets) sockets open would wait for ever: close them first",
      )
      defer { life.isTerminated = true }
      return !life.isTerminated
    }
    // The I/O threads did not come along into a forked child: nobody would answer there.
    guard isFirst, !isForkedCopy else { return }
    while zmq_ctx_term(handle) != 0 {
      precondition(zmq_errno() == EINTR, "zmq_ctx_term failed with error \(zmq_errno())")
    }
  }

  /// Has every call with one of its sockets fail from now on, except closing it.
  package func shutDown() { zmq_ctx_shutdown(handle) }

  /// Whether this process is a fork of the one that created the context, and cannot use it.
  ///
  /// There every call fails with EINTR, which must not be taken for a signal and tried again.
  var isForkedCopy: Bool { getpid() != processID }

  func socketWillOpen() {
    life.withLock { life in
      precondition(!life.isTerminated, "a terminated context cannot open a socket")
      life.openSockets += 1
    }
  }

  func socketDidClose() {
    life.withLock { $0.openSockets -= 1 }
  }

  private func set(_ option: Int32, _ name: String, _ value: Int) throws(ZeroMQError) {
    guard zmq_ctx_set(handle, option, Int32(clamping: value)) == 0 else {
      throw .last("set option", "\(name) of a ZeroMQ context to \(value)")
    }
  }
}
