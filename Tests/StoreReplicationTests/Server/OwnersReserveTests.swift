import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// Limits that all holders share: the owner's clients find room among any number of others.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct OwnersReserveTests {
  private static let owner: UInt32 = 999
  private static let others = 1000...1029 as ClosedRange<UInt32>

  private func bench(_ limits: Limits) -> ServerBench {
    let bench = ServerBench(limits: limits)
    let lines = Self.others.map { user in
      Grants.Line(
        grantee: .user(user),
        scopes: [ScopePattern("*")].compactMap(\.self),
        sees: true,
        sends: .everything,
      )
    }
    bench.turn.apply(Grants(owner: Self.owner, lines: lines))
    return bench
  }

  private func join(_ bench: ServerBench, _ peer: UInt8, user: UInt32) throws {
    bench.addresses[Bench.peer(peer)] = "localhost:\(user):100:\(user)"
    _ = try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("counter")])
  }

  private func end(_ bench: ServerBench, _ peer: UInt8) throws {
    bench.lose(Bench.peer(peer))
    try bench.advance(by: bench.server.timing.grace + .milliseconds(1))
  }

  @Test func `Clients of others leave the owner's reserve free`() throws {
    var limits = Limits()
    (limits.clients, limits.clientsOfOwner, limits.hellosPerSecond) = (12, 4, 1_000)
    let bench = bench(limits)
    func visit(_ peer: UInt8, user: UInt32) throws {
      try join(bench, peer, user: user)
      _ = try bench.act(peer, sequence: 1, .incrementButtonTapped)
      try end(bench, peer)
    }
    for peer in 1...4 as ClosedRange<UInt8> { try visit(peer, user: Self.owner) }
    // Ten users with three clients each: each of them has fewer than the owner.
    for peer in 11...40 as ClosedRange<UInt8> { try visit(peer, user: 1000 + UInt32(peer) % 10) }
    let known = try (1...4 as ClosedRange<UInt8>).map { peer in
      bench.addresses[Bench.peer(100 + peer)] = "localhost:\(Self.owner):100:1"
      return try bench.hello(100 + peer, client: peer).lastSequence
    }
    #expect(known == [1, 1, 1, 1])
    #expect(bench.server.outcomes.kept(through: .max).count <= 12)
  }

  @Test func `Outcomes of others leave the owner's reserve free`() throws {
    var limits = Limits()
    (limits.clients, limits.outcomes, limits.outcomesOfOwner) = (32, 64, 20)
    let bench = bench(limits)
    let actions = Array(repeating: Deck.CounterAction.incrementButtonTapped, count: 16)
    for (peer, user) in zip((1 as UInt8)..., [Self.owner] + Self.others.prefix(8)) {
      try join(bench, peer, user: user)
      _ = try bench.act(peer, sequence: 1, actions)
    }
    func known(_ peer: UInt8) throws -> Int {
      try bench.act(peer, sequence: 1, actions).count {
        if case .applied = $0 { true } else { false }
      }
    }
    #expect(try known(1) == 16)
    // Room is made at the expense of the earliest clients.
    #expect(try (1..<8).contains(known(2)))
  }

  @Test func `Bytes of others' outcomes leave the owner's reserve free`() throws {
    var limits = Limits()
    (limits.outcomeBytes, limits.outcomeBytesOfOwner) = (8_000, 3_000)
    let bench = bench(limits)
    let action = try Deck.CardAction.titleChanged(title: "nobody's").encoded()[...]
    let request = ClientMessage.ActionRequest(handle: 1, action: action, deadline: nil)
    func codes(_ peer: UInt8, _ count: Int) throws -> [String] {
      bench.receive(.actions(first: 1, Array(repeating: request, count: count)), from: peer)
      try bench.endTurn()
      return bench.take(peer).flatMap { message -> [String] in
        guard case .acks(let acks) = message else { return [] }
        return acks.outcomes.map { if case .failed(let failure) = $0 { failure.code } else { "" } }
      }
    }
    for (peer, user) in zip((1 as UInt8)..., [Self.owner] + Self.others.prefix(8)) {
      bench.addresses[Bench.peer(peer)] = "localhost:\(user):100:\(user)"
      try bench.hello(peer)
      _ = try bench.ask(peer, nonce: 1, [.other("cards/row/7", .sendOnly)])
      #expect(try codes(peer, 8) == Array(repeating: Outcome.absent, count: 8))
    }
    #expect(try codes(1, 8) == Array(repeating: Outcome.absent, count: 8))
    #expect(try codes(2, 8).contains(Outcome.forgotten))
    #expect(bench.server.outcomes.outcomeBytes <= 8_000)
  }

  private func fill(_ bench: ServerBench, _ peer: UInt8, _ bytes: Int, user: UInt32) throws {
    bench.addresses[Bench.peer(peer)] = "localhost:\(user):100:\(user)"
    try bench.hello(peer)
    bench.full.insert(Bench.peer(peer))
    bench.server.hold([UInt8](repeating: 0, count: bytes), for: Bench.peer(peer))
    try bench.endTurn()
  }

  @Test func `Unread bytes of others leave room for the owner's clients`() throws {
    var limits = Limits()
    (limits.allHeldBytes, limits.heldBytesOfOthers) = (400_000, 300_000)
    let bench = bench(limits)
    try fill(bench, 1, 90_000, user: Self.owner)
    for (peer, user) in zip(2...4 as ClosedRange<UInt8>, Self.others) {
      try fill(bench, peer, 80_000, user: user)
    }
    #expect(bench.cuts.isEmpty)
    // The owner's connection holds most, and is within the reserve.
    try fill(bench, 5, 80_000, user: 1003)
    #expect(bench.cuts.map(\.peer) == [Bench.peer(5)])
    #expect(bench.server.outbox.heldBytes == 90_000 + 3 * 80_000 + 4 * 64)
    // Beyond the reserve the owner's connection competes with all others.
    try fill(bench, 6, 150_000, user: Self.owner)
    #expect(bench.cuts.map(\.peer) == [Bench.peer(5), Bench.peer(6)])
  }

  @Test func `One holder's connections that never read have a share of the held bytes`() throws {
    var limits = Limits()
    limits.heldBytesOfHolder = 150_000
    let bench = bench(limits)
    try fill(bench, 1, 140_000, user: 1001)
    for peer in 2...3 as ClosedRange<UInt8> { try fill(bench, peer, 70_000, user: 1000) }
    #expect(bench.cuts.isEmpty)
    try fill(bench, 4, 80_000, user: 1000)
    #expect(bench.cuts.map(\.peer) == [Bench.peer(4)])
    // The limit of a holder's share does not apply to the owner's programs.
    for peer in 5...7 as ClosedRange<UInt8> { try fill(bench, peer, 90_000, user: Self.owner) }
    #expect(bench.cuts.count == 1)
  }

  @Test func `Unread published bytes of others leave room for the owner's`() throws {
    var limits = Limits()
    (limits.lagBytes, limits.mostLagBytes) = (800, 1 << 30)
    (limits.bytesPerPing, limits.allLagBytes, limits.allLagBytesOfOthers) = (50, 6_000, 1_500)
    let bench = bench(limits)
    // The owner's program has two connections, and thus the largest amount.
    let users = [Self.owner, Self.owner] + Self.others.prefix(3)
    for (peer, user) in zip((1 as UInt8)..., users) {
      bench.addresses[Bench.peer(peer)] = "localhost:\(user):100:\(user)"
      let joined = try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("counter")])
      bench.receive(upstream: [1] + joined.topic.bytes, from: peer)
    }
    for sequence: UInt64 in 1...100 where bench.cuts.isEmpty {
      _ = try bench.act(1, sequence: sequence, .incrementButtonTapped)
    }
    let others = (3...5 as ClosedRange<UInt8>).map { Bench.publisher($0) }
    #expect(!bench.cuts.isEmpty && bench.cuts.allSatisfy { others.contains($0.peer) })
  }

  @Test func `Older outcomes are shared by holder in bytes, after the owner's reserve`() {
    let parts: [[(newest: Int, older: Int)]] = [
      [], [(1, 0)], [(2, 9)], [(1, 3), (2, 3)], [(1, 9), (1, 1), (3, 0)], [(5, 20), (1, 20)],
    ]
    let reserve = OwnersReserve(amount: 6, owner: 0)
    for first in parts {
      for second in parts {
        for third in parts {
          let clients = [first, second, third].enumerated().flatMap { user, parts in
            parts.map { (ClientHolder.user(UInt32(user) * 10), $0.newest, $0.older) }
          }
          let newest = clients.reduce(0) { $0 + $1.1 }
          for limit in newest...(newest + 40) {
            check(clients, newest, limit, reserve)
          }
        }
      }
    }
  }

  private func check(
    _ clients: [(ClientHolder, Int, Int)],
    _ newest: Int,
    _ limit: Int,
    _ reserve: OwnersReserve,
  ) {
    let each = KeptHistory.olderEach(
      of: clients.map { (holder: $0.0, newest: $0.1, older: $0.2) },
      within: limit,
      reserve: reserve,
    )
    var kept: [ClientHolder: Int] = [:]
    var had: [ClientHolder: Int] = [:]
    for (holder, _, older) in clients {
      kept[holder, default: 0] += min(older, each[holder] ?? 0)
      had[holder, default: 0] += older
    }
    let what = "\(clients) within \(limit): \(each)"
    #expect(kept.values.reduce(newest, +) <= limit, "\(what)")
    // A division leaves a remainder of less than one for each client of a holder.
    let count = clients.count { $0.0 == .user(0) }
    let least = min(had[.user(0)] ?? 0, reserve.amount, limit - newest)
    #expect((kept[.user(0)] ?? 0) > least - max(1, count), "\(what)")
    // No holder loses an amount in favor of a larger holder.
    let others = kept.filter { $0.key != .user(0) }
    for (holder, amount) in others where amount < had[holder] ?? 0 {
      let clients = clients.count { $0.0 == holder }
      #expect(others.allSatisfy { $0.value <= amount + clients }, "\(what)")
    }
  }

  @Test func `The owner's clients that were away are remembered at a start, too`() throws {
    var limits = Limits()
    (limits.clients, limits.clientsOfOwner) = (4, 2)
    (limits.outcomes, limits.outcomesOfOwner) = (12, 6)
    let form = DurableForm(Deck.State.self)
    func client(_ number: UInt8, of user: UInt32) -> KeptHistory.Client {
      KeptHistory.Client(
        id: Bench.clientID(number),
        last: 9,
        outcomes: Array(repeating: .applied(revision: 1, hasEffects: false), count: 4),
        holder: .user(user),
      )
    }
    var history = KeptHistory()
    history.clients = [1, 2].map { client($0, of: Self.owner) }
    history.clients += (3...18).map { client($0, of: 1000 + UInt32($0) % 2) }
    let bytes = SnapshotBytes.encode(revision: 3, history) { form.encode(Deck.State(), &$0) }
    let recovery = Recovery(form, initial: Deck.State(), limits: limits, owner: Self.owner)
    try recovery.written(by: form.schema)
    try recovery.take(snapshot: bytes[...])
    let clients = recovery.finish().history.clients
    #expect(clients.map(\.id) == [1, 2, 17, 18].map { Bench.clientID($0) })
    #expect(clients.map(\.outcomes.count) == [4, 4, 2, 2])
  }

  @Test func `Each reserve is left also when the newest outcomes are the longest`() {
    let limits = Limits()
    let longest = Outcome.failed(
      Outcome.Failure(
        code: Outcome.unauthorised,
        message: String(repeating: "x", count: TextLimits.failureBytes),
      )
    )
    let clients = limits.clients + limits.sessions
    #expect(clients + limits.outcomesOfOwner <= limits.outcomes - limits.outcomes / 8)
    let bytes = clients * longest.keptBytes + limits.outcomeBytesOfOwner
    #expect(bytes <= limits.outcomeBytes - limits.outcomeBytes / 8)
    #expect(limits.clientsOfOwner + limits.sessionsOfOthers < limits.clients)
    #expect(limits.heldBytesOfOthers + 2 * limits.heldBytes <= limits.allHeldBytes)
    #expect(2 * limits.heldBytes <= limits.heldBytesOfHolder)
  }
}
