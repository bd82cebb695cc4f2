import StoreActor
import StoreReplication
import StoreState

/// A daemon, its clients, the network between them and the clock, all in one thread.
///
/// Everything that happens follows from the seed: two runs of one seed are the same, byte for byte.
@MainActor
package final class World {
  let options: SimulationOptions
  let clock = VirtualClock()
  var generator: SeededGenerator
  var history = History()
  var daemon: SimulatedDaemon?
  private(set) var clients: [SimulatedClient] = []
  var controlPipes: [PeerID: (pipe: ControlPipe, client: SimulatedClient)] = [:]
  /// In the order in which they came; with those that broke and were not missed yet.
  var publishingPipes: [(pipe: PublishingPipe, client: SimulatedClient)] = []
  /// How many connections of the publishing sockets want a topic.
  var nextPipe: UInt64 = 1
  private var replicas = 0
  /// Whether faults are over.
  var isHealed = false
  private let traces: (String) -> Void
  private let isTracing: Bool

  package init(
    seed: UInt64,
    options: SimulationOptions? = nil,
    trace: ((String) -> Void)? = nil,
  ) {
    self.options = options ?? SimulationOptions(seed: seed)
    generator = SeededGenerator(seed: seed)
    traces = trace ?? { _ in }
    isTracing = trace != nil
  }

  /// Runs a seed's world to its end.
  package static func history(
    ofSeed seed: UInt64,
    options: SimulationOptions? = nil,
    trace: ((String) -> Void)? = nil,
  ) -> History {
    World(seed: seed, options: options, trace: trace).run()
  }

  func trace(_ text: @autoclosure () -> String) {
    if isTracing { traces("\(clock.now / 1_000) µs  \(text())") }
  }

  func nextReplica() -> Int {
    replicas += 1
    return replicas
  }

  var moment: Moment {
    Moment(
      instant: Instant(nanoseconds: clock.now),
      wallMilliseconds: 1_700_000_000_000 + UInt64(clock.now / 1_000_000),
    )
  }

  private func run() -> History {
    startDaemon()
    for index in 0..<options.clients {
      history.clients.append([])
      let client = SimulatedClient(self, index: index, generator: generator.fork())
      clients.append(client)
      client.start()
      reconnect(client)
      planWork(client)
    }
    planFaults()
    clock.run(until: options.span.nanoseconds)
    heal()
    settle()
    conclude()
    return history
  }

  func startDaemon() {
    let epoch = generator.next()
    trace("a daemon starts, epoch \(epoch)")
    daemon = SimulatedDaemon(self, epoch: epoch, generator: generator.fork())
  }

  private func planWork(_ client: SimulatedClient) {
    for _ in 0..<options.actionsPerClient {
      clock.at(generator.duration(.zero...options.span)) { client.work() }
    }
  }

  /// Runs on until nothing happens any more but pings, for long enough that a loss would show.
  private func settle() {
    let lease = options.timing.lease.nanoseconds
    var quietSince: Int64?
    let limit = clock.now + 60 * lease
    while clock.now < limit {
      clock.run(until: clock.now + lease / 4)
      guard clients.allSatisfy({ $0.client.isQuiet && $0.asleepUntil <= clock.now }) else {
        quietSince = nil
        continue
      }
      let since = quietSince ?? clock.now
      quietSince = since
      if clock.now - since > lease * 5 / 4 { return }
    }
    let busy = clients.filter { !$0.client.isQuiet }.map { "client \($0.index)" }
    history.unrest = "\(busy.joined(separator: ", ")) did not come to rest"
  }

  private func conclude() {
    daemon?.stop()
    let root = daemon?.core.state ?? Board.State()
    for client in clients {
      history.resyncs += client.client.resyncs
      for followed in client.followed { conclude(client, followed, root) }
      for scope in client.client.unheldScopes {
        history.unheld.append(History.Unheld(client: client.index, scope: scope))
      }
    }
    history.isCalm = options.faults == SimulationOptions.Faults() && history.resyncs == 0
    let open = clients.filter { !$0.index.isMultiple(of: 3) }.count
    history.epochs[history.epochs.count - 1].openSessions = root.presence.sessions
    history.listedClients = open
  }

  private func conclude(
    _ client: SimulatedClient,
    _ followed: SimulatedClient.Followed,
    _ root: Board.State,
  ) {
    let name = followed.scope.name
    if case .refused(let failure) = followed.scope.status {
      history.refusals.append(
        History.Refusal(
          client: client.index,
          scope: name,
          failure: failure,
          isReadable: followed.replica.isReadable,
        )
      )
      return
    }
    guard let bytes = Board.projection(of: name, in: root),
      let digest = try? Digest.of(canonical: bytes)
    else { return }
    let later = LaterBoard.projection(of: name, in: root)
    // A scope without a digest has nothing, which is the daemon's of no state.
    let ours = followed.scope.digest ?? Digest(rawValue: 0)
    history.endings.append(
      History.Ending(
        client: client.index,
        scope: name,
        ours: ours,
        theirs: digest,
        shown: followed.replica.shown ?? [],
        expected: followed.replica.isLater ? later ?? [] : bytes,
        isReadable: followed.replica.isReadable,
      )
    )
    history.mix(followed.replica.shown ?? [], ours.rawValue)
  }

  /// What the reducer is told of a session.
  func sessionAction(_ event: SessionEvent) -> Board.Action? {
    let last = history.epochs.count - 1
    switch event {
    case .joined(let info):
      history.epochs[last].sessions.append(History.SessionChange(session: info.id, isJoin: true))
      return .joined(session: info.id)
    case .left(let info):
      history.epochs[last].sessions.append(History.SessionChange(session: info.id, isJoin: false))
      return .left(session: info.id)
    }
  }
}
