package import StoreReplication
package import ZeroMQ

/// The daemon's two sockets.
@MainActor
package final class HostSockets {
  package let control: Socket
  package let publishing: Socket
  /// Both, those first whose messages are taken first.
  var all: [Socket] { [publishing, control] }
  private let context: Context
  private var identity = Message()
  private var body = Message()

  package init(
    _ configuration: HostConfiguration,
    limits: Limits,
    welcome: [UInt8],
  ) throws(ZeroMQError) {
    context = try Context()
    control = try Socket(context, kind: .router, options: Self.controlOptions(limits))
    publishing = try Socket(
      context,
      kind: .xpub,
      options: Self.publishingOptions(limits, welcome: welcome),
    )
    try bind(StoreLocation(directory: configuration.directory))
    for address in configuration.listen {
      guard let location = try? StoreLocation(address: address) else {
        preconditionFailure("The address \(address) was not checked")
      }
      try bind(location)
    }
  }

  private func bind(_ location: StoreLocation) throws(ZeroMQError) {
    try control.bind(location.control)
    try publishing.bind(location.publishing)
  }

  private static func controlOptions(_ limits: Limits) -> SocketOptions {
    var options = common()
    options.linger = .seconds(1)
    options.routerMandatory = true
    options.probeRouter = true
    options.maxMessageSize = limits.frameBytes
    // A client that does not read what it asked for is ended when its queue is full.
    options.sendHighWater = 10_000
    options.receiveHighWater = 10_000
    return options
  }

  private static func publishingOptions(_ limits: Limits, welcome: [UInt8]) -> SocketOptions {
    var options = common()
    options.linger = .milliseconds(200)
    options.xpubVerboser = true
    options.welcomeMessage = welcome
    options.onlyFirstSubscribe = true
    options.maxMessageSize = limits.upstreamBytes
    // For each subscriber: beyond it messages are lost, which the subscriber notices and repairs.
    options.sendHighWater = 10_000
    options.receiveHighWater = 10_000
    return options
  }

  private static func common() -> SocketOptions {
    var options = SocketOptions()
    options.heartbeatInterval = .seconds(1)
    options.heartbeatTimeout = .seconds(3)
    options.heartbeatTimeToLive = .seconds(3)
    options.handshakeInterval = .seconds(3)
    options.backlog = 1024
    return options
  }

  /// Takes the next message that came upstream; nil when there is none.
  package func nextUpstream() throws(ZeroMQError) -> ArraySlice<UInt8>? {
    guard try publishing.receive(into: &body) else { return nil }
    let bytes = body.bytes
    // A message of several frames is none of ours.
    guard body.more else { return bytes[...] }
    while body.more { _ = try publishing.receive(into: &body) }
    return []
  }

  /// Takes the next control frame; nil when there is none.
  package func nextControl() throws(ZeroMQError) -> ControlFrame? {
    guard try control.receive(into: &identity) else { return nil }
    let peer = PeerID(bytes: identity.bytes)
    guard identity.more, try control.receive(into: &body) else {
      return ControlFrame(peer: peer, bytes: nil)
    }
    guard body.more else { return ControlFrame(peer: peer, bytes: body.bytes[...]) }
    while body.more { _ = try control.receive(into: &body) }
    return ControlFrame(peer: peer, bytes: nil)
  }

  /// Where the frame taken last came from; only a payload frame knows.
  var address: String { body.property("Peer-Address") ?? "" }

  /// Sends a control frame.
  ///
  /// - Returns: False when the peer's queue is full.
  func send(_ frame: [UInt8], to peer: PeerID) throws(ZeroMQError) -> Bool {
    switch try control.send(peer.bytes, more: true) {
    case .sent:
      _ = try control.send(Message(adopting: frame))
      return true
    case .wouldBlock: return false
    // The peer has gone: its lease, or the loss of its subscription, ends the session.
    case .unroutable: return true
    }
  }

  func publish(topic: [UInt8], _ frame: [UInt8]) throws(ZeroMQError) {
    _ = try publishing.send(topic, more: true)
    _ = try publishing.send(Message(adopting: frame))
  }

  func close() {
    control.close()
    publishing.close()
    context.terminate()
  }
}
