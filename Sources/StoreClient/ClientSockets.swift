import StoreReplication
import ZeroMQ

/// A client's two sockets.
@MainActor
final class ClientSockets {
  /// Messages taken from one socket in one turn.
  static let budget = 1024
  /// Nanoseconds after which a turn takes no more: pings have to go out, however long it takes the
  /// replicas to apply what comes.
  static let turnLimit: Int64 = 10_000_000

  private(set) var control: Socket
  private(set) var publishing: Socket
  private(set) var generation = 0
  private let context: Context
  private let location: StoreLocation
  private var first = Message()
  private var second = Message()

  init(_ location: StoreLocation) throws(ZeroMQError) {
    self.location = location
    context = try Context()
    control = try Self.openControl(context, location)
    publishing = try Self.openPublishing(context, location)
  }

  /// Closes both sockets and connects afresh.
  func reconnect() throws(ZeroMQError) {
    control.close()
    publishing.close()
    control = try Self.openControl(context, location)
    publishing = try Self.openPublishing(context, location)
    generation += 1
  }

  private static func openControl(
    _ context: Context,
    _ location: StoreLocation,
  ) throws(ZeroMQError) -> Socket {
    var options = common()
    options.linger = .seconds(1)
    // Actions wait in our own queue, where they can expire, not in a socket without a peer.
    options.immediate = true
    options.sendHighWater = 10_000
    options.receiveHighWater = 10_000
    let socket = try Socket(context, kind: .dealer, options: options)
    try socket.connect(location.control)
    return socket
  }

  private static func openPublishing(
    _ context: Context,
    _ location: StoreLocation,
  ) throws(ZeroMQError) -> Socket {
    var options = common()
    options.linger = .zero
    // Subscriptions are messages: beyond a limit they would be lost without an error.
    options.sendHighWater = 0
    options.receiveHighWater = 10_000
    let socket = try Socket(context, kind: .xsub, options: options)
    try socket.connect(location.publishing)
    return socket
  }

  private static func common() -> SocketOptions {
    var options = SocketOptions()
    options.heartbeatInterval = .seconds(1)
    options.heartbeatTimeout = .seconds(3)
    options.heartbeatTimeToLive = .seconds(3)
    options.reconnectInterval = .milliseconds(50)
    options.reconnectIntervalMaximum = .seconds(5)
    return options
  }

  /// Takes control frames.
  ///
  /// - Parameter take: Takes one frame; says whether it takes another in this turn.
  /// - Returns: Whether there may be more.
  /// - Throws: ``ZeroMQError`` of the socket.
  func receiveControl(_ take: (ArraySlice<UInt8>) -> Bool) throws(ZeroMQError) -> Bool {
    for _ in 0..<Self.budget {
      guard try control.receive(into: &first) else { return false }
      guard take(first.bytes[...]) else { break }
    }
    return true
  }

  /// Takes published messages: topic and body, or one frame.
  ///
  /// - Parameter take: Takes one message; says whether it takes another in this turn.
  /// - Returns: Whether there may be more.
  /// - Throws: ``ZeroMQError`` of the socket.
  func receivePublished(
    _ take: (ArraySlice<UInt8>, ArraySlice<UInt8>?) -> Bool
  ) throws(ZeroMQError) -> Bool {
    let end = LoopClock.nanoseconds + Self.turnLimit
    for _ in 0..<Self.budget {
      guard try publishing.receive(into: &first) else { return false }
      guard first.more, try publishing.receive(into: &second) else {
        guard take(first.bytes[...], nil) else { break }
        continue
      }
      let body = second.bytes
      while second.more { _ = try publishing.receive(into: &second) }
      guard take(first.bytes[...], body[...]), LoopClock.nanoseconds < end else { break }
    }
    return true
  }

  func perform(_ outgoing: ReplicaClient.Outgoing) throws(ZeroMQError) {
    switch outgoing {
    // Without a connection nothing is sent: the next greeting starts over with hello, and the
    // client's queue still has every action without an outcome.
    case .control(let frame): _ = try control.send(Message(adopting: frame))
    case .subscribe(let topic): _ = try publishing.send([1] + topic.bytes)
    case .unsubscribe(let topic): _ = try publishing.send([0] + topic.bytes)
    case .upstream(let frame): _ = try publishing.send(frame)
    case .reconnect: try reconnect()
    }
  }

  func close() {
    control.close()
    publishing.close()
    context.terminate()
  }
}
