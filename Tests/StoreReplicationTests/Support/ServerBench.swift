import Simulation
import StoreActor
import StoreState
import Testing

@testable import StoreReplication

/// A daemon's half on a bench: frames by hand in, messages out, the clock in the test's hand.
///
/// Its turn is the one that ships. Each frame is taken at once, and the parts are checked before
/// the next one.
@MainActor
final class ServerBench {
  let root: RootCore<Deck.State, Deck.Action>
  let port: TypedRoot<Deck.State, Deck.Action>
  /// What the server takes for the root.
  let probe: RootProbe
  let server: ReplicaServer
  let turn: DaemonTurn<BenchSockets>
  let sockets: BenchSockets
  let gate = Gate()
  var now: Moment {
    get { sockets.now }
    set { sockets.now = newValue }
  }
  /// What was sent and not looked at yet.
  private(set) var control: [(peer: PeerID, message: DaemonMessage)] = []
  private(set) var published: [(topic: Topic, message: PublishedMessage)] = []
  /// In the order of sending: true for what was published.
  private(set) var order: [String] = []
  /// Whether captures wait for `finishJobs()`.
  var holdsJobs = false

  init(
    epoch: UInt64 = 7,
    limits: Limits = Limits(),
    timing: Timing = Timing(),
    state: Deck.State = Deck.State(),
    journal: BenchJournal? = nil,
    recovered: Recovered<Deck.State>? = nil,
  ) {
    let gate = gate
    root = RootCore(initialState: { state }, reducer: { Deck(gate: gate) })
    if let recovered { root.restore(recovered.root, revision: recovered.revision) }
    sockets = BenchSockets()
    let revision = root.revision
    let recorder = journal.map { _ in
      Recorder(
        revision: revision,
        history: recovered?.history ?? KeptHistory(),
        limits: limits,
        timing: timing,
      )
    }
    port = TypedRoot(
      root,
      exposures: Deck.exposures,
      limits: limits,
      journal: recorder.map { RootJournal(DurableForm(Deck.State.self), recorder: $0) },
      earlier: recovered?.versions,
    ) { event in
      switch event {
      case .joined(let info): .session(id: info.id, isThere: true)
      case .left(let info): .session(id: info.id, isThere: false)
      }
    }
    probe = RootProbe(port)
    server = ReplicaServer(
      root: probe,
      recorder: recorder,
      epoch: epoch,
      limits: limits,
      timing: timing,
      processID: 42,
      now: sockets.now,
      generator: SeededGenerator(seed: epoch),
    )
    sockets.server = server
    turn = DaemonTurn(server, transport: sockets, journal: journal)
    if let recovered { server.restore(recovered.history) }
  }

  static func peer(_ number: UInt8) -> PeerID { PeerID(bytes: [0, number]) }

  /// The publishing socket's name for a client.
  static func publisher(_ number: UInt8) -> PeerID { PeerID(bytes: [1, number]) }

  static func clientID(_ number: UInt8) -> Identifier { MessageSamples.identifier(number) }

  /// Takes a frame, without ending the turn.
  func receive(_ message: ClientMessage, from peer: UInt8) {
    receive(frame: message.encoded(), from: peer)
  }

  func receive(frame: [UInt8], from peer: UInt8) {
    sockets.control.append(IncomingFrame(peer: Self.peer(peer), bytes: frame[...]))
    while turn.receive() {}
  }

  /// Takes what comes upstream, on the connection of a client's publishing socket.
  func receive(upstream frame: [UInt8], from client: UInt8 = 1) {
    sockets.upstream.append(
      IncomingFrame(peer: Self.publisher(client), bytes: frame[...])
    )
    while turn.receive() {}
  }

  /// A connection is over.
  func lose(_ peer: PeerID) {
    sockets.lost.append(peer)
    while turn.receive() {}
  }

  /// Ends the turn and decodes what it sends.
  func endTurn() throws {
    _ = turn.receive()
    turn.end()
    try collect()
  }

  /// Lets time pass, and what is due happen.
  func advance(by duration: Duration) throws {
    now.instant = now.instant.advanced(by: duration)
    now.wallMilliseconds += UInt64(duration.wholeMilliseconds)
    try endTurn()
  }

