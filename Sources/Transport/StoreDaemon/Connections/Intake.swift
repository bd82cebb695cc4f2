import StoreHistory
import StoreProtocol
import StoreServer
import ZeroMQ

/// Takes a socket's messages, in turns when there are more than a turn of the daemon takes.
///
/// The socket's own queues have no limit, since a full one can end the process. So up to 2,048
/// messages are fetched in a turn, into a queue that has a limit; a connection beyond it is shut
/// down.
@MainActor
final class Intake {
  /// What came in one message.
  struct Item {
    /// Of the connection that it came from.
    let serial: UInt64
    let peer: PeerID
    /// The peer that sent it; nil on the publishing socket, which does not need it.
    let caller: Caller?
    let holder: Holder
    /// What it is known by; nil on the control socket, where the caller has it.
    let name: PeerName?
    /// What the connection has, or had; -1 when it has none any more.
    let descriptor: Int32
    let bytes: [UInt8]
    /// Whether the message was one frame, as all of ours are.
    let isWhole: Bool
  }

  /// What may wait to be taken.
  enum Limits {
    /// More than a client has on its way that sends its window in single actions, cancels all of
    /// its effects and gives credit for all of its scopes.
    static let messages = 8192
    /// The same upstream, where a client has some topics and some fences.
    static let upstreamMessages = 256
    static let bytes = 32 << 20
    /// Of all together; beyond it the connections of the holder with the most are shut down, until
    /// an eighth is free: so who sends on many connections is looked for seldom.
    static let totalMessages = 65_536
    static let totalBytes = 64 << 20
    /// Of all together who are not the owner's: the owner's programs find room beside them.
    static let messagesOfOthers = 49_152
    static let bytesOfOthers = 48 << 20
    /// Messages fetched in one turn, and discarded of connections that were shut down.
    ///
    /// The rest of the turn waits for them. The library takes messages from all connections in
    /// turn, so the first message of each is among them.
    static let fetched = 2048
    static let passedOver = 4096
    /// A routing id that a peer has chosen: the library keeps it several times, and sends it along.
    static let routingID = 64
  }

  private let socket: Socket
  private let side: ConnectionTable.Side
  private let connections: ConnectionGuard
  private let routes: PeerRoutes
  private var identity = Message()
  private var body = Message()

  /// What was fetched, by connections.
  ///
  /// Bounded by ``Limits/totalBytes``, and for each connection by ``Limits/bytes``.
  private var fetched = FairQueue<Holder, UInt64, Item>()
  /// How much of each connection that is.
  private var backlog: IntakeBacklog
  /// Who was shut down; nothing more is taken from them.
  ///
  /// Bounded by ``ConnectionTable/Limits/connections``, and emptied when the socket is read to
  /// its end.
  private var cut: Set<UInt64> = []
  /// How many of their messages may still be passed over in this turn.
  private var passesLeft = Limits.passedOver
  /// Those who were shut down because too much of them waited.
  private(set) var cutSenders: UInt64 = 0

  init(
    _ socket: Socket,
    _ side: ConnectionTable.Side,
    _ connections: ConnectionGuard,
    _ routes: PeerRoutes,
  ) {
    self.socket = socket
    self.side = side
    self.connections = connections
    self.routes = routes
    backlog = IntakeBacklog(
      mostMessages: side == .control ? Limits.messages : Limits.upstreamMessages
    )
  }

  func beginTurn() { passesLeft = Limits.passedOver }

  /// The next message, if there is one, and it is not behind too much that is to be passed over.
  ///
  /// - Parameter waiting: The holders whose messages stay for a later turn.
  /// - Returns: The message; nil for none.
  /// - Throws: ``ZeroMQError``.
  func next(besides waiting: Set<Holder> = []) throws(ZeroMQError) -> Item? {
    if let item = popFirst(besides: waiting) { return item }
    for _ in 0..<Limits.fetched {
      guard let item = try receive() else { break }
      guard waiting.contains(item.holder) else { return item }
      append(item)
    }
    guard !isExhausted, !cut.isEmpty else { return nil }
    // Whoever was shut down has nothing left to be read. What the library has read itself may still
    // come, until it tells that the connection is over.
    cut = side == .control ? cut.filter { routes.isConnected($0) } : []
    return nil
  }

