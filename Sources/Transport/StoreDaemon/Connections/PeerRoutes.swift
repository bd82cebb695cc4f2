import StoreHistory
import StoreProtocol
import StoreServer
import ZeroMQ

/// The routing id of each peer's connection, for as long as it lasts.
@MainActor
final class PeerRoutes {
  private struct Route {
    let peer: PeerID
    let caller: Caller
    let holder: Holder
    let routingID: [UInt8]
    let descriptor: Int32
  }

  private let connections: ConnectionGuard
  /// Called with the serial of each connection of either socket that has ended.
  var onGone: (UInt64) -> Void = { _ in }
  /// Bounded by ``ConnectionTable/Limits/connections``, each with a routing id of at most
  /// ``Intake/Limits/routingID``.
  private var routes: [UInt64: Route] = [:]
  /// The route that was used last: most frames have the same peer as the one before.
  private var last: (serial: UInt64, route: Route)?

  // The moment at which all earlier messages were read. Connections that were not greeted in time
  // by then are shut down.
  private var cutoff: Int64?
  /// Turns since all messages were read.
  private var turnsBehind = 0
  /// In so many turns each peer was served, however many there are.
  private static let turnsOfAll = 1000

  init(_ connections: ConnectionGuard) { self.connections = connections }

  /// The peer that sent a control frame, its caller, and its holder.
  func origin(
    _ serial: UInt64,
    of frame: borrowing Message,
    routingID: borrowing Message,
  ) -> (peer: PeerID, caller: Caller, holder: Holder) {
    if let route = route(serial) { return (route.peer, route.caller, route.holder) }
    let peer = PeerID(serial: serial)
    let place = frame.property("Peer-Address") ?? ""
    let name = frame.property(PeerName.property).flatMap { PeerName(property: $0) }
    let caller = PeerName.caller(name, at: place)
    // Frames of an ended connection still count, but they get no answer.
    guard let descriptor = frame.descriptor(),
      connections.identify(serial, descriptor, .control, as: name)
    else { return (peer, caller, .unknown) }
    let holder = connections.holder(of: serial, descriptor, .control, as: name)
    routes[serial] = Route(
      peer: peer,
      caller: caller,
      holder: holder,
      routingID: routingID.bytes,
      descriptor: descriptor,
    )
    return (peer, caller, holder)
  }

  /// The routing id of a peer that is connected.
  func routingID(of peer: PeerID) -> [UInt8]? {
    forgetGone()
    return route(peer.serial)?.routingID
  }

  /// The descriptor of a peer's connection; nil if that has ended.
  func descriptor(of peer: PeerID) -> Int32? {
    forgetGone()
    return route(peer.serial)?.descriptor
  }

  /// Records that a peer was greeted.
  func greet(_ peer: PeerID) {
    guard let route = route(peer.serial) else { return }
    connections.greet(peer.serial, route.descriptor)
  }

  private func route(_ serial: UInt64) -> Route? {
    if let last, last.serial == serial { return last.route }
    guard let route = routes[serial] else { return nil }
    last = (serial, route)
    return route
  }

  /// Whether a peer is connected, as far as that is known.
  func isConnected(_ serial: UInt64) -> Bool { route(serial) != nil }

  private func forgetGone() {
    connections.forEachGone { serial in
      onGone(serial)
      routes[serial] = nil
      if last?.serial == serial { last = nil }
    }
  }

  // MARK: - Peers without a hello

  /// Shuts down peers that had time for a hello, were read, and were not greeted.
  func beginTurn() {
    forgetGone()
    turnsBehind += 1
    if turnsBehind >= Self.turnsOfAll { heardEverybody() }
    guard let cutoff else { return }
    self.cutoff = nil
    connections.shutDownSilent(at: cutoff)
  }

  /// Records that all messages up to now were taken; their answers leave in this turn.
  func heardEverybody() {
    turnsBehind = 0
    guard connections.takeOverdue() else { return }
    cutoff = LoopClock.nanoseconds
  }
}

extension PeerID {
  /// The peer whose connection has a serial.
  init(serial: UInt64) {
    self.init(bytes: withUnsafeBytes(of: serial.bigEndian) { [UInt8]($0) })
  }

  /// The serial of the peer's connection.
  var serial: UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
