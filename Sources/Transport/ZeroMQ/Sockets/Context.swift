import CZMQ
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The I/O threads that serve a process's sockets.
///
/// One per process is enough. Threads may share it, but not its sockets.
///
/// Isolation: `handle` never changes, and libzmq guards the context that it refers to; `life`
/// guards the count of open sockets and the termination.
package final class Context: Sendable {
  /// Seeds `rand()`, from which libzmq counts up routing ids and which it never seeds.
  ///
  /// Unseeded, all processes begin with the same ids, and a peer that claims the next id ends
  /// the process.
  private static let isSeeded: Void = {
    var generator = SystemRandomNumberGenerator()
    srand(generator.next())
  }()

  private struct Life {
    var openSockets = 0
    var isTerminated = false
  }

  // In libzmq, only a context may be used by any thread at any time.
  nonisolated(unsafe) let handle: UnsafeMutableRawPointer

  private let processID = getpid()
  private let life = Mutex(Life())

  /// Checks libzmq and the limit of descriptors, then starts the I/O threads.
  ///
  /// - Parameters:
  ///   - ioThreads: The number of threads; one serves about a gigabyte a second.
  ///   - maxSockets: The maximum number of open sockets; a socket has any number of peers.
  /// - Throws: ``ZeroMQError`` if the installed library is unsuitable or refuses one of the
  ///   numbers, or if the process may have too few descriptors.
  package init(ioThreads: Int = 1, maxSockets: Int = 1023) throws(ZeroMQError) {
    try ZeroMQLibrary.check()
    try FileDescriptorLimit.check()
    _ = Self.isSeeded
    guard let handle = zmq_ctx_new() else { throw .last("create", "a ZeroMQ context") }
    self.handle = handle
    try set(ZMQ_IO_THREADS, "ioThreads", ioThreads)
    try set(ZMQ_MAX_SOCKETS, "maxSockets", maxSockets)
    // Sockets then start with a linger of 0. With libzmq's default, which has no limit, one unsent
    // message to an absent peer would keep the process from exiting.
    try set(ZMQ_BLOCKY, "blocky", 0)
  }

  deinit {
    terminate()
  }

  /// Stops the I/O threads after the sockets' unsent messages are sent or their linger is over.
  ///
  /// All sockets must have been closed. Only the first call has an effect; `deinit` calls it, too.
  package func terminate() {
    let isFirst = life.withLock { life in
      precondition(
        life.openSockets == 0,
        "terminate() with \(life.openSockets) sockets open would wait for ever: close them first",
      )
      defer { life.isTerminated = true }
      return !life.isTerminated
    }
    // A forked child has no I/O threads, so the call would wait for ever there.
    guard isFirst, !isForkedCopy else { return }
    while zmq_ctx_term(handle) != 0 {
      precondition(zmq_errno() == EINTR, "zmq_ctx_term failed with error \(zmq_errno())")
    }
  }

  /// Makes every later call with one of its sockets fail, except closing it.
  package func shutDown() { zmq_ctx_shutdown(handle) }

  /// Whether this process is a fork of the one that created the context, and cannot use it.
  ///
  /// There every call fails with EINTR. Do not treat that as a signal, and do not retry the call.
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
