import StoreHistory
import StoreProtocol
import StoreServer
import ZeroMQ

/// Takes a socket's messages, over several turns if they exceed the daemon's share of one turn.
///
/// The socket's own queues have no limit, since a full one can end the process. So up to 2,048
/// messages are fetched per turn into a queue with a limit. A connection that exceeds the limit is
/// shut down.
@MainActor
final class Intake {
  /// The contents of one message.
  struct Item {
    /// The serial of its connection.
    let serial: UInt64
    let peer: PeerID
    /// The peer that sent it; nil on the publishing socket, which does not need it.
    let caller: Caller?
    let holder: Holder
    /// The peer's name; nil on the control socket, whose caller has it.
    let name: PeerName?
    /// The connection's present or former descriptor; -1 if unknown.
    let descriptor: Int32
    let bytes: [UInt8]
    /// Whether the message was one frame, as the protocol requires.
    let isWhole: Bool
  }

  /// Limits of the messages that wait to be taken.
  enum Limits {
    /// More than a client sends at once if it sends its window in single actions, cancels all of
    /// its effects and gives credit for all of its scopes.
    static let messages = 8192
    /// The same upstream: a client sends some topics and some fences.
    static let upstreamMessages = 256
    static let bytes = 32 << 20
    /// Of all together; beyond it the connections of the holder with the most are shut down, until
    /// an eighth is free.
    ///
    /// So the search for a sender with many connections is rare.
    static let totalMessages = 65_536
    static let totalBytes = 64 << 20
    /// Of all holders except the owner: the owner's programs have a reserve.
    static let messagesOfOthers = 49_152
    static let bytesOfOthers = 48 << 20
    /// Messages fetched in one turn, and messages of cut connections discarded in one turn.
    ///
    /// The rest of the turn waits for them. The library takes messages from all connections in
    /// turn, so the first message of each is among them.
    static let fetched = 2048
    static let passedOver = 4096
    /// Bytes of a routing id, which a peer chooses: the library keeps several copies, and sends
    /// it along.
    static let routingID = 64
  }

  private let socket: Socket
  private let side: ConnectionTable.Side
  private let connections: ConnectionGuard
  private let routes: PeerRoutes
  private var identity = Message()
  private var body = Message()

  /// Fetched messages, by connections.
  ///
  /// Bounded by ``Limits/totalBytes``, and for each connection by ``Limits/bytes``.
  private var fetched = FairQueue<Holder, UInt64, Item>()
  /// The amount of these messages, per connection.
  private var backlog: IntakeBacklog
  /// The connections that were shut down; their messages are discarded.
  ///
  /// Bounded by ``ConnectionTable/Limits/connections``, and emptied when the socket is read to
  /// its end.
  private var cut: Set<UInt64> = []
  /// The number of their messages that may still be discarded in this turn.
  private var passesLeft = Limits.passedOver
  /// The number of connections that were shut down because of their backlog.
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

  /// Takes the next message, unless the turn's quota of discarded messages is exhausted.
  ///
  /// - Parameter waiting: The holders whose messages stay for a later turn.
  /// - Returns: The message; nil if there is none.
  /// - Throws: ``ZeroMQError``.
  func next(besides waiting: Set<Holder> = []) throws(ZeroMQError) -> Item? {
    if let item = popFirst(besides: waiting) { return item }
    for _ in 0..<Limits.fetched {
      guard let item = try receive() else { break }
      guard waiting.contains(item.holder) else { return item }
      append(item)
    }
    guard !isExhausted, !cut.isEmpty else { return nil }
    // Connections that were shut down have no more messages to read. Those that the library has
    // already read may still follow, until it reports the connection's end.
    cut = side == .control ? cut.filter { routes.isConnected($0) } : []
    return nil
  }

  /// Whether this turn's quota of discarded messages is used up, so messages may remain unread.
  var isExhausted: Bool { passesLeft == 0 }

  /// Fetches the messages that were not taken in this turn.
  ///
  /// - Returns: Whether the socket is read to its end.
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

  /// Ends a connection, and discards its further messages.
  func shutDown(_ serial: UInt64, _ descriptor: Int32, reason: String) {
    if drop(serial) { connections.shutDown(serial, descriptor, side, reason: reason) }
  }

  /// Discards all messages of a connection that is shut down.
  ///
  /// - Returns: Whether this is the first such call for it.
  @discardableResult
  func drop(_ serial: UInt64) -> Bool {
    guard cut.insert(serial).inserted else { return false }
    guard let holder = backlog.holder(of: serial) else { return true }
    for item in fetched.remove(serial, of: holder) { backlog.remove(item.size, of: serial) }
    return true
  }

  /// Receives one message of a connection that was not shut down.
  private func receive() throws(ZeroMQError) -> Item? {
    while passesLeft > 0 {
      if side == .control {
        // Every message has a frame after the identity.
        guard try socket.receive(into: &identity) else { return nil }
      }
      guard try socket.receive(into: &body) else { return nil }
      // For an ended connection the library itself sends unsubscriptions. Only the guard reports
      // the end, so no peer can forge it.
      if let serial = body.number("User-Id"), let item = try item(from: serial) { return item }
      passesLeft -= 1
      try skipRest()
    }
    return nil
  }

  /// The message, unless its connection is cut.
  private func item(from serial: UInt64) throws(ZeroMQError) -> Item? {
    // This check is first: a flooding connection that was shut down may have left millions of
    // messages. Until they are discarded, they hide the next flood.
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

  /// The sender of the message; on the control socket the caller has the name.
  private func origin(
    _ serial: UInt64,
    _ descriptor: Int32,
  ) -> (peer: PeerID, caller: Caller?, holder: Holder, name: PeerName?) {
    if side == .control {
      let (peer, caller, holder) = routes.origin(serial, of: body, routingID: identity)
      // The messages of a connection keep one holder, even if it ends between two of them.
      return (peer, caller, backlog.holder(of: serial) ?? holder, nil)
    }
    let name = body.property(PeerName.property).flatMap { PeerName(property: $0) }
    let holder =
      backlog.holder(of: serial) ?? connections.holder(of: serial, descriptor, side, as: name)
    return (PeerID(serial: serial), nil, holder, name)
  }

  /// Discards the frames after a message's first.
  private func skipRest() throws(ZeroMQError) {
    while body.more { _ = try socket.receive(into: &body) }
  }
}

extension Intake.Item {
  /// Roughly the memory that it occupies.
  fileprivate var size: Int { bytes.count + 128 }
}
