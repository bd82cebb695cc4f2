import StoreProtocol
import StoreReplica

/// A client's process: its half of the protocol, its replicas, and the frames in its sockets.
@MainActor
final class SimulatedClient: ClientTransport {
  typealias Failure = Never

  /// A scope that is followed.
  struct Followed {
    let scope: ClientScope
    let replica: SimulatedReplica
  }

  let index: Int
  /// The address of its connections, as from the kernel; nil for a client with all rights.
  let address: String?
  /// Whether its program is of a later build than the daemon.
  let isLater: Bool
  let client: ReplicaClient
  unowned let world: World
  var generator: SeededGenerator
  var followed: [Followed] = []
  /// Scopes that actions are sent to, followed or not.
  var targets: [ClientScope] = []
  var stores: [SimulatedStore] = []
  var submitted: UInt64 = 0
  /// Stores that were dropped, where a planted fault keeps them.
  var kept: [SimulatedStore] = []

  // The sockets.
  var control: ControlPipe?
  var publishing: PublishingPipe?
  /// The number of subscriptions for each topic, as the socket counts them.
  ///
  /// The socket sends them again after each new connection.
  private(set) var subscriptions: [[UInt8]: Int] = [:]
  private var controlFrames: Queue<[UInt8]> = Queue()
  private var published: Queue<(topic: [UInt8], body: [UInt8]?)> = Queue()
  /// Whether control frames wait for a later turn: the two sockets have no order between them.
  private var isControlLate = false
  /// Counts how often the sockets were recreated.
  private(set) var generation = 0

  var asleepUntil: Int64 = 0
  var congestedUntil: Int64 = 0
  var blockedUntil: Int64 = 0
  private let pacemaker: Pacemaker
  private var lastShown: History.Shown?
  private(set) var turn: ClientTurn<SimulatedClient>?
  /// The waits with their duration and their first turn; actions with a time to live by their tags.
  var waits: [UInt64: (time: Int64, since: Int64?)] = [:]
  /// The next identifier of a wait, greater than all tags.
  var nextWait: UInt64 = 1 << 63
  /// The tags of the actions whose effects have no reported end.
  var unfinished: Set<UInt64> = []

  init(_ world: World, index: Int, generator: SeededGenerator) {
    self.world = world
    self.index = index
    address = world.isLimited(index) ? "localhost:\(World.limitedUser):100:\(index)" : nil
    var generator = generator
    var own = generator.fork()
    var timing = world.options.timing
    if world.options.planted == .hastyRepairs {
      timing.mismatchBackOff = .milliseconds(1) ... .milliseconds(1)
    }
    isLater = index > 0 && generator.chance(world.options.laterClients)
    self.generator = generator
    pacemaker = Pacemaker(world.clock)
    client = ReplicaClient(
      identity: ReplicaClient.Identity(
        clientID: .random(using: &own),
        name: "client \(index)",
        isListed: !index.isMultiple(of: 3),
      ),
      limits: world.options.limits,
      timing: timing,
      now: world.moment,
      generator: own,
    )
    pacemaker.turn = { [unowned self] in self.takeTurn() }
    client.onNeedsTurn = { [unowned self] in self.planTurn() }
    let turn = ClientTurn(client, self)
    turn.onEvent = { [unowned self] in self.note($0) }
    self.turn = turn
  }

  /// Releases the turn, which retains the client as its transport, and the stores, whose end
  /// requests another turn.
  func end() {
    (stores, kept, followed, targets) = ([], [], [], [])
    turn = nil
  }

  func receive(control frame: [UInt8]) {
    controlFrames.append(frame)
    planTurn()
  }

  func receive(topic: [UInt8], body: [UInt8]?) {
    published.append((topic, body))
    planTurn()
  }

  func planTurn() {
    pacemaker.plan(at: world.clock.now + generator.duration(.zero ... .microseconds(200)))
  }

  /// Drops the frames that wait in the sockets.
  func loseFrames() {
    controlFrames = Queue()
    published = Queue()
  }

  private func takeTurn() {
    guard asleepUntil <= world.clock.now else { return pacemaker.plan(at: asleepUntil) }
    guard let turn else { return }
    isControlLate = generator.chance(0.3)
    let fresh = waits.filter { $0.value.since == nil }.keys
    _ = turn.receive()
    let start = world.clock.now
    turn.end()
    turn.client.checkInvariants()
    for store in stores + kept { store.observeOnceShown() }
    checkWaits(at: start)
    for id in fresh { waits[id]?.since = start }
    if isControlLate { planTurn() }
    if let deadline = turn.nextDeadline {
      let delay: Int64 = world.options.planted == .lateTurns ? 50_000_000 : 0
      pacemaker.plan(at: max(deadline.nanoseconds, world.clock.now + 1) + delay)
    }
  }

