import StoreActor
import StoreReplication
import StoreState

/// A daemon and a client of it, with every byte between them that a socket would carry, in one
/// process and without threads or time.
///
/// Both machines are the real ones. Frames go to and fro on the main actor: whenever the root has
/// committed a revision or put something out, or the client has something to say, until neither has
/// anything more. So an action has been reduced and its delta applied when sending it returns.
@MainActor
final class InMemoryDaemon<Root: Sendable, RootAction> {
  let root: RootCore<Root, RootAction>
  let client: ReplicaClient
  private let server: ReplicaServer<Root, RootAction>
  private let link = InMemoryLink()
  private let turn: ClientTurn<InMemoryLink>
  private let peer = PeerID(bytes: [0, 1])
  private var now: Moment { link.now }
  /// What the client has subscribed to, and how often.
  private var subscriptions: [[UInt8]: Int] = [:]
  private var commits: StoreSubscription?
  private var outputs: StoreSubscription?
  private var isPumping = false
  /// Whether something came up while frames went to and fro.
  private var needsPump = false
  /// What the client had to repair since the last look.
  private var repairs: [String] = []

  init(root: RootCore<Root, RootAction>, exposures: [Expose<Root, RootAction>]) {
    self.root = root
    server = ReplicaServer(
      root: root,
      exposures: exposures,
      epoch: 1,
      processID: 1,
      now: link.now,
      generator: Numbers(last: 1),
    )
    client = ReplicaClient(
      identity: ReplicaClient.Identity(
        clientID: Identifier(high: 1, low: 1),
        name: "test",
        isListed: false,
      ),
      now: link.now,
      generator: Numbers(last: 1 << 32),
    )
    turn = ClientTurn(client, link)
    connect()
  }

  private func connect() {
    commits = root.observeChanges { [weak self] in self?.pump() }
    outputs = root.observeOutputs { [weak self] _ in self?.pump() }
    server.onUnsent = { [weak self] in self?.pump() }
    client.onNeedsTurn = { [weak self] in self?.pump() }
    turn.onEvent = { [weak self] in self?.note($0) }
    link.deliver(topic: server.welcome, nil)
    // The daemon's greeting on the control socket.
    link.deliver(control: [])
    pump()
  }

  private func note(_ event: ClientEvent) {
    switch event {
    case .resynchronizing(_, let reason): repairs.append(reason)
    case .differed(_, let place): repairs.append("The copy differed at \(place)")
    default: break
    }
  }

  /// What the client had to repair since the last call: nothing, unless a delta was wrong.
  func takeRepairs() -> [String] {
    defer { repairs = [] }
    return link.isGivenUp ? repairs + ["The connection was given up."] : repairs
  }

  /// Lets frames go to and fro until there are no more.
  private func pump() {
    needsPump = true
    guard !isPumping else { return }
    isPumping = true
    while needsPump || !link.isEmpty {
      needsPump = false
      exchange()
    }
    isPumping = false
  }

  private func exchange() {
    _ = turn.receive()
    turn.end()
    while let sent = link.next() { perform(sent) }
    server.endTurn(now)
    for job in server.takeJobs() { server.receive(job.run(), at: now) }
    for frame in server.takeOutgoing() { deliver(frame) }
  }

  private func perform(_ sent: InMemoryLink.Sent) {
    switch sent {
    case .control(let frame):
      server.receive(control: frame[...], from: peer, address: "memory", at: now)
    case .upstream(let frame): if isNews(frame) { server.receive(upstream: frame[...], at: now) }
    }
  }

  /// Whether the daemon hears of what was sent upstream: its socket counts subscriptions.
  private func isNews(_ frame: [UInt8]) -> Bool {
    let topic = Array(frame.dropFirst())
    switch frame.first {
    case 1:
      subscriptions[topic, default: 0] += 1
      return true
    case 0:
      let count = subscriptions[topic] ?? 0
      subscriptions[topic] = count > 1 ? count - 1 : nil
      return count == 1
    default: return true
    }
  }

  private func deliver(_ frame: ReplicaServer<Root, RootAction>.Outgoing) {
    switch frame {
    case .control(let to, let body): if to == peer { link.deliver(control: body) }
    case .publish(let topic, let body):
      if subscriptions[topic] != nil { link.deliver(topic: topic, body) }
    }
  }
}

/// Numbers one after the other, the same in every run.
private struct Numbers: RandomNumberGenerator {
  var last: UInt64

  mutating func next() -> UInt64 {
    last += 1
    // Spread over all bits: topics and tokens are told apart by the whole number.
    return last &* 0x9e37_79b9_7f4a_7c15
  }
}
