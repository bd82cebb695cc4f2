import StoreState
import Testing

@testable import StoreProtocol
@testable import StoreReplica

/// The outcomes of actions when their time or the connection ends: docs/PROTOCOL.md §8, §12.
@MainActor
@Suite struct ActionTimeTests {
  /// An event on the connection while an action is in flight.
  enum Event: CaseIterable {
    case nothing
    case newConnection
    case newSession
    case newEpoch
  }

  /// The code of a failure, or a description of any other outcome.
  private func code(_ outcome: Outcome?) -> String {
    if case .failed(let failure)? = outcome { failure.code } else { String(describing: outcome) }
  }

  private func play(_ event: Event, _ bench: PlayedDaemon) throws {
    if event != .nothing { try bench.greet() }
    switch event {
    case .nothing, .newConnection: break
    case .newSession: try bench.helloOK(last: 0, isResumed: false)
    case .newEpoch: try bench.helloOK(epoch: 78, last: 0, isResumed: false)
    }
  }

  @Test(
    "§8: a sent action without an outcome at its deadline has an unknown outcome",
    arguments: Event.allCases,
  )
  func inFlight(event: Event) throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    let ticket = bench.client.submit([0x61, 0x61], to: scope, timeToLive: .seconds(2))
    var told: [Outcome] = []
    ticket.whenSettled { told.append($0) }
    try bench.wire.settle()
    #expect(ticket.sequence == 1)
    try play(event, bench)
    try bench.wire.advance(by: .milliseconds(1_999))
    #expect(told.isEmpty && bench.client.awaitedActions == 1)
    try bench.wire.advance(by: .milliseconds(1))
    #expect(told.map { code($0) } == [Outcome.outcomeUnknown])
    // The action stays in the queue, and later waiters receive the same outcome.
    #expect(ticket.outcome == nil && !ticket.isFinished)
    #expect(bench.client.pendingActions == 1 && bench.client.awaitedActions == 0)
    ticket.whenSettled { told.append($0) }
    try #require(told.count == 2)
    #expect(told[0] == told[1])
  }

  @Test(
    "§10: a sent action after its deadline is replaced by the empty action, in its place",
    arguments: [Event.newConnection, .newSession, .newEpoch],
  )
  func sentAgain(event: Event) throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    let before = bench.client.submit([0x01], to: scope)
    let overdue = bench.client.submit([0x02], to: scope, timeToLive: .seconds(2))
    let behind = bench.client.submit([0x03], to: scope, timeToLive: .seconds(20))
    try bench.wire.settle()
    try bench.wire.advance(by: .seconds(2))
    #expect(overdue.sequence == 2 && overdue.isGivenUp && overdue.outcome == nil)
    _ = bench.take()
    try play(event, bench)
    if event == .newConnection { try bench.helloOK(last: 0, isResumed: true) }
    try bench.answer(revision: 5, sequence: 0)
    let frames = bench.take().compactMap { message -> (UInt64, [ClientMessage.ActionRequest])? in
      if case .actions(let first, let requests) = message { (first, requests) } else { nil }
    }
    try #require(frames.count == 1)
    let (first, requests) = frames[0]
    #expect(first == 1)
    #expect(requests.map { Array($0.action) } == [[0x01], [0xf6], [0x03]])
    #expect(requests.map(\.handle) == [1, 0, 1])
    #expect(requests.map { $0.deadline != nil } == [false, false, true])
    // The answers of a daemon that had received no action of the three.
    let refusal = Outcome.Failure(code: Outcome.rejected, message: "The client withdrew it.")
    let outcomes: [Outcome] = [
      .applied(revision: 5, hasEffects: false), .failed(refusal),
      .applied(revision: 5, hasEffects: false),
    ]
    let watermark = DaemonMessage.Watermark(nonce: bench.client.lastNonce, sequence: 0)
    try bench.send(.acks(DaemonMessage.Acks(first: 1, outcomes: outcomes, watermark: watermark)))
    #expect(before.outcome == outcomes[0] && behind.outcome == outcomes[2])
    // The daemon of an earlier epoch may have reduced the action.
    let known = event == .newEpoch ? Outcome.outcomeUnknown : Outcome.expired
    #expect(code(overdue.outcome) == known)
    #expect(bench.client.pendingActions == 0)
  }

  @Test("§10: with `actionsEndWithEpoch`, an action of one epoch never runs in another")
  func withdrawn() throws {
    let bench = try PlayedDaemon()
    bench.client.actionsEndWithEpoch = true
    let scope = try bench.join(revision: 5)
    let sent = bench.client.submit([0x01], to: scope)
    try bench.wire.settle()
    try bench.greet()
    let unsent = bench.client.submit([0x02], to: scope, timeToLive: .seconds(20))
    try bench.helloOK(epoch: 78, last: 0, isResumed: false)
    var told: [Outcome] = []
    sent.whenSettled { told.append($0) }
    unsent.whenSettled { told.append($0) }
    #expect(told.map { code($0) } == [Outcome.outcomeUnknown, Outcome.notSent])
    #expect(bench.client.awaitedActions == 0 && bench.client.pendingActions == 1)
    #expect(bench.client.withdrawnActions == 2)
    _ = bench.take()
    // Actions that are sent from now on belong to the new epoch.
    let next = bench.client.submit([0x03], to: scope)
    try bench.answer(revision: 1, sequence: 0)
    let requests = bench.take().flatMap { message -> [ClientMessage.ActionRequest] in
      if case .actions(_, let requests) = message { requests } else { [] }
    }
    #expect(requests.map { Array($0.action) } == [[0xf6], [0x03]])
    let refusal = Outcome.Failure(code: Outcome.rejected, message: "The client withdrew it.")
    let outcomes: [Outcome] = [.failed(refusal), .applied(revision: 1, hasEffects: false)]
    let watermark = DaemonMessage.Watermark(nonce: bench.client.lastNonce, sequence: 0)
    try bench.send(.acks(DaemonMessage.Acks(first: 1, outcomes: outcomes, watermark: watermark)))
    #expect(next.outcome == outcomes[1] && code(sent.outcome) == Outcome.outcomeUnknown)
    #expect(bench.client.pendingActions == 0)
    // Within one epoch an action stays valid across connections.
    let other = bench.client.submit([0x04], to: scope)
    try bench.wire.settle()
    try bench.greet()
    try bench.helloOK(epoch: 78, last: 2, isResumed: false)
    #expect(other.outcome == nil && bench.client.awaitedActions == 1)
  }

  @Test("§8: a late outcome replaces the unknown one for later waiters")
  func late() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    let ticket = bench.client.submit([0x61, 0x61], to: scope, timeToLive: .seconds(2))
    var told: [Outcome] = []
    ticket.whenSettled { told.append($0) }
    try bench.wire.settle()
    try bench.wire.advance(by: .seconds(2))
    #expect(told.map { code($0) } == [Outcome.outcomeUnknown])
    try bench.acks(first: 1, revisions: [6], nonce: 1, sequence: 1)
    try bench.publish(sequence: 1, revisions: 6...6)
    #expect(told.count == 1, "Each waiter is notified once")
    #expect(ticket.outcome == .applied(revision: 6, hasEffects: false))
    ticket.whenSettled { told.append($0) }
    #expect(told.last == .applied(revision: 6, hasEffects: false))
    #expect(ticket.isFinished)
    #expect(bench.client.pendingActions == 0)
  }

  @Test("§8: an unsent action at its deadline has expired, and is never sent")
  func unsent() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    for _ in 0..<1_024 { _ = bench.client.submit([0x01], to: scope) }
    let expiring = bench.client.submit([0x02], to: scope, timeToLive: .seconds(2))
    let next = bench.client.submit([0x03], to: scope)
    try bench.wire.settle()
    #expect(expiring.sequence == nil && next.sequence == nil, "The window has no room for them")
    try bench.wire.advance(by: .milliseconds(1_999))
    #expect(expiring.outcome == nil)
    try bench.wire.advance(by: .milliseconds(1))
    #expect(code(expiring.outcome) == Outcome.expired)
    #expect(next.outcome == nil)
    _ = bench.take()
    try bench.acks(
      first: 1,
      revisions: [UInt64](repeating: 5, count: 1_024),
      nonce: 0,
      sequence: 0,
    )
    let sent = bench.take().flatMap { message -> [[UInt8]] in
      if case .actions(_, let requests) = message { requests.map { Array($0.action) } } else { [] }
    }
    #expect(sent == [[0x03]])
    #expect(next.sequence == 1_025, "An expired action takes no number")
  }

  @Test(
    "§12: goodbye settles all waiters of a client, and the client sends no further message",
    arguments: ["replaced", "protocolError"],
  )
  func goodbye(word: String) throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    var told: [String] = []
    bench.client.wait(for: .time, within: .seconds(60)) { told.append("\($0)") }
    bench.client.status { _ in told.append("answer") }
    let sent = bench.client.submit([0x01], to: scope)
    try bench.wire.settle()
    _ = bench.take()
    let unsent = bench.client.submit([0x02], to: scope)
    for ticket in [sent, unsent] { ticket.whenSettled { told.append(code($0)) } }
    try bench.send(.goodbye(code: word, message: "Enough."))
    let refusal = WaitFailure.refused(JoinFailure(code: word, message: "Enough."))
    let ending: Result<Void, WaitFailure> = .failure(refusal)
    #expect(told == [Outcome.outcomeUnknown, Outcome.notSent, "answer", "\(ending)"])
    #expect(bench.client.ending == refusal)
    #expect(scope.status == refusal.status)
    #expect(sent.isFinished && unsent.isFinished && bench.client.pendingActions == 0)
    #expect(
      bench.wire.events.suffix(2).map { "\($0)".prefix { $0 != "(" } } == [
        "sessionEnded", "refused",
      ]
    )
    // The client sends no message after a new connection or more time.
    try bench.greet()
    try bench.wire.advance(by: .seconds(60))
    let late = bench.client.submit([0x03], to: scope)
    try bench.wire.settle()
    #expect(code(late.outcome) == Outcome.notSent)
    #expect(bench.take().isEmpty && bench.wire.reconnects == 0)
    #expect(bench.client.nextDeadline == nil)
  }

  @Test("§12: when the connection is closed, sent actions may have run, and unsent ones have not")
  func closing() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    let overdue = bench.client.submit([0x01], to: scope, timeToLive: .seconds(2))
    let sent = bench.client.submit([0x02], to: scope, timeToLive: .seconds(20))
    try bench.wire.settle()
    try bench.wire.advance(by: .seconds(2))
    let unsent = bench.client.submit([0x03], to: scope, timeToLive: .seconds(20))
    var told: [String] = []
    for ticket in [overdue, sent, unsent] { ticket.whenSettled { told.append(code($0)) } }
    #expect(told == [Outcome.outcomeUnknown], "The time of one was over before")
    bench.wire.turn.close("enough")
    #expect(told == [Outcome.outcomeUnknown, Outcome.outcomeUnknown, Outcome.notSent])
    for ticket in [overdue, sent, unsent] { #expect(ticket.isFinished) }
    #expect(code(overdue.outcome) == Outcome.outcomeUnknown)
  }
}