  /// Decodes what was sent, until there is nothing more to send.
  func collect() throws {
    for _ in 0..<10_000 {
      decode(try sockets.takeSent())
      if !holdsJobs { finishJobs() }
      guard server.hasWork || (!holdsJobs && !sockets.jobs.isEmpty) else { break }
      turn.end()
    }
    decode(try sockets.takeSent())
    server.checkInvariants()
  }

  private func decode(_ messages: [BenchSockets.Sent]) {
    for message in messages {
      order.append("\(message.message)".prefix { $0 != "(" }.description)
      switch message {
      case .control(let peer, let message): control.append((peer, message))
      case .published(let topic, let message): published.append((topic, message))
      }
    }
  }

  /// Does what another thread would.
  func finishJobs() {
    while !sockets.jobs.isEmpty { turn.finish(sockets.jobs.removeFirst().run()) }
  }

  /// What a peer was sent on the control socket since the last look.
  func take(_ peer: UInt8) -> [DaemonMessage] {
    let messages = control.filter { $0.peer == Self.peer(peer) }.map(\.message)
    control.removeAll { $0.peer == Self.peer(peer) }
    return messages
  }

  /// What was published to a topic since the last look.
  func take(_ topic: Topic) -> [PublishedMessage] {
    let messages = published.filter { $0.topic == topic }.map(\.message)
    published.removeAll { $0.topic == topic }
    return messages
  }

  func takeOrder() -> [String] {
    defer { order = [] }
    return order
  }

  // MARK: Steps that many tests take

  /// Says hello and returns the answer.
  @discardableResult
  func hello(
    _ peer: UInt8,
    client: UInt8? = nil,
    token: Identifier? = nil,
    first: UInt64 = 1,
    isListed: Bool = false,
  ) throws -> DaemonMessage.HelloOK {
    receive(
      .hello(
        ClientMessage.Hello(
          clientID: Self.clientID(client ?? peer),
          token: token,
          firstSequence: first,
          name: "peer \(peer)",
          isListed: isListed,
        )
      ),
      from: peer,
    )
    try endTurn()
    let messages = take(peer)
    let answers = messages.compactMap { if case .helloOK(let hello) = $0 { hello } else { nil } }
    guard let hello = answers.last else {
      Issue.record("No hello ok but \(messages)")
      throw BenchError.unexpected
    }
    return hello
  }

  /// A join's answer, before its fence.
  func ask(
    _ peer: UInt8,
    nonce: UInt64,
    _ requests: [ClientMessage.JoinRequest],
  ) throws -> (topic: Topic?, answers: [DaemonMessage.JoinAnswer]) {
    receive(.join(nonce: nonce, requests), from: peer)
    try endTurn()
    for case .joined(nonce, let topic, let answers) in take(peer) { return (topic, answers) }
    Issue.record("No answer to join \(nonce)")
    throw BenchError.unexpected
  }

  /// Joins scopes and sends the fence.
  @discardableResult
  func join(
    _ peer: UInt8,
    _ hello: DaemonMessage.HelloOK,
    nonce: UInt64,
    _ requests: [ClientMessage.JoinRequest],
  ) throws -> Joined {
    let (topic, answers) = try ask(peer, nonce: nonce, requests)
    let view = try #require(topic)
    receive(upstream: Fence(token: hello.token, nonce: nonce).encoded(), from: peer)
    try endTurn()
    guard case .echo(let echo)? = take(hello.privateTopic).last else {
      Issue.record("No echo of \(nonce)")
      throw BenchError.unexpected
    }
    return Joined(topic: view, answers: answers, echo: echo, captures: take(peer))
  }

  struct Joined {
    let topic: Topic
    let answers: [DaemonMessage.JoinAnswer]
    let echo: PublishedMessage.Echo
    let captures: [DaemonMessage]
  }

  /// Sends one action and returns its outcomes.
  func act(
    _ peer: UInt8,
    sequence: UInt64,
    handle: UInt64 = 1,
    deadline: UInt64? = nil,
    _ actions: Deck.CounterAction...,
  ) throws -> [Outcome] {
    let requests = try actions.map {
      ClientMessage.ActionRequest(
        handle: handle,
        action: try $0.encoded()[...],
        deadline: deadline,
      )
    }
    receive(.actions(first: sequence, requests), from: peer)
    try endTurn()
    return take(peer).flatMap { message -> [Outcome] in
      if case .acks(let acks) = message { acks.outcomes } else { [] }
    }
  }
}

