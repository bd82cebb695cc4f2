import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// The frames that carry a client's actions, and the outcome of actions that no daemon accepts.
@MainActor
@Suite("The flow of a client's actions", .timeLimit(.minutes(1)))
struct ActionFlowTests {
  private func sizes(_ messages: [ClientMessage]) -> [Int] {
    messages.compactMap { if case .actions(_, let requests) = $0 { requests.count } else { nil } }
  }

  @Test(
    "A frame holds at most the lower of both limits, and the window bounds the actions in flight",
    arguments: [
      (announced: 128, limit: 128), (announced: 4_096, limit: 128), (100, 100), (0, 1),
    ],
  )
  func frames(announced: UInt64, limit: Int) throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5, actions: announced)
    _ = bench.take()
    for _ in 0..<1_100 { _ = bench.client.submit([0x01], to: scope) }
    try bench.wire.settle()
    let frames = sizes(bench.take())
    #expect(frames.reduce(0, +) == 1_024)
    #expect(frames.dropLast().allSatisfy { $0 == limit })
    #expect(!bench.client.isTurnFull, "76 actions wait, but the client can send no action")
    try bench.acks(first: 1, revisions: [5], nonce: 1, sequence: 0)
    #expect(sizes(bench.take()) == [1])
  }

  @Test("A client queues a bounded number of actions without an answer, and refuses the next")
  func waiting() throws {
    var limits = Limits()
    limits.queuedActions = 3
    let wire = BenchClient(limits: limits)
    let scope = try wire.watch("counter", Deck.exposures.map(\.description)).scope
    let tickets = (0..<4).map { _ in wire.client.submit([0x01], to: scope) }
    #expect(tickets.dropLast().allSatisfy { $0.outcome == nil })
    guard case .failed(let failure)? = tickets.last?.outcome else {
      Issue.record("The last one waits as well")
      return
    }
    #expect(failure.code == Outcome.overloaded)
  }

  @Test("A turn is full when its queue reaches the size that is sent without delay")
  func fullTurn() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    for count in 1...Limits().actionsHeldBack {
      #expect(!bench.client.isTurnFull)
      _ = bench.client.submit([UInt8(count % 24)], to: scope)
    }
    #expect(bench.client.isTurnFull)
    try bench.wire.settle()
    #expect(!bench.client.isTurnFull)
  }

  @Test("Outcomes that precede their state settle in order, and once")
  func order() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    var settled: [Int] = []
    for number in 1...3 {
      bench.client.submit([0x01], to: scope).whenSettled { _ in settled.append(number) }
    }
    try bench.wire.settle()
    try bench.acks(first: 1, revisions: [6, 7], nonce: 1, sequence: 2)
    try bench.publish(sequence: 1, revisions: 6...6)
    #expect(settled.isEmpty)
    try bench.publish(sequence: 2, revisions: 7...7)
    #expect(settled == [1, 2])
    try bench.acks(first: 1, revisions: [6, 7], nonce: 1, sequence: 2)
    try bench.acks(first: 3, revisions: [7], nonce: 1, sequence: 2)
    #expect(settled == [1, 2, 3])
  }

  @Test("A sender that is refused for lack of room is notified at once, and the action never runs")
  func refused() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    let tickets = (1...3).map { bench.client.submit([UInt8($0)], to: scope) }
    try bench.wire.settle()
    _ = bench.take()
    var told: [Outcome] = []
    tickets[1].whenSettled { told.append($0) }
    let failure = Outcome.Failure(code: Outcome.overloaded, message: "no room")
    let watermark = DaemonMessage.Watermark(nonce: 1, sequence: 0)
    try bench.send(
      .acks(DaemonMessage.Acks(first: 2, outcomes: [.failed(failure)], watermark: watermark))
    )
    #expect(told == [.failed(failure)])
    #expect(tickets[0].outcome == nil && tickets[2].outcome == nil)
    // A restarted daemon has received no action of the three.
    try bench.open()
    let sent = bench.take().compactMap { message -> [[UInt8]]? in
      guard case .actions(1, let requests) = message else { return nil }
      return requests.map { Array($0.action) }
    }
    #expect(sent == [[[1], [0xf6], [3]]])
    try bench.acks(first: 1, revisions: [5], nonce: 1, sequence: 0)
    #expect(tickets[1].outcome == .failed(failure))
  }

  @Test("A released scope is joined for its last actions, and left after their outcomes")
  func lastActions() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    let ticket = bench.client.submit([0x01], to: scope)
    bench.client.release(scope)
    try bench.wire.settle()
    #expect(ticket.sequence == 1)
    // The scope lingers for a second, and a quarter more so that other scopes leave with it.
    try bench.wire.advance(by: .milliseconds(1_249))
    #expect(modes(bench) == [[.follow]])
    #expect(scope.isFollowed && scope.want != .draining)
    try bench.wire.advance(by: .milliseconds(1))
    #expect(modes(bench) == [[.follow], [.sendOnly]])
    #expect(!scope.isFollowed && scope.want == .draining)
    try bench.send(.joined(nonce: bench.client.lastNonce, topic: nil, [.accepted(handle: 1)]))
    try bench.wire.advance(by: .seconds(1))
    #expect(ticket.outcome == nil)
    #expect(bench.client.unheldScopes == ["counter"])
    #expect(modes(bench).count == 2, "It is left only when its action has an outcome")
    try bench.acks(first: 1, revisions: [6], nonce: 0, sequence: 0)
    #expect(ticket.outcome == .applied(revision: 6, hasEffects: false))
    #expect(modes(bench) == [[.follow], [.sendOnly], []])
    #expect(bench.client.scopes.isEmpty)
  }

  @Test(
    "A scope that is kept for its last actions is joined on a new connection, and they arrive",
    arguments: [true, false],
  )
  func lastActionsAfterABreak(isResumed: Bool) throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    let sent = bench.client.submit([0x01], to: scope)
    try bench.wire.settle()
    // The connection breaks, and another action is submitted meanwhile.
    try bench.greet()
    let queued = bench.client.submit([0x02], to: scope)
    bench.client.release(scope)
    try bench.wire.settle()
    for time in [1_249, 1] { try bench.wire.advance(by: .milliseconds(time)) }
    #expect(scope.want == .draining && !scope.isFollowed)
    #expect(sent.outcome == nil && queued.outcome == nil)
    // The connection is restored twice.
    for _ in 1...2 {
      try bench.greet()
      _ = bench.take()
      try bench.helloOK(last: 0, isResumed: isResumed)
      #expect(modes(bench).last == [.sendOnly])
      try bench.send(.joined(nonce: bench.client.lastNonce, topic: nil, [.accepted(handle: 1)]))
      let again = bench.take().flatMap { message -> [[UInt8]] in
        guard case .actions(1, let requests) = message else { return [] }
        #expect(requests.allSatisfy { $0.handle == 1 })
        return requests.map { Array($0.action) }
      }
      #expect(again == [[0x01], [0x02]])
      #expect(bench.client.unheldScopes == ["counter"])
    }
    try bench.acks(first: 1, revisions: [6, 7], nonce: 0, sequence: 0)
    #expect(sent.outcome == .applied(revision: 6, hasEffects: false))
    #expect(queued.outcome == .applied(revision: 7, hasEffects: false))
    #expect(modes(bench).last == [])
    #expect(bench.client.scopes.isEmpty)
  }

  @Test("A client that follows no scope subscribes to no topic, also on a new connection")
  func nothingPublished() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    _ = bench.client.submit([0x01], to: scope)
    bench.client.release(scope)
    try bench.wire.settle()
    for time in [1_249, 1] { try bench.wire.advance(by: .milliseconds(time)) }
    #expect(modes(bench) == [[.follow], [.sendOnly]])
    try bench.send(.joined(nonce: bench.client.lastNonce, topic: nil, [.accepted(handle: 1)]))
    #expect(bench.wire.subscriptions.isEmpty)
    // The client receives no message until it connects again.
    for _ in 0..<40 where bench.wire.reconnects == 0 { try bench.wire.advance(by: .seconds(1)) }
    #expect(bench.wire.reconnects == 1)
    #expect(bench.wire.subscriptions.isEmpty)
  }

  /// The modes of the requested scopes, join by join.
  private func modes(_ bench: PlayedDaemon) -> [[ClientMessage.JoinMode]] {
    bench.wire.sent.compactMap { message -> [ClientMessage.JoinMode]? in
      if case .join(_, let requests) = message { requests.map(\.mode) } else { nil }
    }
  }

  @Test("A partly known run is applied from its first new step, for any number of changed scopes")
  func knownPart() {
    func step(_ revision: UInt64, _ indices: [Int]) -> PublishedMessage.Step {
      PublishedMessage.Step(
        revision: revision,
        changes: indices.map { PublishedMessage.Change(index: $0, delta: [0xf6]) },
      )
    }
    let steps = [step(1, [0]), step(2, [0, 1, 2]), step(3, []), step(4, [1])]
    let run = PublishedMessage.DeltaRun(sequence: 1, steps: steps)
    #expect(run.count == 4)
    #expect((0...4).map { run.place(after: $0) } == [0, 1, 4, 5, 6])
    #expect(run.steps == steps)
    let plain = PublishedMessage.DeltaRun(sequence: 1, steps: [step(1, [0]), step(2, [1])])
    #expect((0...2).map { plain.place(after: $0) } == [0, 1, 2])
  }

  @Test("An outcome waits for the shown state, not for a join that kept too few bytes to show any")
  func overrun() throws {
    var limits = Limits()
    limits.keptBytes = 64
    let bench = ServerBench()
    let wire = try BenchClient(bench, limits: limits)
    let (scope, replica) = try wire.follow("counter", Deck.Counter.self)
    // The delta is lost, so that only a join brings the state.
    wire.published.isBroken = true
    let ticket = try wire.send(Deck.CounterAction.incrementButtonTapped, to: scope)
    wire.published.isBroken = false
    #expect(ticket.outcome == nil)
    var shown: [Int?] = []
    ticket.whenSettled { _ in shown.append(replica.shown?.count) }
    bench.holdsJobs = true
    let cards = try wire.follow("cards", IdentifiedArrayOf<Deck.Card>.self)
    for _ in 0..<3 {
      try bench.send(.counter(.filled(bytes: 1_000)), .counter(.filled(bytes: 2_000)))
    }
    bench.finishJobs()
    bench.holdsJobs = false
    try bench.settle()
    #expect(shown == [1])
    #expect(cards.replica.shown?.count == 2)
  }

  @Test("An action over the daemon's frame limit fails, also when queued or sent to another daemon")
  func frameLimit() throws {
    let bench = try PlayedDaemon()
    func large() -> ActionTicket {
      // The header of a byte string.
      let header: [UInt8] = [0x59, 0x27, 0x10]
      return bench.client.submit(header + [UInt8](repeating: 0, count: 10_000), to: bench.scope)
    }
    func isRejected(_ ticket: ActionTicket) -> Bool {
      guard case .failed(let failure)? = ticket.outcome else { return false }
      return failure.code == Outcome.rejected && failure.message.contains("4058 at most")
    }
    try bench.join(revision: 5)
    let sent = large()
    try bench.wire.settle()
    #expect(sent.sequence == 1)
    let window = (0..<1_023).map { _ in bench.client.submit([1], to: bench.scope) }
    let waiting = [large(), bench.client.submit([2], to: bench.scope)]
    try bench.wire.settle()
    #expect(waiting.allSatisfy { $0.sequence == nil && $0.outcome == nil })
    _ = bench.take()
    try bench.greet()
    try bench.helloOK(last: 0, isResumed: true, frameBytes: 4_096)
    #expect(isRejected(large()))
    let again = bench.take().compactMap { message -> ClientMessage.ActionRequest? in
      if case .actions(1, let requests) = message { requests.first } else { nil }
    }
    #expect(again.map { Array($0.action) } == [[0xf6]], "the empty action, in its place")
    try bench.acks(
      first: 1,
      revisions: [UInt64](repeating: 5, count: 1_024),
      nonce: 0,
      sequence: 0,
    )
    #expect(window.allSatisfy { $0.sequence != nil })
    #expect(isRejected(waiting[0]) && waiting[0].sequence == nil)
    #expect(waiting[1].sequence == 1_025)
  }

  @Test("Actions that expire soon after each other expire together, and on time")
  func expiry() throws {
    let bench = try PlayedDaemon()
    var late = 0
    let count = 1_000
    var left = count
    for number in 0..<count {
      let time = Duration.milliseconds(100) + .microseconds(number)
      let end = bench.wire.now.instant.advanced(by: time + .milliseconds(1))
      bench.client.submit([0], to: bench.scope, timeToLive: time).whenSettled { _ in
        left -= 1
        if bench.wire.now.instant > end { late += 1 }
      }
    }
    try bench.wire.settle()
    var turns = 0
    while left > 0, let due = bench.client.nextDeadline {
      try bench.wire.advance(by: bench.wire.now.instant.duration(to: due))
      turns += 1
    }
    #expect(left == 0 && late == 0)
    #expect(turns < 10)
  }

  @Test("A question whose answer was lost is repeated with the next hello")
  func lostAnswer() throws {
    var limits = Limits()
    limits.heldBytes = 0
    let bench = ServerBench(limits: limits)
    let wire = try BenchClient(bench)
    bench.full = [wire.peer]
    var answers = 0
    wire.client.describe { answer in if case .success = answer { answers += 1 } }
    try bench.settle()
    #expect(bench.server.counters.blockedPeers == 1 && answers == 0)
    bench.full = []
    // The answer to the client's next ping states that it has no session anymore.
    for _ in 0..<4 { try bench.advance(by: .seconds(2)) }
    #expect(wire.client.isLive)
    #expect(answers == 1)
  }
}
