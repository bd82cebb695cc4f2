import StoreActor
import StoreReplication

/// A daemon's process: a root store, its server, and what waits in its sockets.
@MainActor
final class SimulatedDaemon {
  let server: ReplicaServer<Board.State, Board.Action>
  let core: RootCore<Board.State, Board.Action>
  private unowned let world: World
  private let pacemaker: Pacemaker
  private let ledger: Ledger
  private var upstream: [[UInt8]] = []
  private var control: [(peer: PeerID, frame: [UInt8])] = []
  private var isStopped = false

  init(_ world: World, epoch: UInt64, generator: SeededGenerator) {
    self.world = world
    let ledger = Ledger(daemon: world.history.epochs.count)
    self.ledger = ledger
    core = RootCore(initialState: Self.initialState, reducer: { Board(ledger: ledger) })
    pacemaker = Pacemaker(world.clock)
    server = ReplicaServer(
      root: core,
      exposures: Board.exposures,
      epoch: epoch,
      limits: world.options.limits,
      timing: world.options.timing,
      processID: 1,
      now: world.moment,
      generator: generator,
      sessionAction: { [unowned world] event in world.sessionAction(event) },
    )
    world.history.epochs.append(History.Epoch(number: epoch, roots: [core.state]))
    core.onCommit = { [unowned self] revision, _, new in self.committed(revision, new) }
    let put = core.onOutput
    core.onOutput = { [unowned self] output, revision in
      put?(output, revision)
      self.put(output, revision)
    }
    pacemaker.turn = { [unowned self] in self.turn() }
  }

  private static func initialState() -> Board.State {
    var state = Board.State()
    for id in 0..<4 { state.list.rows.append(Board.Row(id: id, title: "row \(id)")) }
    state.list.nextID = 4
    return state
  }

  private func committed(_ revision: UInt64, _ new: Board.State) {
    let last = world.history.epochs.count - 1
    world.history.epochs[last].roots.append(new)
    for tag in ledger.take() {
      world.history.epochs[last].reductions.append(History.Reduction(revision: revision, tag: tag))
      world.history.mix([], revision, tag)
    }
  }

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

  func receive(upstream frame: [UInt8]) {
    upstream.append(frame)
    planTurn()
  }

  func receive(control frame: [UInt8], from peer: PeerID) {
    control.append((peer, frame))
    planTurn()
  }

  private func planTurn() {
    pacemaker.plan(at: world.clock.now + world.generator.duration(.zero ... .microseconds(300)))
  }

  private func turn() {
    let moment = world.moment
    let frames = (upstream, control)
    (upstream, control) = ([], [])
    // Upstream first, as the real one does.
    for frame in frames.0 { server.receive(upstream: frame[...], at: moment) }
    for (peer, frame) in frames.1 {
      server.receive(control: frame[...], from: peer, address: "simulated", at: moment)
    }
    if let deadline = server.nextDeadline, deadline <= moment.instant {
      server.tick(moment)
    } else {
      server.endTurn(moment)
    }
    deliver()
    if let deadline = server.nextDeadline { pacemaker.plan(at: deadline.nanoseconds) }
  }

  private func deliver() {
    for frame in inOrder(server.takeOutgoing()) {
      switch frame {
      case .control(let peer, let body): world.send(body, to: peer)
      case .publish(let topic, let body): world.publish(topic, body)
      }
    }
    for job in server.takeJobs() { perform(job) }
  }

  /// The frames in the order in which they were made, unless a fault is planted.
  private func inOrder(
    _ frames: [ReplicaServer<Board.State, Board.Action>.Outgoing]
  ) -> [ReplicaServer<Board.State, Board.Action>.Outgoing] {
    guard let planted = world.options.planted else { return frames }
    func hurries(_ frame: ReplicaServer<Board.State, Board.Action>.Outgoing) -> Bool {
      if case .publish(_, let body) = frame { planted.hurries(body) } else { false }
    }
    return frames.filter(hurries) + frames.filter { !hurries($0) }
  }

  /// Another thread is at it for a while; meanwhile the daemon goes on.
  private func perform(_ job: CaptureJob) {
    world.clock.after(world.generator.duration(.zero ... .milliseconds(2))) { [weak self] in
      guard let self, !isStopped else { return }
      server.receive(job.run(), at: world.moment)
      deliver()
    }
  }

  /// Says goodbye to everyone and stops.
  func shutDown() {
    server.shutDown(world.moment)
    deliver()
    stop()
  }

  func stop() {
    isStopped = true
    pacemaker.stop()
    for (name, count) in server.counters.byName {
      world.history.counters[name, default: 0] += count
    }
  }
}
