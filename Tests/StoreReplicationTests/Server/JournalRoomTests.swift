import StoreActor
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// The journal's room, shared by holders.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct JournalRoomTests {
  private static let (greedy, honest): (UInt8, UInt8) = (1, 2)
  private let journal = BenchJournal()

  /// A daemon whose revisions do not become durable, with a session for each of some users.
  private func bench(_ limits: Limits, users: UInt8 = 2) throws -> ServerBench {
    let bench = ServerBench(limits: limits, journal: journal)
    let lines = (1...UInt32(users)).map { user in
      Grants.Line(
        grantee: .user(999 + user),
        scopes: [ScopePattern("*")].compactMap(\.self),
        sees: true,
        sends: .everything,
      )
    }
    bench.turn.apply(Grants(owner: 999, lines: lines))
    for peer in 1...users {
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

  @Test func `A holder with its share of the journal waits, then is refused, and others continue`()
    throws
  {
    var limits = Limits()
    limits.unreleasedRevisions = 8
    let bench = try bench(limits)
    _ = try bench.act(Self.greedy, sequence: 1, increments(8))
    #expect(bench.root.state.counter.count == 8)
    // The frame waits in its lane, with all later frames of its sender.
    _ = try bench.act(Self.greedy, sequence: 9, increments(2))
    bench.receive(.ping(number: 1, revision: 0), from: Self.greedy)
    try bench.endTurn()
    #expect(bench.root.state.counter.count == 8 && bench.take(Self.greedy).isEmpty)
    #expect(bench.turn.hasBackpressure)
    // The other holder has half of the room, and is answered meanwhile.
    _ = try bench.act(Self.honest, sequence: 1, increments(3))
    bench.receive(.ping(number: 2, revision: 0), from: Self.honest)
    try bench.endTurn()
    #expect(bench.root.state.counter.count == 11 && bench.take(Self.honest).count == 1)
    #expect(bench.turn.nextDeadline.map { $0 > bench.now.instant } ?? false)
    try bench.advance(by: .milliseconds(100))
    let refused = bench.take(Self.greedy).outcomes
    #expect(codes(refused) == [Outcome.overloaded, Outcome.overloaded])
    _ = try bench.act(Self.honest, sequence: 4, increments(1))
    #expect(bench.root.state.counter.count == 12)
    // Both have room again after the disk has completed a write.
    try sync(bench)
    try sync(bench)
    _ = try bench.act(Self.greedy, sequence: 11, increments(4))
    #expect(bench.root.state.counter.count == 16)
  }

  @Test func `A waiting holder is not refused while the disk keeps its changes`() throws {
    var limits = Limits()
    limits.unreleasedRevisions = 16
    let bench = try bench(limits)
    _ = try bench.act(Self.greedy, sequence: 1, increments(1))
    _ = try bench.act(Self.greedy, sequence: 2, increments(15))
    // Another holder arrives, so the share is halved, and the backlog is larger than the share.
    _ = try bench.act(Self.honest, sequence: 1, increments(1))
    _ = try bench.act(Self.greedy, sequence: 17, increments(1))
    try bench.advance(by: .milliseconds(60))
    try sync(bench)
    _ = bench.take(Self.greedy)
    // The disk worked for less than the permitted time.
    try bench.advance(by: .milliseconds(60))
    #expect(bench.take(Self.greedy).isEmpty && bench.root.state.counter.count == 17)
    try sync(bench)
    #expect(bench.root.state.counter.count == 18)
    try sync(bench)
    let outcomes = bench.take(Self.greedy).outcomes
    #expect(codes(outcomes) == [] && outcomes.count == 16)
  }

  @Test func `A full window of one client has room, also during a long stall of the disk`() throws {
    let limits = Limits()
    let bench = try bench(limits)
    let frames = limits.window / limits.actionsPerFrame
    for frame in 0..<frames {
      let first = UInt64(frame * limits.actionsPerFrame) + 1
      _ = try bench.act(Self.greedy, sequence: first, increments(limits.actionsPerFrame))
    }
    // The last frame has begun while there was room for a part of it.
    #expect(limits.window > Int(limits.unreleasedRevisions))
    #expect(bench.root.state.counter.count == limits.window)
    try bench.advance(by: .seconds(1))
    #expect(bench.server.counters.actionsFailed == 0)
    try sync(bench)
    try sync(bench)
    #expect(bench.take(Self.greedy).count { if case .acks = $0 { true } else { false } } > 0)
  }

  @Test func `The bytes of waiting records are shared as well`() throws {
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

  @Test func `Changes by an action's effects count for its sender`() async throws {
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

  @Test func `Many users together are ended before the daemon is, and leave room to the owner`()
    throws
  {
    var limits = Limits()
    limits.mostUnreleasedRevisions = 400
    let bench = try bench(limits, users: 40)
    bench.addresses[ServerBench.peer(99)] = "localhost:999:100:99"
    try bench.join(99, try bench.hello(99), nonce: 1, [.follow("counter")])
    func isThere(_ peer: UInt8) -> Bool {
      bench.server.sessions.session(of: ServerBench.peer(peer)) != nil
    }
    var sequence: UInt64 = 1
    while (1...40).contains(where: isThere), sequence < 400 {
      for peer in (1...40).filter(isThere) {
        _ = try bench.act(peer, sequence: sequence, increments(2))
      }
      sequence += 2
    }
    #expect(bench.turn.failure == nil && sequence < 400)
    #expect(bench.root.state.counter.count <= 240)
    _ = try bench.act(99, sequence: 1, increments(128))
    #expect(bench.turn.failure == nil && isThere(99))
  }

  @Test func `Users that come one after the other do not add up to more than there is`() throws {
    var limits = Limits()
    limits.mostUnreleasedRevisions = 400
    let bench = try bench(limits, users: 40)
    for peer in 1...40 as ClosedRange<UInt8> {
      for sequence: UInt64 in 1...100
      where bench.server.sessions.session(of: ServerBench.peer(peer)) != nil {
        _ = try bench.act(peer, sequence: sequence, increments(1))
      }
      #expect(bench.server.sessions.session(of: ServerBench.peer(peer)) == nil)
    }
    #expect(bench.turn.failure == nil)
    #expect(bench.root.state.counter.count <= 240)
  }

  @Test func `Looking for waiting holders takes time in proportion to their number`() {
    var room = JournalRoom(Limits(), Timing())
    let now = Instant(nanoseconds: 0)
    for user in 0..<20_000 as Range<UInt32> { room.add(1, of: .user(user)) }
    room.beginBatch()
    for user in 10_000..<30_000 as Range<UInt32> { room.add(1, of: .user(user)) }
    // A quadratic cost would take hours.
    for _ in 0..<10 {
      #expect(room.waiting(at: now).count == 30_000)
      room.noteWait(now)
    }
    room.endBatch()
    #expect(room.waiting(at: now).count == 20_000)
    #expect(!room.hasItsShare(.user(1)) && room.hasItsShare(.user(10_001)))
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
