package import StoreReplication
package import ZeroMQ

/// The daemon's two sockets.
@MainActor
package final class HostSockets {
  /// Frames taken from one socket in one turn, so that all get theirs.
  static let budget = 256
  /// Nanoseconds after which a turn takes no more control frames: what the turn changed goes out,
  /// and so do answers to pings, however long the reducers take.
  static let turnLimit: Int64 = 10_000_000
  /// Bytes of control frames taken in one turn: a frame may hold a thousand actions, and what they
  /// change is published at the end of the turn.
  static let byteBudget = 64 << 10

  package let control: Socket
  package let publishing: Socket
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

  /// Takes what came upstream.
  ///
  /// - Returns: Whether there may be more.
  package func receiveUpstream(
    _ take: (ArraySlice<UInt8>) -> Void
  ) throws(ZeroMQError) -> Bool {
    for _ in 0..<Self.budget {
      guard try publishing.receive(into: &body) else { return false }
      var isWhole = !body.more
      let bytes = body.bytes
      while body.more { _ = try publishing.receive(into: &body) }
      // A message of several frames is none of ours.
      isWhole = isWhole && !bytes.isEmpty
      take(isWhole ? bytes[...] : [])
    }
    return true
  }

  /// Takes control frames: the peer, its frame or nil when it sent something else, and where it is
  /// connected from.
  ///
  /// - Returns: Whether there may be more.
  package func receiveControl(
    _ take: (PeerID, ArraySlice<UInt8>?, () -> String) -> Bool
  ) throws(ZeroMQError) -> Bool {
    var taken = 0
    let end = LoopClock.nanoseconds + Self.turnLimit
    for _ in 0..<Self.budget where taken < Self.byteBudget {
      guard try control.receive(into: &identity) else { return false }
      let peer = PeerID(bytes: identity.bytes)
      guard identity.more, try control.receive(into: &body) else {
        guard take(peer, nil, { "" }) else { return true }
        continue
      }
      let isWhole = !body.more
      let bytes = body.bytes
      taken += bytes.count
      while body.more { _ = try control.receive(into: &body) }
      guard take(peer, isWhole ? bytes[...] : nil, peerAddress) else { return true }
      if LoopClock.nanoseconds >= end { break }
    }
    return true
  }

  /// Where the frame taken last came from; only a payload frame knows.
  private func peerAddress() -> String { body.property("Peer-Address") ?? "" }

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
