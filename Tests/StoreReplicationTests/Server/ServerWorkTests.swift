import GenericState
import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

@MainActor
@Suite("Effects that the daemon owns", .timeLimit(.minutes(1)))
struct ServerWorkTests {
  private let journal = BenchJournal()

  private func bench(
    journal: BenchJournal? = nil,
    limits: Limits = Limits(),
  ) throws -> ServerBench {
    let bench = ServerBench(limits: limits, journal: journal)
    bench.addresses[ServerBench.peer(1)] = "localhost:1000:100:1"
    try bench.admitUser(1000, to: "counter")
    _ = try bench.join(1, try bench.hello(1), nonce: 1, [.follow("counter")])
    return bench
  }

  @Test("They continue when the client that started them leaves")
  func continues() async throws {
    let bench = try bench()
    let outcomes = try bench.act(1, sequence: 1, .factOrdered)
    #expect(outcomes == [.applied(revision: 1, hasEffects: false)])
    await eventually { bench.gate.waiting == 1 }
    #expect(bench.server.work.counts == ["fact": 1])
    bench.receive(.bye, from: 1)
    try bench.endTurn()
    #expect(bench.server.sessions.all.isEmpty)
    #expect(bench.gate.cancelled == 0)
    bench.gate.open()
    await eventually { !bench.root.hasRunningEffects }
    #expect(bench.root.state.counter.numberFactAlert == "a fact")
    #expect(bench.server.work.counts.isEmpty)
  }

  @Test("The status lists them by name")
  func status() async throws {
    let bench = ServerBench()
    _ = try bench.join(1, try bench.hello(1), nonce: 1, [.follow("counter")])
    _ = try bench.act(1, sequence: 1, .factOrdered, .factOrdered)
    await eventually { bench.gate.waiting == 2 }
    bench.receive(.status(request: 6), from: 1)
    try bench.endTurn()
    guard case .status(request: 6, let item)? = bench.take(1).last else {
      Issue.record("No status")
      return
    }
    let work = try GenericValue(encoded: item)[field: "work"]
    #expect(work?[field: "fact"] == .unsigned(2))
    bench.gate.open()
  }

  @Test("They count against the limit of the user, also after its session")
  func limited() async throws {
    var limits = Limits()
    limits.effectsPerUser = 2
    let bench = try bench(limits: limits)
    let outcomes = try bench.act(1, sequence: 1, .factOrdered, .factOrdered, .factOrdered)
    // The refusal is sent first.
    #expect(outcomes.map { $0.applied?.revision } == [nil, 1, 2])
    await eventually { bench.gate.waiting == 2 }
    #expect(bench.server.work.count(of: .user(1000)) == 2)
    bench.receive(.bye, from: 1)
    try bench.endTurn()
    #expect(bench.server.work.count(of: .user(1000)) == 2)
    bench.gate.open()
    await eventually { !bench.root.hasRunningEffects }
    #expect(bench.server.work.count(of: .user(1000)) == 0)
  }

  @Test("They go on when their user has no right any more, and end with the daemon")
  func revoked() async throws {
    let bench = try bench()
    _ = try bench.act(1, sequence: 1, .factOrdered)
    await eventually { bench.gate.waiting == 1 }
    bench.turn.apply(Grants(owner: 999, lines: []))
    try bench.endTurn()
    #expect(bench.server.sessions.all.isEmpty)
    #expect(bench.server.work.count(of: .user(1000)) == 1 && bench.gate.cancelled == 0)
    bench.server.detach()
    await eventually { bench.gate.cancelled == 1 }
    bench.gate.open()
    await eventually { !bench.root.hasRunningEffects }
  }

  @Test("A journal contains their begin and their end")
  func recorded() async throws {
    let bench = try bench(journal: journal)
    _ = try bench.act(1, sequence: 1, .factOrdered)
    let batch = try #require(journal.batches.last)
    bench.turn.finish(.durable(through: batch.revisions.upperBound))
    try bench.endTurn()
    #expect(try journal.records.first?.details.began.map(\.effect.name) == ["fact"])
    // A daemon that ends now reports it as interrupted.
    let restoration = try #require(journal.recover(1).restoration)
    #expect(restoration.interrupted.map(\.name) == ["fact"])
  }

  @Test("Their names in the status are bounded by number and length")
  func names() async throws {
    var limits = Limits()
    (limits.workNames, limits.workNameBytes) = (2, 4)
    let work = DaemonWork(limits)
    let gate = Gate()
    let core = RootCore(initialState: { 0 }, reducer: { Named(gate: gate) })
    core.onOutliving = { work.follow($0, $1, of: nil) }
    for name in ["one", "two", "two", "three", ""] { core.send(.begun(name)) }
    await eventually { gate.waiting == 5 }
    #expect(work.counts == ["one": 1, "two": 2])
    #expect(work.others == 2)
    gate.open()
    await eventually { !core.hasRunningEffects }
    #expect(work.counts.isEmpty && work.others == 0)
    core.send(.begun("print all"))
    #expect(work.counts == ["p…": 1])
    gate.open()
  }
}

/// Begins work with any name.
private struct Named: Reducer {
  enum Action { case begun(String) }

  let gate: Gate

  func reduce(into state: inout Int, action: Action) -> Effect<Action> {
    guard case .begun(let name) = action else { return .none }
    return .run(name: name, owner: .daemon) { [gate] _ in await gate.wait() }
  }
}
