import StoreReplication
import StoreState
import Workspace
import ZeroMQ

/// One client with two sockets of its own, which follows a scope and says nothing.
@MainActor
final class Follower {
  private let client: ReplicaClient
  private let control: Socket
  private let publishing: Socket
  private let replica = CounterReplica()
  private var first = Message()
  private var second = Message()

  init(_ number: Int, of directory: String, scope: String, context: Context) throws {
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
    _ = client.add(scope, mode: .follow, replica: replica)
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

  var isReady: Bool { client.isQuiet && replica.isSettled }
  var sockets: [Socket] { [control, publishing] }

  /// Takes everything that has come, and says what is due.
  func turn() throws {
    let now = Moment.current
    while try control.receive(into: &first) { client.receive(control: first.bytes[...], at: now) }
    while try publishing.receive(into: &first) {
      if first.more, try publishing.receive(into: &second) {
        client.receive(topic: first.bytes[...], body: second.bytes[...], at: now)
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
    _ = client.takeEvents()
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

/// A copy of the counter.
@MainActor
final class CounterReplica: Replica {
  private var state: Counter.State?
  private(set) var isSettled = false

  var digest: Digest { state.digest }

  func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    state = try Counter.State?(encoded: snapshot)
  }

  func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    state = try state.applying(delta: delta)
  }

  func settled(revision: UInt64) { isSettled = true }

  func statusChanged(_ status: ScopeStatus) {}
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
