import DequeModule
package import Logging
package import StoreHistory
package import StoreProtocol
package import StoreServer
package import ZeroMQ

/// The daemon's two sockets.
///
/// Peers are identified by the serials of their connections instead of their routing ids. No peer
/// can choose a serial, and serials are never reused. A frame to a serial whose connection has
/// ended is dropped, even if another connection has its routing id by then.
@MainActor
package final class HostSockets {
  package let control: Socket
  package let publishing: Socket
  /// Both sockets, in the order in which they are read.
  var all: [Socket] { [publishing, control] }
  private let context: Context
  private let connections: ConnectionGuard
  private let routes: PeerRoutes
  private let controlIntake: Intake
  private let upstreamIntake: Intake
  private var guardThread: HelperThread?
  /// The descriptors of the publishing socket's connections, by their serials.
  ///
  /// Bounded by ``ConnectionTable/Limits/connections``.
  private var subscribers: [UInt64: Int32] = [:]
  /// Whether unread upstream messages may exist.
  private var hasUpstream = false
  /// Peers whose connection has ended, not yet reported.
  ///
  /// Bounded by ``ConnectionTable/Limits/connections``, as each turn takes all.
  private var lost: Deque<PeerID> = []
  /// The sender of the last control frame.
  private(set) var caller = Caller(.unknown, at: "")

  /// Schedules a turn of the main loop, unless one is pending.
  var wakeUp: () -> Void {
    get { connections.wakeUp }
    set { connections.wakeUp = newValue }
  }

  package init(
    _ configuration: HostConfiguration,
    limits: Limits,
    welcome: [UInt8],
    grants: Grants,
    key: CurvePair? = nil,
    logger: Logger = Logger(label: "storeactor"),
  ) throws(ZeroMQError) {
    context = try Context()
    control = try Socket(context, kind: .router, options: Self.controlOptions(limits))
    publishing = try Socket(
      context,
      kind: .xpub,
      options: Self.publishingOptions(limits, welcome: welcome),
    )
    connections = try ConnectionGuard(
      context,
      control: control,
      publishing: publishing,
      ends: Self.ends(of: configuration),
      limits: ConnectionTable.Limits(descriptors: FileDescriptorLimit.current),
      grants: grants,
      logger: logger,
    )
    routes = PeerRoutes(connections)
    controlIntake = Intake(control, .control, connections, routes)
    upstreamIntake = Intake(publishing, .publishing, connections, routes)
    try open(configuration, limits, key)
    routes.onGone = { [weak self] in self?.gone($0) }
  }

  /// The bound endpoints, in the form that their connections report.
  private static func ends(of configuration: HostConfiguration) -> Set<Connection.OwnEnd> {
    let directory = StoreLocation(directory: configuration.directory)
    let others = configuration.listen.compactMap { try? StoreLocation(address: $0) }
    var ends: Set<Connection.OwnEnd> = []
    for endpoint in ([directory] + others).flatMap({ [$0.control, $0.publishing] }) {
      if endpoint.hasPrefix("ipc://") {
        ends.insert(.path(String(endpoint.dropFirst("ipc://".count))))
      } else if let address = TCPAddress(endpoint) {
        ends.insert(.port(address.port))
      }
    }
    return ends
  }

  /// Called once if connections cannot be guarded any more.
  var onFailure: (ZeroMQError) -> Void {
    get { connections.onFailure }
    set { connections.onFailure = newValue }
  }

  /// Starts the guard, then opens the sockets to peers.
  private func open(
    _ configuration: HostConfiguration,
    _ limits: Limits,
    _ key: CurvePair?,
  ) throws(ZeroMQError) {
    guardThread = HelperThread.start { [connections] in connections.run() }
    do throws(ZeroMQError) {
      guard guardThread != nil else {
        throw ZeroMQError(code: EAGAIN, operation: "start", subject: "the guard's thread")
      }
      try bind(StoreLocation(directory: configuration.directory))
      for address in configuration.plainAddresses { try bind(address) }
      guard !configuration.encryptedAddresses.isEmpty else { return }
      guard let key else { preconditionFailure("There is no key to listen with") }
      try encrypt(limits, key)
      for address in configuration.encryptedAddresses { try bind(address) }
    } catch {
      close()
      throw error
    }
  }

  /// Enables encryption for addresses that are bound from now on.
  private func encrypt(_ limits: Limits, _ key: CurvePair) throws(ZeroMQError) {
    let longest = limits.frameBytes + Socket.curveOverhead
    try control.encrypt(as: key, maxMessageSize: longest)
    try publishing.encrypt(as: key, maxMessageSize: Socket.curveHandshakeBytes)
  }

  private func bind(_ address: String) throws(ZeroMQError) {
    guard let location = try? StoreLocation(address: address) else {
      preconditionFailure("The address \(address) was not checked")
    }
    try bind(location)
  }

  private func bind(_ location: StoreLocation) throws(ZeroMQError) {
    try control.bind(location.control)
    try publishing.bind(location.publishing)
  }

  private static func controlOptions(_ limits: Limits) -> SocketOptions {
    var options = common(.control)
    options.linger = .seconds(1)
    options.routerMandatory = true
    options.probeRouter = true
    options.maxMessageSize = limits.frameBytes
    // The turn keeps the frames that exceed this limit, and counts their bytes.
    options.sendHighWater = limits.controlQueue
    return options
  }

  private static func publishingOptions(_ limits: Limits, welcome: [UInt8]) -> SocketOptions {
    var options = common(.publishing)
    options.linger = .milliseconds(200)
    options.xpubVerboser = true
    options.welcomeMessage = welcome
    options.onlyFirstSubscribe = true
    options.maxMessageSize = limits.upstreamBytes
    // For each subscriber: messages beyond it are lost, which the subscriber detects and repairs.
    options.sendHighWater = limits.publishingQueue
    return options
  }

  private static func common(_ side: ConnectionTable.Side) -> SocketOptions {
    var options = SocketOptions()
    options.admissionDomain = side.domain
    // Leases detect silence on either side; over tcp the system detects idle connections that
    // are broken.
    options.tcpKeepalive = true
    // No limit: if a peer closes while its queue is full and a heartbeat is to be answered, an
    // assertion ends the process (libzmq issue 4364).
    options.receiveHighWater = 0
    options.handshakeInterval = .seconds(3)
    // Linux's own limit. In a full queue an honest client's attempt fails, while peers that connect
    // without a pause take each place that becomes free.
    options.backlog = 4096
    return options
  }

  /// The numbers of connections that were refused, were silent, or sent too fast.
  var counters: [(String, UInt64)] {
    [
      ("refusedConnections", connections.refusedCount),
      ("cutSilent", connections.cutSilentCount),
      ("cutSenders", controlIntake.cutSenders + upstreamIntake.cutSenders),
      ("cutFloods", connections.cutFloodCount),
    ]
  }

  /// Begins a turn: shuts down silent connections, and drops messages of flooding ones.
  func beginTurn() {
    routes.beginTurn()
    upstreamIntake.beginTurn()
    controlIntake.beginTurn()
    connections.forEachFlood { serial, side in
      (side == .control ? controlIntake : upstreamIntake).drop(serial)
    }
  }

  /// Reads messages for later turns into queues with a limit.
  func fetchRest() throws(ZeroMQError) {
    let isUpstreamEmpty = try upstreamIntake.fetch()
    if try controlIntake.fetch(), isUpstreamEmpty { connections.heardEverybody() }
  }

  /// Whether messages may remain unread because too many were discarded in this turn.
  var isBehind: Bool { upstreamIntake.isExhausted || controlIntake.isExhausted }

  /// Takes the next upstream message; nil if the queue is empty.
  package func nextUpstream() throws(ZeroMQError) -> IncomingFrame? {
    let item = try upstreamIntake.next()
    hasUpstream = item != nil || upstreamIntake.isExhausted
    guard let item else { return nil }
    meet(item)
    return IncomingFrame(peer: item.peer, bytes: item.isWhole ? item.bytes[...] : nil)
  }

  /// Records the sender's connection, so that its end is reported.
  private func meet(_ item: Intake.Item) {
    guard subscribers[item.serial] == nil else { return }
    if connections.identify(item.serial, item.descriptor, .publishing, as: item.name) {
      subscribers[item.serial] = item.descriptor
    } else {
      lost.append(item.peer)
    }
  }

  private func gone(_ serial: UInt64) {
    subscribers[serial] = nil
    lost.append(PeerID(serial: serial))
  }

  /// Takes the next peer whose connection has ended.
  func nextLost() -> PeerID? { lost.popFirst() }

  /// Ends a connection of either socket.
  func shutDown(_ peer: PeerID, reason: String) {
    if let descriptor = subscribers[peer.serial] {
      upstreamIntake.shutDown(peer.serial, descriptor, reason: reason)
    } else if let descriptor = routes.descriptor(of: peer) {
      controlIntake.shutDown(peer.serial, descriptor, reason: reason)
    }
  }

  /// Admits only peers with a grant, and ends the connections of others.
  func admit(_ grants: Grants) { connections.admit(grants) }

  /// Admits the holders of these tickets, each until its end.
  func admit(tickets: [[UInt8]: Int64]) { connections.admit(tickets: tickets) }

  /// Takes the next control frame, except frames of waiting holders; nil if there is no other.
  package func nextControl(
    besides waiting: Set<Holder> = []
  ) throws(ZeroMQError) -> IncomingFrame? {
    guard let item = try controlIntake.next(besides: waiting) else {
      if !hasUpstream, !controlIntake.isExhausted {
        routes.heardEverybody()
        connections.heardEverybody()
      }
      return nil
    }
    if let sender = item.caller { caller = sender }
    // A frame of an ended connection still counts, but the connection is reported lost.
    if !routes.isConnected(item.serial) { lost.append(item.peer) }
    return IncomingFrame(peer: item.peer, bytes: item.isWhole ? item.bytes[...] : nil)
  }

  /// Sends a control frame.
  ///
  /// - Returns: False when the peer's queue is full.
  package func send(_ frame: [UInt8], to peer: PeerID) throws(ZeroMQError) -> Bool {
    // The peer has disconnected: its lease, or the loss of its subscription, ends the session.
    guard let routingID = routes.routingID(of: peer) else { return true }
    switch try control.send(routingID, more: true) {
    case .sent:
      // The first part selects the connection that gets the message. If that is now the peer's
      // successor with the same routing id, it gets an empty message: a greeting.
      let isConnected = routes.routingID(of: peer) != nil
      _ = try control.send(Message(adopting: isConnected ? frame : []))
      if isConnected, DaemonMessage.isHelloOK(frame) { routes.greet(peer) }
      return true
    case .wouldBlock: return false
    case .unroutable: return true
    }
  }

  package func publish(topic: [UInt8], _ frame: [UInt8]) throws(ZeroMQError) {
    _ = try publishing.send(topic, more: true)
    _ = try publishing.send(Message(adopting: frame))
  }

  func close() {
    // The guard still reads: the sockets' last events must not block.
    control.stopMonitoring()
    publishing.stopMonitoring()
    guardThread?.join()
    guardThread = nil
    control.close()
    publishing.close()
    connections.close()
    context.terminate()
  }
}

extension DaemonMessage {
  /// Whether a frame is the answer that opens or resumes a session.
  static func isHelloOK(_ frame: [UInt8]) -> Bool {
    // An array of thirteen items, of which the first is 65.
    frame.starts(with: [0x8d, 0x18, 0x41])
  }
}
