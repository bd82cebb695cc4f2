import StoreActor
import StoreSimulation
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// A daemon on a bench: its turn is the one that ships, and the bench moves bytes and time.
///
/// Clients also have the turn that ships (``BenchClient``); other peers are played by hand, and
/// their messages are kept until a test takes them. Each turn checks the parts' invariants.
@MainActor
class Bench: DaemonTransport {
  typealias Failure = Never

  /// The root as the server sees it.
  let probe: RootProbe
  let server: ReplicaServer
  /// The gate at which effects of the root wait.
  let gate: Gate
  private(set) lazy var turn = DaemonTurn(server, transport: self, journal: journal)
  private let journal: BenchJournal?
  var clock = BenchClock()
  /// The connected clients, by the control socket's names.
  var clients: [PeerID: BenchClient] = [:]

  // Frames that have arrived and were not taken.
  private var upstream: [IncomingFrame] = []
  private var control = FairQueue<Holder, PeerID, IncomingFrame>()
  private var lost: [PeerID] = []

  /// The jobs for other threads.
  var jobs: [CaptureJob] = []
  /// Whether captures wait for ``finishJobs()``.
  var holdsJobs = false
  /// Peers whose queue is full.
  var full: Set<PeerID> = []
  /// The peers that the daemon has shut down, with the reasons.
  private(set) var cuts: [(peer: PeerID, reason: String)] = []
  private(set) var wakeUps = 0
  private var notices: [ServerNotice] = []
  /// Sessions that began, were refused, and ended.
  private(set) var audit: [ServerNotice] = []
  /// Frames that were sent and not yet taken, except those to clients.
  private(set) var frames: [OutgoingFrame] = []
  /// Called for each frame that is sent, except those to clients.
  var onSend: (OutgoingFrame) -> Void = { _ in }
  /// All frames since the last call of ``takeOrder()``.
  private var order: [OutgoingFrame] = []

  init(
    _ port: any RootPort,
    gate: Gate,
    recorder: Recorder?,
    journal: BenchJournal?,
    epoch: UInt64,
    limits: Limits,
    timing: Timing,
    crashes: CrashNotes = CrashNotes(),
  ) {
    self.gate = gate
    self.journal = journal
    probe = RootProbe(port)
    server = ReplicaServer(
      root: probe,
      recorder: recorder,
      epoch: epoch,
      limits: limits,
      timing: timing,
      processID: 42,
      now: clock.now,
      generator: SeededGenerator(seed: epoch),
      crashes: crashes,
    )
    _ = turn
  }

  var now: Moment {
    get { clock.now }
    set { clock.now = newValue }
  }

  // MARK: Turns

  /// Ends the turn, and runs all consequences.
  func endTurn() throws {
    _ = turn.receive()
    turn.end()
    try settle()
  }

  /// Exchanges frames and runs jobs until no work is left.
  func settle() throws {
    for _ in 0..<10_000 {
      for client in clients.values.sorted(by: { $0.number < $1.number }) { client.takeTurn() }
      _ = turn.receive()
      turn.end()
      if !holdsJobs { finishJobs() }
      server.checkInvariants()
      guard isBusy else { return }
    }
    throw BenchError.unexpected
  }

  private var isBusy: Bool {
    server.hasWork || server.rest != nil && !turn.hasBackpressure || !holdsJobs && !jobs.isEmpty
      || !lost.isEmpty || !upstream.isEmpty
      || clients.values.contains(where: \.isBusy)
  }

  /// Lets time pass, and runs the work that is due.
  func advance(by duration: Duration) throws {
    clock.advance(by: duration)
    try endTurn()
  }

  /// Runs the jobs of other threads.
  func finishJobs() {
    while !jobs.isEmpty { turn.finish(jobs.removeFirst().run()) }
  }

  // MARK: Incoming frames

  /// Takes a frame, without ending the turn.
  func receive(_ message: ClientMessage, from peer: UInt8) {
    receive(frame: message.encoded(), from: peer)
  }

  func receive(frame: [UInt8], from peer: UInt8) {
    receive(control: frame, from: Self.peer(peer))
    _ = turn.receive()
  }

  /// Takes an upstream frame on the connection of a peer's publishing socket.
  func receive(upstream frame: [UInt8], from peer: UInt8 = 1) {
    receive(upstream: frame, from: Self.publisher(peer))
    _ = turn.receive()
  }

  /// Ends a connection.
  func lose(_ peer: PeerID) {
    lost.append(peer)
    _ = turn.receive()
  }

  /// Adds an arriving frame.
  func receive(control frame: [UInt8], from peer: PeerID) {
    let incoming = IncomingFrame(peer: peer, bytes: frame[...])
    let holder = server.access.holder(of: caller(of: peer))
    control.append(incoming, from: peer, of: holder, cost: frame.count + 128)
  }

  func receive(upstream frame: [UInt8], from peer: PeerID) {
    upstream.append(IncomingFrame(peer: peer, bytes: frame[...]))
  }

  static func peer(_ number: UInt8) -> PeerID { PeerID(bytes: [0, number]) }

  /// The publishing socket's name for a peer.
  static func publisher(_ number: UInt8) -> PeerID { PeerID(bytes: [1, number]) }

  static func clientID(_ number: UInt8) -> Identifier { MessageSamples.identifier(number) }

  /// Whether a control frame has arrived and was not taken.
  var hasIncoming: Bool { !control.isEmpty }

  // MARK: Sent frames

  func takeFrames() -> [OutgoingFrame] {
    defer { frames = [] }
    return frames
  }

