import Dispatch
import StoreProtocol
import StoreReplica
import ZeroMQ

/// A client's two sockets, and the state of the control socket's connection.
@MainActor
final class ClientSockets: ClientTransport {
  private(set) var control: Socket
  private(set) var publishing: Socket
  private var monitor: SocketMonitor
  /// Signals the monitor's events: polling for them in each turn would cost another system call.
  private var monitorSource: (any DispatchSourceRead)?
  /// Whether the control connection has ended, as of the last event that was read.
  private var hasEnded = false
  /// Whether only one side requires a key: the daemon or this client.
  private(set) var isMismatched = false
  /// Whether the daemon has refused the last connection: this user or key has no grant.
  private(set) var isRefused = false
  /// Called when the control connection has ended.
  var onCut: @MainActor () -> Void = {}
  /// The number of times that the sockets were recreated or closed.
  private(set) var generation = 0
  private(set) var isClosed = false
  private let context: Context
  private let location: StoreLocation
  private var first = Message()
  private var second = Message()

  init(_ location: StoreLocation) throws(ZeroMQError) {
    self.location = location
    context = try Context()
    publishing = try Self.openPublishing(context, location)
    (control, monitor) = try Self.openControl(context, location, number: generation)
    try watchMonitor()
  }

  /// Closes both sockets and opens new ones.
  func reconnect() throws(ZeroMQError) {
    closeSockets()
    generation += 1
    publishing = try Self.openPublishing(context, location)
    (control, monitor) = try Self.openControl(context, location, number: generation)
    hasEnded = false
    try watchMonitor()
  }

  private func watchMonitor() throws(ZeroMQError) {
    monitorSource = try monitor.socket.watch { [weak self] in self?.takeEvents() }
    // libzmq signals an event only after a read has found its queue empty.
    try readMonitor()
  }

  private func takeEvents() {
    guard !monitor.socket.isClosed else { return }
    do throws(ZeroMQError) {
      try readMonitor()
    } catch {
      // The other sockets fail for the same reason, and the turn reports it.
      return
    }
    if hasEnded { onCut() }
  }

  private func closeSockets() {
    monitorSource?.cancel()
    monitorSource = nil
    // A socket that could not be recreated is closed.
    if !control.isClosed { control.stopMonitoring() }
    control.close()
    monitor.socket.close()
    publishing.close()
  }

  private static func openControl(
    _ context: Context,
    _ location: StoreLocation,
    number: Int,
  ) throws(ZeroMQError) -> (Socket, SocketMonitor) {
    var options = try common(location)
    options.linger = .seconds(1)
    // Actions wait in the client's queue, where they can expire, not in a socket without a peer.
    options.immediate = true
    options.sendHighWater = 10_000
    options.receiveHighWater = 10_000
    let socket = try Socket(context, kind: .dealer, options: options)
    let monitor = try SocketMonitor(context, of: socket, name: "control-\(number)", connects: true)
    try socket.connect(location.control)
    return (socket, monitor)
  }

  private static func openPublishing(
    _ context: Context,
    _ location: StoreLocation,
  ) throws(ZeroMQError) -> Socket {
    var options = try common(location)
    options.linger = .zero
    // Subscriptions are messages: beyond a limit they would be lost without an error.
    options.sendHighWater = 0
    options.receiveHighWater = 10_000
    let socket = try Socket(context, kind: .xsub, options: options)
    try socket.connect(location.publishing)
    return socket
  }

  private static func common(_ location: StoreLocation) throws(ZeroMQError) -> SocketOptions {
    var options = SocketOptions()
    if let key = location.key {
      options.curve = CurveClient(server: key.daemon, pair: try CurvePair(secretKey: key.secret))
    }
    // Leases detect silence on either side; over tcp the system finds idle connections that broke.
    options.tcpKeepalive = true
    options.reconnectInterval = .milliseconds(50)
    // A local attempt costs microseconds, and also fails when many clients connect at once.
    options.reconnectIntervalMaximum = location.directory == nil ? .seconds(5) : .milliseconds(250)
    return options
  }

  var now: Moment { .current }

  var isCut: Bool {
    get throws(ZeroMQError) {
      // A new connection may have been made since.
      if hasEnded { try readMonitor() }
      return hasEnded
    }
  }

  private func readMonitor() throws(ZeroMQError) {
    while let event = try monitor.next() {
      switch event {
      case .disconnected: hasEnded = true
      // A mismatch is only known some milliseconds later, and does not change.
      case .connected: (hasEnded, isRefused) = (false, false)
      case .mismatched: isMismatched = true
      case .refused: isRefused = true
      case .accepted, .stopped: break
      }
    }
  }

  func receiveControl(_ take: (ArraySlice<UInt8>) -> Void) throws(ZeroMQError) -> Bool {
    guard try control.receive(into: &first) else { return false }
    let frame = first.bytes
    // The daemon sends no message of several frames; only the first frame of one is used.
    while first.more { _ = try control.receive(into: &first) }
    take(frame[...])
    return true
  }

  func receivePublished(
    _ take: (ArraySlice<UInt8>, ArraySlice<UInt8>?) -> Void
  ) throws(ZeroMQError) -> Bool {
    guard try publishing.receive(into: &first) else { return false }
    guard first.more, try publishing.receive(into: &second) else {
      take(first.bytes[...], nil)
      return true
    }
    let body = second.bytes
    while second.more { _ = try publishing.receive(into: &second) }
    take(first.bytes[...], body[...])
    return true
  }

  /// Without a connection the frame is dropped: the next greeting begins again with hello, and the
  /// client's queue still has every action without an outcome.
  ///
  /// A socket that could not be recreated is closed, and ignores the frame.
  func send(control frame: consuming [UInt8]) throws(ZeroMQError) {
    if !control.isClosed { _ = try control.send(Message(adopting: frame)) }
  }

  func send(upstream frame: [UInt8]) throws(ZeroMQError) {
    if !publishing.isClosed { _ = try publishing.send(frame) }
  }

  /// Closes the sockets for good; only the first call has an effect.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    generation += 1
    closeSockets()
    context.terminate()
  }
}

extension Moment {
  /// The current time, on both clocks.
  static var current: Moment {
    Moment(
      instant: Instant(nanoseconds: LoopClock.nanoseconds),
      wallMilliseconds: LoopClock.wallMilliseconds,
    )
  }
}
