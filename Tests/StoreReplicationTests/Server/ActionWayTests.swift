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
  func walk() async throws {
    let journal = BenchJournal()
    var state = Deck.State()
    state.counter.numberFactAlert = "an older fact"
    let way = try Way(ServerBench(state: state, journal: journal), journal)
    try way.connect()
    try await way.walk()
    #expect(try picture() == way.steps)
  }
}

/// A daemon's turn and a client's, step by step.
@MainActor
private final class Way {
  private let bench: ServerBench
  private let journal: BenchJournal
  private let wire: BenchClient
  private var core: RemoteStoreCore<Deck.Counter, Deck.CounterAction>?
  /// The steps that were seen to be taken, by the type that takes each.
  private(set) var steps: [String] = []

  init(_ bench: ServerBench, _ journal: BenchJournal) throws {
    self.bench = bench
    self.journal = journal
    wire = try BenchClient(bench)
  }

  private var client: ReplicaClient { wire.client }

  /// Opens the store that the action is sent to.
  func connect() throws {
    core = RemoteStoreCore("counter", of: client)
    try bench.settle()
    #expect(core?.replica.shown == Deck.Counter(numberFactAlert: "an older fact"))
  }

  func walk() async throws {
    let core = try #require(core)
    var told = 0
    let subscription = core.observeChanges { told += 1 }
    let before = bench.server.counters.controlFrames
    let deltas = bench.probe.deltas
    // Encoded, numbered and queued: nothing leaves before the turn ends.
    let sent = wire.sent.count
    let task = core.send(.numberFactButtonTapped)
    note("RemoteStoreCore", when: client.pendingActions == 1)
    note("ReplicaClient", when: wire.sent.count == sent)
    wire.takeTurn()
    note("ClientTurn", when: wire.sent.count == sent + 1)
    note("ClientSockets", when: try isAction(wire.sent.last))
    // The daemon takes the frame: it is reduced at once, and nothing is said of it yet.
    #expect(bench.hasIncoming)
    _ = bench.turn.receive()
    note("HostSockets", when: !bench.hasIncoming)
    note("DaemonTurn", when: bench.server.counters.controlFrames == before + 1)
    let session = try #require(bench.server.sessions.session(of: wire.peer))
    note("Sessions", when: session.isOpen && session.clientID == client.identity.clientID)
    note("ReplicaServer", when: bench.server.counters.actionsApplied == 1)
    note("TypedRoot", when: bench.server.counters.actionsFailed == 0)
    note("RootCore", when: bench.root.revision == 1 && bench.root.state.counter == Deck.Counter())
    note("TypedRoot", when: bench.probe.deltas == deltas)
    note("Recorder", when: bench.server.hasUnreleased && bench.server.revision == 0)
    note("OutcomeTable", when: session.actions.last == 1 && bench.server.outcomes.hasUnsent)
    _ = bench.takeOrder()
    bench.turn.end()
    note("DaemonTurn", when: journal.batches.count == 1 && bench.turn.awaitsJournal)
    note("Journal", when: journal.batches.map(\.revisions) == [1...1])
    #expect(bench.takeOrder().isEmpty, "Something was told before it was durable")
    bench.turn.finish(.durable(through: 1))
    note("DaemonTurn", when: !bench.turn.awaitsJournal)
    note("Recorder", when: bench.server.revision == 1)
    note("TypedRoot", when: bench.probe.deltas == deltas + 1)
    note("Subscriptions", when: bench.server.subscriptions.isDirty)
    note("DaemonTurn", when: wire.published.waiting.isEmpty && wire.control.waiting.isEmpty)
    // The turn ends: deltas first, then outcomes, then what the action has begun.
    #expect(bench.root.hasEffectsToStart(through: 1))
    bench.turn.end()
    let order = bench.takeOrder()
    note("ClientSockets", when: order.first == "deltas" && wire.published.waiting.count == 1)
    note("ClientSockets", when: order.last == "acks" && wire.control.waiting.count == 1)
    note("RootCore", when: !bench.root.hasEffectsToStart(through: 1))
    // The outcome is told when the store shows the state.
    #expect(told == 0 && core.state != Deck.Counter())
    wire.takeTurn()
    note("ClientTurn", when: !wire.published.hasArrived && !wire.control.hasArrived)
    note("ReplicaClient", when: client.revision == 1 && client.pendingActions == 0)
    note("TypedReplica", when: core.state == Deck.Counter() && told == 1)
    #expect(try await task.applied() == 1)
    subscription.cancel()
  }

  private func isAction(_ message: ClientMessage?) throws -> Bool {
    guard case .actions(1, let requests)? = message else { return false }
    return try requests.map { Array($0.action) }
      == [Deck.CounterAction.numberFactButtonTapped.encoded()]
  }

  private func note(_ type: String, when isTaken: Bool) {
    #expect(isTaken, "\(type) did not do what the picture says")
    steps.append(type)
  }
}