  /// The messages to a peer on the control socket since the last call.
  func take(_ peer: UInt8) -> [DaemonMessage] {
    take { frame in
      guard case .control(Self.peer(peer), let body) = frame else { return nil }
      return try DaemonMessage(frame: body[...])
    }
  }

  /// The messages published to a topic since the last call.
  func take(_ topic: Topic) -> [PublishedMessage] {
    take { frame in
      guard case .publish(topic.bytes, let body) = frame else { return nil }
      return try PublishedMessage(frame: body[...])
    }
  }

  private func take<Message>(_ read: (OutgoingFrame) throws -> Message?) -> [Message] {
    var messages: [Message] = []
    frames.removeAll { frame in
      do {
        guard let message = try read(frame) else { return false }
        messages.append(message)
      } catch {
        Issue.record("The daemon sent an invalid message: \(error)")
      }
      return true
    }
    return messages
  }

  /// Whether a message was published and not yet taken.
  var hasPublished: Bool {
    frames.contains { if case .publish = $0 { true } else { false } }
  }

  /// The kinds of all frames since the last call, in the order of sending.
  func takeOrder() -> [String] {
    defer { order = [] }
    return order.map { frame in
      let message: Any? =
        switch frame {
        case .control(_, let body): try? DaemonMessage(frame: body[...])
        case .publish(_, let body): try? PublishedMessage(frame: body[...])
        }
      return "\(message ?? "none")".prefix { $0 != "(" }.description
    }
  }

  func takeNotices() -> [ServerNotice] {
    defer { notices = [] }
    return notices
  }

  // MARK: The network

  var instant: Instant { now.instant }
  /// The addresses of peers that are not connected from the bench.
  var addresses: [PeerID: String] = [:]
  private var lastPeer: PeerID?
  /// The peers with a key or a ticket.
  var callers: [PeerID: Caller] = [:]
  var caller: Caller { lastPeer.map { caller(of: $0) } ?? Caller(.unknown, at: "bench") }

  func caller(of peer: PeerID) -> Caller {
    if let caller = callers[peer] { return caller }
    guard let place = addresses[peer] else { return Caller(.loopback, at: "bench") }
    return Caller(ActionOrigin.Identity(place: place), at: place)
  }

  func nextUpstream() -> IncomingFrame? {
    server.checkInvariants()
    return upstream.isEmpty ? nil : upstream.removeFirst()
  }

  func nextControl(besides waiting: Set<Holder>) -> IncomingFrame? {
    server.checkInvariants()
    guard let frame = control.popFirst(besides: waiting) else { return nil }
    lastPeer = frame.peer
    return frame
  }

  var isBehind: Bool { false }

  func nextLost() -> PeerID? { lost.isEmpty ? nil : lost.removeFirst() }

  func shutDown(_ peer: PeerID, reason: String) { cuts.append((peer, reason)) }

  func publish(_ topic: [UInt8], _ body: [UInt8]) {
    note(.publish(topic: topic, body))
    for client in clients.values { client.receive(topic: topic, body: body) }
  }

  func send(_ frame: [UInt8], to peer: PeerID) -> Bool {
    if full.contains(peer) { return false }
    if let client = clients[peer] {
      order.append(.control(peer, frame))
      client.control.append(frame)
    } else {
      note(.control(peer, frame))
    }
    return true
  }

  private func note(_ frame: OutgoingFrame) {
    onSend(frame)
    frames.append(frame)
    order.append(frame)
  }

  func start(_ job: CaptureJob) { jobs.append(job) }

  func wakeUp() { wakeUps += 1 }

  /// The message to new connections of the publishing socket; nil if it has not changed.
  private(set) var welcome: [UInt8]?

  func welcome(with message: [UInt8]) { welcome = message }

  func report(_ notice: ServerNotice) {
    if notice.kind == .warning { notices.append(notice) } else { audit.append(notice) }
  }
}

/// A daemon whose root is a feature.
@MainActor
final class BenchOf<State: Sendable, Action>: Bench {
  let root: RootCore<State, Action>
  let port: TypedRoot<State, Action>

  init(
    _ root: RootCore<State, Action>,
    _ port: TypedRoot<State, Action>,
    gate: Gate = Gate(),
    recorder: Recorder? = nil,
    journal: BenchJournal? = nil,
    epoch: UInt64,
    limits: Limits = Limits(),
    timing: Timing = Timing(),
    crashes: CrashNotes = CrashNotes(),
  ) {
    self.root = root
    self.port = port
    super.init(
      port,
      gate: gate,
      recorder: recorder,
      journal: journal,
      epoch: epoch,
      limits: limits,
      timing: timing,
      crashes: crashes,
    )
  }

  /// Creates a daemon without a journal.
  convenience init(
    _ root: RootCore<State, Action>,
    exposures: [Expose<State, Action>],
    gate: Gate = Gate(),
    epoch: UInt64 = 1,
  ) {
    let port = TypedRoot(root, exposures: exposures, limits: Limits()) { _ in nil }
    self.init(root, port, gate: gate, epoch: epoch)
  }

  /// Reduces actions in one turn, and runs all consequences.
  func send(_ actions: Action...) throws {
    for action in actions { root.send(action) }
    try settle()
  }
}

enum BenchError: Error {
  case unexpected
}

/// Runs tasks of the main actor until a condition holds, or a limit is reached.
@MainActor
func eventually(_ condition: () throws -> Bool) async rethrows {
  for _ in 0..<10_000 where try !condition() { await Task.yield() }
  #expect(try condition())
}
