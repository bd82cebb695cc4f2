import DequeModule
import StoreActor
import StoreHistory
import StoreProtocol
import StoreServer
import ZeroMQ

/// Queues in place of a daemon's sockets, and a clock that advances on request.
@MainActor
final class BenchLink: DaemonTransport {
  private(set) var now = Moment(
    instant: Instant(nanoseconds: 1_000_000_000),
    wallMilliseconds: 1_000_000,
  )
  var control: Deque<IncomingFrame> = []
  var upstream: Deque<IncomingFrame> = []
  /// The outgoing frames that are for no client of the link.
  var outgoing: [OutgoingFrame] = []
  /// The requested captures.
  var jobs: [CaptureJob] = []
  private var clients: [PeerID: BenchClient] = [:]
  private var subscribers: [[UInt8]: [PeerID]] = [:]
  /// The clients with incoming frames, in the order of arrival.
  private var hasCome: Deque<PeerID> = []
  /// The time at which the moment was set, by the machine's clock.
  private var set = LoopClock.nanoseconds

  func pass(_ duration: Duration) {
    now.instant = now.instant.advanced(by: duration)
    set = LoopClock.nanoseconds
  }

  // MARK: The clients' end

  func add(_ client: BenchClient) { clients[client.peer] = client }

  /// Returns the next client with incoming frames; nil if all frames were taken.
  func nextClient() -> BenchClient? {
    while let peer = hasCome.popFirst() {
      if let client = clients[peer], client.hasCome { return client }
    }
    return nil
  }

  func send(upstream frame: [UInt8], from peer: PeerID) {
    let topic = Array(frame.dropFirst())
    switch frame.first {
    case 1: subscribers[topic, default: []].append(peer)
    case 0:
      subscribers[topic]?.removeAll { $0 == peer }
      if subscribers[topic]?.isEmpty == true { subscribers[topic] = nil }
    default: break
    }
    upstream.append(IncomingFrame(peer: peer, bytes: frame[...]))
  }

  // MARK: The daemon's end

  /// The moment, and the time since it was set.
  var instant: Instant { now.instant.advanced(by: .nanoseconds(LoopClock.nanoseconds - set)) }

  let caller = Caller(.unknown, at: "memory")

  func nextUpstream() -> IncomingFrame? { upstream.popFirst() }

  func nextControl(besides _: Set<Holder>) -> IncomingFrame? { control.popFirst() }

  var isBehind: Bool { false }

  /// Connections are never lost.
  func nextLost() -> PeerID? { nil }

  /// A peer that the daemon shuts down has misbehaved, which a bench never does.
  func shutDown(_ peer: PeerID, reason: String) {
    preconditionFailure("The daemon wants \(peer) to be shut down: \(reason)")
  }

  func publish(_ topic: [UInt8], _ body: [UInt8]) {
    guard let peers = subscribers[topic], !peers.isEmpty else {
      outgoing.append(.publish(topic: topic, body))
      return
    }
    for peer in peers {
      clients[peer]?.published.append((topic, body))
      hasCome.append(peer)
    }
  }

  func send(_ frame: [UInt8], to peer: PeerID) -> Bool {
    if let client = clients[peer] {
      client.control.append(frame)
      hasCome.append(peer)
    } else {
      outgoing.append(.control(peer, frame))
    }
    return true
  }

  func start(_ job: CaptureJob) { jobs.append(job) }

  /// The bench itself runs the turns.
  func wakeUp() {}

  /// No client connects later.
  func welcome(with message: [UInt8]) {}

  /// There is no operator; a client that loses its session fails the bench.
  func report(_: ServerNotice) {}
}