/// A root that counts what the server asks of it.
@MainActor
final class RootProbe: RootPort {
  private let root: any RootPort
  private(set) var deltas = 0
  private(set) var digests = 0
  private(set) var follows = 0
  private(set) var unfollows = 0
  /// Whose actions came, batch by batch.
  private(set) var origins: [ActionOrigin] = []

  init(_ root: any RootPort) { self.root = root }

  var revision: UInt64 { root.revision }
  var isDurable: Bool { root.isDurable }
  var newestRevision: UInt64 { root.newestRevision }
  var hasEffectsToStart: Bool { root.hasEffectsToStart }
  var encodeDurably: (@Sendable (ScopeSource.Place, inout CBOREncoder) -> Void)? {
    root.encodeDurably
  }
  var exposed: [ExposedScopes] { root.exposed }
  var observer: (any RootObserver)? {
    get { root.observer }
    set { root.observer = newValue }
  }

  func batch(as origin: ActionOrigin, _ sends: () -> Void) {
    origins.append(origin)
    root.batch(as: origin, sends)
  }

  func send(_ action: ArraySlice<UInt8>, to scope: RootScope) throws(CodecError) -> StoreTask? {
    try root.send(action, to: scope)
  }

  func send(_ event: SessionEvent) { root.send(event) }

  func follow(_ scope: RootScope, as number: Int) {
    follows += 1
    root.follow(scope, as: number)
  }

  func unfollow(_ scope: RootScope) {
    unfollows += 1
    root.unfollow(scope)
  }

  func encodeDelta(of scope: RootScope, into encoder: inout CBOREncoder) -> Bool {
    deltas += 1
    return root.encodeDelta(of: scope, into: &encoder)
  }

  func digest(of scope: RootScope) -> Digest {
    digests += 1
    return root.digest(of: scope)
  }

  func version() -> RootVersion { root.version() }

  func version(at revision: UInt64) -> RootVersion? { root.version(at: revision) }

  func startEffects() { root.startEffects() }

  func release(through revision: UInt64) { root.release(through: revision) }

  func detach() { root.detach() }
}

/// A disk that is as slow as a test wants.
@MainActor
final class BenchJournal: Journal {
  /// What was appended, of which the last may still be under way.
  private(set) var batches: [JournalBatch] = []
  private(set) var snapshots: [JournalSnapshot] = []

  func append(_ batch: JournalBatch) { batches.append(batch) }

  func store(_ snapshot: JournalSnapshot) { snapshots.append(snapshot) }

  /// All records of what was appended.
  var records: [JournalRecord] {
    get throws {
      var records: [JournalRecord] = []
      for batch in batches {
        var decoder = CBORDecoder(batch.records)
        while decoder.offset < batch.records.count {
          records.append(try JournalRecord(from: &decoder))
        }
      }
      return records
    }
  }

  /// What is found when the daemon starts again, of the first so many batches.
  func recover(_ count: Int, snapshot: Int? = nil) throws -> Recovered<Deck.State> {
    let form = DurableForm(Deck.State.self)
    let recovery = Recovery(form, initial: Deck.State())
    try recovery.written(by: form.schema)
    if let snapshot { try recovery.take(snapshot: snapshots[snapshot].encoded()[...]) }
    for batch in batches.prefix(count) where batch.revisions.lowerBound > recovery.revision {
      try recovery.take(records: batch.records[...])
      recovery.take(sessionNumbers: batch.sessionNumbers)
    }
    return recovery.finish()
  }
}

/// A bench's end of the network.
@MainActor
final class BenchSockets: DaemonTransport {
  typealias Failure = Never

  enum Sent {
    case control(PeerID, DaemonMessage)
    case published(Topic, PublishedMessage)

    var message: Any {
      switch self {
      case .control(_, let message): message
      case .published(_, let message): message
      }
    }
  }

