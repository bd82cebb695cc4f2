import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// The end of a client's scopes, by release and with the connection: docs/PROTOCOL.md §12.
@MainActor
@Suite("The lifetime of a client's scopes", .timeLimit(.minutes(2)))
struct ClientLifetimeTests {
  private typealias Core = RemoteStoreCore<Deck.Card, Deck.CardAction>

  private func deck(_ rows: Int, scopes: Int = 1_024, journal: BenchJournal? = nil) -> ServerBench {
    var limits = Limits()
    limits.scopesPerSession = scopes
    var state = Deck.State()
    state.cards = IdentifiedArray(
      uniqueElements: (0..<rows).map { Deck.Card(id: $0, title: "\($0)") }
    )
    return ServerBench(limits: limits, state: state, journal: journal)
  }

  private func open(_ rows: some Sequence<Int>, of wire: BenchClient) throws -> [Core] {
    let cores = rows.map { Core("cards/row/\($0)", of: wire.client) }
    try wire.settle()
    return cores
  }

  @Test(
    "When a connection ends, all its stores have ended before any observer is notified",
    arguments: 2...5,
  )
  func end(scopes: Int) throws {
    let bench = deck(scopes)
    let wire = try BenchClient(bench)
    let cores = try open(0..<scopes, of: wire)
    let roots = cores.map(\.node)
    let told = Told()
    let observers = roots.map { root in
      root.observe { event in
        if case .ended = event { told.ends.append(roots.map(\.end)) }
      }
    }
    // The waiters for an action are notified together with the observers.
    cores[0].send(.titleChanged(title: "unsent")).whenSettled {
      told.ends.append(roots.map(\.end))
    }
    wire.turn.close("It is over.")
    #expect(told.ends.count == scopes + 1)
    #expect(told.ends.joined().allSatisfy { $0 == .closed("It is over.") })
    for observer in observers { observer.cancel() }
  }

  /// The ends of all stores that each observer saw when it was notified.
  @MainActor
  private final class Told {
    var ends: [[StoreEnd?]] = []
  }

  @Test("Scopes that a daemon refuses have all ended before any observer is notified")
  func refused() throws {
    let bench = deck(3)
    let wire = try BenchClient(bench)
    let cores = try open(0..<3, of: wire)
    let roots = cores.map(\.node)
    var told: [[Bool]] = []
    let observers = roots.map { root in
      root.observe { event in
        if case .ended = event { told.append(roots.map { $0.end != nil }) }
      }
    }
    let failure = JoinFailure(code: "unknownScope", message: "Gone.")
    wire.alter { message in
      guard case .joined(let nonce, _, let answers) = message else { return message }
      let refusals = answers.map { _ in DaemonMessage.JoinAnswer.refused(failure) }
      return .joined(nonce: nonce, topic: nil, refusals)
    }
    try wire.connect()
    #expect(told == Array(repeating: [true, true, true], count: 3))
    #expect(cores.allSatisfy { $0.scope.status == .refused(failure) })
    for observer in observers { observer.cancel() }
  }

  @Test("A thousand stores that are opened and dropped within 100 ms make at most three joins")
  func fewJoins() throws {
    let bench = deck(1_000)
    let wire = try BenchClient(bench)
    let joins = { wire.sent.count { if case .join = $0 { true } else { false } } }
    let before = joins()
    // The daemon's answer takes equally long; each store is held for ten turns.
    wire.control.isHeld = true
    var held: [Core] = []
    for number in 0..<1_000 {
      held.append(Core("cards/row/\(number)", of: wire.client))
      guard number % 10 == 9 else { continue }
      if held.count > 100 { held.removeFirst(10) }
      try wire.advance(by: .milliseconds(1))
    }
    held = []
    wire.control.isHeld = false
    try wire.settle()
    #expect(joins() - before == 2)
    for _ in 0..<30 { try wire.advance(by: .milliseconds(100)) }
    #expect(joins() - before == 3)
    #expect(wire.client.scopes.isEmpty)
    #expect(bench.server.root.exposed.allSatisfy { $0.followedCount == 0 })
  }

  @Test("Stores that are opened and dropped leave no trace in the client or the daemon")
  func nothingLeft() throws {
    let bench = deck(10)
    let wire = try BenchClient(bench)
    weak var replica: TypedReplica<Deck.Card>?
    for round in 0..<200 {
      let cores = try open((0..<5).map { (round + $0) % 10 }, of: wire)
      replica = cores[0].replica
      #expect(cores.allSatisfy { $0.replica.isShown })
    }
    try wire.advance(by: .seconds(1))
    try wire.advance(by: .seconds(1))
    #expect(replica == nil)
    let client = wire.client
    #expect(client.scopes.isEmpty && client.scopesByName.isEmpty && client.unheldScopes.isEmpty)
    #expect(client.view == nil && client.joining == nil && client.lingerDue == nil)
    #expect(client.subscribed.count <= 1, "Only the session's own topic is left")
    #expect(client.isQuiet)
    #expect(bench.server.root.exposed.allSatisfy { $0.followedCount == 0 })
  }

