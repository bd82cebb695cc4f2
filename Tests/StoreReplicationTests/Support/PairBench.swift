import StoreState

@testable import StoreReplication

/// A client's machine and a daemon's, with nothing but a test between them.
@MainActor
final class PairBench {
  let bench: ServerBench
  let client: ReplicaClient
  /// What was published and not delivered yet.
  var published: [(topic: [UInt8], body: [UInt8])] = []
  /// Whether what is published waits in `published`.
  var holdsPublished = false
  var dropsPublished = false
  /// What is sent to the client on the control socket and held back there.
  var held: [[UInt8]] = []
  var holdsControl = false
  /// The client's side of the wire: every message that it sent.
  private(set) var sent: [ClientMessage] = []
  private(set) var isReconnecting = false
  private var subscriptions: Set<[UInt8]> = []
  private(set) var peer: UInt8 = 1

  init(_ bench: ServerBench = ServerBench(), limits: Limits = Limits()) {
    self.bench = bench
    client = ReplicaClient(
      identity: ReplicaClient.Identity(
        clientID: ServerBench.clientID(200),
        name: "pair",
        isListed: true,
      ),
      limits: limits,
      now: bench.now,
      generator: Steps(),
    )
  }

  /// Connects both sockets and lets everything happen that follows.
  func connect() throws {
    try welcome()
    try greet()
  }

  func welcome() throws {
    client.receive(welcome: bench.server.welcome[...], at: bench.now)
    try pump()
  }

  /// A new connection of the control socket.
  func greet() throws {
    peer += 1
    client.receive(control: [], at: bench.now)
    try pump()
  }

  func advance(by duration: Duration) throws {
    bench.now.instant = bench.now.instant.advanced(by: duration)
    bench.now.wallMilliseconds += UInt64(duration.wholeMilliseconds)
    bench.turn.end()
    client.tick(bench.now)
    try pump()
  }

  /// Lets frames go to and fro until there are no more.
  func pump() throws {
    for _ in 0..<100 {
      client.endTurn(bench.now)
      let outgoing = client.takeOutgoing()
      for outgoing in outgoing { try perform(outgoing) }
      bench.turn.end()
      if !bench.holdsJobs { bench.finishJobs() }
      let incoming = bench.sockets.takeFrames()
      for frame in incoming { deliver(frame) }
      if outgoing.isEmpty, incoming.isEmpty, !bench.server.hasWork { return }
    }
    throw BenchError.unexpected
  }

  private func perform(_ outgoing: ReplicaClient.Outgoing) throws {
    switch outgoing {
    case .control(let frame):
      sent.append(try ClientMessage(frame: frame[...]))
      bench.receive(frame: frame, from: peer)
    case .subscribe(let topic):
      subscriptions.insert(topic.bytes)
      bench.receive(upstream: [1] + topic.bytes)
    case .unsubscribe(let topic):
      subscriptions.remove(topic.bytes)
      bench.receive(upstream: [0] + topic.bytes)
    case .upstream(let frame): bench.receive(upstream: frame)
    case .reconnect: isReconnecting = true
    }
  }

  private func deliver(_ frame: OutgoingFrame) {
    switch frame {
    case .control(let to, let body):
      guard to == ServerBench.peer(peer) else { return }
      if holdsControl { held.append(body) } else { receive(control: body) }
    case .publish(let topic, let body):
      guard subscriptions.contains(topic), !dropsPublished else { return }
      published.append((topic, body))
      if !holdsPublished { deliverPublished() }
    }
  }

  private func receive(control frame: [UInt8]) {
    client.receive(control: frame[...], at: bench.now)
  }

  func deliverPublished() {
    let messages = published
    published = []
    for (topic, body) in messages {
      client.receive(topic: topic[...], body: body[...], at: bench.now)
    }
  }

  func deliverHeld() throws {
    let frames = held
    held = []
    for frame in frames { receive(control: frame) }
    try pump()
  }

  /// The client's joins since the last look.
  func takeJoins() -> [[ClientMessage.JoinRequest]] {
    defer { sent = [] }
    return sent.compactMap { if case .join(_, let requests) = $0 { requests } else { nil } }
  }

  /// Follows a scope as a type.
  func follow<State: ReplicatedState>(
    _ name: String,
    _ type: State.Type,
  ) throws -> (scope: ClientScope, replica: TypedReplica<State>) {
    let replica = TypedReplica<State>()
    let scope = client.add(
      name,
      mode: .follow,
      state: SchemaRegistry.document(for: State.self),
      replica: replica,
    )
    try pump()
    return (scope, replica)
  }

  func submit(_ action: Deck.CounterAction, to scope: ClientScope) throws -> ActionTicket {
    let ticket = client.submit(try action.encoded(), to: scope)
    try pump()
    return ticket
  }
}

/// A typed copy.
@MainActor
final class TypedReplica<State: ReplicatedState>: Replica {
  private var newest: State?
  private(set) var shown: State?
  private(set) var shownRevisions: [UInt64] = []
  private(set) var resets = 0
  private(set) var statuses: [ScopeStatus] = []
  /// How often it was asked for anything.
  private(set) var work = 0
  /// Makes the digest wrong.
  var isDamaged = false
  var onAnnounce: () -> Void = {}

  func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    newest = try State?(encoded: snapshot)
    isDamaged = false
    resets += 1
  }

  func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    work += 1
    newest = try newest.applying(delta: delta)
  }

  var digest: Digest {
    work += 1
    return isDamaged ? Digest(rawValue: 0) : newest.digest
  }

  var encoding: [UInt8] { newest.encoded() }

  var isPresent: Bool { newest != nil }

  func show(revision: UInt64) {
    work += 1
    shown = newest
    shownRevisions.append(revision)
  }

  func announce() {
    work += 1
    onAnnounce()
  }

  func received(_: PublishedMessage.Output) {}

  func statusChanged(_ status: ScopeStatus) { statuses.append(status) }
}

/// Numbers one after the other: the same in every run.
private struct Steps: RandomNumberGenerator {
  private var state: UInt64 = 0

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return state
  }
}