  var now = Moment(instant: Instant(nanoseconds: 1_000_000_000), wallMilliseconds: 1_000_000)
  var upstream: [IncomingFrame] = []
  /// Peers whose connection is over.
  var lost: [PeerID] = []
  /// Whom the daemon has shut down, and why.
  private(set) var cuts: [(peer: PeerID, reason: String)] = []
  var control: [IncomingFrame] = []
  /// What other threads are to do.
  var jobs: [CaptureJob] = []
  /// Peers whose queue is full.
  var full: Set<PeerID> = []
  private(set) var wakeUps = 0
  private var notices: [ServerNotice] = []
  /// Who came, was refused, and went.
  private(set) var audit: [ServerNotice] = []
  /// Frames that were sent and not looked at yet.
  private(set) var frames: [OutgoingFrame] = []
  /// Is called for each frame that leaves.
  var onSend: (OutgoingFrame) -> Void = { _ in }
  /// Checked before each frame is taken.
  weak var server: ReplicaServer?

  var instant: Instant { now.instant }
  /// Where peers are connected from, if not from the bench.
  var addresses: [PeerID: String] = [:]
  private var lastPeer: PeerID?
  var address: String { lastPeer.flatMap { addresses[$0] } ?? "bench" }

  func nextUpstream() -> IncomingFrame? {
    server?.checkInvariants()
    return upstream.isEmpty ? nil : upstream.removeFirst()
  }

  func nextLost() -> PeerID? { lost.isEmpty ? nil : lost.removeFirst() }

  func shutDown(_ peer: PeerID, reason: String) { cuts.append((peer, reason)) }

  func nextControl() -> IncomingFrame? {
    server?.checkInvariants()
    guard !control.isEmpty else { return nil }
    lastPeer = control[0].peer
    return control.removeFirst()
  }

  func publish(_ topic: [UInt8], _ body: [UInt8]) {
    frames.append(.publish(topic: topic, body))
    onSend(frames[frames.count - 1])
  }

  func send(_ frame: [UInt8], to peer: PeerID) -> Bool {
    guard !full.contains(peer) else { return false }
    frames.append(.control(peer, frame))
    onSend(frames[frames.count - 1])
    return true
  }

  func start(_ job: CaptureJob) { jobs.append(job) }

  func wakeUp() { wakeUps += 1 }

  func report(_ notice: ServerNotice) {
    if notice.kind == .warning { notices.append(notice) } else { audit.append(notice) }
  }

  func takeNotices() -> [ServerNotice] {
    defer { notices = [] }
    return notices
  }

  func takeFrames() -> [OutgoingFrame] {
    defer { frames = [] }
    return frames
  }

  func takeSent() throws -> [Sent] {
    try takeFrames().map { frame in
      switch frame {
      case .control(let peer, let bytes): .control(peer, try DaemonMessage(frame: bytes[...]))
      case .publish(let topic, let bytes):
        .published(
          try #require(Topic(bytes: topic)),
          try PublishedMessage(frame: bytes[...]),
        )
      }
    }
  }
}

enum BenchError: Error {
  case unexpected
}

extension ClientMessage.JoinRequest {
  /// A request to follow a scope, of whatever schema.
  static func follow(
    _ scope: String,
    position: ClientMessage.Position? = nil,
  ) -> ClientMessage.JoinRequest {
    ClientMessage.JoinRequest(
      scope: scope,
      mode: .follow,
      stateHash: nil,
      actionHash: nil,
      position: position,
    )
  }

  static func other(_ scope: String, _ mode: ClientMessage.JoinMode) -> ClientMessage.JoinRequest {
    ClientMessage.JoinRequest(
      scope: scope,
      mode: mode,
      stateHash: nil,
      actionHash: nil,
      position: nil,
    )
  }
}

extension DaemonMessage {
  /// The state in a snapshot of one piece.
  func snapshot<State: ReplicatedState>(_ type: State.Type) throws -> State? {
    guard case .snapshot(let piece) = self else { throw BenchError.unexpected }
    #expect(piece.offset == 0 && piece.total == UInt64(piece.bytes.count))
    return try State?(encoded: piece.bytes)
  }
}

/// Lets tasks of the main actor run until something holds, or a limit is reached.
@MainActor
func eventually(_ condition: () -> Bool) async {
  for _ in 0..<10_000 where !condition() { await Task.yield() }
  #expect(condition())
}
