import Dispatch
import Logging
import StoreReplication
import Synchronization
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Tells the daemon's numbers over HTTP to whoever asks for `/metrics`.
///
/// All that has to do with peers is done on a thread of its own, which never waits for one of them.
/// The main actor only counts, when it comes to that, and however many ask no more often than every
/// ``Limits/freshness``.
///
/// What guards what: `inbox` is shared by the thread and the main actor, behind its mutex; `thread`
/// is the main actor's. The descriptors are never changed; the listening one is read by the thread
/// alone, and all are closed where nobody is left who has them.
final class MetricsEndpoint: Sendable {
  enum Limits {
    /// Peers at once; others wait in the system's queue.
    static let peers = 16
    /// Nanoseconds that a peer has to ask, and then to take the answer.
    static let patience: Int64 = 5_000_000_000
    /// Nanoseconds that the main actor has to count.
    static let answer: Int64 = 2_000_000_000
    /// Nanoseconds for which what was counted is told again.
    static let freshness: Int64 = 100_000_000
    /// Nanoseconds for which nobody is let in where the system has no descriptor for it.
    static let rest: Int64 = 100_000_000
  }

  /// What the main actor has for the thread.
  private struct Inbox {
    var metrics: StatusMetrics?
    var isStopped = false
  }

  /// Where it is.
  let address: MetricsAddress
  private let listener: Int32
  /// Its other end wakes the thread.
  private let bell: (rings: Int32, hears: Int32)
  private let inbox = Mutex(Inbox())
  @MainActor private var thread: HelperThread?

