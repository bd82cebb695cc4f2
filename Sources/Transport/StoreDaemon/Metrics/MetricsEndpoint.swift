import Dispatch
import Logging
import StoreProtocol
import StoreServer
import Synchronization
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Serves the daemon's metrics over HTTP at `/metrics`.
///
/// A separate thread handles the peers and never blocks on one of them. The main actor only counts,
/// at most once per ``Limits/freshness``, however many peers ask.
///
/// Isolation: the thread and the main actor share `inbox`, protected by its mutex. `thread` belongs
/// to the main actor. The descriptors are constant: only the thread reads the listening one, and
/// `deinit` closes all of them.
final class MetricsEndpoint: Sendable {
  enum Limits {
    /// Peers at once, of one holder, and of all other machines together: the rest is reserved for
    /// this machine.
    ///
    /// A further one replaces a slow one.
    static let peers = 32
    static let peersOfOne = 16
    static let peersOfOthers = 24
    /// Peers that wait for a place, of one holder and in all; a further one replaces the oldest.
    static let parkedOfOne = 8
    static let parked = 32
    /// Peers that are accepted in one round.
    static let accepted = 64
    /// Nanoseconds for a peer's request, and then for its response.
    static let patience: Int64 = 5_000_000_000
    /// Nanoseconds until a peer has to start its request if others wait to connect.
    static let hearing: Int64 = 100_000_000
    /// Nanoseconds for a request from its first byte on, if others wait to connect.
    static let asking: Int64 = 1_000_000_000
    /// Nanoseconds for a peer to close after its response.
    static let leaving: Int64 = 1_000_000_000
    /// Nanoseconds in which the main actor must count.
    static let answer: Int64 = 2_000_000_000
    /// Nanoseconds for which the same numbers are served again.
    static let freshness: Int64 = 100_000_000
    /// Nanoseconds for which no peer is accepted after the system ran out of descriptors.
    static let rest: Int64 = 100_000_000
  }

  /// Messages from the main actor to the thread.
  private struct Inbox {
    var metrics: StatusMetrics?
    var isStopped = false
  }

  /// The address that is bound.
  let address: MetricsAddress
  /// The hosts that requests may name.
  let hosts: MetricsHosts
  private let listener: Int32
  /// A pipe: a byte that is written to `rings` wakes the thread.
  private let bell: (rings: Int32, hears: Int32)
  private let inbox = Mutex(Inbox())
  @MainActor private var thread: HelperThread?

  /// Starts listening; requests are answered only after ``start(logger:_:)``.
  ///
  /// - Parameters:
  ///   - wanted: The address; a port 0 stands for one that is free.
  ///   - hosts: The hosts that requests may name.
  /// - Throws: ``HostError``.
  init(
    _ wanted: MetricsAddress,
    hosts: MetricsHosts = MetricsHosts(),
  ) throws(HostError) {
    self.hosts = hosts
    listener = try Self.listen(at: wanted)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      let reason = StoreDirectory.systemMessage()
      close(listener)
      throw HostError(
        .system,
        "The daemon's metrics cannot be served: \(reason).",
        remedy: "Raise the limit of open files, or omit --metrics.",
      )
    }
    bell = (ends[1], ends[0])
    for descriptor in ends + [listener] { Self.prepare(descriptor) }
    address = Self.address(of: listener) ?? wanted
  }

  deinit {
    for descriptor in [listener, bell.rings, bell.hears] { close(descriptor) }
  }

  /// Starts answering.
  ///
  /// - Parameters:
  ///   - logger: The log for the operator.
  ///   - count: Counts; nil once the daemon no longer serves.
  /// - Throws: ``HostError``.
  @MainActor
  func start(
    logger: Logger,
    _ count: @escaping @MainActor @Sendable () -> StatusMetrics?,
  ) throws(HostError) {
    // The thread is joined before this object is released.
    thread = HelperThread.start { [self] in
      var server = MetricsServer(self) { DispatchQueue.main.async { self.tell(count) } }
      server.run()
    }
    guard thread != nil else {
      throw HostError(.system, "The system has no thread left.", remedy: "End some programs.")
    }
    logger.notice("The daemon's numbers are at http://\(address)/metrics.")
    if !address.isLoopback {
      logger.warning("Everyone with access to \(address) can read the daemon's metrics.")
    }
  }

  /// Stops answering, and waits until the thread has ended.
  @MainActor
  func stop() {
    inbox.withLock { $0.isStopped = true }
    ring()
    thread?.join()
    thread = nil
  }

  private func tell(_ count: @MainActor @Sendable () -> StatusMetrics?) {
    guard let metrics = MainActor.assumeIsolated(count) else { return }
    inbox.withLock { $0.metrics = metrics }
    ring()
  }

  /// Wakes the thread; if the pipe is full, a wake-up is already pending.
  private func ring() {
    var byte: UInt8 = 0
    _ = write(bell.rings, &byte, 1)
  }

  // MARK: - For the thread

  /// The descriptors that the thread polls: the wake-up pipe first, then new peers.
  var entries: (bell: pollfd, listener: pollfd) {
    (
      pollfd(fd: bell.hears, events: Int16(POLLIN), revents: 0),
      pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
    )
  }

  /// Takes the newest metrics of the main actor, nil if there are no new ones, and whether to stop.
  func takeNews() -> (metrics: StatusMetrics?, isStopped: Bool) {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(bell.hears, &bytes, bytes.count) == bytes.count {}
    return inbox.withLock { inbox in
      defer { inbox.metrics = nil }
      return (inbox.metrics, inbox.isStopped)
    }
  }

  /// The next peer that wants to connect; nil if there is none, or none can be accepted.
  func accept() -> (descriptor: Int32?, isExhausted: Bool) {
    let descriptor = systemAccept(listener)
    guard descriptor >= 0 else {
      return (nil, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno))
    }
    Self.prepare(descriptor)
    return (descriptor, false)
  }

  // MARK: - The system

  private static func listen(at address: MetricsAddress) throws(HostError) -> Int32 {
    #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var yes: Int32 = 1
    // A restarted daemon can bind its port at once.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let isBound = withUnsafePointer(to: address.systemAddress) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isBound, systemListen(descriptor, Int32(Limits.peers)) == 0 else {
      let reason = StoreDirectory.systemMessage()
      if descriptor >= 0 { close(descriptor) }
      throw HostError(
        .cannotCreate,
        "The daemon's metrics cannot be served at \(address): \(reason).",
        remedy: "Choose another port with --metrics, or end the program that uses it.",
      )
    }
    return descriptor
  }

  private static func address(of descriptor: Int32) -> MetricsAddress? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &length)
      }
    }
    guard status == 0 else { return nil }
    return MetricsAddress(
      host: UInt32(bigEndian: address.sin_addr.s_addr),
      port: UInt16(bigEndian: address.sin_port),
    )
  }

  /// Makes a descriptor non-blocking, and closes it in programs that are started.
  private static func prepare(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    #if canImport(Darwin)
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }
}

private func systemAccept(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }

private func systemListen(_ descriptor: Int32, _ count: Int32) -> Int32 {
  listen(descriptor, count)
}
