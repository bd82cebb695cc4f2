import StoreActor
import StoreState
import Testing

@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// The cost of an action and a join in scopes that are asked: it depends on the scopes that change,
/// not on those that are followed.
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

  @Test("A step of one row asks one scope if one client follows a thousand rows")
  func oneClient() throws {
    let bench = ServerBench(state: deck())
    try bench.join(1, try bench.hello(1), nonce: 1, follow(0..<Self.rows))
    #expect(try asked(bench) == 1)
    #expect(bench.server.counters.deltas == 1)
  }

  @Test("A step of one row asks one scope if many clients follow a row each")
  func manyClients() throws {
    let bench = ServerBench(state: deck())
    for peer in UInt8(1)...100 {
      try bench.join(peer, try bench.hello(peer), nonce: 1, follow([Int(peer) + 450]))
    }
    #expect(try asked(bench) == 1)
  }

  @Test("A step outside the followed scopes asks no scope")
  func unfollowed() throws {
    let bench = ServerBench(state: deck())
    try bench.join(1, try bench.hello(1), nonce: 1, follow(0..<500))
    #expect(try asked(bench) == 0)
  }

  @Test("A join costs its own scopes, independent of other clients' scopes")
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

  /// Follows all rows with one client, and reports a row's number at each notification of that row.
  private func follow(
    _ bench: ServerBench,
    _ told: @escaping @MainActor (Int) -> Void,
  ) throws -> [StoreSubscription] {
    let wire = try BenchClient(bench)
    let replicas = (0..<Self.rows).map { id in
      wire.client.open("cards/row/\(id)", CountedCard.self, action: nil, placeholder: nil).1
    }
    try bench.settle()
    // The bookmark after the join asks each scope once.
    try bench.advance(by: .seconds(1))
    return try replicas.enumerated().map { id, replica in
      try #require(replica.root).observeCommits { told(id) }
    }
  }

  @Test("A client whose view has a thousand scopes touches the one that a step changes")
  func step() throws {
    let bench = ServerBench(state: deck())
    var told: [Int] = []
    let observers = try follow(bench) { told.append($0) }
    let digests = CountedCard.digests
    try bench.send(.cards(.element(id: 500, action: .titleChanged(title: "new"))))
    // The bookmark compares this row with the daemon's, and no other row.
    try bench.advance(by: .seconds(1))
    #expect(told == [500])
    #expect(CountedCard.digests - digests == 1)
    withExtendedLifetime(observers) {}
  }

  @Test("Observers of scopes that one run changes are notified in the order of names, each once")
  func order() throws {
    let bench = ServerBench(state: deck())
    var told: [Int] = []
    let observers = try follow(bench) { told.append($0) }
    for id in [20, 3, 100, 3] {
      bench.root.send(.cards(.element(id: id, action: .titleChanged(title: "x"))))
    }
    try bench.settle()
    #expect(told == [100, 20, 3])
    withExtendedLifetime(observers) {}
  }
}

/// A card that counts the computations of its digest.
private struct CountedCard: ReplicatedState {
  @MainActor private(set) static var digests = 0

  private var card = Deck.Card()

  init() {}

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    card = try Deck.Card(from: &decoder)
  }

  static func schema(in registry: inout SchemaRegistry) -> Schema {
    Deck.Card.schema(in: &registry)
  }

  func encode(to encoder: inout CBOREncoder) { card.encode(to: &encoder) }

  mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    try card.applyDelta(from: &decoder)
  }

  var _$digest: Digest {
    MainActor.assumeIsolated { Self.digests += 1 }
    return card._$digest
  }

  func _$isSame(as other: Self) -> Bool { card._$isSame(as: other.card) }
}
