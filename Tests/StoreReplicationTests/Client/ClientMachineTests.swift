import StoreState
import Testing

@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// The client's state machine without a socket: docs/PROTOCOL.md §9 to §12.
@MainActor
@Suite struct ClientMachineTests {
  @Test("§9: a client greets, joins, fences, and shows the snapshot at the echo's revision")
  func join() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    #expect(bench.log == ["snapshot 5", "shown 5"])
    #expect(scope.status == .live)
    #expect(bench.client.revision == 5)
  }

  @Test("§9: deltas before the echo are dropped, those after it wait for the snapshot")
  func aroundTheEcho() throws {
    let bench = try PlayedDaemon()
    try bench.open()
    try bench.publish(sequence: 3, revisions: 4...4)
    try bench.echo(revision: 4, sequence: 3)
    try bench.publish(sequence: 4, revisions: 5...6)
    #expect(bench.log.isEmpty)
    try bench.snapshot(revision: 4)
    #expect(
      bench.log
        == ["snapshot 4", "shown 4", "delta 5", "delta 6", "shown 6"]
    )
  }

  @Test("§9: a gap makes the client join again from the revision it has")
  func gap() throws {
    let bench = try PlayedDaemon()
    try bench.join(revision: 5)
    try bench.publish(sequence: 1, revisions: 6...6)
    try bench.publish(sequence: 3, revisions: 8...8)
    let request = try #require(bench.wire.joins.last?.first)
    #expect(request.position == ClientMessage.Position(epoch: 77, revision: 6))
    #expect(request.mode == .follow)
    #expect(bench.log.last == "shown 6", "revision 8 was not shown")
  }

  @Test("§9: a digest that differs makes the client request a snapshot, and report the difference")
  func digest() throws {
    let bench = try PlayedDaemon()
    try bench.join(revision: 5)
    try bench.bookmark(revision: 5, sequence: 0, digest: Digest(rawValue: 1))
    let request = try #require(bench.wire.joins.last?.first)
    #expect(request.position == nil)
    #expect(
      bench.wire.events.contains {
        if case .resynchronizing(scope: "counter", _) = $0 { true } else { false }
      }
    )
  }

  @Test("§13: a snapshot that is larger than a client takes is refused by the first piece")
  func largeSnapshot() throws {
    let bench = try PlayedDaemon()
    try bench.open()
    try bench.echo(revision: 5, sequence: 0)
    try bench.snapshot(revision: 5, total: 1 + UInt64(Limits().snapshotBytes))
    guard case .refused(let failure) = bench.scope.status else {
      Issue.record("It is \(bench.scope.status)")
      return
    }
    #expect(failure.code == "badState")
    #expect(failure.message.contains("268435457 bytes, where 268435456 are taken"))
    #expect(bench.log.isEmpty)
  }

  @Test("§9: a bookmark ahead of the view shows that the last delta was lost")
  func lostLast() throws {
    let bench = try PlayedDaemon()
    try bench.join(revision: 5)
    try bench.bookmark(revision: 6, sequence: 1, digest: bench.copy.replica.digest)
    #expect(bench.wire.joins.last?.first?.position?.revision == 5)
  }

  @Test("§8: an action is settled only when the local state includes it")
  func readYourWrites() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    let ticket = bench.client.submit([0x61, 0x61], to: scope)
    try bench.wire.settle()
    try bench.acks(first: 1, revisions: [6], nonce: 1, sequence: 1)
    #expect(ticket.outcome == nil, "the delta is still on its way")
    try bench.publish(sequence: 1, revisions: 6...6)
    #expect(ticket.outcome == .applied(revision: 6, hasEffects: false))
    #expect(ticket.isFinished)

    let second = bench.client.submit([0x61, 0x62], to: scope)
    try bench.wire.settle()
    try bench.publish(sequence: 2, revisions: 7...7)
    #expect(second.outcome == nil, "the daemon has not answered yet")
    try bench.acks(first: 2, revisions: [7], nonce: 1, sequence: 2)
    #expect(second.outcome == .applied(revision: 7, hasEffects: false))
  }

  @Test("§8: a sender is notified if its action was applied in a past epoch and will not be shown")
  func endOfEpoch() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    let applied = bench.client.submit([0x61, 0x61], to: scope)
    let refused = bench.client.submit([0x61, 0x62], to: scope)
    try bench.wire.settle()
    try bench.acks(first: 1, revisions: [6], nonce: 1, sequence: 1)
    let failure = Outcome.Failure(code: Outcome.absent, message: "It is gone.")
    let watermark = DaemonMessage.Watermark(nonce: 1, sequence: 1)
    try bench.send(
      .acks(DaemonMessage.Acks(first: 2, outcomes: [.failed(failure)], watermark: watermark))
    )
    #expect(applied.outcome == nil)
    try bench.greet()
    try bench.helloOK(epoch: 78, last: 0, isResumed: false)
    try bench.answer(accepting: 1, revision: 9, sequence: 0)
    guard case .failed(let told)? = applied.outcome else {
      Issue.record("Its outcome is \(String(describing: applied.outcome))")
      return
    }
    #expect(told.code == Outcome.appliedNotShown)
    #expect(told.revision == 6)
    #expect(refused.outcome == .failed(failure))
    #expect(applied.isFinished)
    #expect(bench.client.pendingActions == 0)
    // Actions that are sent from now on are settled as usual.
    let next = bench.client.submit([0x61, 0x63], to: scope)
    try bench.wire.settle()
    try bench.acks(first: 3, revisions: [10], nonce: bench.client.lastNonce, sequence: 1)
    #expect(next.outcome == nil)
    try bench.publish(sequence: 1, revisions: 10...10)
    #expect(next.outcome == .applied(revision: 10, hasEffects: false))
  }

  @Test("§8: an action that is known to be refused does not become unknown at its deadline")
  func refusedInTime() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    let ticket = bench.client.submit([0x61, 0x61], to: scope, timeToLive: .seconds(2))
    var told: Outcome?
    ticket.whenSettled { told = $0 }
    try bench.wire.settle()
    let failure = Outcome.Failure(code: Outcome.absent, message: "It is gone.")
    let watermark = DaemonMessage.Watermark(nonce: 1, sequence: 1)
    try bench.send(
      .acks(DaemonMessage.Acks(first: 1, outcomes: [.failed(failure)], watermark: watermark))
    )
    #expect(told == nil, "the delta is still on its way")
    try bench.wire.advance(by: .seconds(3))
    #expect(told == .failed(failure))
  }

  @Test("§8: effects have ended only when the local state includes their last change")
  func finish() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    let ticket = bench.client.submit([0x61, 0x61], to: scope)
    try bench.wire.settle()
    try bench.acks(first: 1, revisions: [5], hasEffects: true, nonce: 0, sequence: 0)
    #expect(ticket.outcome != nil)
    try bench.send(.finished([1], watermark: DaemonMessage.Watermark(nonce: 1, sequence: 1)))
    #expect(!ticket.isFinished, "the effect's last delta is still on its way")
    try bench.publish(sequence: 1, revisions: 6...6)
    #expect(ticket.isFinished)
  }

  @Test("§10: after a break every action without an outcome is sent again, in order")
  func resend() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    for byte: UInt8 in [0x61, 0x62, 0x63] { _ = bench.client.submit([0x61, byte], to: scope) }
    try bench.wire.settle()
    try bench.acks(first: 1, revisions: [6], nonce: 0, sequence: 0)
    _ = bench.take()
    try bench.greet()
    let hello = try #require(bench.hellos.last)
    #expect(hello.token == bench.token)
    #expect(hello.firstSequence == 2)
    try bench.helloOK(last: 1, isResumed: true)
    let sent = bench.take().compactMap { message -> (UInt64, [[UInt8]])? in
      guard case .actions(let first, let requests) = message else { return nil }
      return (first, requests.map { Array($0.action) })
    }
    #expect(sent.map(\.0) == [2])
    #expect(sent.first?.1 == [[0x61, 0x62], [0x61, 0x63]])
  }

  @Test("§11: silence makes the state stale, keeps it shown, and starts a new connection")
  func silence() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    try bench.wire.advance(by: .seconds(11))
    #expect(scope.status == .stale)
    #expect(bench.wire.events.contains(.silent))
    #expect(bench.log == ["snapshot 5", "shown 5"])
    try bench.wire.advance(by: .seconds(1))
    #expect(bench.wire.reconnects == 1)
  }

  @Test("§11: a lost connection that is not restored is reported as silence within a second, once")
  func cut() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    bench.wire.isCut = true
    try bench.wire.settle()
    #expect(scope.status == .live, "a new one may come at once")
    for _ in 0..<8 { try bench.wire.advance(by: .milliseconds(100)) }
    #expect(scope.status == .stale)
    #expect(bench.wire.events.last == .silent)
    for _ in 0..<30 { try bench.wire.advance(by: .seconds(1)) }
    #expect(bench.wire.events.count { $0 == .silent } == 1)
    #expect(bench.wire.reconnects > 2)
    bench.wire.isCut = false
    try bench.greet()
    try bench.helloOK(last: 0, isResumed: true)
    guard case .connected(_, _, isResumed: true)? = bench.wire.events.last else {
      Issue.record("The last event is \(String(describing: bench.wire.events.last))")
      return
    }
  }

  @Test("§11: a connection that is lost and soon restored is not silence")
  func shortCut() throws {
    let bench = try PlayedDaemon()
    try bench.join(revision: 5)
    bench.wire.isCut = true
    try bench.wire.advance(by: .milliseconds(100))
    bench.wire.isCut = false
    try bench.greet()
    try bench.helloOK(last: 0, isResumed: true)
    try bench.wire.advance(by: .seconds(1))
    #expect(!bench.wire.events.contains(.silent))
    #expect(bench.wire.reconnects == 0)
  }

  @Test("§11: sockets that restore a distant connection have enough time")
  func slowConnection() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    bench.wire.isCut = true
    for _ in 0..<13 { try bench.wire.advance(by: .milliseconds(100)) }
    #expect(scope.status == .stale && bench.wire.reconnects == 0)
    bench.wire.isCut = false
    try bench.greet()
    try bench.helloOK(last: 0, isResumed: true)
    try bench.wire.advance(by: .seconds(1))
    #expect(bench.wire.reconnects == 0)
  }

  /// Sends outputs of a view on the control socket, after a step that was too large to publish.
  private func outputs(_ bench: PlayedDaemon) throws {
    let output = PublishedMessage.Output(
      revision: 6,
      index: 0,
      schema: Digest(rawValue: 0),
      value: [0xF6],
    )
    try bench.send(
      .unicast(.outputs(PublishedMessage.Outputs(sequence: 1, outputs: [output])))
    )
  }

  private func marker(_ bench: PlayedDaemon) throws {
    try bench.send(.unicast(.marker(PublishedMessage.Marker(sequence: 1, revision: 6))))
  }

  @Test("§9: outputs of a view whose join a connection interrupted belong to no other view")
  func outputsOfAnotherView() throws {
    let bench = try PlayedDaemon(topic: .unicastView)
    try bench.join(revision: 5)
    // The daemon accepts a join without the client's knowledge, and continues with that view.
    _ = bench.client.add("cards", mode: .follow, replica: TypedReplica<Deck.Counter>())
    try bench.wire.settle()
    try marker(bench)
    #expect(bench.client.view?.isSuspended == true)
    try bench.greet()
    try bench.helloOK(last: 0, isResumed: true)
    try outputs(bench)
    #expect(bench.client.view?.late.isEmpty == true)
  }

  @Test("§9: outputs of the same view from an abandoned join wait for the next join")
  func outputsOfTheSameView() throws {
    let bench = try PlayedDaemon(topic: .unicastView)
    try bench.join(revision: 5)
    try marker(bench)
    let nonce = bench.client.lastNonce
    try bench.send(.joined(nonce: nonce, topic: bench.client.view?.topic, [.accepted(handle: 1)]))
    for _ in 0..<4 { try bench.wire.advance(by: .milliseconds(500)) }
    #expect(bench.client.lastNonce > nonce, "the join was given up")
    try bench.send(
      .unicast(
        .echo(PublishedMessage.Echo(nonce: nonce, revision: 6, sequence: 1, previousSequence: 1))
      )
    )
    try outputs(bench)
    #expect(bench.client.view?.late.count == 1)
  }

  @Test("§11: a daemon that sends goodbye and disconnects is reported once")
  func goodbye() throws {
    let bench = try PlayedDaemon()
    try bench.join(revision: 5)
    // Both events arrive before the client takes one.
    bench.wire.isCut = true
    try bench.send(.goodbye(code: "goingDown", message: "The daemon stops."))
    try bench.wire.advance(by: .seconds(1))
    #expect(!bench.wire.events.contains(.silent))
  }

  @Test("§11: a silent control socket ends the connections, even if the other socket receives")
  func deafControl() throws {
    let bench = try PlayedDaemon()
    try bench.join(revision: 5)
    for _ in 0..<12 {
      try bench.wire.advance(by: .seconds(1))
      try bench.bookmark(revision: 5, sequence: 0, digest: bench.copy.replica.digest)
    }
    #expect(bench.wire.events.contains(.silent))
    #expect(bench.wire.reconnects > 0)
  }

  @Test("§11: joins without a result end the connections, even if the control socket receives")
  func deafPublishing() throws {
    let bench = try PlayedDaemon()
    try bench.join(revision: 5)
    _ = bench.client.add("other", mode: .sendOnly, replica: nil)
    try bench.wire.settle()
    let nowhere = DaemonMessage.Watermark(nonce: 0, sequence: 0)
    for second in 1...12 {
      try bench.wire.advance(by: .seconds(1))
      try bench.send(.pong(number: 0, revision: 5, watermark: nowhere))
      #expect(bench.wire.events.contains(.silent) == (second > 10))
    }
    #expect(bench.wire.reconnects > 0)
  }

  @Test("§9: only the pong to a ping that was sent after the first one shows a loss")
  func pongs() throws {
    let bench = try PlayedDaemon()
    try bench.join(revision: 5)
    let ahead = DaemonMessage.Watermark(nonce: bench.client.lastNonce, sequence: 1)
    func pong(_ number: UInt64) -> [UInt8] {
      DaemonMessage.pong(number: number, revision: 6, watermark: ahead).encoded()
    }
    for _ in 1...2 { try bench.wire.advance(by: .seconds(4)) }
    #expect(bench.client.pingNumber == 2)
    bench.wire.control.append(pong(1))
    bench.wire.control.append(pong(2))
    try bench.wire.settle()
    #expect(bench.wire.resynchronizations == [])
    try bench.wire.advance(by: .seconds(4))
    bench.wire.control.append(pong(3))
    try bench.wire.settle()
    #expect(bench.wire.resynchronizations == ["the daemon is at 1, we are at 0"])
  }

  @Test("§9: a scope whose digest differed is fetched whole by the next join of any kind")
  func doubt() throws {
    let bench = try PlayedDaemon()
    try bench.join(revision: 5)
    let wrong = Digest(rawValue: 1)
    try bench.bookmark(revision: 5, sequence: 0, digest: wrong)
    try bench.answer(revision: 5, sequence: 0)
    try bench.bookmark(revision: 5, sequence: 0, digest: wrong)
    #expect(bench.wire.resynchronizations.count == 2)
    _ = bench.client.add("other", mode: .sendOnly, replica: nil)
    try bench.wire.settle()
    let request = try #require(bench.wire.joins.last?.first)
    #expect(request.mode == .follow)
    #expect(request.position == nil)
    try bench.answer(accepting: 2, revision: 5, sequence: 0)
    // The scope is checked again, and no fetch is left.
    let joins = bench.wire.joins.count
    try bench.wire.advance(by: .seconds(2))
    #expect(bench.wire.joins.count == joins)
    try bench.bookmark(revision: 5, sequence: 0, digest: wrong)
    #expect(bench.wire.resynchronizations.count == 3)
  }

  @Test("§12: closing the connection at the end of the session is final")
  func closedAtTheEnd() throws {
    let bench = try PlayedDaemon()
    let scope = try bench.join(revision: 5)
    let ticket = bench.client.submit([0x61, 0x61], to: scope)
    try bench.wire.settle()
    try bench.acks(first: 1, revisions: [5], hasEffects: true, nonce: 0, sequence: 0)
    ticket.whenFinished { bench.wire.turn.close("enough") }
    try bench.send(.goodbye(code: "leaseEnded", message: ""))
    #expect(bench.client.isClosed)
    #expect(bench.wire.events.last == .closed("enough"))
    #expect(bench.hellos.count == 1)
  }

  @Test("§12: closing the connection when an action expires is final")
  func closedByExpiry() throws {
    let bench = try PlayedDaemon()
    let ticket = bench.client.submit([0], to: bench.scope, timeToLive: .seconds(10))
    ticket.whenSettled { _ in bench.wire.turn.close("enough") }
    try bench.wire.settle()
    try bench.wire.advance(by: .seconds(10))
    #expect(ticket.isFinished)
    #expect(bench.client.isClosed)
    #expect(bench.client.nextDeadline == nil)
  }

  @Test("§11: a new epoch is reported, and all scopes are fetched again")
  func newEpoch() throws {
    let bench = try PlayedDaemon()
    try bench.join(revision: 5)
    try bench.greet()
    try bench.helloOK(epoch: 78, last: 0, isResumed: false)
    #expect(bench.wire.events.contains(.newEpoch(old: 77, new: 78)))
    #expect(bench.wire.joins.last?.first?.position == nil)
  }

  @Test(arguments: [0, 1, 1 << 62, UInt64.max] as [UInt64])
  func `A daemon may say any number of scopes`(_ scopes: UInt64) throws {
    let bench = try PlayedDaemon()
    bench.wire.published.append((Welcome(epoch: 77).encoded(), nil))
    try bench.greet()
    try bench.helloOK(last: 0, isResumed: false, scopes: scopes)
    #expect(bench.wire.joins.last?.count == 1)
  }

  @Test("§8.4: after an aborted join, frames of a unicast view wait for the next join")
  func brokenOwnJoin() throws {
    let bench = try PlayedDaemon(topic: .unicastView)
    try bench.join(revision: 5)
    #expect(bench.log.last?.contains("5") == true)
    let before = bench.log
    // The daemon accepts a join without the client's knowledge, and continues with that view.
    _ = bench.client.add("cards", mode: .follow, replica: TypedReplica<Deck.Counter>())
    try bench.wire.settle()
    try bench.greet()
    try bench.helloOK(last: 0, isResumed: true)
    try bench.publish(sequence: 1, revisions: 6...6)
    #expect(bench.log.filter { $0.contains("6") } == before.filter { $0.contains("6") })
    #expect(bench.wire.joins.last?.first?.position?.revision == 5)
  }

  @Test("§10: an action that a daemon of another epoch refuses may have run in the previous one")
  func refusedByTheNext() throws {
    for code in [Outcome.absent, Outcome.rejected, Outcome.overloaded, "unauthorised"] {
      let bench = try PlayedDaemon()
      try bench.join(revision: 5)
      let ticket = bench.client.submit([0], to: bench.scope)
      try bench.wire.settle()
      try bench.greet()
      try bench.helloOK(epoch: 78, last: 0, isResumed: false)
      try bench.answer(revision: 1, sequence: 0)
      let refusal = Outcome.failed(Outcome.Failure(code: code, message: "Not here."))
      try bench.send(
        .acks(
          DaemonMessage.Acks(
            first: 1,
            outcomes: [refusal],
            watermark: DaemonMessage.Watermark(nonce: bench.client.lastNonce, sequence: 0),
          )
        )
      )
      guard case .failed(let failure)? = ticket.outcome else {
        Issue.record("\(code): \(String(describing: ticket.outcome))")
        continue
      }
      #expect(failure.code == Outcome.outcomeUnknown && failure.message.hasSuffix("Not here."))
    }
  }

  @Test("An action whose deadline passes while no daemon runs expires on time")
  func expiryOffline() throws {
    let bench = try PlayedDaemon()
    let scope = bench.scope
    let soon = bench.client.submit([0], to: scope, timeToLive: .milliseconds(100))
    let later = bench.client.submit([0], to: scope, timeToLive: .milliseconds(300))
    try bench.wire.settle()
    #expect(bench.client.nextDeadline == bench.wire.now.instant.advanced(by: .milliseconds(100)))
    try bench.wire.advance(by: .milliseconds(99))
    #expect(soon.outcome == nil)
    try bench.wire.advance(by: .milliseconds(1))
    guard case .failed(let failure)? = soon.outcome else {
      Issue.record("It has not expired: \(String(describing: soon.outcome))")
      return
    }
    #expect(failure.code == Outcome.expired)
    #expect(later.outcome == nil)
    #expect(bench.client.nextDeadline == bench.wire.now.instant.advanced(by: .milliseconds(200)))
    try bench.wire.advance(by: .milliseconds(200))
    #expect(later.isFinished)
  }
}