  @Test("A scope that is opened again while it lingers keeps its copy, and is not joined")
  func openedAgain() throws {
    let bench = deck(2)
    let wire = try BenchClient(bench)
    var held = try open(0..<1, of: wire)
    let replica = held[0].replica
    let root = held[0].node
    let joins = wire.joins.count
    held = []
    try wire.advance(by: .milliseconds(900))
    #expect(wire.client.unheldScopes == ["cards/row/0"])
    // Changes arrive also while the scope has no holder.
    try bench.send(.cards(.element(id: 0, action: .titleChanged(title: "new"))))
    held = try open(0..<1, of: wire)
    #expect(held[0].replica === replica && held[0].node === root)
    #expect(replica.shown?.title == "new" && held[0].scope.status == .live)
    #expect(wire.client.unheldScopes.isEmpty)
    // The scope is not left when the former linger time ends.
    try wire.advance(by: .seconds(3))
    try bench.send(.cards(.element(id: 0, action: .titleChanged(title: "newer"))))
    #expect(replica.shown?.title == "newer" && root.end == nil)
    #expect(wire.joins.count == joins)
    // After that time the scope is recreated.
    held = []
    try wire.advance(by: .zero)
    try wire.advance(by: .milliseconds(1_250))
    #expect(wire.client.scopes.isEmpty)
    held = try open(0..<1, of: wire)
    #expect(held[0].replica !== replica)
    #expect(wire.joins.count == joins + 1)
  }

  @Test("A client that leaves a scope stops following it, and its running effects continue")
  func effectOfALeftScope() async throws {
    let bench = deck(1)
    let wire = try BenchClient(bench)
    var core: RemoteStoreCore<Deck.Counter, Deck.CounterAction>? =
      RemoteStoreCore("counter", of: wire.client)
    try wire.settle()
    let task = try #require(core?.send(.numberFactButtonTapped))
    try wire.settle()
    await eventually { bench.gate.waiting == 1 }
    core = nil
    try wire.advance(by: .zero)
    try wire.advance(by: .milliseconds(1_250))
    #expect(wire.client.scopes.isEmpty)
    #expect(bench.server.root.exposed.allSatisfy { $0.followedCount == 0 })
    let session = try #require(bench.server.sessions.session(of: wire.peer))
    #expect(session.scopes.count == 0 && session.actions.runningCount == 1)
    for _ in 0..<100 { await Task.yield() }
    #expect(bench.gate.waiting == 1 && bench.gate.cancelled == 0)
    #expect(!task.isFinished && !task.isCancelled)
    let revision = bench.root.revision
    bench.gate.open()
    await eventually { bench.root.state.counter.numberFactAlert == "a fact" }
    #expect(bench.root.revision == revision + 1)
    // The sender of the action is notified of the end of its effect.
    try await eventually {
      try bench.settle()
      return task.isFinished
    }
    #expect(bench.gate.cancelled == 0 && session.actions.runningCount == 0)
  }

  @Test("A child that is removed and recreated within one turn of the daemon is a new child")
  func goneAndBack() async throws {
    let bench = deck(1)
    bench.root.send(.counter(.extraToggled))
    let wire = try BenchClient(bench)
    let core = RemoteStoreCore<Deck.Extra, Deck.ExtraAction>("extra", of: wire.client)
    try wire.settle()
    let root = core.node
    var ends: [StoreEnd?] = []
    let observer = root.observe { _ in ends.append(root.end) }
    // The text of the old child is removed with that child.
    try bench.send(.extra(.written(text: "old")))
    try bench.send(.counter(.extraToggled), .counter(.extraToggled))
    #expect(root.end == .gone)
    #expect(ends == [nil, .gone])
    #expect(core.replica.root !== root)
    #expect(core.replica.isShown && core.replica.shown == Deck.Extra())
    observer.cancel()
    // A holder of the old child cannot write into the new one.
    let task = core.send(.written(text: "late"))
    try wire.settle()
    #expect(bench.root.state.extra == Deck.Extra())
    await #expect { try await task.applied() } throws: { ($0 as? ActionFailure)?.code == .absent }
  }

  @Test("A cancelled wait for effects cancels them, and returns when they have ended")
  func canceledWait() async throws {
    let bench = deck(1)
    let wire = try BenchClient(bench)
    let core = RemoteStoreCore<Deck.Counter, Deck.CounterAction>("counter", of: wire.client)
    try wire.settle()
    let task = core.send(.numberFactButtonTapped)
    try wire.settle()
    var hasBegun = false
    var hasEnded = false
    let waiting = Task {
      hasBegun = true
      await task.finish()
      hasEnded = true
    }
    while !hasBegun { await Task.yield() }
    waiting.cancel()
    core.send(.incrementButtonTapped)
    for _ in 0..<100 { await Task.yield() }
    #expect(!hasEnded)
    while !hasEnded {
      await Task.yield()
      try wire.settle()
    }
    #expect(task.isFinished)
    let order = wire.sent.compactMap { message -> String? in
      switch message {
      case .actions: "action"
      case .cancel: "cancel"
      default: nil
      }
    }
    #expect(order == ["action", "cancel", "action"])
    #expect(bench.root.state.counter.count == 1)
    #expect(bench.root.state.counter.numberFactAlert == nil)
  }

