import StoreReplication

/// A client's process: its half of the protocol, its replicas, and what waits in its sockets.
@MainActor
final class SimulatedClient {
  /// A scope that is followed.
  struct Followed {
    let scope: ClientScope
    let replica: SimulatedReplica
  }

  let index: Int
  /// Whether its program is of a later build than the daemon.
  let isLater: Bool
  let client: ReplicaClient
  unowned let world: World
  var generator: SeededGenerator
  var followed: [Followed] = []
  /// Scopes that actions are sent to, followed or not.
  var targets: [ClientScope] = []
  var submitted: UInt64 = 0

  // The sockets.
  var control: ControlPipe?
  var publishing: PublishingPipe?
  /// What is subscribed to and how often, as the socket counts it and says it again when it
  /// connects again.
  private(set) var subscriptions: [[UInt8]: Int] = [:]
  private var controlFrames: [[UInt8]] = []
  private var published: [(topic: [UInt8], body: [UInt8]?)] = []
  /// Counts the times that the sockets were made anew.
  private(set) var generation = 0

  var asleepUntil: Int64 = 0
  var congestedUntil: Int64 = 0
  private let pacemaker: Pacemaker
  private var lastShown: History.Shown?

  init(_ world: World, index: Int, generator: SeededGenerator) {
    self.world = world
    self.index = index
    var generator = generator
    var own = generator.fork()
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
      timing: world.options.timing,
      now: world.moment,
      generator: own,
    )
    pacemaker.turn = { [unowned self] in self.turn() }
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

  /// What waits in the sockets is gone.
  func loseFrames() {
    controlFrames = []
    published = []
  }

  private func turn() {
    guard asleepUntil <= world.clock.now else { return pacemaker.plan(at: asleepUntil) }
    // Which socket is read first is chance: the two have no order between them.
    if generator.chance(0.5) {
      receiveControl()
      receivePublished()
    } else {
      receivePublished()
      receiveControl()
    }
    let moment = world.moment
    if let deadline = client.nextDeadline, deadline <= moment.instant {
      client.tick(moment)
    } else {
      client.endTurn(moment)
    }
    for outgoing in client.takeOutgoing() { perform(outgoing) }
    for event in client.takeEvents() { note(event) }
    if let deadline = client.nextDeadline { pacemaker.plan(at: deadline.nanoseconds) }
  }

  private func receiveControl() {
    let frames = controlFrames
    controlFrames = []
    for frame in frames {
      world.history.mix(frame, UInt64(index), 1)
      client.receive(control: frame[...], at: world.moment)
    }
  }

  private func receivePublished() {
    let messages = published
    published = []
    for (topic, body) in messages {
      world.history.mix(body ?? topic, UInt64(index), 2)
      if let body {
        client.receive(topic: topic[...], body: body[...], at: world.moment)
      } else {
        client.receive(welcome: topic[...], at: world.moment)
      }
    }
  }

  private func perform(_ outgoing: ReplicaClient.Outgoing) {
    switch outgoing {
    case .control(let frame): world.send(frame, from: self)
    case .subscribe(let topic):
      subscriptions[topic.bytes, default: 0] += 1
      world.sendUpstream([1] + topic.bytes, from: self)
    case .unsubscribe(let topic):
      let count = subscriptions[topic.bytes] ?? 0
      subscriptions[topic.bytes] = count > 1 ? count - 1 : nil
      if count == 1 { world.sendUpstream([0] + topic.bytes, from: self) }
    case .upstream(let frame): world.sendUpstream(frame, from: self)
    case .reconnect:
      generation += 1
      subscriptions = [:]
      loseFrames()
      world.reconnect(self)
    }
  }

  // MARK: What is written down

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
    default: break
    }
  }

  /// Writes down all that is shown, as somebody would see it who looks now.
  func recordShown() {
    guard let epoch = client.shownEpoch else { return }
    let scopes = followed.compactMap { followed -> History.Shown.Scope? in
      switch followed.scope.status {
      case .live, .stale: break
      case .joining, .refused: return nil
      }
      return followed.replica.shown.map {
        History.Shown.Scope(
          name: followed.scope.name,
          bytes: $0,
          isLater: followed.replica.isLater,
        )
      }
    }
    let shown = History.Shown(epoch: epoch, revision: client.revision, scopes: scopes)
    guard shown != lastShown else { return }
    lastShown = shown
    record(.shown(shown))
  }
}
