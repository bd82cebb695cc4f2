import StoreProtocol
import StoreReplica
import StoreState
import StoredWorkspace
import ZeroMQ

/// A client with its own two sockets, which follows a scope, or only sends to it if it has no
/// replica; it sends no action by itself.
@MainActor
final class Follower: ClientTransport {
  typealias Failure = any Error

  private let client: ReplicaClient
  private let scope: ClientScope
  private let hasDigests: Bool
  private let control: Socket
  private let publishing: Socket
  private var first = Message()
  private var second = Message()
  private lazy var clientTurn = ClientTurn(client, self)

  // `hasDigests` states whether the replica knows its state's digest. All do, except those of a
  // bench that skip the bytes.
  init(
    _ number: Int,
    of location: StoreLocation,
    scope: String,
    replica: (any Replica)?,
    hasDigests: Bool = true,
    isListed: Bool = false,
    context: Context,
  ) throws {
    self.hasDigests = hasDigests
    control = try Socket(context, kind: .dealer, options: try Self.options(location))
    publishing = try Socket(
      context,
      kind: .xsub,
      options: try Self.options(location, sendHighWater: 0),
    )
    client = ReplicaClient(
      identity: ReplicaClient.Identity(
        clientID: Identifier(high: 1 << 32, low: UInt64(number)),
        name: "follower \(number)",
        isListed: isListed,
      ),
      now: .current,
      generator: Pseudorandom(seed: UInt64(number)),
    )
    self.scope = client.add(scope, mode: replica == nil ? .sendOnly : .follow, replica: replica)
    try control.connect(location.control)
    try publishing.connect(location.publishing)
  }

  private static func options(
    _ location: StoreLocation,
    sendHighWater: Int = 10_000,
  ) throws -> SocketOptions {
    var options = options(sendHighWater: sendHighWater)
    options.curve = try location.key.map {
      CurveClient(server: $0.daemon, pair: try CurvePair(secretKey: $0.secret))
    }
    return options
  }

  /// The options that a client of this library sets.
  nonisolated static func options(sendHighWater: Int = 10_000) -> SocketOptions {
    var options = SocketOptions()
    options.reconnectInterval = .milliseconds(50)
    options.reconnectIntervalMaximum = .seconds(5)
    options.linger = .zero
    options.sendHighWater = sendHighWater
    options.receiveHighWater = 10_000
    return options
  }

  var isReady: Bool { client.isQuiet && scope.status == .live }
  var sockets: [Socket] { [control, publishing] }

  /// The number of applied messages with deltas.
  private(set) var deltas = 0

  /// The bytes of the last delta, and of the last bookmark, without their topics.
  private(set) var deltaBytes = 0
  private(set) var bookmarkBytes = 0

  /// Sends an action.
  func submit(_ action: [UInt8]) throws -> ActionTicket {
    let ticket = client.submit(action, to: scope)
    try turn()
    return ticket
  }

  /// Takes the incoming messages, and sends the messages that are due.
  func turn() throws {
    clientTurn.onEvent = { [unowned self] event in
      if case .connected = event { connections += 1 }
      if !mayLoseDaemon { disturbance = disturbance ?? BenchError(event: event) }
    }
    while try clientTurn.receive() {}
    try clientTurn.end()
    if let disturbance { throw disturbance }
  }

  /// Whether its daemon may end and start again.
  var mayLoseDaemon = false
  /// The number of sessions that it has opened or resumed.
  var connections = 0

  private var disturbance: BenchError?

  /// Ends the session, and closes the sockets.
  func close() throws {
    try clientTurn.close("The bench is over.")
    control.close()
    publishing.close()
  }

  // MARK: The sockets

  var now: Moment { .current }
  var isCut: Bool { false }

  func receiveControl(_ take: (ArraySlice<UInt8>) -> Void) throws -> Bool {
    guard try control.receive(into: &first) else { return false }
    take(first.bytes[...])
    return true
  }

  func receivePublished(
    _ take: (ArraySlice<UInt8>, ArraySlice<UInt8>?) -> Void
  ) throws -> Bool {
    guard try publishing.receive(into: &first) else { return false }
    guard first.more, try publishing.receive(into: &second) else {
      take(first.bytes[...], nil)
      return true
    }
    let (body, before) = (second.bytes, client.revision)
    // Bookmarks contain the digests to compare with.
    if !hasDigests, case .bookmark? = try? PublishedMessage(frame: body[...]) { return true }
    take(first.bytes[...], body[...])
    if client.revision == before {
      bookmarkBytes = body.count
    } else {
      deltas += 1
      deltaBytes = body.count
    }
    return true
  }

  func send(control frame: consuming [UInt8]) throws { _ = try control.send(frame) }

  func send(upstream frame: [UInt8]) throws { _ = try publishing.send(frame) }

  func reconnect() throws { throw BenchError("The daemon was silent for too long") }
}

extension Moment {
  /// This moment, on both clocks.
  static var current: Moment {
    Moment(
      instant: Instant(nanoseconds: LoopClock.nanoseconds),
      wallMilliseconds: LoopClock.wallMilliseconds,
    )
  }
}

extension BenchError {
  /// Rejects events of a lost session: the bench would measure the client's next join.
  init?(event: ClientEvent) {
    switch event {
    case .silent, .sessionEnded, .resynchronizing, .differed, .refused, .newEpoch:
      self.init("A client was disturbed: \(event)")
    case .connected, .outputsLeftOut, .closed: return nil
    }
  }
}
