import Foundation
import StoreActor
import StoreState
import Testing

@testable import StoreReplication

/// Walks the picture of an action's way in `docs/ARCHITECTURE.md`, step by step.
@MainActor
@Suite struct ActionWayTests {
  /// The types in the picture, in its order, without the sockets' kinds.
  private func picture() throws -> [String] {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../docs/ARCHITECTURE.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: "store.send(.addButtonTapped)\n"))
    let end = try #require(text.range(of: "applied() returns"))
    return text[start.upperBound..<end.lowerBound].matches(of: /[A-Z][a-z]+[A-Z]?[A-Za-z]*/)
      .map { String($0.output) }
  }

  @Test("The way of an action is as the picture in the architecture's page has it")
  func walk() throws {
    let journal = BenchJournal()
    let way = Way(ServerBench(journal: journal), journal)
    try way.connect()
    try way.walk()
    #expect(try picture() == way.steps)
  }
}

/// A daemon's turn and a client's, with the test as the network between them.
@MainActor
private final class Way: ClientTransport {
  typealias Failure = Never

  private let bench: ServerBench
  private let journal: BenchJournal
  private let client: ReplicaClient
  private var turn: ClientTurn<Way>?
  private var control: [[UInt8]] = [[]]
  private var published: [(topic: [UInt8], body: [UInt8]?)] = []
  private var subscriptions: Set<[UInt8]> = []
  /// What the client has sent on the control socket and the daemon has not taken.
  private var sent: [[UInt8]] = []
  /// The steps that were seen to be taken, by the type that takes each.
  private(set) var steps: [String] = []

  init(_ bench: ServerBench, _ journal: BenchJournal) {
    self.bench = bench
    self.journal = journal
    client = ReplicaClient(
      identity: ReplicaClient.Identity(
        clientID: ServerBench.clientID(200),
        name: "walker",
        isListed: false,
      ),
      now: bench.now,
      generator: SystemRandomNumberGenerator(),
    )
    published = [(bench.server.welcome, nil)]
    turn = ClientTurn(client, self)
  }

  var now: Moment { bench.now }

  func receiveControl(_ take: (ArraySlice<UInt8>) -> Void) -> Bool {
    guard !control.isEmpty else { return false }
    take(control.removeFirst()[...])
    return true
  }

  func receivePublished(_ take: (ArraySlice<UInt8>, ArraySlice<UInt8>?) -> Void) -> Bool {
    guard !published.isEmpty else { return false }
    let (topic, body) = published.removeFirst()
    take(topic[...], body?[...])
    return true
  }

  func send(control frame: consuming [UInt8]) { sent.append(frame) }

  func send(upstream frame: [UInt8]) {
    if frame.first == 1 { subscriptions.insert(Array(frame.dropFirst())) }
    bench.sockets.upstream.append(
      IncomingFrame(peer: ServerBench.publisher(1), bytes: frame[...])
    )
  }

  func reconnect() { Issue.record("The client connects again") }

  private func takeClientTurn() throws {
    let turn = try #require(turn)
    while turn.receive() {}
    turn.end()
  }

  /// The daemon has its turn, and what it sends arrives.
  private func takeDaemonTurn() -> [OutgoingFrame] {
    takeFrames()
    bench.turn.end()
    bench.finishJobs()
    let frames = bench.sockets.takeFrames()
    deliver(frames)
    return frames
  }

  private func takeFrames() {
    for frame in sent {
      bench.sockets.control.append(IncomingFrame(peer: ServerBench.peer(1), bytes: frame[...]))
    }
    sent = []
    while bench.turn.receive() {}
  }

  private func deliver(_ frames: [OutgoingFrame]) {
    for frame in frames {
      switch frame {
      case .control(_, let bytes): control.append(bytes)
      case .publish(let topic, let body):
        if subscriptions.contains(topic) { published.append((topic, body)) }
      }
    }
  }

  /// Opens the store that the action is sent to.
  func connect() throws {
    core = RemoteStoreCore("counter", of: client)
    for _ in 0..<10 {
      try takeClientTurn()
      _ = takeDaemonTurn()
    }
    #expect(core?.replica.shown == Deck.Counter())
  }

