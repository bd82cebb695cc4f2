import StoreActor
import Testing

@testable import StoreReplication

/// The journal's room, which holders share.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct JournalRoomTests {
  private static let (greedy, honest): (UInt8, UInt8) = (1, 2)
  private let journal = BenchJournal()

  /// A daemon that nothing becomes durable of, with sessions of two users.
  private func bench(_ limits: Limits) throws -> ServerBench {
    let bench = ServerBench(limits: limits, journal: journal)
    let line = Grants.Line(
      grantee: .user(1000),
      scopes: [ScopePattern("*")].compactMap(\.self),
      sees: true,
      sends: .everything,
    )
    var other = line
    other.grantee = .user(1001)
    bench.turn.apply(Grants(owner: 999, lines: [line, other]))
    for peer in [Self.greedy, Self.honest] {
      bench.addresses[ServerBench.peer(peer)] = "localhost:\(999 + UInt32(peer)):100:\(peer)"
      try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("counter")])
    }
    return bench
  }

  private func sync(_ bench: ServerBench) throws {
    let batch = try #require(journal.batches.last)
    bench.turn.finish(.durable(through: batch.revisions.upperBound))
    try bench.endTurn()
  }

  private func increments(_ count: Int) -> [Deck.CounterAction] {
    Array(repeating: .incrementButtonTapped, count: count)
  }

  private func codes(_ outcomes: [Outcome]) -> [String] {
    outcomes.compactMap { if case .failed(let failure) = $0 { failure.code } else { nil } }
  }

  @Test func `Who has its share of the journal waits, then is refused, and others go on`() throws {
    var limits = Limits()
    limits.unreleasedRevisions = 8
    let bench = try bench(limits)
    _ = try bench.act(Self.greedy, sequence: 1, increments(8))
    #expect(bench.root.state.counter.count == 8)
    // It waits in its lane, with all that it sends.
    _ = try bench.act(Self.greedy, sequence: 9, increments(2))
    bench.receive(.ping(number: 1, revision: 0), from: Self.greedy)
    try bench.endTurn()
    #expect(bench.root.state.counter.count == 8 && bench.take(Self.greedy).isEmpty)
    #expect(bench.turn.hasBackpressure)
    // The other one has half of the room, and is answered meanwhile.
    _ = try bench.act(Self.honest, sequence: 1, increments(3))
    bench.receive(.ping(number: 2, revision: 0), from: Self.honest)
    try bench.endTurn()
    #expect(bench.root.state.counter.count == 11 && bench.take(Self.honest).count == 1)
    #expect(bench.turn.nextDeadline.map { $0 > bench.now.instant } ?? false)
    try bench.advance(by: .milliseconds(100))
    let refused = bench.take(Self.greedy).flatMap { message -> [Outcome] in
      if case .acks(let acks) = message { acks.outcomes } else { [] }
    }
    #expect(codes(refused) == [Outcome.overloaded, Outcome.overloaded])
    _ = try bench.act(Self.honest, sequence: 4, increments(1))
    #expect(bench.root.state.counter.count == 12)
    // Both have room again when the disk has done something.
    try sync(bench)
    try sync(bench)
    _ = try bench.act(Self.greedy, sequence: 11, increments(4))
    #expect(bench.root.state.counter.count == 16)
  }

  @Test func `The bytes of what waits are shared as well`() throws {
    var limits = Limits()
    limits.unreleasedBytes = 10_000
    let bench = try bench(limits)
    _ = try bench.act(Self.greedy, sequence: 1, .incrementButtonTapped)
    _ = try bench.act(Self.greedy, sequence: 2, .filled(bytes: 20_000))
    _ = try bench.act(Self.greedy, sequence: 3, .incrementButtonTapped)
    #expect(bench.root.state.counter.count == 1)
    _ = try bench.act(Self.honest, sequence: 1, .incrementButtonTapped)
    #expect(bench.root.state.counter.count == 2)
  }

  @Test func `What an action's effects change counts for who sent it`() async throws {
    var limits = Limits()
    limits.unreleasedRevisions = 2
    let bench = try bench(limits)
    _ = try bench.act(Self.greedy, sequence: 1, .numberFactButtonTapped)
    try sync(bench)
    await eventually { bench.gate.waiting == 1 }
    bench.gate.open()
    await eventually { bench.root.state.counter.numberFactAlert == "a fact" }
    _ = try bench.act(Self.greedy, sequence: 2, .incrementButtonTapped)
    let room = try #require(bench.server.recorder?.room)
    #expect(room.revisions(of: .user(1000)) == 2)
    #expect(room.revisions(of: .user(1001)) == 0)
    #expect(room.revisions(of: nil) == 0)
  }

  @Test func `A user whose effects make too much is ended before the daemon is`() throws {
    var limits = Limits()
    limits.mostUnreleasedRevisions = 40
    let bench = try bench(limits)
    _ = try bench.act(Self.greedy, sequence: 1, increments(12))
    #expect(bench.server.sessions.session(of: ServerBench.peer(Self.greedy)) == nil)
    #expect(bench.turn.failure == nil)
    _ = try bench.act(Self.honest, sequence: 1, increments(1))
    #expect(bench.root.state.counter.count == 13)
  }

  @Test func `A user sends so many bytes of actions a second, and the owner more`() throws {
    var limits = Limits()
    (limits.actionBytesPerSecond, limits.actionBytesAtOnce) = (100, 200)
    let bench = try bench(limits)
    bench.addresses[ServerBench.peer(3)] = "localhost:999:100:3"
    try bench.join(3, try bench.hello(3), nonce: 1, [.follow("counter")])
    let size = try Deck.CounterAction.incrementButtonTapped.encoded().count
    func send(_ peer: UInt8, from sequence: UInt64) throws -> Int {
      let before = bench.root.state.counter.count
      _ = try bench.act(peer, sequence: sequence, increments(20))
      return bench.root.state.counter.count - before
    }
    #expect(try send(Self.greedy, from: 1) == 200 / size)
    #expect(try send(Self.honest, from: 1) == 200 / size)
    #expect(try send(3, from: 1) == 20)
    try bench.advance(by: .seconds(1))
    #expect(try send(Self.greedy, from: 21) == (200 % size + 100) / size)
    try bench.advance(by: .seconds(5))
    #expect(try send(Self.greedy, from: 41) == 200 / size)
  }
}