  /// Whether there may be more behind what was passed over in this turn.
  var isExhausted: Bool { passesLeft == 0 }

  /// Fetches what has come and was not taken in this turn.
  ///
  /// - Returns: Whether that was all.
  func fetch() throws(ZeroMQError) -> Bool {
    for _ in 0..<Limits.fetched {
      guard let item = try receive() else { return !isExhausted }
      append(item)
    }
    return false
  }

  private func popFirst(besides waiting: Set<Holder>) -> Item? {
    guard let item = fetched.popFirst(besides: waiting) else { return nil }
    backlog.remove(item.size, of: item.serial)
    return item
  }

  private func append(_ item: Item) {
    fetched.append(item, from: item.serial, of: item.holder, cost: item.size)
    backlog.add(item.size, of: item.serial, item.descriptor, item.holder)
    for serial in backlog.excess(after: item.serial) { shutDown(serial) }
  }

  private func shutDown(_ serial: UInt64) {
    guard let descriptor = backlog.descriptor(of: serial) else { return }
    cutSenders += 1
    shutDown(serial, descriptor, reason: "sends faster than it can be heard")
  }

  /// Ends a connection, of which nothing more is taken.
  func shutDown(_ serial: UInt64, _ descriptor: Int32, reason: String) {
    if drop(serial) { connections.shutDown(serial, descriptor, side, reason: reason) }
  }

  /// Takes nothing more of a connection that is shut down.
  ///
  /// - Returns: Whether anything was taken of it until now.
  @discardableResult
  func drop(_ serial: UInt64) -> Bool {
    guard cut.insert(serial).inserted else { return false }
    guard let holder = backlog.holder(of: serial) else { return true }
    for item in fetched.remove(serial, of: holder) { backlog.remove(item.size, of: serial) }
    return true
  }

  /// One message from the socket, of somebody who was not shut down.
  private func receive() throws(ZeroMQError) -> Item? {
    while passesLeft > 0 {
      if side == .control {
        // Behind the identity every message has a frame.
        guard try socket.receive(into: &identity) else { return nil }
      }
      guard try socket.receive(into: &body) else { return nil }
      // The library says itself what a connection that is over does not subscribe to any more; that
      // it is over is told by the guard, and by nobody who only pretends.
      if let serial = body.number("User-Id"), let item = try item(from: serial) { return item }
      passesLeft -= 1
      try skipRest()
    }
    return nil
  }

  /// The message, unless nothing of its connection is taken.
  private func item(from serial: UInt64) throws(ZeroMQError) -> Item? {
    // Before anything else: whoever was shut down for a flood may have millions left, and as long
    // as they are not passed over, the next flood is not seen behind them.
    guard cut.isEmpty || !cut.contains(serial) else { return nil }
    let descriptor = body.descriptor() ?? -1
    guard side == .publishing || identity.count <= Limits.routingID else {
      shutDown(serial, descriptor, reason: "has a routing id of \(identity.count) bytes")
      return nil
    }
    let (peer, caller, holder, name) = origin(serial, descriptor)
    let isWhole = !body.more
    let bytes = body.bytes
    try skipRest()
    return Item(
      serial: serial,
      peer: peer,
      caller: caller,
      holder: holder,
      name: name,
      descriptor: descriptor,
      bytes: bytes,
      isWhole: isWhole,
    )
  }

  /// Who has sent the message; on the control socket the caller has the name.
  private func origin(
    _ serial: UInt64,
    _ descriptor: Int32,
  ) -> (peer: PeerID, caller: Caller?, holder: Holder, name: PeerName?) {
    if side == .control {
      let (peer, caller, holder) = routes.origin(serial, of: body, routingID: identity)
      // The messages of a connection stay together, also when it ends between two of them.
      return (peer, caller, backlog.holder(of: serial) ?? holder, nil)
    }
    let name = body.property(PeerName.property).flatMap { PeerName(property: $0) }
    let holder =
      backlog.holder(of: serial) ?? connections.holder(of: serial, descriptor, side, as: name)
    return (PeerID(serial: serial), nil, holder, name)
  }

  /// Takes the frames that a message has beyond its first.
  private func skipRest() throws(ZeroMQError) {
    while body.more { _ = try socket.receive(into: &body) }
  }
}

extension Intake.Item {
  /// What it takes to keep it, about.
  fileprivate var size: Int { bytes.count + 128 }
}
