import GenericState
import StoreActor
import StoreSimulation
import StoreState
import Testing

@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// A client on a bench: its turn is the one that ships, its sockets are pipes.
///
/// At the other end is a ``Bench``, or a test that plays the daemon by hand.
@MainActor
final class BenchClient: ClientTransport {
  typealias Failure = Never

  let client: ReplicaClient
  private(set) lazy var turn = ClientTurn(client, self)
  private var clock = BenchClock()
  /// The daemon that it is connected to; nil if a test plays it.
  private(set) var daemon: Bench?
  /// The number of its connections.
  private(set) var number: UInt8 = 0
  /// The number of its publishing socket's connections.
  private var publishers: UInt8 = 0
  /// The frames that arrive on the control socket.
  let control = Pipe<[UInt8]>()
  /// The frames that are published to it.
  let published = Pipe<(topic: [UInt8], body: [UInt8]?)>()
  /// Whether its control connection has ended.
  var isCut = false
  /// Whether its sent messages are lost.
  var losesSent = false
  /// The messages that it has sent on the control socket.
  private(set) var sent: [ClientMessage] = []
  /// The frames that it has sent upstream.
  private(set) var upstream: [[UInt8]] = []
  /// The number of times that it gave up its connections.
  private(set) var reconnects = 0
  private(set) var events: [ClientEvent] = []
  /// The topics with active subscriptions, and their number.
  private(set) var subscriptions: [[UInt8]: Int] = [:]
  private var needsTurn = false

  /// Creates a client without a daemon.
  init(id: UInt8 = 200, isListed: Bool = false, limits: Limits = Limits()) {
    client = ReplicaClient(
      identity: ReplicaClient.Identity(
        clientID: Bench.clientID(id),
        name: "client \(id)",
        isListed: isListed,
      ),
      limits: limits,
      now: clock.now,
      generator: SeededGenerator(seed: UInt64(id)),
    )
    client.onNeedsTurn = { [weak self] in self?.needsTurn = true }
    turn.onEvent = { [weak self] in self?.events.append($0) }
  }

  /// Creates a connected client.
  convenience init(
    _ daemon: Bench,
    id: UInt8 = 200,
    isListed: Bool = false,
    limits: Limits = Limits(),
  ) throws {
    self.init(id: id, isListed: isListed, limits: limits)
    try connect(to: daemon)
  }

  // MARK: Connections

  /// Creates new connections of both sockets, optionally to another daemon.
  func connect(to other: Bench? = nil) throws {
    let daemon = try #require(other ?? daemon)
    if let old = self.daemon { disconnect(old) } else { clock = daemon.clock }
    daemon.clock = clock
    self.daemon = daemon
    number += 1
    daemon.clients[peer] = self
    beWelcome(at: daemon)
    control.append([])
    try daemon.settle()
  }

  /// Creates a new connection of the publishing socket alone.
  func welcome() throws {
    let daemon = try #require(daemon)
    daemon.lose(publisher)
    published.lose()
    publishers += 1
    beWelcome(at: daemon)
    try daemon.settle()
  }

  private func beWelcome(at daemon: Bench) {
    published.append((daemon.server.welcome, nil))
    // A socket repeats its subscriptions.
    for topic in subscriptions.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      daemon.receive(upstream: [1] + topic, from: publisher)
    }
  }

  /// Creates a new connection of the control socket alone.
  func greet() throws {
    let daemon = try #require(daemon)
    daemon.clients[peer] = nil
    control.lose()
    number += 1
    daemon.clients[peer] = self
    control.append([])
    try daemon.settle()
  }

  private func disconnect(_ daemon: Bench) {
    daemon.clients[peer] = nil
    daemon.lose(peer)
    daemon.lose(publisher)
    control.lose()
    published.lose()
  }

  /// The control socket's name for it.
  var peer: PeerID { PeerID(bytes: [2, number]) }

  /// The publishing socket's name for it.
  var publisher: PeerID { PeerID(bytes: [3, number, publishers]) }

  /// Takes frames that are published to its topics.
  func receive(topic: [UInt8], body: [UInt8]) {
    if subscriptions[topic] != nil { published.append((topic, body)) }
  }

  // MARK: Turns

  func takeTurn() {
    needsTurn = false
    _ = turn.receive()
    turn.end()
    client.checkInvariants()
  }

  /// Whether another turn is needed at once.
  var isBusy: Bool { needsTurn || control.hasArrived || published.hasArrived }

  /// Runs all consequences.
  func settle() throws {
    if let daemon { return try daemon.settle() }
    repeat { takeTurn() } while isBusy
  }

  /// Lets time pass, and runs the work that is due.
  func advance(by duration: Duration) throws {
    clock.advance(by: duration)
    try daemon?.endTurn()
    try settle()
  }

  // MARK: The network

  var now: Moment { clock.now }

  func receiveControl(_ take: (ArraySlice<UInt8>) -> Void) -> Bool {
    guard let frame = control.next() else { return false }
    take(frame[...])
    return true
  }

  func receivePublished(_ take: (ArraySlice<UInt8>, ArraySlice<UInt8>?) -> Void) -> Bool {
    guard let (topic, body) = published.next() else { return false }
    take(topic[...], body?[...])
    return true
  }

  func send(control frame: consuming [UInt8]) {
    do {
      sent.append(try ClientMessage(frame: frame[...]))
    } catch {
      Issue.record("The client sent an invalid message: \(error)")
    }
    if !losesSent { daemon?.receive(control: frame, from: peer) }
  }

  func send(upstream frame: [UInt8]) {
    upstream.append(frame)
    let topic = Array(frame.dropFirst())
    switch frame.first {
    case 1: subscriptions[topic, default: 0] += 1
    case 0: subscriptions[topic] = subscriptions[topic].flatMap { $0 > 1 ? $0 - 1 : nil }
    default: break
    }
    daemon?.receive(upstream: frame, from: publisher)
  }

  func reconnect() {
    reconnects += 1
    subscriptions = [:]
  }
}

