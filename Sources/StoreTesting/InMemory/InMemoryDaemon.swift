import StoreActor
import StoreReplication
import StoreState

/// A daemon and a client of it, with every byte between them that a socket would carry, in one
/// process and without threads or time.
///
/// Both machines are the real ones. Frames go to and fro on the main actor: whenever the root has
/// committed a revision or put something out, or the client has something to say, until neither has
/// anything more. So a sent action has been reduced and its delta applied when ``submit(_:to:)``
/// returns.
@MainActor
final class InMemoryDaemon<Root: Sendable, RootAction> {
  let root: RootCore<Root, RootAction>
  private let server: ReplicaServer<Root, RootAction>
  private let client: ReplicaClient
  private let peer = PeerID(bytes: [0, 1])
  private let now = Moment(instant: Instant(nanoseconds: 0), wallMilliseconds: 0)
  /// What the client has subscribed to, and how often.
  private var subscriptions: [[UInt8]: Int] = [:]
  private var commits: StoreSubscription?
  private var outputs: StoreSubscription?
  private var isPumping = false
  /// What the client had to repair since the last look.
  private var repairs: [String] = []

  init(root: RootCore<Root, RootAction>, exposures: [Expose<Root, RootAction>]) {
    self.root = root
    server = ReplicaServer(
      root: root,
      exposures: exposures,
      epoch: 1,
      processID: 1,
      now: now,
      generator: Numbers(last: 1),
    )
    client = ReplicaClient(
      identity: ReplicaClient.Identity(
        clientID: Identifier(high: 1, low: 1),
        name: "test",
        isListed: false,
      ),
      now: now,
      generator: Numbers(last: 1 << 32),
    )
    connect()
  }

  private func connect() {
    commits = root.observeChanges { [weak self] in self?.pump() }
    outputs = root.observeOutputs { [weak self] _ in self?.pump() }
    server.onUnsent = { [weak self] in self?.pump() }
    client.receive(welcome: server.welcome[...], at: now)
    // The daemon's greeting on the control socket.
    client.receive(control: [], at: now)
    pump()
  }

  /// Follows a scope.
  func follow(
    _ name: String,
    state: SchemaDocument,
    action: SchemaDocument,
    replica: any Replica,
  ) -> ClientScope {
    let scope = client.add(name, mode: .follow, state: state, action: action, replica: replica)
    pump()
    return scope
  }

  /// Sends an action's bytes to a scope.
  func submit(_ action: [UInt8], to scope: ClientScope) -> ActionTicket {
    let ticket = client.submit(action, to: scope)
    pump()
    return ticket
  }

  /// Cancels the effects of an action.
  func cancel(_ ticket: ActionTicket) {
    client.cancel(ticket)
    pump()
  }

  /// What the client had to repair since the last call: nothing, unless a delta was wrong.
  func takeRepairs() -> [String] {
    defer { repairs = [] }
    return repairs
  }

  /// Lets frames go to and fro until there are no more.
  private func pump() {
    guard !isPumping else { return }
    isPumping = true
    defer { isPumping = false }
    while exchange() {}
    for event in client.takeEvents() {
      if case .resynchronising(_, let reason) = event { repairs.append(reason) }
    }
  }

  /// Moves what there is to move, and says whether there was anything.
  private func exchange() -> Bool {
    client.endTurn(now)
    let toDaemon = client.takeOutgoing()
    for outgoing in toDaemon { perform(outgoing) }
    server.endTurn(now)
    for job in server.takeJobs() { server.receive(job.run(), at: now) }
    let toClient = server.takeOutgoing()
    for frame in toClient { deliver(frame) }
    return !toDaemon.isEmpty || !toClient.isEmpty
  }

  private func perform(_ outgoing: ReplicaClient.Outgoing) {
    switch outgoing {
    case .control(let frame):
      server.receive(control: frame[...], from: peer, address: "memory", at: now)
    case .subscribe(let topic):
      subscriptions[topic.bytes, default: 0] += 1
      server.receive(upstream: ([1] + topic.bytes)[...], at: now)
    case .unsubscribe(let topic):
      let count = subscriptions[topic.bytes] ?? 0
      subscriptions[topic.bytes] = count > 1 ? count - 1 : nil
      if count == 1 { server.receive(upstream: ([0] + topic.bytes)[...], at: now) }
    case .upstream(let frame): server.receive(upstream: frame[...], at: now)
    case .reconnect: repairs.append("The connection was given up.")
    }
  }

  private func deliver(_ frame: ReplicaServer<Root, RootAction>.Outgoing) {
    switch frame {
    case .control(let to, let body):
      if to == peer { client.receive(control: body[...], at: now) }
    case .publish(let topic, let body):
      guard subscriptions[topic] != nil else { return }
      client.receive(topic: topic[...], body: body[...], at: now)
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
