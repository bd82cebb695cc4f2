import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// A daemon whose history was rolled back: the clients that report it, and those it disbelieves.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct ServerEpochTests {
  private static let user: UInt32 = 1000
  private let journal = BenchJournal()
  private let disk = BenchJournal()

  private func grants(_ scope: String = "*") throws -> Grants {
    let line = Grants.Line(
      grantee: .user(Self.user),
      scopes: [try #require(ScopePattern(scope))],
      sees: true,
      sends: .everything,
    )
    return Grants(owner: 999, lines: [line])
  }

  private func place(_ bench: Bench, _ peer: UInt8, user: UInt32) {
    bench.addresses[Bench.peer(peer)] = "localhost:\(user):100:\(peer)"
  }

  /// A daemon that has lost two of the three actions whose outcomes clients received.
  ///
  /// All three are of client 1, which belongs to a user.
  private func rolledBack(to count: Int = 1) throws -> ServerBench {
    let bench = ServerBench(journal: journal)
    bench.turn.apply(try grants())
    place(bench, 1, user: Self.user)
    try bench.join(1, try bench.hello(1), nonce: 1, [.follow("counter")])
    for sequence in 1...3 as ClosedRange<UInt64> {
      _ = try bench.act(1, sequence: sequence, .incrementButtonTapped)
      bench.turn.finish(.durable(through: sequence))
      try bench.endTurn()
    }
    let again = ServerBench(journal: disk, recovered: try journal.recover(count))
    again.turn.apply(try grants())
    for peer in 1...9 as ClosedRange<UInt8> {
      place(again, peer, user: peer < 5 ? Self.user : 999)
    }
    return again
  }

  private func hello(
    _ bench: Bench,
    _ peer: UInt8,
    client: UInt8? = nil,
    newest revision: UInt64?,
    epoch: UInt64 = 7,
  ) throws -> Bool {
    var hello = ClientMessage.Hello(
      clientID: Bench.clientID(client ?? peer),
      token: nil,
      firstSequence: 1,
      name: "peer \(peer)",
      isListed: false,
    )
    hello.newest = revision.map { ClientMessage.Position(epoch: epoch, revision: $0) }
    bench.receive(.hello(hello), from: peer)
    try bench.endTurn()
    return bench.take(peer).contains { if case .helloOK = $0 { true } else { false } }
  }

  private func join(_ bench: Bench, _ peer: UInt8, _ scope: String, at revision: UInt64) throws {
    let position = ClientMessage.Position(epoch: 7, revision: revision)
    let nonce = (bench.server.sessions.session(of: Bench.peer(peer))?.scopes.lastNonce ?? 0) + 1
    bench.receive(.join(nonce: nonce, [.follow(scope, position: position)]), from: peer)
    try bench.endTurn()
    _ = bench.take(peer)
  }

  @Test func `A client that only sends shows by its hello that the end of history was lost`() throws
  {
    let bench = try rolledBack()
    #expect(try !hello(bench, 1, newest: 3))
    let epoch = try #require(disk.epochs.first)
    #expect(bench.takeNotices().contains { $0.text.contains("ended at revision 1") })
    bench.turn.finish(.renewed(epoch: epoch))
    #expect(try hello(bench, 1, newest: 3) && bench.server.epoch == epoch)
    // The report is believed once.
    #expect(try hello(bench, 6, newest: 99, epoch: epoch) && disk.epochs.count == 1)
  }

  @Test func `A revision of another epoch, or within the journal, has no effect in a hello`() throws
  {
    let bench = try rolledBack()
    #expect(try hello(bench, 1, newest: nil))
    #expect(try hello(bench, 5, newest: 1))
    #expect(try hello(bench, 6, newest: 3, epoch: 8))
    // That is no revision that a client received, only a number.
    #expect(try hello(bench, 7, newest: .max))
    #expect(disk.epochs.isEmpty)
  }

  @Test func `A hello counts from the owner, and from a known client of the same user`() throws {
    let bench = try rolledBack()
    // The user has sent no action as this client, so any client could claim this.
    #expect(try hello(bench, 2, newest: 3) && disk.epochs.isEmpty)
    // Its later hellos do not count, even after it has sent actions.
    try bench.join(2, try bench.hello(2), nonce: 1, [.follow("counter")])
    _ = try bench.act(2, sequence: 1, .incrementButtonTapped)
    #expect(try hello(bench, 2, newest: 9) && disk.epochs.isEmpty)
    #expect(try !hello(bench, 5, newest: 3) && disk.epochs.count == 1)
  }

  @Test func `Revisions of this daemon in a client's hello have no effect`() throws {
    let bench = try rolledBack()
    #expect(bench.server.revision == 2)
    // The client receives revision 2 of the restarted daemon, sends goodbye and returns.
    try bench.join(5, try bench.hello(5), nonce: 1, [.follow("counter")])
    bench.receive(.bye, from: 5)
    #expect(try hello(bench, 5, newest: 2))
    try join(bench, 5, "counter", at: 2)
    // The same applies to a client that received it with the answer to its hello.
    #expect(try hello(bench, 6, newest: nil) && hello(bench, 6, newest: 2))
    #expect(disk.epochs.isEmpty)
  }

  @Test func `A client whose first session ended before it joined is believed at its first join`()
    throws
  {
    let bench = try rolledBack()
    #expect(try hello(bench, 8, newest: nil))
    bench.receive(.bye, from: 8)
    #expect(try hello(bench, 8, newest: nil))
    try join(bench, 8, "counter", at: 2)
    #expect(disk.epochs.count == 1)
  }

  @Test func `At the beginning of a history no client can have seen more of it`() throws {
    let bench = ServerBench(journal: disk, recovered: try disk.recover(0))
    try bench.join(1, try bench.hello(1), nonce: 1, [.follow("counter")])
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    bench.turn.finish(.durable(through: 1))
    bench.receive(.bye, from: 1)
    try bench.endTurn()
    #expect(try hello(bench, 1, newest: 1))
    try join(bench, 1, "counter", at: 1)
    #expect(try hello(bench, 2, newest: 5))
    try join(bench, 2, "counter", at: 5)
    #expect(disk.epochs.isEmpty)
  }

  @Test func `A position counts for a scope that the client may see, however it spells it`() throws
  {
    let bench = try rolledBack()
    bench.turn.apply(try grants("cards/row/1"))
    #expect(try hello(bench, 2, newest: nil) && hello(bench, 3, newest: nil))
    try join(bench, 2, "cards/row/2", at: 3)
    #expect(disk.epochs.isEmpty)
    try join(bench, 3, "cards/row/ 1", at: 3)
    #expect(disk.epochs.count == 1)
  }

  @Test func `A client that only sends and stays alive learns of a daemon that was rolled back`()
    throws
  {
    let bench = ServerBench(journal: journal)
    let client = try BenchClient(bench)
    let scope = client.client.add("counter", mode: .sendOnly, replica: nil)
    try client.settle()
    for revision in 1...3 as ClosedRange<UInt64> {
      try client.send(Deck.CounterAction.incrementButtonTapped, to: scope)
      bench.turn.finish(.durable(through: revision))
      try client.settle()
    }
    #expect(client.client.newest == ClientMessage.Position(epoch: 7, revision: 3))
    let again = ServerBench(journal: disk, recovered: try journal.recover(1))
    try client.connect(to: again)
    try client.settle()
    let epoch = try #require(disk.epochs.first)
    again.turn.finish(.renewed(epoch: epoch))
    try client.advance(by: .seconds(2))
    #expect(client.client.epoch == epoch)
    #expect(client.events.contains { if case .newEpoch(7, epoch) = $0 { true } else { false } })
  }

  @Test func `Each hello of a client states the newest revision that it received in any way`()
    throws
  {
    let bench = ServerBench()
    let client = try BenchClient(bench)
    func told() -> [ClientMessage.Position?] {
      client.sent.compactMap { if case .hello(let hello) = $0 { hello.newest } else { nil } }
    }
    #expect(told() == [nil])
    bench.root.send(.secretChanged)
    try client.connect()
    #expect(told() == [nil, ClientMessage.Position(epoch: 7, revision: 0)])
    bench.root.send(.secretChanged)
    // The client follows no scope; a pong reports the revision.
    try client.advance(by: .seconds(4))
    try client.connect()
    #expect(told().last == ClientMessage.Position(epoch: 7, revision: 2))
    // In another epoch only revisions of that epoch count.
    let other = ServerBench(epoch: 8)
    try client.connect(to: other)
    try client.connect()
    #expect(told().last == ClientMessage.Position(epoch: 8, revision: 0))
  }
}