  @Test(
    "A cancelled wait for an outcome cancels no action, and other waiters receive the outcome",
    arguments: [false, true],
  )
  func canceledOutcome(isSent: Bool) async throws {
    let bench = deck(1)
    let wire = try BenchClient(bench)
    let core = RemoteStoreCore<Deck.Counter, Deck.CounterAction>("counter", of: wire.client)
    try wire.settle()
    // Whether or not the daemon has received the action, no answer has arrived.
    wire.control.isHeld = true
    let task = core.send(.numberFactButtonTapped)
    if isSent { try wire.settle() }
    var begun = 0
    let impatient = Task {
      begun += 1
      return try await task.applied()
    }
    let patient = Task {
      begun += 1
      return try await task.applied()
    }
    while begun < 2 { await Task.yield() }
    for _ in 0..<100 { await Task.yield() }
    impatient.cancel()
    await #expect(throws: CancellationError.self) { try await impatient.value }
    #expect(bench.root.revision == (isSent ? 1 : 0))
    wire.control.isHeld = false
    try wire.settle()
    #expect(try await patient.value == 1)
    #expect(try await task.applied() == 1)
    // The action's effect continues as well.
    await eventually { bench.gate.waiting == 1 }
    bench.gate.open()
    await eventually { bench.root.state.counter.numberFactAlert == "a fact" }
    try bench.settle()
    #expect(core.replica.shown == bench.root.state.counter)
    #expect(bench.gate.cancelled == 0 && !task.isCancelled)
    #expect(!wire.sent.contains { if case .cancel = $0 { true } else { false } })
  }

  @Test("At the limit of scopes, lingering scopes are left in favor of new ones")
  func roomForTheWanted() throws {
    let bench = deck(10, scopes: 3)
    let wire = try BenchClient(bench)
    var held = try open(0..<3, of: wire)
    held.removeFirst(2)
    try wire.settle()
    held += try open(3..<5, of: wire)
    #expect(held.allSatisfy { $0.scope.status == .live && $0.replica.isShown })
    #expect(wire.client.unheldScopes.isEmpty)
    let tooMany = try open(5..<6, of: wire)
    guard case .refused(let failure) = tooMany[0].scope.status else {
      Issue.record("It is \(tooMany[0].scope.status)")
      return
    }
    #expect(failure.code == "tooManyScopes")
    #expect(held.allSatisfy { $0.scope.status == .live })
  }

  @Test("Scopes beyond a daemon's limit are refused, and the others are live")
  func moreThanAJoinTakes() throws {
    let bench = deck(10, scopes: 3)
    let wire = try BenchClient(bench)
    let cores = try open(0..<10, of: wire)
    #expect(wire.client.isLive)
    #expect(cores.prefix(3).allSatisfy { $0.scope.status == .live && $0.replica.isShown })
    let codes = cores.dropFirst(3).map { core in
      if case .refused(let failure) = core.scope.status { failure.code } else { "" }
    }
    #expect(codes == Array(repeating: "tooManyScopes", count: 7))
    #expect(wire.joins.count == 1)
  }

  @Test("A scope that is released and opened again takes one place, with its actions in flight")
  func twins() throws {
    let journal = BenchJournal()
    let bench = deck(10, scopes: 3, journal: journal)
    let wire = try BenchClient(bench)
    var held = try open(0..<3, of: wire)
    let action = try Deck.CardAction.titleChanged(title: "new").encoded()
    for core in held { _ = wire.client.submit(action, to: core.scope) }
    try wire.settle()
    held = []
    for _ in 0..<4 { try wire.advance(by: .milliseconds(500)) }
    #expect(wire.client.scopes.map(\.want) == [.draining, .draining, .draining])
    held = try open(0..<3, of: wire)
    #expect(held.allSatisfy { $0.scope.status == .live })
  }

  @Test("Scopes that are kept only for their actions in flight make room, and the actions arrive")
  func roomForActions() throws {
    let journal = BenchJournal()
    let bench = deck(10, scopes: 2, journal: journal)
    let wire = try BenchClient(bench)
    var held = try open(0..<2, of: wire)
    let action = try Deck.CardAction.titleChanged(title: "new").encoded()
    let tickets = held.map { wire.client.submit(action, to: $0.scope) }
    try wire.settle()
    // The outcomes wait for the disk.
    held = []
    for _ in 0..<4 { try wire.advance(by: .milliseconds(500)) }
    #expect(wire.client.scopes.map(\.want) == [.draining, .draining])
    let next = try open(2..<4, of: wire)
    #expect(next.allSatisfy { $0.scope.status == .live })
    while bench.server.hasUnreleased {
      bench.turn.finish(.durable(through: try #require(journal.batches.last).revisions.upperBound))
      try wire.settle()
    }
    #expect(tickets.allSatisfy { if case .applied? = $0.outcome { true } else { false } })
    #expect(wire.client.scopes.count == 2)
  }
}
