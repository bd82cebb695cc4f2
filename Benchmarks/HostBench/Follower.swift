import StoreReplication
import StoreState
import Workspace
import ZeroMQ

/// One client with two sockets of its own, which follows a scope, or only sends to it where it has
/// no replica; by itself it says nothing.
@MainActor
final class Follower {
  private let client: ReplicaClient
  private let scope: ClientScope
  private let control: Socket
  private let publishing: Socket
  private let replica: CountingReplica?
  private var first = Message()
  private var second = Message()

  init(
    _ number: Int,
    of directory: String,
    scope: String,
    replica: CountingReplica?,
    context: Context,
  ) throws {
    self.replica = replica
    control = try Socket(context, kind: .dealer, options: Self.options())
    publishing = try Socket(context, kind: .xsub, options: Self.options(sendHighWater: 0))
    client = ReplicaClient(
      identity: ReplicaClient.Identity(
        clientID: Identifier(high: 1 << 32, low: UInt64(number)),
        name: "follower \(number)",
        isListed: false,
      ),
      now: .current,
      generator: Pseudorandom(seed: UInt64(number)),
    )
    self.scope = client.add(scope, mode: replica == nil ? .sendOnly : .follow, replica: replica)
    try control.connect("ipc://\(directory)/ctl")
    try publishing.connect("ipc://\(directory)/pub")
  }

  /// What a client of this library sets.
  static func options(sendHighWater: Int = 10_000) -> SocketOptions {
    var options = SocketOptions()
    options.heartbeatInterval = .seconds(1)
    options.heartbeatTimeout = .seconds(3)
    options.heartbeatTimeToLive = .seconds(3)
    options.reconnectInterval = .milliseconds(50)
    options.reconnectIntervalMaximum = .seconds(5)
    options.linger = .zero
    options.sendHighWater = sendHighWater
    options.receiveHighWater = 10_000
    return options
  }

  var isReady: Bool { client.isQuiet && replica?.isSettled ?? true }
  var sockets: [Socket] { [control, publishing] }

  /// The deltas that it has applied.
  var deltas: Int { replica?.deltas ?? 0 }

  /// Bytes of the delta that came last, and of the bookmark, their topics not counted.
  private(set) var deltaBytes = 0
  private(set) var bookmarkBytes = 0

  /// Sends an action.
  func submit(_ action: [UInt8]) throws -> ActionTicket {
    let ticket = client.submit(action, to: scope)
    try turn()
    return ticket
  }

  /// Takes everything that has come, and says what is due.
  func turn() throws {
    let now = Moment.current
    while try control.receive(into: &first) { client.receive(control: first.bytes[...], at: now) }
    while try publishing.receive(into: &first) {
      if first.more, try publishing.receive(into: &second) {
        take(second.bytes, of: first.bytes, at: now)
      } else {
        client.receive(welcome: first.bytes[...], at: now)
      }
    }
    if let deadline = client.nextDeadline, deadline <= now.instant {
      client.tick(now)
    } else {
      client.endTurn(now)
    }
    for outgoing in client.takeOutgoing() { try perform(outgoing) }
    for event in client.takeEvents() { try check(event) }
  }

  /// A client that lost its session in between would be measured joining.
  private func check(_ event: ClientEvent) throws {
    switch event {
    case .silent, .sessionEnded, .resynchronising, .refused, .newEpoch:
      throw BenchError("A client was disturbed: \(event)")
    case .connected, .outputsLeftOut: break
    }
  }

  /// Takes its leave.
  func close() throws {
    client.close(.current)
    for outgoing in client.takeOutgoing() { try perform(outgoing) }
    control.close()
    publishing.close()
  }

  private func take(_ body: [UInt8], of topic: [UInt8], at now: Moment) {
    let before = deltas
    client.receive(topic: topic[...], body: body[...], at: now)
    if deltas == before { bookmarkBytes = body.count } else { deltaBytes = body.count }
  }

  private func perform(_ outgoing: ReplicaClient.Outgoing) throws {
    switch outgoing {
    case .control(let frame): _ = try control.send(frame)
    case .subscribe(let topic): _ = try publishing.send([1] + topic.bytes)
    case .unsubscribe(let topic): _ = try publishing.send([0] + topic.bytes)
    case .upstream(let frame): _ = try publishing.send(frame)
    case .reconnect: throw BenchError("The daemon was silent for too long")
    }
  }
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
