import GenericState
import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// Actions at the daemon: docs/PROTOCOL.md §10.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct ServerActionTests {
  private func benchWithCounter(
    limits: Limits = Limits()
  ) throws -> (ServerBench, DaemonMessage.HelloOK) {
    let bench = ServerBench(limits: limits)
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("counter"), .follow("extra")])
    return (bench, hello)
  }

  @Test("§10: the next action is reduced, and its outcome is its revision")
  func next() throws {
    let (bench, _) = try benchWithCounter()
    let outcomes = try bench.act(
      1,
      sequence: 1,
      .incrementButtonTapped,
      .incrementButtonTapped,
      .decrementButtonTapped,
    )
    #expect(outcomes == (1...3).map { .applied(revision: $0, hasEffects: false) })
    #expect(bench.root.state.counter.count == 1)
  }

  @Test("§10: a repeated action is not reduced again, and gets the recorded outcome")
  func duplicate() throws {
    let (bench, hello) = try benchWithCounter()
    let first = try bench.act(1, sequence: 1, .incrementButtonTapped, .incrementButtonTapped)
    let second = try bench.act(
      1,
      sequence: 1,
      .incrementButtonTapped,
      .incrementButtonTapped,
      .incrementButtonTapped,
    )
    #expect(second == first + [.applied(revision: 3, hasEffects: false)])
    #expect(bench.root.state.counter.count == 3)
    #expect(bench.server.counters.duplicates == 2)
    // The same applies to another connection in another session.
    try leave(bench, 1)
    try bench.hello(2, client: 1, token: hello.token)
    #expect(try bench.act(2, sequence: 2, .incrementButtonTapped) == [second[1]])
    #expect(bench.root.state.counter.count == 3)
  }

  @Test("§10: a gap is answered with the expected sequence, and no action is reduced")
  func gap() throws {
    let (bench, _) = try benchWithCounter()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    let request = ClientMessage.ActionRequest(
      handle: 1,
      action: try Deck.CounterAction.incrementButtonTapped.encoded()[...],
      deadline: nil,
    )
    bench.receive(.actions(first: 3, [request, request]), from: 1)
    try bench.endTurn()
    #expect(bench.take(1) == [.gap(expected: 2)])
    #expect(bench.root.state.counter.count == 1)
  }

  @Test("§10: no sequence that a peer chooses traps", arguments: [0, 1, 1 << 62, .max])
  func extremeSequences(_ first: UInt64) throws {
    let bench = ServerBench()
    let hello = try bench.hello(1, first: first)
    try bench.join(1, hello, nonce: 1, [.follow("counter")])
    let request = ClientMessage.ActionRequest(
      handle: 1,
      action: try Deck.CounterAction.incrementButtonTapped.encoded()[...],
      deadline: nil,
    )
    for sequence in [0, 1, first, hello.lastSequence &+ 1, .max - 1, .max] {
      bench.receive(.actions(first: sequence, [request, request, request]), from: 1)
    }
    try bench.endTurn()
    #expect(!bench.take(1).isEmpty)
  }

  @Test("§10: an invalid action of a scope is rejected, and the sequence advances")
  func rejected() throws {
    let (bench, _) = try benchWithCounter()
    let bad = ClientMessage.ActionRequest(
      handle: 1,
      action: "somethingElse".encoded()[...],
      deadline: nil,
    )
    bench.receive(.actions(first: 1, [bad]), from: 1)
    try bench.endTurn()
    guard case .acks(let acks)? = bench.take(1).first, case .failed(let failure) = acks.outcomes[0]
    else {
      Issue.record("No failure")
      return
    }
    #expect(failure.code == Outcome.rejected)
    #expect(failure.message.contains("counter"))
    #expect(
      try bench.act(1, sequence: 2, .incrementButtonTapped)
        == [.applied(revision: 1, hasEffects: false)]
    )
  }

  @Test("§2: an action that is private to the daemon cannot be sent")
  func privateAction() throws {
    let (bench, _) = try benchWithCounter()
    let made = GenericValue.map([.init(.text("numberFactResponse"), .map([.init("_0", "x")]))])
    let request = ClientMessage.ActionRequest(
      handle: 1,
      action: made.encoded()[...],
      deadline: nil,
    )
    bench.receive(.actions(first: 1, [request]), from: 1)
    try bench.endTurn()
    guard case .acks(let acks)? = bench.take(1).first, case .failed(let failure) = acks.outcomes[0]
    else {
      Issue.record("It was reduced")
      return
    }
    #expect(failure.code == Outcome.rejected)
    #expect(bench.root.revision == 0)
  }

  @Test("§10: an unknown handle is rejected")
  func unknownHandle() throws {
    let (bench, _) = try benchWithCounter()
    let outcomes = try bench.act(1, sequence: 1, handle: 77, .incrementButtonTapped)
    guard case .failed(let failure)? = outcomes.first else {
      Issue.record("It was reduced")
      return
    }
    #expect(failure.code == Outcome.rejected)
    #expect(failure.message.contains("77"))
  }

  @Test("§10: an action for a scope that is absent now is not applied, and fails as absent")
  func absent() throws {
    let (bench, _) = try benchWithCounter()
    let write = ClientMessage.ActionRequest(
      handle: 2,
      action: try Deck.ExtraAction.written(text: "x").encoded()[...],
      deadline: nil,
    )
    bench.receive(.actions(first: 1, [write]), from: 1)
    try bench.endTurn()
    guard case .acks(let acks)? = bench.take(1).first, case .failed(let failure) = acks.outcomes[0]
    else {
      Issue.record("It was reduced")
      return
    }
    #expect(failure.code == Outcome.absent)
    #expect(bench.root.revision == 0)
  }

  @Test("§8: an action after its deadline is not applied; at its deadline it is")
  func expired() throws {
    let (bench, _) = try benchWithCounter()
    let now = bench.now.wallMilliseconds
    #expect(
      try bench.act(1, sequence: 1, deadline: now, .incrementButtonTapped)
        == [.applied(revision: 1, hasEffects: false)]
    )
    let late = try bench.act(1, sequence: 2, deadline: now - 1, .incrementButtonTapped)
    guard case .failed(let failure)? = late.first else {
      Issue.record("It was reduced")
      return
    }
    #expect(failure.code == Outcome.expired)
    #expect(bench.root.state.counter.count == 1)
  }

  @Test("§13: an outcome that is no longer kept is forgotten, and no action is reduced")
  func forgotten() throws {
    var limits = Limits()
    limits.outcomesPerClient = 2
    let (bench, _) = try benchWithCounter(limits: limits)
    for sequence: UInt64 in 1...4 {
      _ = try bench.act(1, sequence: sequence, .incrementButtonTapped)
    }
    let again = try bench.act(
      1,
      sequence: 2,
      .incrementButtonTapped,
      .incrementButtonTapped,
      .incrementButtonTapped,
    )
    guard case .failed(let failure)? = again.first else {
      Issue.record("Still kept")
      return
    }
    #expect(failure.code == Outcome.forgotten)
    #expect(
      again.dropFirst() == [
        .applied(revision: 3, hasEffects: false), .applied(revision: 4, hasEffects: false),
      ]
    )
    #expect(bench.root.state.counter.count == 4)
  }

  @Test("§10: a client whose actions before its hello all have outcomes continues from there")
  func skipped() throws {
    let (bench, hello) = try benchWithCounter()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    let again = try bench.hello(2, client: 1, token: hello.token, first: 9)
    #expect(again.lastSequence == 8)
    #expect(
      try bench.act(2, sequence: 9, .incrementButtonTapped)
        == [.applied(revision: 2, hasEffects: false)]
    )
  }

  /// Breaks a client's connection until its lease has ended.
  private func leave(_ bench: ServerBench, _ peer: UInt8) throws {
    bench.lose(ServerBench.peer(peer))
    try bench.advance(by: .seconds(2))
  }

  /// Connects a client that sends one action and loses its connection.
  private func visit(_ bench: ServerBench, _ peer: UInt8) throws {
    let hello = try bench.hello(peer)
    try bench.join(peer, hello, nonce: 1, [.follow("counter")])
    _ = try bench.act(peer, sequence: 1, .incrementButtonTapped)
    try leave(bench, peer)
  }

  private func lastSequence(_ bench: ServerBench, ofClient client: UInt8) throws -> UInt64 {
    let sequence = try bench.hello(100 + client, client: client).lastSequence
    try leave(bench, 100 + client)
    return sequence
  }

  @Test("§13: a full table of clients forgets the client that disconnected first")
  func fullTable() throws {
    var limits = Limits()
    limits.clients = 3
    let bench = ServerBench(limits: limits)
    let connected = try bench.hello(1)
    try bench.join(1, connected, nonce: 1, [.follow("counter")])
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    for peer: UInt8 in [2, 3] { try visit(bench, peer) }
    // The second client reconnects and disconnects, so the third disconnected earlier.
    _ = try lastSequence(bench, ofClient: 2)
    try visit(bench, 4)
    #expect(try [1, 2, 3, 4].map { try lastSequence(bench, ofClient: $0) } == [1, 1, 0, 1])
  }

  @Test("§13: clients that send no action do not displace others from the table")
  func strangers() throws {
    var limits = Limits()
    limits.clients = 2
    let bench = ServerBench(limits: limits)
    for peer: UInt8 in [1, 2] { try visit(bench, peer) }
    for peer: UInt8 in 3...50 {
      try bench.hello(peer)
      bench.receive(.bye, from: peer)
    }
    #expect(try [1, 2].map { try lastSequence(bench, ofClient: $0) } == [1, 1])
    // A retry is recognized.
    let hello = try bench.hello(60, client: 1)
    try bench.join(60, hello, nonce: 1, [.follow("counter")])
    let count = bench.root.state.counter.count
    _ = try bench.act(60, sequence: 1, .incrementButtonTapped)
    #expect(bench.root.state.counter.count == count)
  }

  @Test("§10: a client that sends goodbye is forgotten, and displaces no client that was cut off")
  func farewell() throws {
    var limits = Limits()
    limits.clients = 2
    let bench = ServerBench(limits: limits)
    try visit(bench, 1)
    for peer: UInt8 in 2...50 {
      let hello = try bench.hello(peer)
      try bench.join(peer, hello, nonce: 1, [.follow("counter")])
      _ = try bench.act(peer, sequence: 1, .incrementButtonTapped)
      bench.receive(.bye, from: peer)
      #expect(try bench.hello(peer).lastSequence == 0)
      bench.receive(.bye, from: peer)
    }
    let again = try bench.hello(60, client: 1)
    try bench.join(60, again, nonce: 1, [.follow("counter")])
    let count = bench.root.state.counter.count
    #expect(
      try bench.act(60, sequence: 1, .incrementButtonTapped)
        == [.applied(revision: 1, hasEffects: false)]
    )
    #expect(bench.root.state.counter.count == count)
  }

  @Test("§13: under the common limit each client's newest outcomes outlast the older ones of all")
  func outcomesOfAll() throws {
    var limits = Limits()
    limits.outcomes = 16
    let (bench, _) = try benchWithCounter(limits: limits)
    try visit(bench, 2)
    for sequence: UInt64 in 1...40 {
      _ = try bench.act(1, sequence: sequence, .incrementButtonTapped)
      bench.server.checkInvariants()
    }
    let actions = Array(repeating: Deck.CounterAction.incrementButtonTapped, count: 40)
    let outcomes = try bench.act(1, sequence: 1, actions)
    let kept = outcomes.count { if case .applied = $0 { true } else { false } }
    #expect(kept >= 12 && kept <= 15)
    #expect(outcomes.suffix(kept).count { if case .applied = $0 { true } else { false } } == kept)
    #expect(try lastSequence(bench, ofClient: 2) == 1)
    #expect(bench.root.state.counter.count == 41)
  }

  @Test(
    "§13: each client keeps the same share of its newest outcomes, within the limit",
    arguments: [
      ([], 8, .max), ([3, 4], 8, .max), ([8, 8], 8, 4), ([1, 9, 9], 9, 4), ([2, 2, 2], 2, 0),
    ] as [([Int], Int, Int)],
  )
  func shares(_ counts: [Int], _ limit: Int, _ each: Int) {
    #expect(KeptHistory.share(of: counts, within: limit) == each)
    #expect(counts.reduce(0) { $0 + min($1, each) } <= limit)
  }

  @Test func `§13: the newest outcome of a client is kept, however many clients its holder has`() {
    // All small cases: the counts of three holders for each of their clients.
    let parts: [[Int]] = [[], [1], [5], [0, 1], [1, 1, 1], [2, 2, 2, 2], [9, 1, 1, 1]]
    for first in parts {
      for second in parts {
        for third in parts {
          let holders = [first, second, third].enumerated()
          let counts = holders.flatMap { number, parts in
            parts.map { (holder: ClientHolder.user(UInt32(number)), count: $0) }
          }
          let clients = counts.count { $0.count > 0 }
          for limit in clients...40 {
            let each = KeptHistory.outcomesEach(of: counts, within: limit)
            let kept = counts.map { min($0.count, each[$0.holder] ?? 0) }
            #expect(kept.reduce(0, +) <= limit, "\(counts) within \(limit): \(each)")
            #expect(zip(kept, counts).allSatisfy { $0 > 0 || $1.count == 0 })
          }
        }
      }
    }
  }

  @Test func `§13: there is room for an outcome of each client, and of each session`() {
    let limits = Limits()
    // The number of outcomes that remain after room is made.
    #expect(limits.clients + limits.sessions <= limits.outcomes - limits.outcomes / 8)
    #expect(limits.sessions <= limits.clients)
  }

  @Test func `§13: of a user with very many clients each one's newest action is recognized`() throws
  {
    var limits = Limits()
    (limits.clients, limits.outcomes) = (32, 64)
    let bench = ServerBench(limits: limits)
    // Three clients with many outcomes, of other users than the user with many clients.
    for (peer, user) in [(1, 1), (2, 2), (3, 3)] as [(UInt8, UInt32)] {
      try join(bench, peer, user: user)
      for sequence: UInt64 in 1...30 {
        _ = try bench.act(peer, sequence: sequence, .incrementButtonTapped)
      }
    }
    for peer: UInt8 in 11...34 {
      try join(bench, peer, user: 4)
      _ = try bench.act(peer, sequence: 1, .incrementButtonTapped)
      let count = bench.root.state.counter.count
      guard case .applied = try bench.act(peer, sequence: 1, .incrementButtonTapped).first else {
        Issue.record("The action of client \(peer) was forgotten at once")
        return
      }
      #expect(bench.root.state.counter.count == count)
      bench.server.checkInvariants()
    }
  }

  /// Joins the counter with a client of a user.
  private func join(_ bench: ServerBench, _ peer: UInt8, user: UInt32) throws {
    bench.addresses[ServerBench.peer(peer)] = "localhost:\(user):1:1"
    try bench.join(peer, bench.hello(peer), nonce: 1, [.follow("counter")])
  }

  @Test("§8: the outcome follows the deltas of its turn, and carries the view's watermark")
  func reach() throws {
    let (bench, _) = try benchWithCounter()
    _ = bench.takeOrder()
    let request = ClientMessage.ActionRequest(
      handle: 1,
      action: try Deck.CounterAction.incrementButtonTapped.encoded()[...],
      deadline: nil,
    )
    bench.receive(.actions(first: 1, [request, request]), from: 1)
    try bench.endTurn()
    #expect(bench.takeOrder() == ["deltas", "acks"])
    guard case .acks(let acks)? = bench.take(1).first else { return }
    #expect(acks.watermark == DaemonMessage.Watermark(nonce: 1, sequence: 2))
  }

  // MARK: Effects

  /// The sequences of the finished message if it is the only message.
  private func finished(_ messages: [DaemonMessage]) -> [UInt64]? {
    guard messages.count == 1, case .finished(let sequences, _) = messages[0] else { return nil }
    return sequences
  }

  @Test("§8: an action with running effects is marked so, and finished follows when they end")
  func effects() async throws {
    let (bench, _) = try benchWithCounter()
    #expect(
      try bench.act(1, sequence: 1, .numberFactButtonTapped)
        == [.applied(revision: 1, hasEffects: true)]
    )
    await eventually { bench.gate.waiting == 1 }
    bench.gate.open()
    await eventually {
      bench.root.state.counter.numberFactAlert != nil && !bench.root.hasRunningEffects
    }
    try bench.endTurn()
    #expect(finished(bench.take(1)) == [1])
  }

  @Test("§13: a session with too many running effects has to wait until some have ended")
  func manyEffects() async throws {
    var limits = Limits()
    limits.effectsPerSession = 2
    let (bench, _) = try benchWithCounter(limits: limits)
    _ = try bench.act(1, sequence: 1, .numberFactButtonTapped, .numberFactButtonTapped)
    guard case .failed(let failure)? = try bench.act(1, sequence: 3, .incrementButtonTapped).first
    else {
      Issue.record("The action is not refused")
      return
    }
    #expect(failure.code == Outcome.overloaded)
    #expect(
      "\(ActionFailure(failure))"
        == "overloaded: Effects of 2 of your actions run already. Try again when some have ended. "
        + "It was not applied."
    )
    #expect(bench.server.counters.actionsThrottled == 1)
    #expect(bench.root.state.counter.count == 0)
    await eventually { bench.gate.waiting == 2 }
    bench.gate.open()
    await eventually { !bench.root.hasRunningEffects }
    _ = try bench.act(1, sequence: 4, .incrementButtonTapped)
    #expect(bench.root.state.counter.count == 1)
  }

  @Test("§8: cancel cancels an action's effects")
  func cancel() async throws {
    let (bench, _) = try benchWithCounter()
    _ = try bench.act(1, sequence: 1, .numberFactButtonTapped)
    await eventually { bench.gate.waiting == 1 }
    bench.receive(.cancel(sequence: 99), from: 1)
    bench.receive(.cancel(sequence: 1), from: 1)
    await eventually { bench.gate.cancelled == 1 && !bench.root.hasRunningEffects }
    try bench.endTurn()
    #expect(finished(bench.take(1)) == [1])
    #expect(bench.root.state.counter.numberFactAlert == nil)
  }

  @Test("§11: when the lease ends the session's effects are cancelled, and no other's")
  func leaseEnds() async throws {
    let (bench, _) = try benchWithCounter()
    let other = try bench.hello(2)
    try bench.join(2, other, nonce: 1, [.follow("counter")])
    _ = try bench.act(1, sequence: 1, .numberFactButtonTapped)
    try bench.advance(by: .seconds(6))
    _ = try bench.act(2, sequence: 1, .numberFactButtonTapped)
    await eventually { bench.gate.waiting == 2 }
    try bench.advance(by: .seconds(5))
    await eventually { bench.gate.cancelled == 1 }
    try bench.endTurn()
    // The ended session receives its goodbye, and no message about its effects.
    for message in bench.take(1) {
      guard case .goodbye = message else {
        Issue.record("The session got \(message)")
        return
      }
    }
  }

  @Test("§10: a retry in another session does not report effects that have ended")
  func retryAfterLease() async throws {
    let (bench, _) = try benchWithCounter()
    _ = try bench.act(1, sequence: 1, .numberFactButtonTapped)
    await eventually { bench.gate.waiting == 1 }
    try bench.advance(by: .seconds(11))
    try bench.hello(2, client: 1)
    #expect(
      try bench.act(2, sequence: 1, .numberFactButtonTapped)
        == [.applied(revision: 1, hasEffects: false)]
    )
    await eventually { !bench.root.hasRunningEffects }
  }

  @Test("§8: hello ok of a resumed session names the actions whose effects still run")
  func running() async throws {
    let (bench, hello) = try benchWithCounter()
    _ = try bench.act(
      1,
      sequence: 1,
      .incrementButtonTapped,
      .numberFactButtonTapped,
      .numberFactButtonTapped,
    )
    await eventually { bench.gate.waiting == 2 }
    #expect(try bench.hello(2, client: 1, token: hello.token).running == [2, 3])
    bench.gate.open()
    await eventually { !bench.root.hasRunningEffects }
    #expect(try bench.hello(3, client: 1, token: hello.token).running.isEmpty)
  }
}

extension GenericValue: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self = .text(value) }
}
