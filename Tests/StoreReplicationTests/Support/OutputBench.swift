import Simulation
import StoreActor
import StoreState

@testable import StoreReplication

/// A yard of bells: a root whose scopes put things out, for tests of outputs that travel.
struct Yard: Reducer {
  struct State: Equatable, Sendable {
    var bell = Bell()
    var spare: Bell?
    var rows: IdentifiedArrayOf<Row> = [Row(id: 1), Row(id: 2)]
    /// Not exposed.
    var bats = 0
  }

  struct Bell: Equatable, Sendable {
    var rings = 0
  }

  struct Row: Equatable, Identifiable, Sendable {
    var id = 0
    var rings = 0
  }

  enum Action: Sendable {
    case bell(BellAction)
    case spare(BellAction)
    case rows(IdentifiedAction<Int, BellAction>)
    case batsCame
  }

  enum BellAction: Equatable, Sendable {
    case rung
    /// Puts something out without changing anything.
    case touched
    /// Two outputs around one that may not travel.
    case rungTwice
    /// An effect that puts something out when the gate opens.
    case rungLater
  }

  /// What travels.
  struct Sound: Equatable, Sendable {
    var text = ""
  }

  /// What does not: no exposure names it.
  struct Secret: Sendable {}

  let gate: Gate

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .bell(let action):
        if action != .touched { state.bell.rings += 1 }
        return effect(of: action, "bell \(state.bell.rings)")
      case .spare(let action):
        state.spare?.rings += 1
        return effect(of: action, "spare \(state.spare?.rings ?? 0)")
      case .rows(.element(let id, let action)):
        state.rows[id: id]?.rings += 1
        return effect(of: action, "row \(id)")
      case .batsCame:
        state.bats += 1
        return .output(Sound(text: "bats"))
      }
    }
  }

  private func effect(of action: BellAction, _ text: String) -> Effect<Action> {
    let sound = Sound(text: text)
    switch action {
    case .rung, .touched: return .output(sound)
    case .rungTwice:
      return .concatenate(.output(sound), .output(Secret()), .output(Sound(text: text + " again")))
    case .rungLater:
      return .run { [gate] send in
        await gate.wait()
        await send.output(Sound(text: "late"))
      }
    }
  }

  static let exposures: [Expose<State, Action>] = [
    Expose("bell", state: \.bell, action: \.bell, output: Sound.self),
    Expose("mute", state: \.bell, action: \.bell),
    Expose(each: "row", state: \.rows, action: \.rows, output: Sound.self),
    Expose("spare", state: \.spare, action: \.spare, output: Sound.self),
  ]
}

/// Both machines of a yard, with nothing but a test between them.
@MainActor
final class OutputBench {
  let root: RootCore<Yard.State, Yard.Action>
  let server: ReplicaServer
  let client: ReplicaClient
  let gate = Gate()
  /// What was published and not delivered yet.
  private(set) var published: [(topic: [UInt8], body: [UInt8])] = []
  var holdsPublished = false
  /// Whether what joiners get is not encoded yet.
  var holdsJobs = false
  private var now = Moment(instant: Instant(nanoseconds: 0), wallMilliseconds: 1_000)
  private var subscriptions: Set<[UInt8]> = []

  init(exposures: [Expose<Yard.State, Yard.Action>] = Yard.exposures) {
    let gate = gate
    root = RootCore(initialState: { Yard.State() }, reducer: { Yard(gate: gate) })
    server = ReplicaServer(
      root: root,
      exposures: exposures,
      epoch: 3,
      processID: 1,
      now: now,
      generator: SeededGenerator(seed: 1),
    )
    client = ReplicaClient(
      identity: ReplicaClient.Identity(
        clientID: Identifier(high: 1, low: 1),
        name: "yard",
        isListed: false,
      ),
      now: now,
      generator: SeededGenerator(seed: 2),
    )
    client.receive(welcome: server.welcome[...], at: now)
    connect()
  }

  private static let publisher = PeerID(bytes: [1, 1])

  /// A new connection of the control socket.
  func connect() {
    client.receive(control: [], at: now)
    pump()
  }

  /// Follows a scope.
  func follow(_ name: String) -> (replica: YardReplica, scope: ClientScope) {
    let replica = YardReplica()
    let scope = client.add(name, mode: .follow, replica: replica)
    pump()
    return (replica, scope)
  }

  func unfollow(_ scope: ClientScope) {
    client.timing.linger = .zero
    client.release(scope)
    client.endTurn(now)
    client.tick(now)
    pump()
  }