  private var core: RemoteStoreCore<Deck.Counter, Deck.CounterAction>?

  func walk() throws {
    let core = try #require(core)
    var told = 0
    var settled: [Int] = []
    let subscription = core.observeChanges { told += 1 }
    // Encoded, numbered and queued: nothing leaves before the turn ends.
    core.send(.incrementButtonTapped)
    note("RemoteStoreCore", when: client.pendingActions == 1)
    note("ReplicaClient", when: sent.isEmpty)
    try takeClientTurn()
    note("ClientTurn", when: sent.count == 1)
    let message = try ClientMessage(frame: sent[0][...])
    guard case .actions(1, let requests) = message else {
      Issue.record("The client sent \(message)")
      return
    }
    note("ClientSockets", when: requests.map { Array($0.action) } == [try encoded()])
    // The daemon takes the frame: it is reduced at once, and nothing is said of it yet.
    let deltas = bench.probe.deltas
    let before = bench.server.counters.controlFrames
    takeFrames()
    note("HostSockets", when: bench.sockets.control.isEmpty)
    note("DaemonTurn", when: bench.server.counters.controlFrames == before + 1)
    let session = try #require(bench.server.sessions.session(of: ServerBench.peer(1)))
    note("Sessions", when: session.isOpen && session.clientID == ServerBench.clientID(200))
    note("ActionLog", when: session.actions.last == 1 && bench.server.log.hasUnsent)
    note("TypedRoot", when: bench.server.counters.actionsApplied == 1)
    note("RootCore", when: bench.root.revision == 1 && bench.root.state.counter.count == 1)
    note("TypedRoot", when: bench.probe.deltas == deltas)
    note("Recorder", when: bench.server.hasUnreleased && bench.server.revision == 0)
    bench.turn.end()
    note("Journal", when: journal.batches.map(\.revisions) == [1...1])
    #expect(bench.sockets.takeFrames().isEmpty, "Something was told before it was durable")
    bench.turn.finish(.durable(through: 1))
    note("Recorder", when: bench.server.revision == 1)
    note("TypedRoot", when: bench.probe.deltas == deltas + 1)
    note("Subscriptions", when: bench.server.subscriptions.isDirty)
    note("DaemonTurn", when: bench.sockets.frames.isEmpty)
    // The turn ends: deltas first, then outcomes.
    bench.turn.end()
    let frames = bench.sockets.takeFrames()
    note("ClientSockets", when: frames.count == 2 && isDeltas(frames[0]))
    note("ClientSockets", when: isOutcome(frames[1]))
    note("RootCore", when: !bench.root.hasEffectsToStart(through: 1))
    deliver(frames)
    // The outcome is told when the store shows the state.
    core.send(.incrementButtonTapped)
    _ = settled
    let ticket = client.actions.settlingTickets.first
    #expect(ticket == nil && told == 0 && core.state.count == 0)
    let turn = try #require(turn)
    note("ClientTurn", when: turn.receive() == false && published.isEmpty)
    note("ReplicaClient", when: client.revision == 1 && client.pendingActions == 1)
    settled.append(told)
    note("TypedReplica", when: core.state.count == 1 && settled == [1])
    subscription.cancel()
  }

  private func encoded() throws -> [UInt8] {
    try Deck.CounterAction.incrementButtonTapped.encoded()
  }

  private func isDeltas(_ frame: OutgoingFrame) -> Bool {
    guard case .publish(_, let body) = frame,
      case .deltas? = try? PublishedMessage(frame: body[...])
    else { return false }
    return true
  }

  private func isOutcome(_ frame: OutgoingFrame) -> Bool {
    guard case .control(_, let body) = frame,
      case .acks(let acks)? = try? DaemonMessage(frame: body[...])
    else { return false }
    return acks.outcomes == [.applied(revision: 1, hasEffects: false)]
  }

  private func note(_ type: String, when isTaken: Bool) {
    #expect(isTaken, "\(type) did not do what the picture says")
    steps.append(type)
  }
}
