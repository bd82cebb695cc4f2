import StoreActor
import StoreHistory
import StoreProtocol
import StoreServer

/// A daemon's process: a root store, its turn, and the frames in its sockets.
@MainActor
final class SimulatedDaemon {
  let core: RootCore<Board.State, Board.Action>
  let turn: DaemonTurn<SimulatedSockets>
  let sockets: SimulatedSockets
  /// The daemon's journal; nil if it works in memory.
  let journal: SimulatedJournal?
  private unowned let world: World
  private let pacemaker: Pacemaker
  private let crashNotes: CrashNotes
  /// Whether it takes messages, among them clients' actions.
  private(set) var isReceiving = false
  /// The calls that wait until the process resumes; nil while it runs.
  private var deferred: [() -> Void]?

  /// - Parameters:
  ///   - world: The world of the daemon.
  ///   - number: The number of earlier daemons.
  ///   - epoch: The epoch of a new history.
  ///   - state: The initial state.
  ///   - kept: The journal and its recovered history; nil in memory.
  ///   - generator: The source of its random numbers.
  init(
    _ world: World,
    number: Int,
    epoch: UInt64,
    state: Board.State,
    kept: (journal: SimulatedJournal, recovered: Recovered<Board.State>)?,
    generator: SeededGenerator,
  ) {
    self.world = world
    var kept = kept
    if let timers = kept?.recovered.restoration?.timers {
      kept?.recovered.restoration?.timers = world.restored(timers)
    }
    journal = kept?.journal
    let serial = world.daemons
    let ledger = Ledger(daemon: number)
    let work: Board.Work = { [unowned world] in
      if serial == world.daemons { world.work(for: $0, $1) }
    }
    core = RootCore(
      initialState: { state },
      reducer: { Board(ledger: ledger, work: work) },
      withDependencies: {
        $0.date = DateGenerator { [unowned world] in MainActor.assumeIsolated { world.date } }
      },
    )
    pacemaker = Pacemaker(world.clock)
    sockets = SimulatedSockets(world)
    if let recovered = kept?.recovered {
      core.restore(recovered.root, revision: recovered.revision)
    }
    let core = core
    let left = world.options.planted == .forgottenCrashes ? [] : world.crashes.notes
    crashNotes = CrashNotes(copying: left, at: world.moment.wallMilliseconds)
    // Set before the server exists, because the server may make the first revision.
    core.onCommit = { [unowned world] in
      // Commits of a superseded daemon are not part of the history.
      if serial == world.daemons { world.committed($0, $1, $2) }
    }
    let server = Self.server(world, core, epoch, kept?.recovered, crashNotes, generator)
    turn = DaemonTurn(server, transport: sockets, journal: kept?.journal)
    useClock()
    kept?.journal.onResult = { [unowned self] result in whenRunning { self.take(result) } }
    sockets.onChange = { [unowned self] in planTurn() }
    sockets.onResult = { [unowned self] result in whenRunning { self.turn.finish(result) } }
    let put = core.onOutput
    core.onOutput = { [unowned self, unowned world] output, revision in
      put?(output, revision)
      if serial == world.daemons { self.put(output, revision) }
    }
    pacemaker.turn = { [unowned self] in self.takeTurn() }
    planDeadline()
  }

  /// Makes schedules follow the world's clocks.
  private func useClock() {
    let clock = ScheduleClock { [unowned world] in
      world.date.timeIntervalSinceReferenceDate
    } elapsed: { [unowned world] in
      Double(world.clock.now) / 1e9
    } wake: { [unowned self, unowned world] seconds, body in
      var isEnded = false
      world.clock.after(Int64((seconds * 1e9).rounded(.up))) { [weak self] in
        guard let self else { return }
        whenRunning {
          if isEnded || !self.sockets.isOpen { return }
          body()
          self.planTurn()
        }
      }
      return { isEnded = true }
    }
    core.schedules.use(clock)
  }

