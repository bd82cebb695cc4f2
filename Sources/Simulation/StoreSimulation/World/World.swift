import GenericState
import StoreActor
import StoreHistory
import StoreProtocol
import StoreReplica
import StoreServer
import StoreState

/// A daemon, its clients, the network between them and the clock, all in one thread.
///
/// The seed determines all events: two runs of one seed are equal, byte for byte.
@MainActor
package final class World {
  let options: SimulationOptions
  let clock = VirtualClock()
  var generator: SeededGenerator
  var history = History()
  var daemon: SimulatedDaemon?
  private(set) var clients: [SimulatedClient] = []
  var controlPipes: [PeerID: (pipe: ControlPipe, client: SimulatedClient)] = [:]
  /// The addresses of restricted peers, including peers that have left.
  var addresses: [PeerID: String] = [:]
  /// In the order of connection, including broken pipes that the daemon has not noticed yet.
  var publishingPipes: [(pipe: PublishingPipe, client: SimulatedClient)] = []
  /// The number of the next pipe.
  var nextPipe: UInt64 = 1
  private var replicas = 0
  /// The disk of the daemons; nil if they work in memory.
  private(set) var disk: SimulatedDisk?
  /// How often the disk is damaged before a daemon starts.
  var damagesLeft = 0
  var foreignSnapshotsLeft = 0
  /// The number of daemons so far.
  private(set) var daemons = 0
  /// Daemons that were superseded by another one and have not noticed it yet.
  var outdated: [SimulatedDaemon] = []
  /// Whether faults are over.
  var isHealed = false
  /// The offset of the wall clock that all programs share, in milliseconds.
  var wallStep = 0
  private(set) var saboteur: Saboteur?
  var crashes = SimulatedCrashes()
  /// The schedules that the last daemon has restored from the disk.
  var formerTimers: [RestoredTimer] = []
  private let traces: (String) -> Void
  private let isTracing: Bool

  package init(
    seed: UInt64,
    options: SimulationOptions? = nil,
    trace: ((String) -> Void)? = nil,
  ) {
    self.options = (options ?? SimulationOptions(seed: seed)).coherent
    generator = SeededGenerator(seed: seed)
    saboteur = self.options.planted.map {
      Saboteur($0, generator: SeededGenerator(seed: ~seed))
    }
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
      wallMilliseconds: UInt64(1_700_000_000_000 + Int(clock.now / 1_000_000) + wallStep),
    )
  }

  /// The date of the wall clock that all programs share.
  var date: Date {
    let step = Double(wallStep) / 1_000
    return Date(timeIntervalSince1970: 1_700_000_000 + Double(clock.now) / 1e9 + step)
  }

  /// Whether the options have no faults and no disk, and all limits have their default values.
  var isUndisturbed: Bool {
    options.faults == SimulationOptions.Faults() && options.limits == Limits()
      && !options.disk.isThere
  }

  /// The longest time until a requested scope is shown, in nanoseconds.
  var timeForState: Int64 {
    guard isUndisturbed else { return .max }
    // Several joins may precede it, and each may wait for other captures.
    return 10 * options.captureDuration.upperBound.nanoseconds + 500_000_000
  }

  /// The clients that have not closed their connections.
  var openClients: [SimulatedClient] { clients.filter { !$0.client.isClosed } }

  /// Returns a text, padded to a random length of at most `titleBytes` bytes.
  func title(_ text: String, _ generator: inout SeededGenerator) -> String {
    let length = generator.logarithmic(1...max(1, options.titleBytes))
    return text + String(repeating: "x", count: max(0, length - text.utf8.count))
  }

  func run() -> History {
    if options.disk.isThere {
      let disk = SimulatedDisk(self, generator: generator.fork())
      self.disk = disk
      damagesLeft = options.disk.damages
      foreignSnapshotsLeft = options.disk.foreignSnapshots
      planDiskFaults(disk)
    }
    startDaemon()
    for _ in 0..<options.clients { addClient() }
    planFaults()
    clock.run(until: options.span.nanoseconds)
    heal()
    settle()
    conclude()
    // The clients end after the history is read: their end is not part of it.
    defer { for client in clients { client.end() } }
    return history
  }

  func addClient() {
    if isLimited(clients.count) { history.granted[clients.count] = Set(grantedNames) }
    history.clients.append([])
    let client = SimulatedClient(self, index: clients.count, generator: generator.fork())
    clients.append(client)
    client.start()
    reconnect(client)
    planWork(client)
  }

  func startDaemon() {
    daemons += 1
    guard let disk else {
      let epoch = generator.next()
      trace("a daemon starts, epoch \(epoch)")
      // This order of calls keeps the generator's sequence.
      let own = generator.fork()
      let state = SimulatedDaemon.initialState(self)
      begin(epoch, state)
      daemon = SimulatedDaemon(
        self,
        number: history.epochs.count - 1,
        epoch: epoch,
        state: state,
        kept: nil,
        generator: own,
      )
      return
    }
    let isFirst = disk.epoch == nil
    let state = isFirst ? SimulatedDaemon.initialState(self) : Board.State()
    // From here on the disk refuses writes from earlier daemons.
    let journal = disk.open()
    let recovered = recover(from: disk, initial: state)
    let epoch = disk.epoch ?? 0
    trace("a daemon starts from revision \(recovered.revision)")
    if isFirst {
      begin(epoch, state)
    } else {
      history.recoveries += 1
      history.resume(from: recovered.revision, recovered.root)
    }
    daemon = SimulatedDaemon(
      self,
      number: daemons,
      epoch: epoch,
      state: state,
      kept: (journal, recovered),
      generator: generator.fork(),
    )
  }

  /// Excludes the further events of a daemon from the history.
  func leave(_ daemon: SimulatedDaemon) {
    daemons += 1
    self.daemon = nil
  }

  private func begin(_ epoch: UInt64, _ state: Board.State) {
    history.epochs.append(History.Epoch(number: epoch, roots: [state]))
  }

  private func planWork(_ client: SimulatedClient) {
    let left = max(0, options.span.nanoseconds - clock.now)
    for _ in 0..<options.actionsPerClient {
      clock.after(generator.duration(.zero ... .nanoseconds(left))) { client.work() }
    }
  }

  /// Runs until only pings remain, for long enough to expose a loss.
  private func settle() {
    let lease = options.timing.lease.nanoseconds
    var quietSince: Int64?
    let captures = 40 * options.captureDuration.upperBound.nanoseconds
    let limit = clock.now + 60 * lease + captures + 4 * options.timing.patience.nanoseconds
    while clock.now < limit {
      clock.run(until: clock.now + lease / 4)
      let hasReleased = daemon.map { $0.core.revision == $0.turn.server.revision } ?? false
      let isQuiet =
        hasReleased && outdated.isEmpty
        && openClients.allSatisfy {
          $0.client.isQuiet && $0.asleepUntil <= clock.now && $0.isIdle
        }
      guard isQuiet else {
        quietSince = nil
        continue
      }
      let since = quietSince ?? clock.now
      quietSince = since
      if clock.now - since > lease * 5 / 4 { return }
    }
    let busy = openClients.filter { !$0.client.isQuiet }.map { "client \($0.index)" }
    history.unrest = "\(busy.joined(separator: ", ")) did not come to rest"
  }

  private func conclude() {
    noteJoined()
    daemon?.stop()
    let root = daemon?.core.state ?? Board.State()
    auditDisk(root)
    for client in openClients {
      for followed in client.followed { conclude(client, followed, root) }
      for store in client.stores { conclude(client, store, root) }
    }
    for client in clients { history.resyncs += client.client.resyncs }
    // Small limits make clients join again, and a join may lose outputs.
    let isQuick = options.captureDuration.upperBound <= .milliseconds(2)
    let backOff = options.timing.mismatchBackOff
    history.mismatchBackOff = backOff.lowerBound.nanoseconds...backOff.upperBound.nanoseconds
    history.isCalm =
      options.faults == SimulationOptions.Faults() && history.resyncs == 0 && isQuick
      && options.limits.keptBytes >= 1 << 20 && options.disk.syncFailures == 0
      && options.disk.takeovers == 0
      // A client repeats a request if the disk delays its answer for too long.
      && (!options.disk.isThere || options.disk.commit * 8 <= options.timing.answer)
    let open = openClients.filter { !$0.index.isMultiple(of: 3) }.count
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
    guard followed.scope.status == .live else { return }
    let later = LaterBoard.projection(of: name, in: root)
    // A scope without a digest has no state, and the daemon's digest of an absent state is 0.
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

  private func conclude(
    _ client: SimulatedClient,
    _ store: SimulatedStore,
    _ root: Board.State,
  ) {
    guard store.scope.status == .live, let bytes = Board.projection(of: store.name, in: root),
      let digest = try? Digest.of(canonical: bytes)
    else { return }
    history.endings.append(
      History.Ending(
        client: client.index,
        scope: store.name,
        ours: store.scope.digest ?? Digest(rawValue: 0),
        theirs: digest,
        shown: store.shown() ?? [],
        expected: bytes,
        isReadable: true,
      )
    )
  }

  /// Compares the scopes that sessions have joined at the daemon with those that clients hold.
  private func noteJoined() {
    guard history.unrest == nil, let asker = openClients.first else { return }
    var sessions: [(name: String, scopes: [String])]?
    asker.client.status { answer in
      sessions = (try? answer.get()).map(Self.sessions)
    }
    clock.run(until: clock.now + options.timing.lease.nanoseconds)
    guard let sessions else {
      history.unrest = "the daemon does not report its status"
      return
    }
    for client in openClients {
      let held = client.heldScopes
      for (_, scopes) in sessions.filter({ $0.name == "client \(client.index)" }) {
        for scope in scopes where !held.contains(scope) {
          history.unheld.append(History.Unheld(client: client.index, scope: scope))
        }
      }
    }
  }

  /// Returns the names and scopes of the sessions in a status.
  private static func sessions(_ status: GenericValue) -> [(name: String, scopes: [String])] {
    guard case .array(let sessions)? = status[field: "sessions"] else { return [] }
    return sessions.compactMap { session in
      guard case .text(let name)? = session[field: "name"],
        case .array(let scopes)? = session[field: "scopes"]
      else { return nil }
      return (name, scopes.compactMap { if case .text(let scope) = $0 { scope } else { nil } })
    }
  }

  /// Returns the reducer's action for a session event, and records the event if `isNoted`.
  func sessionAction(
    _ event: SessionEvent,
    at revision: UInt64,
    isNoted: Bool,
  ) -> Board.Action? {
    func note(_ session: UInt64, isJoin: Bool) {
      guard isNoted else { return }
      let change = History.SessionChange(session: session, isJoin: isJoin, revision: revision)
      history.epochs[history.epochs.count - 1].sessions.append(change)
    }
    switch event {
    case .joined(let info):
      note(info.id, isJoin: true)
      return .joined(session: info.id)
    case .left(let info):
      note(info.id, isJoin: false)
      if options.planted == .unheardLeaves { return nil }
      return .left(session: info.id)
    }
  }
}