  /// Records each wait whose time had passed when the turn began.
  private func checkWaits(at now: Int64) {
    for (id, wait) in waits.sorted(by: { $0.key < $1.key }) {
      if let since = wait.since, since + wait.time <= now { record(.overdue(wait: id)) }
    }
  }

  /// Returns whether an operation ended within its time.
  ///
  /// - Parameters:
  ///   - time: The time.
  ///   - start: The turn from which on it counts.
  /// - Returns: Whether now is at most 1 ms after the limit or the client's sleep.
  func isInTime(_ time: Int64, since start: Int64) -> Bool {
    // A client that sleeps misses all deadlines until it wakes.
    let end = max(start + time, asleepUntil)
    return world.clock.now <= end + 1_000_000
  }

  /// Whether no wait is pending.
  var isIdle: Bool { waits.isEmpty }

  /// The names of all scopes that this client holds.
  var heldScopes: Set<String> {
    Set(followed.map(\.scope.name) + targets.map(\.name) + stores.map(\.name))
  }

  /// Closes the connection for good.
  func close() {
    guard let turn, !client.isClosed else { return }
    record(.closed)
    turn.close("done")
    for id in waits.keys.sorted() + unfinished.sorted() { record(.overdue(wait: id)) }
    world.disconnect(self)
  }

  /// Stops all further turns and connections.
  func stop() {
    generation += 1
    pacemaker.stop()
  }

  // MARK: The sockets

  var now: Moment { world.moment }

  var isCut: Bool { control == nil }

  func receiveControl(_ take: (ArraySlice<UInt8>) -> Void) -> Bool {
    guard !isControlLate, let frame = controlFrames.next() else { return false }
    world.history.mix(frame, UInt64(index), 1)
    take(frame[...])
    return true
  }

  func receivePublished(_ take: (ArraySlice<UInt8>, ArraySlice<UInt8>?) -> Void) -> Bool {
    guard let (topic, body) = published.next() else { return false }
    world.history.mix(body ?? topic, UInt64(index), 2)
    take(topic[...], body?[...])
    return true
  }

  func send(control frame: consuming [UInt8]) { world.send(frame, from: self) }

  func send(upstream frame: [UInt8]) {
    let topic = Array(frame.dropFirst())
    switch frame.first {
    case 1: subscriptions[topic, default: 0] += 1
    case 0:
      let count = subscriptions[topic] ?? 0
      subscriptions[topic] = count > 1 ? count - 1 : nil
      guard count == 1 else { return }
    default: break
    }
    world.sendUpstream(frame, from: self)
  }

  func reconnect() {
    generation += 1
    subscriptions = [:]
    loseFrames()
    world.reconnect(self)
  }

  // MARK: Records

  func record(_ record: History.Record) {
    world.history.clients[index].append(record)
    world.trace("client \(index): \(record)")
  }

  private func note(_ event: ClientEvent) {
    world.trace("client \(index): \(event)")
    switch event {
    case .newEpoch(let old, let new): record(.newEpoch(old: old, new: new))
    case .outputsLeftOut(let scope, let reason):
      record(.outputsLeftOut(scope: scope, reason: reason))
    // In a disturbed world, other reasons exist for resynchronizing.
    case .resynchronizing(let scope, _) where world.isUndisturbed:
      record(.resynchronized(scope: scope, at: world.clock.now))
    default: break
    }
  }

  /// Records all scopes as an observer would see them now, if they changed.
  func recordShown() {
    // Without a view, the last content is stale or absent; a view that is not shown yet has a
    // revision of another epoch.
    let view = client.shownEpoch.map { (epoch: $0, revision: client.revision) }
    guard let (epoch, revision) = view ?? lastShown.map({ ($0.epoch, $0.revision) }) else { return }
    let scopes = followed.compactMap { followed -> History.Shown.Scope? in
      switch followed.scope.status {
      case .live, .stale: break
      case .joining, .refused, .closed: return nil
      }
      return followed.replica.shown.map {
        History.Shown.Scope(
          name: followed.scope.name,
          bytes: History.fold($0),
          isLater: followed.replica.isLater,
        )
      }
    }
    let opened = stores.compactMap { store -> History.Shown.Scope? in
      guard store.scope.status == .live || store.scope.status == .stale else { return nil }
      return store.shown().map { History.Shown.Scope(name: store.name, bytes: History.fold($0)) }
    }
    let shown = History.Shown(epoch: epoch, revision: revision, scopes: scopes + opened)
    guard shown != lastShown else { return }
    lastShown = shown
    record(.shown(shown))
  }
}
