import DequeModule
import StoreProtocol
import StoreReplica
import StoreServer

/// The shipped client without its sockets: a ``BenchLink`` fills its queues.
@MainActor
final class BenchClient: ClientTransport {
  let client: ReplicaClient
  let peer: PeerID
  var control: Deque<[UInt8]> = []
  var published: Deque<(topic: [UInt8], body: [UInt8]?)> = []
  private let link: BenchLink
  private lazy var clientTurn = ClientTurn(client, self)
  private var disturbance: BenchError?

  init(_ number: UInt64, _ link: BenchLink, welcome: [UInt8]) {
    peer = PeerID(bytes: withUnsafeBytes(of: (2 << 32 | number).bigEndian, Array.init))
    self.link = link
    client = ReplicaClient(
      identity: ReplicaClient.Identity(
        clientID: Identifier(high: 2, low: number),
        name: "client \(number)",
        isListed: false,
      ),
      now: link.now,
      generator: Pseudorandom(seed: number),
    )
    link.add(self)
    published.append((welcome, nil))
    control.append([])
  }

  var hasCome: Bool { !control.isEmpty || !published.isEmpty }

  /// Takes the incoming messages, and sends the messages that are due.
  func turn() throws {
    clientTurn.onEvent = { [unowned self] in disturbance = disturbance ?? BenchError(event: $0) }
    while clientTurn.receive() {}
    clientTurn.end()
    if let disturbance { throw disturbance }
  }

  // MARK: The sockets

  var now: Moment { link.now }
  var isCut: Bool { false }

  func receiveControl(_ take: (ArraySlice<UInt8>) -> Void) -> Bool {
    guard let frame = control.popFirst() else { return false }
    take(frame[...])
    return true
  }

  func receivePublished(_ take: (ArraySlice<UInt8>, ArraySlice<UInt8>?) -> Void) -> Bool {
    guard let (topic, body) = published.popFirst() else { return false }
    take(topic[...], body?[...])
    return true
  }

  func send(control frame: consuming [UInt8]) {
    link.control.append(IncomingFrame(peer: peer, bytes: frame[...]))
  }

  func send(upstream frame: [UInt8]) { link.send(upstream: frame, from: peer) }

  func reconnect() { disturbance = disturbance ?? BenchError("The daemon was silent for too long") }
}
