import StoreActor
import StoreState
import Testing

@testable import StoreReplication

/// What an action and a join cost, counted in scopes that are asked: what changed, not what is
/// followed.
@MainActor
@Suite struct CostTests {
  private static let rows = 1_000

  private func deck() -> Deck.State {
    var state = Deck.State()
    state.cards = IdentifiedArray(
      uniqueElements: (0..<Self.rows).map { Deck.Card(id: $0, title: "\($0)") }
    )
    return state
  }

  private func follow(_ rows: some Sequence<Int>) -> [ClientMessage.JoinRequest] {
    rows.map { .follow("cards/row/\($0)") }
  }

  /// The scopes that the server asked for their deltas in a step of one row.
  private func asked(_ bench: ServerBench) throws -> Int {
    let before = bench.probe.deltas
    bench.root.send(.cards(.element(id: 500, action: .titleChanged(title: "new"))))
    try bench.endTurn()
    return bench.probe.deltas - before
  }

  @Test("A step of one row asks one scope, where one client follows a thousand rows")
  func oneClient() throws {
    let bench = ServerBench(state: deck())
    try bench.join(1, try bench.hello(1), nonce: 1, follow(0..<Self.rows))
    #expect(try asked(bench) == 1)
    #expect(bench.server.counters.deltas == 1)
  }

  @Test("A step of one row asks one scope, where many clients follow a row each")
  func manyClients() throws {
    let bench = ServerBench(state: deck())
    for peer in UInt8(1)...100 {
      try bench.join(peer, try bench.hello(peer), nonce: 1, follow([Int(peer) + 450]))
    }
    #expect(try asked(bench) == 1)
  }

  @Test("A step of what nobody follows asks no scope")
  func unfollowed() throws {
    let bench = ServerBench(state: deck())
    try bench.join(1, try bench.hello(1), nonce: 1, follow(0..<500))
    #expect(try asked(bench) == 0)
  }

  @Test("A join costs its own scopes, whatever others follow")
  func join() throws {
    let bench = ServerBench(state: deck())
    try bench.join(1, try bench.hello(1), nonce: 1, follow(0..<Self.rows))
    let hello = try bench.hello(2)
    let before = (bench.probe.follows, bench.server.counters.captures)
    try bench.join(2, hello, nonce: 1, follow([7, 8]) + [.follow("counter")])
    // The rows are followed already.
    #expect(bench.probe.follows - before.0 == 1)
    #expect(bench.server.counters.captures - before.1 == 3)
    bench.receive(.bye, from: 2)
    try bench.endTurn()
    #expect(bench.probe.unfollows == 1)
  }

  // MARK: The client

  private func pair() throws -> (PairBench, [TypedReplica<Deck.Card>]) {
    let pair = PairBench(ServerBench(state: deck()))
    try pair.connect()
    let replicas = (0..<Self.rows).map { id in
      let replica = TypedReplica<Deck.Card>()
      _ = pair.client.add("cards/row/\(id)", mode: .follow, replica: replica)
      return replica
    }
    try pair.pump()
    #expect(replicas.allSatisfy { $0.shown != nil })
    // The bookmark after the join asks all once.
    try pair.advance(by: .seconds(1))
    return (pair, replicas)
  }

  @Test("A client whose view has a thousand scopes touches the one that a step changes")
  func step() throws {
    let (pair, replicas) = try pair()
    let before = replicas.map(\.work)
    pair.bench.root.send(.cards(.element(id: 500, action: .titleChanged(title: "new"))))
    try pair.pump()
    try pair.advance(by: .seconds(1))
    #expect(replicas[500].shown?.title == "new")
    let changed = replicas.indices.filter { replicas[$0].work != before[$0] }
    #expect(changed == [500])
    // Applied, shown, told, and compared with the bookmark.
    #expect(replicas[500].work - before[500] == 4)
  }

  @Test("Scopes that one run changes are told in the order of their names, each once")
  func order() throws {
    let (pair, replicas) = try pair()
    var told: [Int] = []
    for (id, replica) in replicas.enumerated() { replica.onAnnounce = { told.append(id) } }
    for id in [20, 3, 100, 3] {
      pair.bench.root.send(.cards(.element(id: id, action: .titleChanged(title: "x"))))
    }
    try pair.pump()
    #expect(told == [100, 20, 3])
  }
}