  /// Reduces actions, and ends the turn.
  func send(_ actions: Yard.Action...) {
    for action in actions { root.send(action) }
    pump()
  }

  /// Lets frames go to and fro until there are no more.
  func pump() {
    var isBusy = true
    while isBusy {
      client.endTurn(now)
      let outgoing = client.takeOutgoing()
      for outgoing in outgoing { perform(outgoing) }
      server.endTurn(now)
      if !holdsJobs { for job in server.takeJobs() { server.receive(job.run(), at: now) } }
      let incoming = server.takeOutgoing()
      for frame in incoming { deliver(frame) }
      isBusy = !outgoing.isEmpty || !incoming.isEmpty
    }
  }

  private func perform(_ outgoing: ReplicaClient.Outgoing) {
    switch outgoing {
    case .control(let frame):
      server.receive(control: frame[...], from: PeerID(bytes: [1]), address: "yard", at: now)
    case .subscribe(let topic):
      subscriptions.insert(topic.bytes)
      server.receive(upstream: ([1] + topic.bytes)[...], from: Self.publisher, at: now)
    case .unsubscribe(let topic):
      subscriptions.remove(topic.bytes)
      server.receive(upstream: ([0] + topic.bytes)[...], from: Self.publisher, at: now)
    case .upstream(let frame):
      server.receive(upstream: frame[...], from: Self.publisher, at: now)
    case .reconnect: break
    }
  }

  private func deliver(_ frame: OutgoingFrame) {
    switch frame {
    case .control(_, let body): client.receive(control: body[...], at: now)
    case .publish(let topic, let body):
      guard subscriptions.contains(topic) else { return }
      published.append((topic, body))
      if !holdsPublished { deliverPublished() }
    }
  }

  /// The messages that are held back.
  func messages() throws -> [PublishedMessage] {
    try published.map { try PublishedMessage(frame: $0.body[...]) }
  }

  /// Loses the first message that is held back.
  func loseFirst() { published.removeFirst() }

  func deliverPublished() {
    let messages = published
    published = []
    for (topic, body) in messages { client.receive(topic: topic[...], body: body[...], at: now) }
  }
}

/// Notes what it is told, with the bytes of outputs read.
@MainActor
final class YardReplica: Replica {
  private(set) var log: [String] = []
  /// Only the outputs.
  private(set) var sounds: [String] = []
  let digest = Digest(rawValue: 0)
  let encoding: [UInt8] = [0xf6]
  let isPresent = true

  func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    log.append("reset at \(revision)")
  }

  func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    log.append("applied \(revision)")
  }

  func show(revision: UInt64) { log.append("settled at \(revision)") }

  func announce() { log.append("announced") }

  func received(_ output: PublishedMessage.Output) {
    let text = (try? Yard.Sound(encoded: output.value))?.text ?? "\(output.value)"
    let isKnown = output.schema == SchemaRegistry.document(for: Yard.Sound.self).hash
    sounds.append(isKnown ? text : "of another type")
    log.append("\(sounds.last ?? "") at \(output.revision)")
  }

  func statusChanged(_ status: ScopeStatus) {}
}

// MARK: - The wire

extension Yard.Bell: ReplicatedRecord {
  static let layout = RecordLayout<Self>("Bell", [.field("rings", \.rings)])
}

extension Yard.Row: ReplicatedRecord {
  static let layout = RecordLayout<Self>("Row", [.field("id", \.id), .field("rings", \.rings)])
}

extension Yard.Sound: ReplicatedRecord {
  static let layout = RecordLayout<Self>("Sound", [.field("text", \.text)])
}

extension Yard.BellAction: WireChoiceAction {
  static let layout = ActionLayout<Self>("Bell.Action", [.case("rung", .rung)])
}

extension Yard.Action: CasePathable {
  struct AllCasePaths: Sendable {
    var bell: AnyCasePath<Yard.Action, Yard.BellAction> {
      AnyCasePath(
        embed: { .bell($0) },
        extract: { if case .bell(let action) = $0 { action } else { nil } },
      )
    }

    var spare: AnyCasePath<Yard.Action, Yard.BellAction> {
      AnyCasePath(
        embed: { .spare($0) },
        extract: { if case .spare(let action) = $0 { action } else { nil } },
      )
    }

    var rows: AnyCasePath<Yard.Action, IdentifiedAction<Int, Yard.BellAction>> {
      AnyCasePath(
        embed: { .rows($0) },
        extract: { if case .rows(let action) = $0 { action } else { nil } },
      )
    }
  }

  static var allCasePaths: AllCasePaths { AllCasePaths() }
}