/// Common steps of tests.
extension BenchClient {
  /// Follows a scope with the copy that remote stores show.
  func follow<State: ReplicatedState>(
    _ name: String,
    _ type: State.Type,
    action: SchemaDocument? = nil,
  ) throws -> (scope: ClientScope, replica: TypedReplica<State>) {
    let opened = client.open(name, type, action: action, placeholder: nil)
    try settle()
    return opened
  }

  /// Follows a scope with the copy of programs without types.
  func watch(_ name: String, _ descriptions: [ScopeDescription]) throws -> Watched {
    let description = try #require(descriptions.find(name)?.description)
    let replica = GenericReplica(name: name, description: description)
    let watched = Watched(client.add(name, mode: .follow, replica: replica), replica)
    try settle()
    return watched
  }

  @discardableResult
  func send(_ action: some WireAction, to scope: ClientScope) throws -> ActionTicket {
    let ticket = client.submit(try action.encoded(), to: scope)
    try settle()
    return ticket
  }

  var resynchronizations: [String] {
    events.compactMap { if case .resynchronizing(_, let reason) = $0 { reason } else { nil } }
  }

  /// The requests of its joins, in order.
  var joins: [[ClientMessage.JoinRequest]] {
    sent.compactMap { if case .join(_, let requests) = $0 { requests } else { nil } }
      .filter { !$0.isEmpty }
  }

  /// Delivers a frame that was lost, or that no daemon sends.
  func deliver(_ message: DaemonMessage) throws {
    control.append(message.encoded())
    try settle()
  }

  /// Changes the messages that arrive on the control socket.
  func alter(_ change: @escaping (DaemonMessage) -> DaemonMessage) {
    control.alter = { frame in
      // The greeting is no message.
      guard let message = try? DaemonMessage(frame: frame[...]) else { return frame }
      return change(message).encoded()
    }
  }

  /// Changes the messages that are published to it.
  func alterPublished(_ change: @escaping (PublishedMessage) -> PublishedMessage) {
    published.alter = { published in
      guard let body = published.body, let message = try? PublishedMessage(frame: body[...])
      else { return published }
      return (published.topic, change(message).encoded())
    }
  }

  /// The published messages that are held back.
  func heldMessages() throws -> [PublishedMessage] {
    try published.waiting.compactMap { try $0.body.map { try PublishedMessage(frame: $0[...]) } }
  }
}

/// A followed scope, with a log of its copy's notifications.
@MainActor
final class Watched {
  let scope: ClientScope
  let replica: GenericReplica
  private(set) var log: [String] = []
  /// The outputs alone.
  private(set) var outputs: [GenericValue] = []

  init(_ scope: ClientScope, _ replica: GenericReplica) {
    self.scope = scope
    self.replica = replica
    replica.onEvent = { [weak self] in self?.note($0) }
  }

  private func note(_ event: GenericReplica.Event) {
    switch event {
    case .snapshot(let revision): log.append("snapshot \(revision)")
    case .delta(_, _, let revision): log.append("delta \(revision)")
    case .shown(let revision): log.append("shown \(revision)")
    case .output(let value, let revision):
      log.append("output \(revision)")
      outputs.append(value)
    case .status: break
    }
  }
}