  private static func server(
    _ world: World,
    _ core: RootCore<Board.State, Board.Action>,
    _ epoch: UInt64,
    _ recovered: Recovered<Board.State>?,
    _ crashNotes: CrashNotes,
    _ generator: SeededGenerator,
  ) -> ReplicaServer {
    let serial = world.daemons
    return ReplicaServer(
      root: core,
      exposures: Board.exposures,
      journal: recovered.map { journal($0, world) },
      recovered: recovered,
      epoch: epoch,
      limits: world.options.limits,
      timing: world.options.timing,
      processID: 1,
      now: world.moment,
      generator: generator,
      grants: world.hasGrants ? world.grants() : .everything,
      crashes: crashNotes,
      sessionAction: { [unowned world, unowned core] event in
        world.sessionAction(event, at: core.revision + 1, isNoted: serial == world.daemons)
      },
    )
  }

  private static func journal(
    _ recovered: Recovered<Board.State>,
    _ world: World,
  ) -> RootJournal<Board.State> {
    RootJournal(
      SimulatedDisk.form,
      recorder: Recorder(
        revision: recovered.revision,
        history: recovered.history,
        limits: world.options.limits,
        timing: world.options.timing,
      ),
    )
  }

  static func initialState(_ world: World) -> Board.State {
    var state = Board.State()
    for id in 0..<world.options.rows {
      let title = world.title("row \(id) ", &world.generator)
      state.list.rows.append(Board.Row(id: id, title: title))
    }
    state.list.nextID = world.options.rows
    return state
  }

  /// The first message to each new connection of the publishing socket.
  var welcome: [UInt8] { turn.server.welcome }

  private func put(_ output: StoreOutput<Board.Action>, _ revision: UInt64) {
    guard let chime = output.value as? Board.Chime, let action = output.action else { return }
    let last = world.history.epochs.count - 1
    world.history.epochs[last].outputs.append(
      History.Output(
        number: chime.number,
        revision: revision,
        scopes: Board.scopes(of: action),
        bytes: chime.encoded(),
        laterBytes: LaterBoard.chime(chime),
      )
    )
  }

  func receive(upstream message: [UInt8], from peer: PeerID) {
    sockets.upstream.append(IncomingFrame(peer: peer, bytes: message[...]))
    planTurn()
  }

  /// Notes the loss of a connection.
  func lose(_ peer: PeerID) {
    sockets.lost.append(peer)
    planTurn()
  }

  func receive(control frame: [UInt8], from peer: PeerID) {
    for frame in world.saboteur?.toDaemon(frame) ?? [frame] {
      sockets.receive(control: frame, from: peer)
    }
    planTurn()
  }

  func planTurn() {
    pacemaker.plan(at: world.clock.now + world.generator.duration(.zero ... .microseconds(300)))
  }

  private func take(_ result: JournalResult) {
    if case .fenced = result {
      sockets.isSilent = true
      world.history.fencings += 1
    }
    turn.finish(result)
  }

  // MARK: Its process

  private func whenRunning(_ body: @escaping () -> Void) {
    if deferred == nil { body() } else { deferred?.append(body) }
  }

  /// Suspends the process; later calls wait.
  func freeze() { deferred = [] }

  /// Resumes the process and runs the deferred calls in order.
  func thaw() {
    let bodies = deferred ?? []
    deferred = nil
    for body in bodies { body() }
    planTurn()
  }

  private func takeTurn() {
    guard deferred == nil else { return }
    isReceiving = true
    let hasMore = turn.receive()
    isReceiving = false
    if world.crashes.ended === self { return world.removeCrashed(self) }
    turn.end()
    sockets.sendHeld()
    turn.server.checkInvariants()
    if turn.isOver, world.disk != nil { return world.isOver(self) }
    if hasMore { planTurn() }
    planDeadline()
  }

  private func planDeadline() {
    if let deadline = turn.nextDeadline {
      pacemaker.plan(at: max(deadline.nanoseconds, world.clock.now + 1))
    }
  }

  /// Ends all sessions with goodbye after all accepted actions are durable.
  func shutDown() {
    turn.stop()
    takeTurn()
  }

  func stop() {
    if world.daemon === self { noteEnd() }
    sockets.isOpen = false
    pacemaker.stop()
    for (name, count) in turn.server.counters.byName {
      world.history.counters[name, default: 0] += count
    }
  }
}

extension SimulatedDaemon {
  /// The bytes of its notes of reductions.
  var notes: [UInt8] { crashNotes.contents }

