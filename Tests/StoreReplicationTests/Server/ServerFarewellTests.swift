import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// Sessions that the daemon ends: their clients first receive the outcomes of their actions
/// (docs/PROTOCOL.md §10).
@MainActor
@Suite(.timeLimit(.minutes(1))) struct ServerFarewellTests {
  private let journal = BenchJournal()

  /// A daemon with the session of another user, which follows the counter.
  private func bench(
    _ limits: Limits = Limits(),
    journal: BenchJournal? = nil,
  ) throws -> ServerBench {
    let bench = ServerBench(limits: limits, journal: journal)
    bench.turn.apply(Grants(owner: 999, lines: [try line(of: 1000, sends: .everything)]))
    for peer in 1...2 as ClosedRange<UInt8> {
      bench.addresses[ServerBench.peer(peer)] = "localhost:1000:100:\(peer)"
    }
    try bench.join(1, try bench.hello(1), nonce: 1, [.follow("counter")])
    _ = bench.takeOrder()
    return bench
  }

  private func line(of user: UInt32, sends: SendRight) throws -> Grants.Line {
    let scopes = [try #require(ScopePattern("*"))]
    return Grants.Line(grantee: .user(user), scopes: scopes, sees: true, sends: sends)
  }

  private func actions(_ count: Int, from first: UInt64 = 1) throws -> ClientMessage {
    let action = try Deck.CounterAction.incrementButtonTapped.encoded()[...]
    let request = ClientMessage.ActionRequest(handle: 1, action: action, deadline: nil)
    return .actions(first: first, Array(repeating: request, count: count))
  }

  private func sync(_ bench: ServerBench) throws {
    let batch = try #require(journal.batches.last)
    bench.turn.finish(.durable(through: batch.revisions.upperBound))
    try bench.endTurn()
  }

  /// The outcomes that a peer received, and the code of the final goodbye; nil without a goodbye.
  private struct Told: Equatable {
    let outcomes: [Outcome]
    let code: String?

    init(_ outcomes: [Outcome], _ code: String?) { (self.outcomes, self.code) = (outcomes, code) }
  }

  private func told(_ bench: ServerBench, _ peer: UInt8 = 1) -> Told {
    let messages = bench.take(peer)
    let outcomes = messages.outcomes
    guard case .goodbye(let code, _)? = messages.last else { return Told(outcomes, nil) }
    return Told(outcomes, code)
  }

  private func applied(_ revisions: ClosedRange<UInt64>) -> [Outcome] {
    revisions.map { .applied(revision: $0, hasEffects: false) }
  }

  @Test func `Repeats above the rate get their outcomes before the one that ends the session`()
    throws
  {
    var limits = Limits()
    (limits.actionsPerSecond, limits.actionsPerJoinEntry) = (10, 0)
    let bench = try bench(limits)
    // Eight are reduced, and two of them may be repeated.
    bench.receive(try actions(8), from: 1)
    bench.receive(try actions(8), from: 1)
    try bench.endTurn()
    #expect(bench.takeOrder() == ["deltas", "acks", "goodbye"])
    #expect(told(bench) == Told(applied(1...8), Outcome.overloaded))
    #expect(bench.server.sessions.all.isEmpty)
  }

  @Test func `Repeats above the rate, again and again, make progress each time`() throws {
    var limits = Limits()
    (limits.actionsPerSecond, limits.actionsPerJoinEntry) = (10, 0)
    let bench = try bench(limits)
    bench.receive(try actions(10), from: 1)
    bench.lose(ServerBench.peer(1))
    try bench.endTurn()
    _ = bench.takeFrames()
    var known: Set<UInt64> = []
    for _ in 0..<4 where known.count < 10 {
      try bench.advance(by: .milliseconds(300))
      try bench.hello(2, client: 1)
      let rest = try actions(10 - known.count, from: UInt64(known.count) + 1)
      bench.receive(rest, from: 2)
      try bench.endTurn()
      for case .applied(let revision, _) in told(bench, 2).outcomes { known.insert(revision) }
    }
    #expect(known == Set(1...10))
  }

  @Test(
    "Before a session ends for any reason, its client receives the outcomes of its actions",
    arguments: ["protocolError", "narrowed", "replaced"],
  )
  func ends(_ code: String) throws {
    let bench = try bench()
    bench.receive(try actions(3), from: 1)
    switch code {
    case "protocolError": bench.receive(frame: [0xff], from: 1)
    case "narrowed":
      bench.turn.apply(Grants(owner: 999, lines: [try line(of: 1000, sends: .nothing)]))
    default:
      let hello = ClientMessage.Hello(
        clientID: ServerBench.clientID(1),
        token: nil,
        firstSequence: 1,
        name: "",
        isListed: false,
      )
      bench.receive(.hello(hello), from: 2)
    }
    try bench.endTurn()
    #expect(bench.takeOrder().prefix(3) == ["deltas", "acks", "goodbye"])
    #expect(told(bench) == Told(applied(1...3), code))
  }

  @Test func `A goodbye waits with the outcomes for the disk, and no frame is handled meanwhile`()
    throws
  {
    let bench = try bench(journal: journal)
    bench.receive(try actions(3), from: 1)
    bench.receive(frame: [0xff], from: 1)
    try bench.endTurn()
    #expect(bench.server.sessions.all.isEmpty)
    bench.receive(try actions(1, from: 4), from: 1)
    bench.receive(.ping(number: 1, revision: 0), from: 1)
    try bench.endTurn()
    #expect(bench.takeOrder() == [])
    try sync(bench)
    #expect(bench.takeOrder() == ["acks", "goodbye"])
    #expect(told(bench) == Told(applied(1...3), "protocolError"))
    // Then its connection belongs to no session.
    bench.receive(.ping(number: 2, revision: 0), from: 1)
    try bench.endTurn()
    #expect(bench.take(1) == [.needHello])
  }

  @Test func `A lease that ends while the disk works ends with the outcomes`() throws {
    let bench = try bench(journal: journal)
    bench.receive(try actions(2), from: 1)
    try bench.endTurn()
    try bench.advance(by: bench.server.timing.lease + .milliseconds(1))
    #expect(bench.server.sessions.all.isEmpty && bench.take(1).isEmpty)
    try sync(bench)
    #expect(told(bench) == Told(applied(1...2), "leaseEnded"))
  }

  @Test func `A hello before the disk is done is repeated, and gets no goodbye`() throws {
    let bench = try bench(journal: journal)
    bench.receive(try actions(3), from: 1)
    bench.receive(frame: [0xff], from: 1)
    try bench.endTurn()
    #expect(try bench.hello(1).lastSequence == 0)
    bench.receive(try actions(3), from: 1)
    try bench.endTurn()
    try sync(bench)
    #expect(told(bench) == Told(applied(1...3), nil))
    #expect(bench.server.sessions.all.count == 1)
  }

  @Test func `A connection that is lost before the disk is done gets no message`() throws {
    let bench = try bench(journal: journal)
    bench.receive(try actions(3), from: 1)
    bench.receive(frame: [0xff], from: 1)
    try bench.endTurn()
    bench.lose(ServerBench.peer(1))
    try bench.endTurn()
    try sync(bench)
    #expect(bench.take(1).isEmpty)
    // The client asks on another connection.
    try bench.hello(2, client: 1)
    bench.receive(try actions(3), from: 2)
    try bench.endTurn()
    #expect(told(bench, 2) == Told(applied(1...3), nil))
  }

  @Test func `A connection that is closed at once gets its durable outcomes, and a goodbye`() throws
  {
    let bench = try bench(journal: journal)
    bench.receive(try actions(3), from: 1)
    bench.turn.apply(Grants(owner: 999, lines: [try line(of: 1000, sends: .nothing)]))
    try bench.endTurn()
    #expect(told(bench) == Told([], "narrowed"))
    try sync(bench)
    #expect(bench.take(1).isEmpty)
  }

  @Test func `A stalled disk keeps no goodbye: the connection is closed`() throws {
    let bench = try bench(journal: journal)
    bench.receive(try actions(3), from: 1)
    bench.receive(frame: [0xff], from: 1)
    try bench.endTurn()
    try bench.advance(by: .seconds(3) + .milliseconds(1))
    #expect(bench.cuts.map(\.peer).contains(ServerBench.peer(1)))
    bench.lose(ServerBench.peer(1))
    try bench.endTurn()
    #expect(!bench.server.outcomes.isLeaving(ServerBench.peer(1)))
  }
}