  /// Begins to listen; nobody is answered before ``start(logger:_:)``.
  ///
  /// - Parameter wanted: The address; a port 0 stands for one that is free.
  /// - Throws: ``HostError``.
  init(_ wanted: MetricsAddress) throws(HostError) {
    listener = try Self.listen(at: wanted)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      let reason = StoreDirectory.systemMessage()
      close(listener)
      throw HostError(
        .system,
        "The daemon's numbers cannot be told: \(reason).",
        remedy: "Raise the limit of open files, or leave --metrics away.",
      )
    }
    bell = (ends[1], ends[0])
    for descriptor in ends + [listener] { Self.prepare(descriptor) }
    address = Self.address(of: listener) ?? wanted
  }

  deinit {
    for descriptor in [listener, bell.rings, bell.hears] { close(descriptor) }
  }

  /// Begins to answer.
  ///
  /// - Parameters:
  ///   - logger: Where it says what an operator should know.
  ///   - count: Counts; nil where there is nothing to count any more.
  /// - Throws: ``HostError``.
  @MainActor
  func start(
    logger: Logger,
    _ count: @escaping @MainActor @Sendable () -> StatusMetrics?,
  ) throws(HostError) {
    // The thread is joined before this goes.
    thread = HelperThread.start { [self] in
      var server = MetricsServer(self) { DispatchQueue.main.async { self.tell(count) } }
      server.run()
    }
    guard thread != nil else {
      throw HostError(.system, "The system has no thread left.", remedy: "End some programs.")
    }
    logger.notice("The daemon's numbers are at http://\(address)/metrics.")
    if !address.isLoopback {
      logger.warning("Everybody who reaches \(address) can read the daemon's numbers.")
    }
  }

  /// Answers nobody any more, and waits until that is so.
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

  /// A bell that is full rings already.
  private func ring() {
    var byte: UInt8 = 0
    _ = write(bell.rings, &byte, 1)
  }

  // MARK: - For the thread

  /// What is waited for: the bell first, then new peers.
  fileprivate var entries: (bell: pollfd, listener: pollfd) {
    (
      pollfd(fd: bell.hears, events: Int16(POLLIN), revents: 0),
      pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
    )
  }

  /// Takes what the main actor has counted since; nil where that is to be stopped.
  fileprivate func takeNews() -> (metrics: StatusMetrics?, isStopped: Bool) {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(bell.hears, &bytes, bytes.count) == bytes.count {}
    return inbox.withLock { inbox in
      defer { inbox.metrics = nil }
      return (inbox.metrics, inbox.isStopped)
    }
  }

  /// The next peer that wants to come in; nil where there is none, or none can.
  fileprivate func accept() -> (descriptor: Int32?, isExhausted: Bool) {
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
    // A daemon that is started again finds its port as it left it.
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
        "The daemon's numbers cannot be told at \(address): \(reason).",
        remedy: "Choose another port with --metrics, or end what has it.",
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

  /// Nobody waits for a descriptor, and no program that is started has it.
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

/// The thread's part: the peers, and what each is told.
private struct MetricsServer {
  private struct Peer {
    enum Phase {
      case asking(MetricsRequest)
      /// Waits until it has been counted.
      case waiting
      case taking(ArraySlice<UInt8>)
      /// Was told everything, and closes; what it still sends is dropped.
      case leaving
    }

    let descriptor: Int32
    var phase = Phase.asking(MetricsRequest())
    /// When what is under way ends.
    var end: Int64
    var isGone = false

    var events: Int16 {
      switch phase {
      case .asking, .leaving: Int16(POLLIN)
      case .waiting: 0
      case .taking: Int16(POLLOUT)
      }
    }

    var isWaiting: Bool { if case .waiting = phase { true } else { false } }
  }

  private let endpoint: MetricsEndpoint
  /// Has the main actor count.
  private let count: () -> Void
  private var peers: [Peer] = []
  /// What was counted, as it is told, and when.
  private var counted: (bytes: [UInt8], at: Int64)?
  private var isCounting = false
  /// When somebody is let in again.
  private var opensAt: Int64 = 0
  private var now = LoopClock.nanoseconds

  init(_ endpoint: MetricsEndpoint, _ count: @escaping () -> Void) {
    self.endpoint = endpoint
    self.count = count
  }

  /// Serves until it is stopped.
  mutating func run() {
    while true {
      var entries = entries
      let ready = poll(&entries, nfds_t(entries.count), timeout)
      now = LoopClock.nanoseconds
      // Nothing is said of the entries after a signal.
      guard ready >= 0 else { continue }
      if entries[0].revents != 0 {
        let news = endpoint.takeNews()
        if news.isStopped { break }
        if let metrics = news.metrics {
          isCounting = false
          counted = (MetricsResponse.bytes(metrics.lines), now)
        }
      }
      for (place, entry) in entries.dropFirst(2).enumerated() where entry.revents != 0 {
        go(on: &peers[place])
      }
      if entries[1].revents != 0 { letIn() }
      answerWaiting()
      endOverdue()
      for peer in peers where peer.isGone { close(peer.descriptor) }
      peers.removeAll(where: \.isGone)
    }
    for peer in peers { close(peer.descriptor) }
  }

  private var entries: [pollfd] {
    var (bell, listener) = endpoint.entries
    bell.revents = 0
    if peers.count >= MetricsEndpoint.Limits.peers || now < opensAt { listener.events = 0 }
    return [bell, listener]
      + peers.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
  }

  /// Milliseconds until something is due; -1 for nothing.
  private var timeout: Int32 {
    var due = peers.map(\.end)
    if now < opensAt { due.append(opensAt) }
    guard let first = due.min() else { return -1 }
    return Int32(clamping: max(0, first - now) / 1_000_000 + 1)
  }

  private mutating func letIn() {
    while peers.count < MetricsEndpoint.Limits.peers {
      let (descriptor, isExhausted) = endpoint.accept()
      if isExhausted { opensAt = now + MetricsEndpoint.Limits.rest }
      guard let descriptor else { return }
      peers.append(Peer(descriptor: descriptor, end: now + MetricsEndpoint.Limits.patience))
    }
  }

  /// Does what a peer can do now.
  private func go(on peer: inout Peer) {
    switch peer.phase {
    case .asking(var request):
      guard let bytes = receive(from: &peer) else { return }
      switch request.take(bytes) {
      case nil: peer.phase = .asking(request)
      case .metrics:
        peer.phase = .waiting
        peer.end = now + MetricsEndpoint.Limits.answer
      case .refusal(let status): tell(MetricsResponse.bytes(status), to: &peer)
      }
    case .waiting:
      // Nothing is waited for but its end.
      peer.isGone = true
    case .taking(let bytes): send(bytes, to: &peer)
    case .leaving: _ = receive(from: &peer)
    }
  }

  /// Tells what was counted to those who wait for it; where that is too old, has it counted.
  private mutating func answerWaiting() {
    guard peers.contains(where: \.isWaiting) else { return }
    if let counted, now - counted.at < MetricsEndpoint.Limits.freshness {
      for place in peers.indices where peers[place].isWaiting {
        tell(counted.bytes, to: &peers[place])
      }
    } else if !isCounting {
      isCounting = true
      count()
    }
  }

  private mutating func endOverdue() {
    for place in peers.indices where peers[place].end <= now {
      switch peers[place].phase {
      case .asking: tell(MetricsResponse.bytes(.tooLate), to: &peers[place])
      case .waiting: tell(MetricsResponse.bytes(.busy), to: &peers[place])
      case .taking, .leaving: peers[place].isGone = true
      }
    }
  }

  private func tell(_ bytes: [UInt8], to peer: inout Peer) {
    peer.end = now + MetricsEndpoint.Limits.patience
    send(bytes[...], to: &peer)
  }

  /// Sends as much as the system takes.
  private func send(_ bytes: ArraySlice<UInt8>, to peer: inout Peer) {
    var rest = bytes
    while !rest.isEmpty {
      #if canImport(Glibc)
      let flags = Int32(MSG_NOSIGNAL)
      let count = rest.withUnsafeBytes {
        Glibc.send(peer.descriptor, $0.baseAddress, $0.count, flags)
      }
      #else
      let count = rest.withUnsafeBytes {
        Darwin.send(peer.descriptor, $0.baseAddress, $0.count, 0)
      }
      #endif
      guard count > 0 else {
        peer.isGone = ![EAGAIN, EINTR].contains(errno)
        peer.phase = .taking(rest)
        return
      }
      rest = rest.dropFirst(count)
    }
    // To close now would take the answer back, where not all was read that it sent.
    shutdown(peer.descriptor, Int32(SHUT_WR))
    peer.phase = .leaving
  }

  /// What a peer has sent; nil where it has sent nothing, or has gone.
  private func receive(from peer: inout Peer) -> ArraySlice<UInt8>? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = recv(peer.descriptor, &buffer, buffer.count, 0)
    if count > 0 { return buffer[..<count] }
    peer.isGone = count == 0 || ![EAGAIN, EINTR].contains(errno)
    return nil
  }
}
