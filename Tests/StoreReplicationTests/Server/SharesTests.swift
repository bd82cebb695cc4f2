import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// Shares of limits: the maximum of one holder, and the owner's reserve.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct SharesTests {
  private static let owner: UInt32 = 999

  private func grants(_ users: ClosedRange<UInt32> = 1000...1009) -> Grants {
    let lines = users.map { user in
      Grants.Line(
        grantee: .user(user),
        scopes: [ScopePattern("*")].compactMap(\.self),
        sees: true,
        sends: .everything,
      )
    }
    return Grants(owner: Self.owner, lines: lines)
  }

  private func place(_ bench: Bench, _ peer: UInt8, user: UInt32) {
    bench.addresses[Bench.peer(peer)] = "localhost:\(user):100:\(user)"
  }

  @Test func `A limit counts each holder's share, and leaves the owner's reserve`() {
    var shares = Shares()
    let limit = SharedLimit(all: 6, others: 4, holder: 3)
    let owner = Holder.program(user: 1, process: 7)
    for _ in 0..<3 { shares.add(1, to: .user(2)) }
    #expect(!shares.hasRoom(for: .user(2), in: limit))
    shares.add(1, to: .key("a"))
    #expect(!shares.hasRoom(for: .key("b"), in: limit))
    #expect(shares.hasRoom(for: owner, in: limit))
    for _ in 0..<2 { shares.add(1, to: owner) }
    #expect(!shares.hasRoom(for: owner, in: limit))
    shares.add(-3, to: .user(2))
    #expect(shares.hasRoom(for: .key("b"), in: limit))
    #expect(shares[.user(2)] == 0 && shares.all == 3)
  }

  @Test func `A bucket holds its burst, and too high a charge is compensated`() {
    func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }
    var bucket = TokenBucket(perSecond: 10, burst: 20, now: at(0))
    let taken = [bucket.take(at(0), 20), bucket.take(at(50), 1), bucket.take(at(100), 1)]
    #expect(taken == [true, false, true])
    bucket.charge(at(100), 30)
    #expect(!bucket.hasAny(at(3_100)) && bucket.hasAny(at(3_200)))
    #expect(!bucket.isFull(at(5_099)) && bucket.isFull(at(5_100)))
    // No debt lasts longer than a minute, and no number is too large.
    bucket.charge(at(6_000), .max)
    #expect(bucket.hasAny(at(66_100)))
    #expect(bucket.isFull(Instant(nanoseconds: .max / 2)))
  }

  @Test func `Users together leave sessions to the owner`() throws {
    var limits = Limits()
    (limits.sessions, limits.sessionsOfOthers, limits.sessionsPerUser) = (6, 4, 2)
    let bench = ServerBench(limits: limits)
    bench.turn.apply(grants())
    for peer in 1...6 as ClosedRange<UInt8> { place(bench, peer, user: 1000 + UInt32(peer) / 2) }
    for peer in 1...4 as ClosedRange<UInt8> { try bench.hello(peer) }
    withKnownIssue { try bench.hello(5) }
    #expect(bench.server.counters.refusedSessions == 1)
    for peer in 7...8 as ClosedRange<UInt8> {
      place(bench, peer, user: Self.owner)
      try bench.hello(peer)
    }
    // A session that lost its connection makes room.
    bench.lose(Bench.peer(1))
    try bench.hello(5)
    #expect(bench.server.counters.refusedSessions == 1)
  }

  private func historyBench(_ limits: Limits = Limits()) throws -> ServerBench {
    let journal = BenchJournal()
    let bench = ServerBench(
      limits: limits,
      journal: journal,
      recovered: try journal.recover(0),
    )
    bench.turn.apply(grants())
    return bench
  }

  private func unanswered(_ bench: Bench, _ peer: UInt8) -> [HistoryError] {
    bench.take(peer).compactMap { message in
      guard case .history(_, let item) = message else { return nil }
      var decoder = CBORDecoder(item)
      guard case .failed(let error)? = try? HistoryAnswer(from: &decoder) else { return nil }
      return error
    }
  }

  @Test func `One holder's questions for the past leave places to others, and all to the owner`()
    throws
  {
    let bench = try historyBench()
    var jobs: [HistoryJob] = []
    bench.server.onHistory = { jobs.append($0) }
    let query = HistoryQuery.log(after: 0, count: 1, scope: nil, client: nil)
    func ask(_ peers: ClosedRange<UInt8>, user: UInt32) throws {
      for peer in peers {
        place(bench, peer, user: user)
        try bench.hello(peer)
        for _ in 0..<4 { bench.receive(.history(request: 1, query), from: peer) }
      }
    }
    // A reported attack: sixteen connections of one user ask four questions each.
    try ask(1...16, user: 1000)
    #expect(jobs.count == 16)
    for user in 1001...1004 as ClosedRange<UInt32> {
      let first = UInt8(20 * (user - 1000))
      try ask(first...(first + 7), user: user)
    }
    #expect(jobs.count == 48)
    try ask(200...203, user: Self.owner)
    #expect(jobs.count == 64)
    #expect(Set(jobs.map(\.holder)).count == 4)
    let message = unanswered(bench, 16).first?.message
    #expect(message == "16 questions for the past wait already, 16 of them yours. Ask again later.")
  }

  @Test func `A question for the past costs its scanned bytes`() throws {
    var limits = Limits()
    limits.historyBytesPerSecond = 1_000
    let bench = try historyBench(limits)
    var jobs: [HistoryJob] = []
    bench.server.onHistory = { jobs.append($0) }
    let initial = try BenchJournal().recover(0).snapshot(DurableForm(Deck.State.self))
    let history = BenchHistory(
      schema: DurableForm(Deck.State.self).schema,
      snapshots: [0: initial + Array(repeating: 0, count: 3_000)],
      batches: [],
    )
    let query = HistoryQuery.state(revision: 0, scope: "counter")
    for (peer, user) in [(1, 1000), (2, 1000), (3, Self.owner)] as [(UInt8, UInt32)] {
      place(bench, peer, user: user)
      try bench.hello(peer)
    }
    for peer in [1, 1, 3, 3] as [UInt8] { bench.receive(.history(request: 1, query), from: peer) }
    #expect(jobs.map(\.cost) == [1, 1, 1, 1])
    for place in [0, 2] { bench.turn.finish(history.run(jobs[place])) }
    // Another connection of the same user has no additional share.
    bench.receive(.history(request: 2, query), from: 2)
    bench.receive(.history(request: 2, query), from: 3)
    #expect(jobs.count == 5)
    #expect(jobs.last.map { $0.cost > 3_000 } ?? false)
    try bench.endTurn()
    #expect(unanswered(bench, 2).map(\.code) == [.unavailable])
    try bench.advance(by: .seconds(4))
    bench.receive(.history(request: 3, query), from: 2)
    #expect(jobs.count == 6)
  }

  @Test func `Reads for a session that is over are counted as well`() throws {
    var limits = Limits()
    limits.historyBytesPerSecond = 10
    let bench = try historyBench(limits)
    var jobs: [HistoryJob] = []
    bench.server.onHistory = { jobs.append($0) }
    let history = BenchHistory(
      schema: DurableForm(Deck.State.self).schema,
      snapshots: [0: Array(repeating: 0, count: 3_000)],
      batches: [],
    )
    let query = HistoryQuery.state(revision: 0, scope: "counter")
    place(bench, 1, user: 1000)
    try bench.hello(1)
    bench.receive(.history(request: 1, query), from: 1)
    bench.receive(.bye, from: 1)
    try bench.advance(by: .seconds(2))
    for job in jobs { bench.turn.finish(history.run(job)) }
    try bench.hello(1)
    bench.receive(.history(request: 2, query), from: 1)
    #expect(jobs.count == 1)
  }

  @Test func `A holder asks for so many reports, on however many connections`() throws {
    var limits = Limits()
    (limits.statusesPerHolder, limits.questionsPerHolder) = (3, 3)
    let bench = ServerBench(limits: limits)
    bench.turn.apply(grants())
    for peer in 1...8 as ClosedRange<UInt8> {
      place(bench, peer, user: peer < 5 ? 1000 : Self.owner)
      bench.receive(.status(request: 1), from: peer)
    }
    place(bench, 9, user: 1001)
    bench.receive(.status(request: 1), from: 9)
    try bench.endTurn()
    #expect(bench.cuts.map(\.peer) == [Bench.peer(4)])
    #expect((1...9).map { bench.take($0).count } == [1, 1, 1, 0, 1, 1, 1, 1, 1])
  }

  @Test func `Too many questions over tcp without a key cost no other peer its connection`() throws
  {
    var limits = Limits()
    (limits.statusesPerSecond, limits.statusesPerHolder) = (4, 8)
    let bench = ServerBench(limits: limits)
    bench.turn.apply(grants())
    for peer in 1...9 as ClosedRange<UInt8> {
      bench.callers[Bench.peer(peer)] = Caller(.unknown, at: "192.0.2.\(peer)")
    }
    func ask(_ peer: UInt8) throws -> Int {
      bench.receive(.status(request: 1), from: peer)
      try bench.endTurn()
      return bench.take(peer).count
    }
    // Two connections ask to their limit, and leave half to connections that have not asked.
    var answers = 0
    for _ in 1...4 { for peer in [1, 2] as [UInt8] { answers += try ask(peer) } }
    #expect(answers < 8 && bench.cuts.isEmpty)
    #expect(try (3...5).map { try ask($0) } == [1, 1, 1])
    // When the budget is used up, no connection is shut down for the questions of others.
    #expect(try (6...9).map { try ask($0) }.contains(0))
    #expect(bench.cuts.isEmpty)
    // A connection that exceeds its own limit is shut down as before.
    #expect(try ask(1) == 0)
    #expect(bench.cuts.map(\.peer) == [Bench.peer(1)])
  }

  @Test func `A full budget of a holder is forgotten`() throws {
    let bench = ServerBench()
    bench.turn.apply(grants())
    for peer in 1...9 as ClosedRange<UInt8> {
      place(bench, peer, user: 1000 + UInt32(peer))
      bench.receive(.status(request: 1), from: peer)
    }
    try bench.endTurn()
    #expect(bench.server.sessions.usage.count == 9)
    try bench.advance(by: .seconds(2))
    try bench.advance(by: .seconds(2))
    #expect(bench.server.sessions.usage.isEmpty)
  }

  @Test func `The entries of joins count against their user's rate, and not the owner's`() throws {
    var limits = Limits()
    (limits.actionsPerSecond, limits.actionsPerJoinEntry) = (20, 2)
    let bench = ServerBench(limits: limits)
    bench.turn.apply(grants())
    for (peer, user) in [(1, 1000), (2, 1000), (3, 1001), (4, Self.owner)] as [(UInt8, UInt32)] {
      place(bench, peer, user: user)
      try bench.hello(peer)
    }
    func isAnswered(_ peer: UInt8, nonce: UInt64, entries: Int) throws -> Bool {
      let row = ClientMessage.JoinRequest.other("cards/row/1", .sendOnly)
      bench.receive(.join(nonce: nonce, Array(repeating: row, count: entries)), from: peer)
      try bench.endTurn()
      return bench.take(peer).contains { if case .joined = $0 { true } else { false } }
    }
    #expect(try isAnswered(1, nonce: 1, entries: 8))
    #expect(try !isAnswered(1, nonce: 2, entries: 8), "Its connection has no more")
    #expect(try !isAnswered(2, nonce: 1, entries: 8), "Nor has another one of the same user")
    #expect(bench.server.counters.joinsThrottled == 2)
    #expect(try isAnswered(3, nonce: 1, entries: 8))
    for nonce in 1...9 as ClosedRange<UInt64> {
      #expect(try isAnswered(4, nonce: nonce, entries: 8))
    }
    // It asks again, and a join that exceeds a second's actions is accepted after a pause.
    try bench.advance(by: .seconds(1))
    #expect(try isAnswered(1, nonce: 3, entries: 500))
    #expect(try !isAnswered(1, nonce: 4, entries: 1))
  }

  @Test func `An action that is repeated counts against its user's rate`() throws {
    var limits = Limits()
    limits.actionsPerSecond = 15
    let bench = ServerBench(limits: limits)
    bench.turn.apply(grants())
    for (peer, user) in [(1, 1000), (2, Self.owner)] as [(UInt8, UInt32)] {
      place(bench, peer, user: user)
      try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("counter")])
      let actions = Array(repeating: Deck.CounterAction.incrementButtonTapped, count: 4)
      let isOwner = user == Self.owner
      // The join counts as two.
      for _ in 1...3 { #expect(try bench.act(peer, sequence: 1, actions).count == 4) }
      _ = try bench.act(peer, sequence: 1, actions)
      #expect((bench.server.sessions.session(of: Bench.peer(peer)) != nil) == isOwner)
    }
    #expect(bench.root.state.counter.count == 8)
    // No outcome is lost: its question is answered when it returns.
    try bench.advance(by: .seconds(1))
    let hello = try bench.hello(1)
    #expect(hello.lastSequence == 4)
    let again = try bench.act(1, sequence: 1, .incrementButtonTapped)
    #expect(again == [.applied(revision: 1, hasEffects: false)])
  }

  @Test func `A session that is over has no names of scopes left`() throws {
    let bench = ServerBench()
    try bench.join(1, try bench.hello(1), nonce: 1, [.follow("counter"), .follow("cards/row/1")])
    let session = try #require(bench.server.sessions.session(of: Bench.peer(1)))
    #expect(session.scopes.viewNames.count == 2)
    bench.receive(.bye, from: 1)
    try bench.endTurn()
    #expect(session.scopes.viewNames.isEmpty && session.scopes.names.isEmpty)
  }

  @Test func `Captures of one holder leave jobs to others, and of all others one to the owner`()
    throws
  {
    let bench = ServerBench()
    bench.turn.apply(grants())
    bench.holdsJobs = true
    func join(_ peer: UInt8, user: UInt32) throws {
      place(bench, peer, user: user)
      try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("cards")])
      // The next join needs its own capture.
      bench.root.send(.cards(.element(id: 1, action: .titleChanged(title: "title \(peer)"))))
      try bench.endTurn()
    }
    for peer in 1...20 as ClosedRange<UInt8> { try join(peer, user: 1000) }
    #expect(bench.jobs.map(\.holder) == [.user(1000), .user(1000)])
    for peer in 21...25 as ClosedRange<UInt8> { try join(peer, user: 1001) }
    #expect(bench.jobs.map(\.holder).last == .user(1001) && bench.jobs.count == 3)
    try join(30, user: Self.owner)
    #expect(bench.jobs.map(\.holder).last?.isOwner ?? false)
    #expect(bench.jobs.count == 4)
    // All receive their captures in the end, and holders take turns.
    var order: [Holder] = []
    while !bench.jobs.isEmpty {
      let job = bench.jobs.removeFirst()
      order.append(job.holder)
      bench.turn.finish(job.run())
      try bench.endTurn()
    }
    #expect(order.count == 26)
    #expect(order.prefix(12).count { $0 == .user(1001) } >= 4)
  }

  @Test func `A holder that wants the same capture as others waits in a lane of its own`() throws {
    let bench = ServerBench()
    bench.turn.apply(grants())
    bench.holdsJobs = true
    for peer in 1...20 as ClosedRange<UInt8> {
      place(bench, peer, user: 1000)
      // Each join needs its own capture.
      bench.root.send(.cards(.element(id: 1, action: .titleChanged(title: "title \(peer)"))))
      try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("cards")])
    }
    // The other user needs the last of these captures, which would be the twentieth to be encoded.
    place(bench, 21, user: 1001)
    try bench.join(21, try bench.hello(21), nonce: 1, [.follow("cards")])
    #expect(bench.jobs.map(\.holder) == [.user(1000), .user(1000), .user(1001)])
    let job = try #require(bench.jobs.last)
    bench.jobs.removeLast()
    bench.turn.finish(job.run())
    try bench.endTurn()
    #expect(bench.take(21).contains { if case .snapshot = $0 { true } else { false } })
    // The capture is encoded once, also for the session that requested it first.
    #expect(bench.take(20).contains { if case .snapshot = $0 { true } else { false } })
    var captures = job.works.count
    while !bench.jobs.isEmpty {
      let job = bench.jobs.removeFirst()
      captures += job.works.count
      bench.turn.finish(job.run())
      try bench.endTurn()
    }
    #expect(captures == 20 && bench.server.counters.captures == 20)
  }

  @Test func `A holder that leaves takes no other's capture along`() throws {
    let bench = ServerBench()
    bench.turn.apply(grants())
    bench.holdsJobs = true
    for peer in 1...4 as ClosedRange<UInt8> {
      place(bench, peer, user: peer < 4 ? 1000 : 1001)
      if peer < 4 {
        bench.root.send(.cards(.element(id: 1, action: .titleChanged(title: "title \(peer)"))))
      }
      try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("cards")])
    }
    for peer in [3, 1] as [UInt8] { bench.receive(.bye, from: peer) }
    while !bench.jobs.isEmpty {
      let job = bench.jobs.removeFirst()
      bench.turn.finish(job.run())
      try bench.endTurn()
    }
    for peer in [2, 4] as [UInt8] {
      #expect(bench.take(peer).contains { if case .snapshot = $0 { true } else { false } })
    }
  }

  @Test func `Pieces of snapshots go to holders in turn, however many sessions each has`() throws {
    var limits = Limits()
    (limits.chunkBytes, limits.pieceBytesPerTurn) = (100, 400)
    var state = Deck.State()
    state.cards = IdentifiedArray(
      uniqueElements: (0..<1_000).map { Deck.Card(id: $0, title: "card \($0)") }
    )
    let bench = ServerBench(limits: limits, state: state)
    bench.turn.apply(grants())
    bench.holdsJobs = true
    for peer in 1...50 as ClosedRange<UInt8> {
      place(bench, peer, user: peer < 50 ? 1000 : 1001)
      try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("cards")])
    }
    for job in bench.jobs { bench.turn.finish(job.run()) }
    bench.jobs = []
    var pieces: [PeerID: Int] = [:]
    for _ in 0..<10 {
      bench.turn.end()
      for case .control(let peer, let bytes) in bench.takeFrames() {
        guard case .snapshot = try DaemonMessage(frame: bytes[...]) else { continue }
        pieces[peer, default: 0] += 1
      }
    }
    let all = pieces.values.reduce(0, +)
    #expect(pieces[Bench.peer(50)].map { 2 * $0 >= all - 1 } ?? false)
  }

  @Test func `When all leave too much unread, the holder with the most loses its connections`()
    throws
  {
    var limits = Limits()
    (limits.lagBytes, limits.mostLagBytes) = (800, 1 << 30)
    (limits.bytesPerPing, limits.allLagBytes) = (50, 3_000)
    let bench = ServerBench(limits: limits)
    bench.turn.apply(grants())
    for peer in 1...4 as ClosedRange<UInt8> {
      place(bench, peer, user: peer < 4 ? 1000 : Self.owner)
      let joined = try bench.join(peer, try bench.hello(peer), nonce: 1, [.follow("counter")])
      bench.receive(upstream: [1] + joined.topic.bytes, from: peer)
    }
    for sequence: UInt64 in 1...100 where bench.cuts.isEmpty {
      _ = try bench.act(4, sequence: sequence, .incrementButtonTapped)
    }
    #expect(bench.cuts.count == 1)
    #expect(bench.cuts.allSatisfy { $0.peer != Bench.publisher(4) })
  }
}
