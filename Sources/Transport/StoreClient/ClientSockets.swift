import Dispatch
import StoreProtocol
import StoreReplica
import ZeroMQ

/// A client's two sockets, and what is told of the control socket's connection.
@MainActor
final class ClientSockets: ClientTransport {
  private(set) var control: Socket
  private(set) var publishing: Socket
  private var monitor: SocketMonitor
  /// Tells of the monitor's events: to look for them in each turn would take a system call more.
  private var monitorSource: (any DispatchSourceRead)?
  /// Whether the control connection that there was has ended, as of the last event that was read.
  private var hasEnded = false
  /// Whether the daemon asks for a key where we have none, or for none where we have one.
  private(set) var isMismatched = false
  /// Whether the daemon has refused the last connection: it grants nothing to this user or key.
  private(set) var isRefused = false
  /// Called when it has ended.
  var onCut: @MainActor () -> Void = {}
  /// Counts how often the sockets were recreated or closed.
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
    // The library signals only what comes after somebody has found nothing.
    try readMonitor()
  }

  private func takeEvents() {
    guard !monitor.socket.isClosed else { return }
    do throws(ZeroMQError) {
      try readMonitor()
    } catch {
      // Its socket fails with the others, of which the turn says so.
      return
    }
    if hasEnded { onCut() }
  }

  private func closeSockets() {
    monitorSource?.cancel()
    monitorSource = nil
    // One that could not be made anew is closed.
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
    // Actions wait in our own queue, where they can expire, not in a socket without a peer.
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
    // Leases notice silence on either side; over tcp the system finds what is idle and broken.
    options.tcpKeepalive = true
    options.reconnectInterval = .milliseconds(50)
    // On the same machine an attempt costs microseconds, and also fails when many others connect.
    options.reconnectIntervalMaximum = location.directory == nil ? .seconds(5) : .milliseconds(250)
    return options
  }

  var now: Moment { .current }

  var isCut: Bool {
    get throws(ZeroMQError) {
      // There may be a new one by now.
      if hasEnded { try readMonitor() }
      return hasEnded
    }
  }

  private func readMonitor() throws(ZeroMQError) {
    while let event = try monitor.next() {
      switch event {
      case .disconnected: hasEnded = true
      // Whether it asks for a key is only known some milliseconds later, and did not change.
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
    // A message of several frames is none of the daemon's; its first frame is read as one.
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

  /// Without a connection the frame is dropped: the next greeting starts over with hello, and the
  /// client's queue still has every action without an outcome.
  ///
  /// A socket that could not be opened anew is closed, and takes nothing.
  func send(control frame: consuming [UInt8]) throws(ZeroMQError) {
    if !control.isClosed { _ = try control.send(Message(adopting: frame)) }
  }

  func send(upstream frame: [UInt8]) throws(ZeroMQError) {
    if !publishing.isClosed { _ = try publishing.send(frame) }
  }

  /// Closes the sockets for good; calling it again does nothing.
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
