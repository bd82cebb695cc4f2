import DequeModule
import StoreHistory
import StoreProtocol
import StoreReplica
import StoreServer

/// The frames between a daemon's sockets and one client's, in queues; time stands still.
@MainActor
final class InMemoryLink: ClientTransport, DaemonTransport {
  let now = Moment(instant: Instant(nanoseconds: 0), wallMilliseconds: 0)
  var onWakeUp: () -> Void = {}
  /// Whether the client has given up the connection.
  private(set) var isGivenUp = false

  private let peer = PeerID(bytes: [0, 1])
  private let publisher = PeerID(bytes: [0, 2])
  private var upstream: Deque<[UInt8]> = []
  private var fromClient: Deque<[UInt8]> = []
  private var toClient: Deque<[UInt8]> = []
  private var published: Deque<(topic: [UInt8], body: [UInt8]?)> = []
  private var results: Deque<CaptureJob.Result> = []
  /// The client's subscriptions with their counts, as a socket counts them.
  private var subscriptions: [[UInt8]: Int] = [:]

  /// Whether all frames and results have been received.
  var isEmpty: Bool {
    upstream.isEmpty && fromClient.isEmpty && toClient.isEmpty && published.isEmpty
      && results.isEmpty
  }

  /// Begins with the first messages of new connections.
  func greet(with welcome: [UInt8]) {
    published.append((welcome, nil))
    toClient.append([])
  }

  /// Returns the result of a finished job; nil if no result waits.
  func nextResult() -> CaptureJob.Result? { results.popFirst() }

  // MARK: The client's end

  var isCut: Bool { false }

  func receiveControl(_ take: (ArraySlice<UInt8>) -> Void) -> Bool {
    guard let frame = toClient.popFirst() else { return false }
    take(frame[...])
    return true
  }

  func receivePublished(_ take: (ArraySlice<UInt8>, ArraySlice<UInt8>?) -> Void) -> Bool {
    guard let (topic, body) = published.popFirst() else { return false }
    take(topic[...], body?[...])
    return true
  }

  func send(control frame: consuming [UInt8]) { fromClient.append(frame) }

  func send(upstream frame: [UInt8]) {
    let topic = Array(frame.dropFirst())
    switch frame.first {
    case 1: subscriptions[topic, default: 0] += 1
    case 0:
      let count = subscriptions[topic] ?? 0
      subscriptions[topic] = count > 1 ? count - 1 : nil
      // Only the last unsubscription is sent.
      guard count == 1 else { return }
    default: break
    }
    upstream.append(frame)
  }

  func reconnect() { isGivenUp = true }

  // MARK: The daemon's end

  var instant: Instant { now.instant }
  let caller = Caller(.unknown, at: "memory")

  func nextUpstream() -> IncomingFrame? {
    upstream.popFirst().map { IncomingFrame(peer: publisher, bytes: $0[...]) }
  }

  var isBehind: Bool { false }

  /// Connections are never lost.
  func nextLost() -> PeerID? { nil }

  /// Does not act: the only client has read all publications.
  func shutDown(_: PeerID, reason _: String) {}

  func nextControl(besides waiting: Set<Holder>) -> IncomingFrame? {
    // There is one client, so its holder is the only one that can wait.
    guard waiting.isEmpty else { return nil }
    return fromClient.popFirst().map { IncomingFrame(peer: peer, bytes: $0[...]) }
  }

  func publish(_ topic: [UInt8], _ body: [UInt8]) {
    if subscriptions[topic] != nil { published.append((topic, body)) }
  }

  func send(_ frame: [UInt8], to peer: PeerID) -> Bool {
    if peer == self.peer { toClient.append(frame) }
    return true
  }

  func start(_ job: CaptureJob) { results.append(job.run()) }

  func wakeUp() { onWakeUp() }

  /// Does not act: no further client connects, and the only one was greeted.
  func welcome(with message: [UInt8]) {}

  /// Does not act: there is no operator, and a client's fault shows in its state.
  func report(_: ServerNotice) {}
}
