import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// A client's publishing connections that end while joins are in progress: docs/PROTOCOL.md §6, §9,
/// §11.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct PublishingConnectionTests {
  /// A daemon that does not let every user see the cards.
  private func bench() throws -> ServerBench {
    let bench = ServerBench()
    let (all, one) = (try #require(ScopePattern("counter")), try #require(ScopePattern("cards")))
    let lines = [(1000, [all, one]), (1001, [all])] as [(UInt32, [ScopePattern])]
    bench.turn.apply(
      Grants(
        owner: 999,
        lines: lines.map {
          Grants.Line(grantee: .user($0), scopes: $1, sees: true, sends: .nothing)
        },
      )
    )
    return bench
  }

  /// Passes time while captures take long, and restores each connection that the daemon shuts down.
  ///
  /// - Returns: The number of connections that the daemon has shut down.
  private func passTime(_ seconds: Int, at bench: ServerBench, _ client: BenchClient) throws -> Int
  {
    var known = bench.cuts.count
    for _ in 0..<5 * seconds {
      try bench.advance(by: .milliseconds(200))
      guard bench.cuts.count > known else { continue }
      #expect(bench.cuts.dropFirst(known).map(\.peer) == [client.publisher])
      known = bench.cuts.count
      try client.welcome()
    }
    return known
  }

  @Test func `Whose scopes the next daemon sends it alone is not shut down again and again`() throws
  {
    let client = try BenchClient(try bench())
    let counter = try client.follow("counter", Deck.Counter.self)
    #expect(counter.scope.status == .live)
    #expect(client.subscriptions.count == 2)

    let next = try bench()
    next.holdsJobs = true
    let cards = client.client.open(
      "cards",
      IdentifiedArrayOf<Deck.Card>.self,
      action: nil,
      placeholder: nil,
    )
    try client.connect(to: next)
    #expect(client.subscriptions.isEmpty)
    let joins = client.joins.count
    // The subscriptions of the first connection match no session of the new daemon, once.
    #expect(try passTime(20, at: next, client) == 1)
    #expect(client.joins.count == joins)
    #expect(client.client.joining != nil)

    next.holdsJobs = false
    try next.settle()
    #expect(counter.scope.status == .live && cards.0.status == .live)
    #expect(client.client.isQuiet)
  }

  @Test func `A join with its view on the control socket continues without the other one`() throws {
    let daemon = try PlayedDaemon(topic: .unicastView)
    try daemon.open()
    let joins = daemon.wire.joins.count
    _ = daemon.take()
    for part in 1...4 {
      daemon.wire.published.append((Welcome(epoch: 77).encoded(), nil))
      try daemon.wire.settle()
      if part == 2 { try daemon.echo(revision: 5, sequence: 0) }
      if part == 3 { try daemon.snapshot(revision: 5) }
    }
    #expect(daemon.wire.joins.count == joins)
    #expect(daemon.scope.status == .live)
    #expect(daemon.log.last == "shown 5")
    // The client pings the daemon, which shortens the lease of a client that loses a connection.
    #expect(daemon.take().filter { if case .ping = $0 { true } else { false } }.count == 4)
  }

  /// Passes a publishing connection of three seconds while the daemon works on a join.
  private func passConnection(_ daemon: PlayedDaemon, topic: Topic) throws {
    daemon.wire.published.append((Welcome(epoch: 77).encoded(), nil))
    try daemon.wire.settle()
    for _ in 0..<6 {
      let nonce = daemon.client.lastNonce
      try daemon.send(.joined(nonce: nonce, topic: topic, [.accepted(handle: 1)]))
      try daemon.wire.advance(by: .milliseconds(500))
      try daemon.send(.working(nonce: nonce))
    }
  }

  @Test func `Whose publishing connections end before a join is complete connects afresh`() throws {
    let daemon = try PlayedDaemon()
    try daemon.open()
    let topic = Topic(.view, Identifier(high: 5, low: 6))
    // One connection that ends is no reason to give up, however long the join takes.
    try passConnection(daemon, topic: topic)
    for _ in 0..<60 {
      try daemon.send(.working(nonce: daemon.client.lastNonce))
      try daemon.wire.advance(by: .milliseconds(500))
    }
    #expect(!daemon.wire.events.contains(.silent))

    for _ in 0..<5 where daemon.wire.reconnects == 0 { try passConnection(daemon, topic: topic) }
    #expect(daemon.wire.events.contains(.silent))
    #expect(daemon.wire.reconnects > 0)
    // Later connections that end are a reason.
    try daemon.greet()
    try daemon.helloOK(last: 0, isResumed: true)
    try daemon.answer(revision: 5, sequence: 0)
    daemon.wire.published.append((Welcome(epoch: 77).encoded(), nil))
    try daemon.wire.settle()
    #expect(daemon.scope.status == .live)
  }
}