  /// Records the end of its part of the history: later events do not count.
  ///
  /// - Parameter revision: The last revision that it has made.
  func noteEnd(through revision: UInt64 = .max) {
    let last = world.history.epochs.count - 1
    world.history.epochs[last].released = min(turn.server.revision, revision)
    world.history.epochs[last].waitingAlarms = core.schedules.list.compactMap { listed in
      UInt64(listed.timer.id.dropFirst("alarm ".count))
    }
    world.endAllWork()
  }
}

/// A simulated daemon's end of the network.
@MainActor
final class SimulatedSockets: DaemonTransport {
  typealias Failure = Never

  var upstream: Queue<IncomingFrame> = Queue()
  var lost: Queue<PeerID> = Queue()
  private var control = FairQueue<Holder, PeerID, IncomingFrame>()
  var isOpen = true
  /// Whether the daemon is fenced and may send no more frames.
  var isSilent = false
  var onChange: () -> Void = {}
  var onResult: (CaptureJob.Result) -> Void = { _ in }
  private unowned let world: World
  /// The messages that are published at the end of the turn, so that a fault can reorder them.
  private var held: [(topic: [UInt8], body: [UInt8])] = []

  init(_ world: World) { self.world = world }

  var now: Moment { world.moment }
  var instant: Instant { now.instant }
  private(set) var caller = Caller(.loopback, at: "simulated")

  func nextUpstream() -> IncomingFrame? { upstream.next() }

  var isBehind: Bool { false }

  func nextLost() -> PeerID? { lost.next() }

  func shutDown(_ peer: PeerID, reason: String) {
    world.trace("the daemon closes the connection \(peer): it \(reason)")
    world.cut(peer)
  }

  func nextControl(besides waiting: Set<Holder>) -> IncomingFrame? {
    guard let frame = control.popFirst(besides: waiting) else { return nil }
    caller = caller(of: frame.peer)
    return frame
  }

  private func caller(of peer: PeerID) -> Caller {
    world.addresses[peer].map { Caller(ActionOrigin.Identity(place: $0), at: $0) }
      ?? Caller(.loopback, at: "simulated")
  }

  func receive(control frame: [UInt8], from peer: PeerID) {
    let incoming = IncomingFrame(peer: peer, bytes: frame[...])
    let holder = Grants.everything.holder(of: caller(of: peer).identity)
    control.append(incoming, from: peer, of: holder, cost: frame.count + 128)
  }

  private func noteSpeech() {
    guard isSilent else { return }
    world.history.losses.append("a daemon sent a frame after another one had taken over")
  }

  func publish(_ topic: [UInt8], _ body: [UInt8]) {
    noteSpeech()
    if world.saboteur == nil {
      world.publish(topic, body, from: self)
    } else {
      held.append((topic, body))
    }
  }

  /// Publishes the turn's messages in the order that a planted fault requires.
  func sendHeld() {
    guard let saboteur = world.saboteur else { return }
    let messages = held
    held = []
    let (first, then) = (messages.filter { saboteur.hurries($0.body) }, messages)
    for (topic, body) in first { world.publish(topic, body, from: self) }
    for (topic, body) in then where !saboteur.hurries(body) {
      world.publish(topic, body, from: self)
    }
  }

  func send(_ frame: [UInt8], to peer: PeerID) -> Bool {
    noteSpeech()
    if world.isBlocked(peer) { return false }
    world.send(frame, to: peer)
    return true
  }

  /// Runs a job after a random time, as on another thread; the daemon continues meanwhile.
  func start(_ job: CaptureJob) {
    let duration = world.delay(world.options.captureDuration)
    world.trace("a job begins that takes \(duration / 1_000_000) ms")
    let revision = world.daemon?.core.revision
    world.clock.after(duration) { [weak self] in
      guard let self, isOpen else { return }
      if world.options.planted == .discardedCaptures, revision != world.daemon?.core.revision {
        return start(job)
      }
      onResult(job.run())
    }
  }

  func wakeUp() { onChange() }

  /// Has no effect: the world asks the daemon for the welcome at each connection.
  func welcome(with message: [UInt8]) {}

  func report(_ notice: ServerNotice) {
    world.trace("the daemon reports on \(notice.peer): \(notice.text)")
  }
}

/// A first-in, first-out queue.
struct Queue<Element> {
  private var elements: [Element] = []

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func next() -> Element? { elements.isEmpty ? nil : elements.removeFirst() }
}
