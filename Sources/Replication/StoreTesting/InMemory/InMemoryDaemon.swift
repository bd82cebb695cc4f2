import StoreActor
import StoreExposures
import StoreProtocol
import StoreReplica
import StoreServer

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
  private let link: InMemoryLink
  private let daemonTurn: DaemonTurn<InMemoryLink>
  private let clientTurn: ClientTurn<InMemoryLink>
  private var commits: StoreSubscription?
  private var outputs: StoreSubscription?
  private var isPumping = false
  /// Whether something came up while frames went to and fro.
  private var needsPump = false
  /// What the client had to repair since the last look.
  private var repairs: [String] = []

  init(root: RootCore<Root, RootAction>, exposures: [Expose<Root, RootAction>]) {
    self.root = root
    link = InMemoryLink()
    let server = ReplicaServer(
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
    daemonTurn = DaemonTurn(server, transport: link)
    clientTurn = ClientTurn(client, link)
    connect()
  }

  private func connect() {
    commits = root.observeChanges { [weak self] in self?.pump() }
    outputs = root.observeOutputs { [weak self] _ in self?.pump() }
    link.onWakeUp = { [weak self] in self?.pump() }
    client.onNeedsTurn = { [weak self] in self?.pump() }
    clientTurn.onEvent = { [weak self] in self?.note($0) }
    link.greet(with: daemonTurn.server.welcome)
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

  /// Whether the daemon has more to do, though nothing has come.
  private var isDue: Bool { daemonTurn.nextDeadline.map { $0 <= link.now.instant } ?? false }

  /// Lets frames go to and fro until there are no more.
  private func pump() {
    needsPump = true
    guard !isPumping else { return }
    isPumping = true
    while needsPump || !link.isEmpty || isDue {
      needsPump = false
      _ = clientTurn.receive()
      clientTurn.end()
      _ = daemonTurn.receive()
      daemonTurn.end()
      while let result = link.nextResult() { daemonTurn.finish(result) }
    }
    isPumping = false
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
