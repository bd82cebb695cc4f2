import StoreActor
import StoreExposures
import StoreProtocol
import StoreReplica
import StoreServer

/// A daemon and its client in one process, without threads or time; the bytes between them are
/// those that a socket would carry.
///
/// Both state machines are the real ones. Frames are exchanged on the main actor whenever the root
/// has committed a revision or emitted an output, or the client has frames to send, until both ends
/// are idle. So an action is reduced and its delta applied when the call that sends it returns.
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
  /// Whether another exchange was requested during the current one.
  private var needsPump = false
  /// The client's repairs since they were last taken.
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

  /// Returns the client's repairs since the last call; empty, unless a delta was wrong.
  func takeRepairs() -> [String] {
    defer { repairs = [] }
    return link.isGivenUp ? repairs + ["The connection was given up."] : repairs
  }

  /// Whether the daemon has due work without a frame.
  private var isDue: Bool { daemonTurn.nextDeadline.map { $0 <= link.now.instant } ?? false }

  /// Exchanges frames until there are no more.
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

/// Successive numbers, the same in every run.
private struct Numbers: RandomNumberGenerator {
  var last: UInt64

  mutating func next() -> UInt64 {
    last += 1
    // Spread over all bits: topics and tokens differ by the whole number.
    return last &* 0x9e37_79b9_7f4a_7c15
  }
}
