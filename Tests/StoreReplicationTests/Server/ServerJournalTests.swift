import GenericState
import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// A daemon with a journal: it sends a change only after the change is durable.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct ServerJournalTests {
  private let journal = BenchJournal()

  private func bench(
    limits: Limits = Limits(),
    address: String? = nil,
  ) throws -> (ServerBench, DaemonMessage.HelloOK, ServerBench.Joined) {
    let bench = ServerBench(limits: limits, journal: journal)
    bench.addresses[ServerBench.peer(1)] = address
    let hello = try bench.hello(1)
    let joined = try bench.join(1, hello, nonce: 1, [.follow("counter"), .follow("cards")])
    return (bench, hello, joined)
  }

  /// Makes the batch in progress durable.
  private func sync(_ bench: ServerBench) throws {
    let batch = try #require(journal.batches.last)
    bench.turn.finish(.durable(through: batch.revisions.upperBound))
    try bench.endTurn()
  }

  private func status(_ bench: ServerBench) throws -> GenericValue {
    bench.receive(.status(request: 5), from: 1)
    try bench.endTurn()
    guard case .status(request: 5, let item)? = bench.take(1).last else {
      throw CodecError(.typeMismatch, "there is no status")
    }
    return try GenericValue(encoded: item)
  }

  private func ping(_ bench: ServerBench, _ number: UInt64) throws -> DaemonMessage {
    bench.receive(.ping(number: number, revision: 0), from: 1)
    try bench.endTurn()
    return try #require(bench.take(1).last)
  }

  @Test func `Deltas and outcomes leave when their revision is durable, in this order`() throws {
    let (bench, _, joined) = try bench()
    _ = bench.takeOrder()
    #expect(try bench.act(1, sequence: 1, .incrementButtonTapped, .incrementButtonTapped) == [])
    #expect(bench.take(joined.topic).isEmpty)
    #expect(bench.server.revision == 0)
    #expect(bench.root.revision == 2)
    #expect(journal.batches.map(\.revisions) == [1...2])
    try sync(bench)
    #expect(bench.takeOrder() == ["deltas", "acks"])
    #expect(bench.server.revision == 2)
    bench.server.checkInvariants()
  }

  @Test func `While records are on their way the next ones grow into one batch`() throws {
    let (bench, _, _) = try bench()
    for sequence in 1...5 as ClosedRange<UInt64> {
      _ = try bench.act(1, sequence: sequence, .incrementButtonTapped)
    }
    #expect(journal.batches.map(\.revisions) == [1...1])
    try sync(bench)
    #expect(journal.batches.map(\.revisions) == [1...1, 2...5])
    #expect(bench.server.revision == 1)
    try sync(bench)
    #expect(bench.server.revision == 5)
    let outcomes = bench.take(1).outcomes
    #expect(outcomes == (1...5).map { .applied(revision: $0, hasEffects: false) })
  }

  @Test func `The next batch is on its way before durable outcomes are sent`() throws {
    let (bench, _, _) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    _ = try bench.act(1, sequence: 2, .incrementButtonTapped)
    _ = bench.takeOrder()
    bench.turn.finish(.durable(through: 1))
    #expect(journal.batches.map(\.revisions) == [1...1, 2...2])
    #expect(bench.takeOrder().isEmpty)
    bench.turn.end()
    #expect(journal.batches.count == 2)
    #expect(bench.takeOrder() == ["deltas", "acks"])
  }

  /// Sends 20 actions.
  ///
  /// One turn has reduced 8 of them when the disk completes the previous batch.
  private func pause(_ bench: ServerBench) throws {
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    journal.hasResult = true
    bench.receive(try actions(20, from: 2), from: 1)
    bench.turn.end()
    #expect(bench.root.revision == 9)
  }

  private func actions(_ count: Int, from first: UInt64) throws -> ClientMessage {
    let action = try Deck.CounterAction.incrementButtonTapped.encoded()
    return .actions(
      first: first,
      Array(
        repeating: ClientMessage.ActionRequest(handle: 1, action: action[...], deadline: nil),
        count: count,
      ),
    )
  }

  @Test func `Durable outcomes are sent before the rest of a frame is reduced`() throws {
    let (bench, _, _) = try bench()
    try pause(bench)
    _ = bench.takeOrder()
    journal.hasResult = false
    bench.turn.finish(.durable(through: 1))
    #expect(bench.turn.receive())
    bench.turn.end()
    #expect(bench.takeOrder() == ["deltas", "acks"])
    #expect(bench.root.revision == 9)
    #expect(journal.batches.map(\.revisions) == [1...1], "The rest shares the next batch")
    try bench.endTurn()
    #expect(journal.batches.map(\.revisions) == [1...1, 2...21])
    try sync(bench)
    let outcomes = bench.take(1).outcomes
    #expect(outcomes == (1...21).map { .applied(revision: $0, hasEffects: false) })
  }

  @Test func `The rest of a frame continues, however often the disk finishes work`() throws {
    let (bench, _, _) = try bench()
    try pause(bench)
    bench.turn.finish(.durable(through: 1))
    for revision in [9, 17, 21] as [UInt64] {
      #expect(bench.root.revision == revision)
      _ = bench.turn.receive()
      bench.turn.end()
      _ = bench.turn.receive()
      bench.turn.end()
    }
    #expect(journal.batches.map(\.revisions) == [1...1, 2...21])
  }

  @Test func `Clients are heard although the disk has done something in every turn`() throws {
    let (bench, _, _) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    bench.receive(control: try actions(1, from: 2).encoded(), from: ServerBench.peer(1))
    // Like an effect of the daemon that sends in every turn, on a disk that is faster than a turn.
    for revision in 1...3 as ClosedRange<UInt64> {
      bench.root.send(.secretChanged)
      bench.turn.finish(.durable(through: revision))
      _ = bench.turn.receive()
      bench.turn.end()
    }
    #expect(bench.root.state.counter.count == 2)
  }

  @Test func `The rest of a frame is not reduced for a session that has ended`() throws {
    let (bench, _, _) = try bench()
    try pause(bench)
    bench.server.malformed(
      from: ServerBench.peer(1),
      "nonsense",
      caller: bench.caller(of: ServerBench.peer(1)),
      at: bench.now,
    )
    journal.hasResult = false
    try bench.endTurn()
    #expect(bench.root.revision == 9)
    // The reduced actions are kept nevertheless.
    bench.turn.finish(.durable(through: 1))
    try bench.endTurn()
    #expect(journal.batches.map(\.revisions) == [1...1, 2...9])
  }

  @Test func `A daemon that stops does not reduce the rest of a frame`() throws {
    let (bench, _, _) = try bench()
    try pause(bench)
    bench.turn.stop()
    bench.turn.end()
    bench.turn.finish(.durable(through: 1))
    _ = bench.turn.receive()
    bench.turn.end()
    #expect(bench.root.revision == 9)
    #expect(journal.batches.map(\.revisions) == [1...1, 2...9])
  }

  @Test func `The rest of a frame does not delay the disk while clients wait for it`() throws {
    var limits = Limits()
    limits.unreleasedRevisions = 8
    let (bench, _, _) = try bench(limits: limits)
    try pause(bench)
    bench.turn.finish(.durable(through: 1))
    for _ in 0..<3 {
      _ = bench.turn.receive()
      bench.turn.end()
    }
    // A frame that has begun continues; its holder's next one waits.
    #expect(journal.batches.map(\.revisions) == [1...1, 2...17])
  }

  @Test func `A record has the sender of each action, and its changes in the whole root`() throws {
    let (bench, hello, _) = try bench(address: "localhost:1000:100:71")
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    bench.root.send(.secretChanged)
    try sync(bench)
    try sync(bench)
    let records = try journal.records
    #expect(
      records[0].origin
        == .client(
          JournalRecord.ClientAction(
            client: ServerBench.clientID(1),
            session: hello.session,
            sequence: 1,
            scope: "counter",
            action: try Deck.CounterAction.incrementButtonTapped.encoded(),
            identity: .user(1000, group: 100, process: 71),
            // The first record of the session has its name.
            name: bench.server.sessions.all.first?.info.name,
          )
        )
    )
    #expect(
      records[1].origin == .internal(JournalRecord.InternalAction(name: "secretChanged"))
    )
    let recovered = try journal.recover(2)
    #expect(recovered.root == bench.root.state)
    #expect(recovered.root.secret == 1)
  }

  @Test func `Pings are answered during slow writes, with the durable revision`() throws {
    let (bench, _, _) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    guard case .pong(number: 7, revision: 0, let watermark) = try ping(bench, 7) else {
      Issue.record("No pong of revision 0")
      return
    }
    #expect(watermark.sequence == 0)
  }

  @Test func `A client that joins meanwhile gets the durable state at once, and deltas later`()
    throws
  {
    let (bench, _, _) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    let hello = try bench.hello(2)
    #expect(hello.revision == 0)
    let joined = try bench.join(2, hello, nonce: 1, [.follow("counter")])
    #expect(joined.echo.revision == 0)
    guard case .snapshot(let piece)? = joined.captures.last else {
      Issue.record("No snapshot but \(joined.captures)")
      return
    }
    #expect(piece.revision == 0)
    #expect(try Deck.Counter?(encoded: piece.bytes)?.count == 0)
    try sync(bench)
    guard case .deltas(let run)? = bench.take(joined.topic).first else {
      Issue.record("No delta of revision 1")
      return
    }
    #expect(run.sequence == 1)
  }

  @Test func `Effects begin when their cause is durable`() async throws {
    let (bench, _, _) = try bench()
    _ = try bench.act(1, sequence: 1, .numberFactButtonTapped)
    for _ in 0..<10 { await Task.yield() }
    #expect(bench.gate.waiting == 0)
    try sync(bench)
    while bench.gate.waiting == 0 { await Task.yield() }
    bench.gate.open()
  }

  @Test func `An effect that is cancelled before its revision is durable never begins`()
    async throws
  {
    let (bench, _, _) = try bench()
    _ = try bench.act(1, sequence: 1, .numberFactButtonTapped)
    bench.receive(.cancel(sequence: 1), from: 1)
    try bench.endTurn()
    try sync(bench)
    for _ in 0..<10 { await Task.yield() }
    #expect(bench.gate.waiting == 0)
    let messages = bench.take(1)
    #expect(messages.contains { if case .finished([1], _) = $0 { true } else { false } })
  }

  @Test func `An effect whose last revision is not durable still runs for a returning client`()
    async throws
  {
    let (bench, hello, _) = try bench()
    _ = try bench.act(1, sequence: 1, .numberFactButtonTapped)
    try sync(bench)
    await eventually { bench.gate.waiting == 1 }
    bench.gate.open()
    await eventually { !bench.root.hasRunningEffects }
    try bench.endTurn()
    #expect(bench.root.revision > 1 && bench.server.revision == 1)
    #expect(try bench.hello(2, client: 1, token: hello.token).running == [1])
    #expect(!bench.take(2).contains { if case .finished = $0 { true } else { false } })
    try sync(bench)
    #expect(bench.take(2).contains { if case .finished([1], _) = $0 { true } else { false } })
    #expect(try bench.hello(3, client: 1, token: hello.token).running == [])
  }

  @Test func `A client that exceeds the window during a stall of the disk loses its session`()
    throws
  {
    var limits = Limits()
    limits.window = 8
    let (bench, _, _) = try bench(limits: limits)
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    // Actions without a scope: their outcomes exist at once, and are sent after the first one's.
    let nothing = ClientMessage.ActionRequest(handle: 0, action: [0xf6], deadline: nil)
    for sequence in 2...9 as ClosedRange<UInt64> {
      bench.receive(.actions(first: sequence, [nothing]), from: 1)
    }
    try bench.endTurn()
    #expect(bench.server.sessions.all.count == 1)
    bench.receive(.actions(first: 10, [nothing]), from: 1)
    try bench.endTurn()
    #expect(bench.server.sessions.all.isEmpty)
    // The goodbye waits until the outcomes of the other actions can be sent.
    #expect(bench.take(1).isEmpty)
    try sync(bench)
    guard case .goodbye(code: "protocolError", _)? = bench.take(1).last else {
      Issue.record("The session continues")
      return
    }
  }

  @Test func `A retry waits for the same record as the first try`() throws {
    let (bench, hello, _) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    let again = try bench.hello(2, client: 1, token: hello.token)
    #expect(again.lastSequence == 0, "An action is acknowledged only after it is durable")
    #expect(try bench.act(2, sequence: 1, .incrementButtonTapped) == [])
    #expect(bench.root.state.counter.count == 1)
    try sync(bench)
    let outcomes = bench.take(2).outcomes
    #expect(Set(outcomes) == [.applied(revision: 1, hasEffects: false)])
  }

  @Test func `While the disk has enough to do, new actions wait`() throws {
    var limits = Limits()
    limits.unreleasedRevisions = 2
    let (bench, _, _) = try bench(limits: limits)
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped, .incrementButtonTapped)
    _ = try bench.act(1, sequence: 3, .incrementButtonTapped)
    #expect(bench.root.state.counter.count == 2)
    #expect(bench.turn.hasBackpressure)
    try sync(bench)
    try bench.endTurn()
    #expect(!bench.turn.hasBackpressure)
    #expect(bench.root.state.counter.count == 3)
    #expect(journal.batches.map(\.revisions) == [1...2, 3...3])
  }

  @Test func `While new actions wait, an ended lease makes no turns`() throws {
    var limits = Limits()
    limits.unreleasedRevisions = 2
    let (bench, _, _) = try bench(limits: limits)
    try bench.hello(2)
    try bench.advance(by: .milliseconds(9_950))
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped, .incrementButtonTapped)
    try bench.advance(by: .milliseconds(90))
    #expect(bench.turn.hasBackpressure)
    #expect(bench.server.counters.leasesEnded == 0, "The client's actions may wait")
    let deadline = try #require(bench.turn.nextDeadline)
    #expect(deadline > bench.now.instant, "No work is due at once")
    try sync(bench)
    #expect(bench.server.counters.leasesEnded == 1)
  }

  @Test func `Requests without the disk wait at most a tenth of a second after actions`() throws {
    var limits = Limits()
    limits.unreleasedRevisions = 2
    let (bench, _, _) = try bench(limits: limits)
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped, .incrementButtonTapped)
    _ = bench.take(1)
    bench.receive(.ping(number: 7, revision: 0), from: 1)
    try bench.endTurn()
    #expect(bench.take(1).isEmpty)
    #expect(bench.turn.nextDeadline == bench.now.instant.advanced(by: .milliseconds(100)))
    try bench.advance(by: .milliseconds(100))
    guard case .pong(number: 7, revision: 0, _)? = bench.take(1).last else {
      Issue.record("No pong")
      return
    }
  }

  @Test
  func `Clients are heard, and their actions taken, though the daemon's own fill the journal`()
    throws
  {
    var limits = Limits()
    limits.unreleasedRevisions = 2
    let (bench, _, _) = try bench(limits: limits)
    for _ in 0..<2 { bench.root.send(.secretChanged) }
    try bench.endTurn()
    for round in 1...4 {
      for _ in 0..<2 { bench.root.send(.secretChanged) }
      try sync(bench)
      #expect(!bench.turn.hasBackpressure, "round \(round)")
      try bench.advance(by: .milliseconds(25))
    }
    guard case .pong = try ping(bench, 1) else {
      Issue.record("No pong")
      return
    }
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    #expect(bench.root.state.counter.count == 1)
  }

  @Test func `When the disk stalls actions are refused, and reads go on`() throws {
    var limits = Limits()
    limits.unreleasedRevisions = 2
    let (bench, _, _) = try bench(limits: limits)
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped, .incrementButtonTapped)
    try bench.advance(by: .milliseconds(100))
    let refused = try bench.act(1, sequence: 3, .incrementButtonTapped)
    guard refused.count == 1, case .failed(let failure) = refused[0] else {
      Issue.record("Not refused at once but \(refused)")
      return
    }
    #expect(failure.code == Outcome.overloaded)
    #expect(bench.root.state.counter.count == 2)
    let deadline = try #require(bench.turn.nextDeadline)
    #expect(deadline > bench.now.instant, "No work is due at once")
    guard case .pong = try ping(bench, 1) else {
      Issue.record("No pong")
      return
    }
    try sync(bench)
    #expect(bench.take(1).outcomes == (1...2).map { .applied(revision: $0, hasEffects: false) })
    // The next action is accepted again.
    _ = try bench.act(1, sequence: 4, .incrementButtonTapped)
    #expect(bench.root.state.counter.count == 3)
    #expect(journal.batches.map(\.revisions) == [1...2, 3...3])
  }

  @Test func `The daemon's own store reports when its journal has an action`() async throws {
    let (bench, _, _) = try bench()
    let task = bench.root.send(.secretChanged)
    #expect(bench.root.state.secret == 1, "It shows the newest state at once")
    let waiting = Task { try await task.applied() }
    try bench.endTurn()
    try sync(bench)
    #expect(try await waiting.value == 1)
    let lost = bench.root.send(.secretChanged)
    try bench.endTurn()
    bench.turn.finish(.failed("The disk is broken."))
    let failure = await #expect(throws: ActionFailure.self) { try await lost.applied() }
    #expect(failure?.code == .outcomeUnknown && failure?.revision == 2)
    #expect(failure?.message.contains("The disk is broken.") == true)
  }

  @Test func `Actions that were not kept at the daemon's end fail, and later ones do not wait`()
    async throws
  {
    let (bench, _, _) = try bench()
    let task = bench.root.send(.secretChanged)
    try bench.endTurn()
    bench.turn.detach()
    let failure = await #expect(throws: ActionFailure.self) { try await task.applied() }
    #expect(failure?.code == .outcomeUnknown)
    #expect(try await bench.root.send(.secretChanged).applied() == 2)
  }

  @Test func `Records without room are held, tried again, and then acknowledged`() throws {
    let (bench, _, joined) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    bench.turn.finish(.retryLater("no room."))
    try bench.endTurn()
    #expect(bench.takeNotices().filter { $0.text.contains("no room") }.count == 1)
    #expect(journal.batches.count == 1)
    let refused = try bench.act(1, sequence: 2, .incrementButtonTapped)
    guard refused.count == 1, case .failed(let failure) = refused[0] else {
      Issue.record("Not refused at once but \(refused)")
      return
    }
    #expect(failure.code == Outcome.overloaded && failure.message.contains("no room. Try"))
    #expect(bench.root.state.counter.count == 1)
    #expect(bench.take(joined.topic).isEmpty)
    try bench.advance(by: .seconds(1))
    #expect(journal.batches.map(\.revisions) == [1...1, 1...1])
    bench.turn.finish(.retryLater("no room"))
    try bench.endTurn()
    let status = try self.status(bench)
    #expect(status[field: "obstacle"] == .text("no room"))
    #expect(status[field: "durableRevision"] == .unsigned(0))
    #expect(status[field: "newestRevision"] == .unsigned(1))
    #expect(bench.takeNotices().isEmpty, "The notice appears once")
    try bench.advance(by: .seconds(1))
    try sync(bench)
    #expect(
      bench.takeNotices().map(\.text) == ["Waiting records are kept. Actions are taken again."]
    )
    let outcomes = bench.take(1).outcomes
    #expect(outcomes == [.applied(revision: 1, hasEffects: false)])
    #expect(try self.status(bench)[field: "obstacle"] == .null)
    #expect(bench.take(joined.topic).count >= 1)
    _ = try bench.act(1, sequence: 3, .incrementButtonTapped)
    #expect(bench.root.state.counter.count == 2)
  }

  @Test func `Clients that join and leave while the disk is full make no revisions`() throws {
    let (bench, _, _) = try bench()
    bench.addresses[ServerBench.peer(3)] = "three"
    try bench.hello(2, isListed: true)
    let there = bench.root.state.sessions
    bench.turn.finish(.retryLater("no room"))
    try bench.endTurn()
    let newest = bench.root.revision
    bench.receive(.bye, from: 2)
    for client in 10..<30 as Range<UInt8> { try bench.hello(3, client: client, isListed: true) }
    #expect(bench.root.revision == newest && bench.root.state.sessions == there)
    #expect(!bench.server.hasWork, "No work is due at once")
    try bench.advance(by: .seconds(1))
    try sync(bench)
    // The reducer is not notified of sessions that began and ended meanwhile.
    #expect(bench.root.revision == newest + 2)
    #expect(bench.root.state.sessions.count == 1 && bench.root.state.sessions != there)
  }

  @Test func `What is asked again and again while the disk is busy is answered once`() throws {
    let (bench, _, _) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    for _ in 0..<20 { _ = try bench.act(1, sequence: 1, .incrementButtonTapped) }
    try sync(bench)
    #expect(bench.take(1).outcomes == [.applied(revision: 1, hasEffects: false)])
  }

  @Test func `The changes of effects while the disk is full are bounded`() throws {
    var limits = Limits()
    limits.mostUnreleasedRevisions = 3
    let (bench, _, _) = try bench(limits: limits)
    bench.root.send(.secretChanged)
    try bench.endTurn()
    bench.turn.finish(.retryLater("the disk is full"))
    bench.root.send(.secretChanged)
    try bench.endTurn()
    #expect(bench.turn.failure == nil)
    bench.root.send(.secretChanged)
    try bench.endTurn()
    let failure = try #require(bench.turn.failure)
    #expect(failure.contains("3 changes") && failure.contains("the disk is full"))
    try bench.advance(by: .seconds(1))
    #expect(bench.turn.isOver)
    // The disk has room again, too late.
    bench.turn.finish(.durable(through: 1))
    #expect(bench.server.revision == 0)
  }

  @Test func `A daemon whose disk never answers ends all the same, and reports it`() throws {
    let (bench, _, _) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    bench.turn.stop()
    try bench.endTurn()
    try bench.advance(by: .seconds(9))
    #expect(!bench.turn.isOver)
    let deadline = try #require(bench.turn.nextDeadline)
    #expect(deadline > bench.now.instant, "No work is due before the time is over")
    try bench.advance(by: .seconds(1))
    try bench.advance(by: .seconds(1))
    #expect(bench.turn.isOver)
    #expect(bench.turn.failure?.contains("disk") == true)
  }

  @Test func `Trouble with old history is reported, and ends no wait for a snapshot`() throws {
    var limits = Limits()
    limits.recordBytesPerSnapshot = 1
    let (bench, _, _) = try bench(limits: limits)
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    try sync(bench)
    #expect(journal.snapshots.count == 1)
    bench.turn.finish(.untrimmed("no room"))
    _ = try bench.act(1, sequence: 2, .incrementButtonTapped)
    try sync(bench)
    #expect(journal.snapshots.count == 1, "The first is still being made")
    bench.turn.finish(.snapshot(problem: "no room"))
    try bench.endTurn()
    #expect(journal.snapshots.count == 2)
    #expect(bench.takeNotices().map(\.text).filter { $0.contains("no room") }.count == 2)
  }

  @Test func `A session that left without a revision is not in a snapshot either`() throws {
    let recorder = Recorder(revision: 0)
    let who = SessionInfo(id: 1, name: "one", address: "here")
    recorder.begin(.session(.joined(who)))
    _ = recorder.record(1) { _ in false }
    let now = Instant(nanoseconds: 0)
    _ = recorder.nextBatch(now)
    #expect(recorder.finish(.durable(through: 1), now: now) == nil)
    func listed() throws -> [UInt64] {
      let version = RootVersion(0, revision: 1)
      let snapshot = recorder.snapshot(of: version, clients: []) { $1.encodeNull() }
      return try SnapshotBytes.decode(snapshot.encoded()[...]).history.sessions.keys.sorted()
    }
    #expect(try listed() == [1])
    // The reducer received the action, and changed no state.
    recorder.begin(.session(.left(who)))
    recorder.noteUnrecordedOrigin()
    #expect(try listed() == [])
  }

  @Test func `When the journal fails for good clients get only a goodbye`() throws {
    let (bench, _, joined) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    bench.turn.finish(.failed("the disk is gone"))
    try bench.endTurn()
    try bench.endTurn()
    #expect(bench.turn.failure == "the disk is gone" && !bench.turn.isFenced)
    let messages = bench.take(1)
    #expect(messages.count == 1)
    guard case .goodbye(_, let message)? = messages.first else {
      Issue.record("\(messages)")
      return
    }
    #expect(message.contains("the disk is gone"))
    #expect(bench.take(joined.topic).isEmpty)
    try bench.advance(by: .seconds(1))
    #expect(bench.turn.isOver)
  }

  @Test(arguments: [false, true])
  func `A daemon that another one has taken over from ends without another frame`(
    isToStop: Bool
  ) throws {
    let (bench, _, joined) = try bench()
    let lost = bench.root.send(.secretChanged)
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    if isToStop {
      bench.turn.stop()
      try bench.endTurn()
    }
    bench.turn.finish(.fenced("term 2 follows 1"))
    try bench.endTurn()
    #expect(bench.turn.isOver && bench.turn.failure == "term 2 follows 1")
    #expect(bench.turn.isFenced)
    // Later messages are not answered either.
    bench.receive(.ping(number: 7, revision: 0), from: 1)
    try bench.endTurn()
    try bench.advance(by: .seconds(1))
    #expect(bench.take(1).isEmpty && bench.take(joined.topic).isEmpty)
    #expect(journal.batches.count == 1 && journal.snapshots.isEmpty)
    withExtendedLifetime(lost) {}
  }

  @Test func `A daemon that is fenced after a failure of its journal sends no goodbye`() throws {
    let (bench, _, joined) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    bench.turn.finish(.failed("the disk is gone"))
    bench.turn.finish(.fenced("term 2 follows 1"))
    try bench.endTurn()
    #expect(bench.turn.isOver && bench.turn.isFenced && bench.turn.failure == "the disk is gone")
    try bench.advance(by: .seconds(1))
    #expect(bench.take(1).isEmpty && bench.take(joined.topic).isEmpty)
  }

  @Test func `A stopping daemon waits for its journal, and first sends all outcomes`() throws {
    let (bench, _, joined) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    bench.turn.stop()
    try bench.endTurn()
    #expect(bench.take(1).isEmpty)
    try sync(bench)
    #expect(bench.take(joined.topic).count == 1)
    let kinds = bench.take(1).map { "\($0)".prefix { $0 != "(" }.description }
    #expect(kinds == ["acks", "goodbye"])
  }

  @Test func `A client that was silent during the last writes has not left`() throws {
    let (bench, _, _) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    try bench.advance(by: bench.server.timing.lease - .seconds(7))
    bench.turn.stop()
    try bench.endTurn()
    try bench.advance(by: .seconds(8))
    #expect(bench.take(1).isEmpty)
    try sync(bench)
    let goodbyes = bench.take(1).compactMap { message -> String? in
      if case .goodbye(let code, _) = message { code } else { nil }
    }
    #expect(goodbyes == ["goingDown"])
    #expect(bench.server.counters.leasesEnded == 0)
  }

  @Test func `The duration of a reducer is not logged for an action with an absent target`() throws
  {
    let recorder = Recorder(revision: 0)
    var nanoseconds: Int64 = 1
    recorder.nanoseconds = { nanoseconds }
    let write: (inout CBOREncoder) -> Bool = { _ in false }
    recorder.begin { JournalRecord.InternalAction(name: "row") }
    recorder.abandon()
    nanoseconds += 3_600_000_000_000
    _ = recorder.record(1, delta: write)
    recorder.begin { JournalRecord.InternalAction(name: "row") }
    nanoseconds += 5_000
    _ = recorder.record(2, delta: write)
    let batch = try #require(recorder.nextBatch(Instant(nanoseconds: 0)))
    var decoder = CBORDecoder(batch.records)
    let first = try JournalRecord(from: &decoder)
    let second = try JournalRecord(from: &decoder)
    #expect(first.details.microseconds == nil)
    #expect(second.details.microseconds == 5)
  }

  // MARK: Starting again

  @Test func `After a restart an acknowledged action is known, and is not run again`() throws {
    let (bench, _, _) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped, .incrementButtonTapped)
    try sync(bench)
    _ = bench.take(1)
    let again = ServerBench(journal: BenchJournal(), recovered: try journal.recover(1))
    #expect(again.root.state == bench.root.state)
    #expect(again.server.revision == 3, "The daemon has sent its reducer the restart")
    let hello = try again.hello(1, first: 1)
    #expect(hello.lastSequence == 2)
    try again.join(1, hello, nonce: 1, [.follow("counter")])
    let outcomes = try again.act(1, sequence: 1, .incrementButtonTapped, .incrementButtonTapped)
    #expect(outcomes == (1...2).map { .applied(revision: $0, hasEffects: false) })
    #expect(again.root.state.counter.count == 2)
  }

  @Test func `After a restart clients continue from their revision, by delta`() throws {
    let (bench, _, _) = try bench()
    for sequence in 1...3 as ClosedRange<UInt64> {
      _ = try bench.act(1, sequence: sequence, .incrementButtonTapped)
      try sync(bench)
    }
    let again = ServerBench(journal: BenchJournal(), recovered: try journal.recover(3))
    let hello = try again.hello(1)
    let position = ClientMessage.Position(epoch: 7, revision: 1)
    let joined = try again.join(
      1,
      hello,
      nonce: 1,
      [.follow("counter", position: position)],
    )
    guard case .replay(let replay)? = joined.captures.last else {
      Issue.record("No replay but \(joined.captures)")
      return
    }
    #expect(replay.revision == 4)
  }

  @Test func `A client that has seen later revisions proves that an older copy was put back`()
    throws
  {
    let (bench, _, _) = try bench()
    for sequence in 1...3 as ClosedRange<UInt64> {
      _ = try bench.act(1, sequence: sequence, .incrementButtonTapped)
      try sync(bench)
    }
    let disk = BenchJournal()
    let again = ServerBench(journal: disk, recovered: try journal.recover(1))
    try again.hello(1)
    try again.hello(2)
    func join(_ peer: UInt8, nonce: UInt64, epoch: UInt64, revision: UInt64) throws {
      let position = ClientMessage.Position(epoch: epoch, revision: revision)
      again.receive(.join(nonce: nonce, [.follow("counter", position: position)]), from: peer)
      try again.endTurn()
    }
    try join(1, nonce: 1, epoch: 8, revision: 3)
    #expect(again.take(1).count == 1 && disk.epochs.isEmpty, "Another epoch is no evidence of it")
    try join(1, nonce: 2, epoch: 7, revision: 3)
    let epoch = try #require(disk.epochs.first)
    #expect(epoch != 7 && again.take(1).isEmpty)
    #expect(again.takeNotices().contains { $0.text.contains("ended at revision 1") })
    // No session begins in an epoch that is about to end.
    again.receive(.bye, from: 2)
    let hello = ClientMessage.Hello(
      clientID: ServerBench.clientID(2),
      token: nil,
      firstSequence: 1,
      name: "peer 2",
      isListed: false,
    )
    again.receive(.hello(hello), from: 2)
    try again.endTurn()
    #expect(again.take(2).isEmpty && again.server.epoch == 7)
    again.turn.finish(.renewed(epoch: epoch))
    try again.endTurn()
    guard case .goodbye("rolledBack", let message)? = again.take(1).first else {
      Issue.record("No client got a goodbye")
      return
    }
    #expect(message.contains("rolled back to revision 2"))
    #expect(again.welcome == Welcome(epoch: epoch).encoded())
    #expect(try again.hello(1).epoch == epoch)
    // It is believed once: no client can have seen more in an epoch that begins with this daemon.
    try join(1, nonce: 1, epoch: epoch, revision: 99)
    #expect(disk.epochs.count == 1)
    #expect(again.take(1).count == 1)
  }

  @Test func `A client without rights to a scope cannot claim to have seen more of it`() throws {
    let (bench, _, _) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    try sync(bench)
    let disk = BenchJournal()
    let again = ServerBench(journal: disk, recovered: try journal.recover(1))
    let cards = Grants.Line(
      grantee: .user(1000),
      scopes: [try #require(ScopePattern("cards"))],
      sees: true,
      sends: .nothing,
    )
    again.turn.apply(Grants(owner: 999, lines: [cards]))
    again.addresses[ServerBench.peer(2)] = "localhost:1000:100:2"
    try again.hello(2, features: .known)
    let position = ClientMessage.Position(epoch: 7, revision: 1 << 40)
    for (nonce, scope) in [(1, "counter"), (2, "nothing"), (3, "cards")] as [(UInt64, String)] {
      #expect(disk.epochs.isEmpty)
      again.receive(.join(nonce: nonce, [.follow(scope, position: position)]), from: 2)
      try again.endTurn()
    }
    #expect(disk.epochs.count == 1)
  }

  @Test func `A revision that was lost is not taken for one that the restart has made`() throws {
    let (bench, _, _) = try bench()
    for sequence in 1...2 as ClosedRange<UInt64> {
      _ = try bench.act(1, sequence: sequence, .incrementButtonTapped)
      try sync(bench)
    }
    let disk = BenchJournal()
    let again = ServerBench(journal: disk, recovered: try journal.recover(1))
    #expect(again.server.revision == 2)
    let seen = ClientMessage.Position(epoch: 7, revision: 2)
    // A client that joins now sees revision 2, and may return with it, also in another session.
    try again.join(3, try again.hello(3), nonce: 1, [.follow("counter")])
    let other = ClientMessage.Hello(
      clientID: ServerBench.clientID(3),
      token: nil,
      firstSequence: 1,
      name: "peer 3",
      isListed: false,
    )
    again.receive(.hello(other), from: 4)
    again.receive(.join(nonce: 1, [.follow("counter", position: seen)]), from: 4)
    try again.endTurn()
    #expect(disk.epochs.isEmpty)
    try again.hello(1)
    again.receive(.join(nonce: 1, [.follow("counter", position: seen)]), from: 1)
    try again.endTurn()
    #expect(disk.epochs.count == 1 && disk.epochs.first != 7)
    #expect(again.takeNotices().contains { $0.text.contains("ended at revision 1") })
  }

  @Test func `Sessions that were listed at the daemon's end have left at its next start`() throws {
    let bench = ServerBench(journal: journal)
    try bench.hello(1, isListed: true)
    let other = try bench.hello(2, isListed: true)
    bench.receive(.bye, from: 1)
    try bench.endTurn()
    while journal.batches.last?.revisions.upperBound ?? 0 > bench.server.revision {
      try sync(bench)
    }
    #expect(bench.root.state.sessions == [other.session])
    let recovered = try journal.recover(journal.batches.count)
    #expect(recovered.root.sessions == [other.session])
    let again = ServerBench(journal: BenchJournal(), recovered: recovered)
    #expect(again.root.state.sessions == [])
    #expect(again.root.revision == recovered.revision + 1)
    #expect(try again.hello(3).session > other.session, "Numbers go on")
  }

  @Test func `No number of a session is given twice, also if it has left no record`() throws {
    var limits = Limits()
    limits.reservedSessions = 8
    func numbers(_ bench: ServerBench, _ count: UInt8) throws -> [UInt64] {
      try (1...count).map { try bench.hello($0).session }
    }
    let bench = ServerBench(limits: limits, journal: journal)
    let first = try numbers(bench, 3)
    #expect(first == [1, 2, 3])
    #expect(journal.batches.isEmpty, "The first block of numbers has room for some")
    let form = DurableForm(Deck.State.self)
    let empty = try journal.recover(0, limits: limits).snapshot(form)
    let again = Recovery(form, initial: Deck.State(), limits: limits)
    try again.written(by: form.schema)
    try again.take(snapshot: empty[...])
    let second = ServerBench(limits: limits, journal: journal, recovered: again.finish())
    // The restart is a record, and so is the end of the numbers.
    let later = try numbers(second, 20)
    #expect(later.min() ?? 0 > 8)
    try second.endTurn()
    while let last = journal.batches.last?.revisions.upperBound, last > second.server.revision {
      try sync(second)
    }
    let third = try journal.recover(journal.batches.count, limits: limits)
    #expect(third.history.sessionNumbers > later.max() ?? .max)
  }

  @Test func `A snapshot has all parts of its revision, and no later ones`() throws {
    var limits = Limits()
    limits.recordBytesPerSnapshot = 1
    let (bench, _, _) = try bench(limits: limits)
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    _ = try bench.act(1, sequence: 2, .incrementButtonTapped)
    try sync(bench)
    #expect(journal.snapshots.map(\.revision) == [1])
    let early = try journal.recover(0, snapshot: 0)
    #expect(early.root.counter.count == 1)
    #expect(early.history.clients.map(\.last) == [1])
    try sync(bench)
    let late = try journal.recover(2, snapshot: 0)
    #expect(late.root == bench.root.state)
    #expect(late.history.clients.map(\.last) == [2])
    #expect(late.history.clients.map(\.outcomes.count) == [2])
  }

  /// The clients that a restarted daemon remembers.
  private var remembered: [Identifier] {
    get throws { try journal.recover(journal.batches.count).history.clients.map(\.id) }
  }

  @Test func `A client with a goodbye is forgotten after a restart too, with the next record`()
    throws
  {
    let (bench, _, _) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    try sync(bench)
    bench.receive(.bye, from: 1)
    try bench.endTurn()
    #expect(try remembered == [ServerBench.clientID(1)], "No record contains it yet")
    try bench.hello(2, isListed: true)
    try sync(bench)
    #expect(try remembered == [])
    // A client that returns under its name is known by the actions that it has sent since.
    let hello = try bench.hello(1, first: 5)
    #expect(hello.lastSequence == 4)
    try bench.join(1, hello, nonce: 1, [.follow("counter")])
    _ = try bench.act(1, sequence: 5, .incrementButtonTapped)
    bench.receive(.bye, from: 1)
    let again = try bench.hello(1, first: 1)
    try bench.join(1, again, nonce: 1, [.follow("counter")])
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    try sync(bench)
    try sync(bench)
    let known = try #require(try journal.recover(journal.batches.count).history.clients.first)
    #expect(known.last == 1 && known.outcomes.count == 1)
  }

  @Test func `A stopping daemon records earlier goodbyes`() throws {
    let (bench, _, _) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    try sync(bench)
    bench.receive(.bye, from: 1)
    bench.turn.stop()
    try bench.endTurn()
    #expect(journal.batches.count == 2)
    #expect(try remembered == [])
  }

  @Test func `Many goodbyes are a record of their own`() throws {
    var limits = Limits()
    limits.unrecordedFarewells = 3
    let bench = ServerBench(limits: limits, journal: journal)
    for peer in 1...3 as ClosedRange<UInt8> {
      let hello = try bench.hello(peer)
      try bench.join(peer, hello, nonce: 1, [.follow("counter")])
      _ = try bench.act(peer, sequence: 1, handle: 99, .incrementButtonTapped)
      #expect(journal.batches.isEmpty)
      bench.receive(.bye, from: peer)
      try bench.endTurn()
    }
    #expect(try journal.records.map(\.details.forgotten.count) == [3])
  }

  @Test func `After a restart there are no more outcomes than before, and each client's newest`()
    throws
  {
    var limits = Limits()
    limits.outcomes = 12
    let bench = ServerBench(limits: limits, journal: journal)
    for peer in 1...4 as ClosedRange<UInt8> {
      let hello = try bench.hello(peer)
      try bench.join(peer, hello, nonce: 1, [.follow("counter")])
      for sequence in 1...(peer == 1 ? 2 : 20) as ClosedRange<UInt64> {
        _ = try bench.act(peer, sequence: sequence, .incrementButtonTapped)
        try sync(bench)
      }
    }
    let recovered = try journal.recover(journal.batches.count, limits: limits)
    let counts = recovered.history.clients.map(\.outcomes.count)
    #expect(counts.reduce(0, +) <= 12 && counts.allSatisfy { $0 >= 2 }, "\(counts)")
    #expect(recovered.history.clients.map(\.last) == [2, 20, 20, 20])
    let again = ServerBench(limits: limits, journal: BenchJournal(), recovered: recovered)
    again.server.checkInvariants()
    #expect(try again.hello(2).lastSequence == 20)
  }

  @Test func `A sequence without a record was refused, and is known as that`() throws {
    let (bench, _, _) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    try sync(bench)
    _ = try bench.act(1, sequence: 2, handle: 99, .incrementButtonTapped)
    _ = try bench.act(1, sequence: 3, .incrementButtonTapped)
    try sync(bench)
    let client = try #require(try journal.recover(2).history.clients.first)
    #expect(client.last == 3)
    guard case .failed(let failure) = client.outcomes[1] else {
      Issue.record("\(client.outcomes)")
      return
    }
    #expect(failure.code == Outcome.rejected)
    #expect(client.outcomes[2] == .applied(revision: 2, hasEffects: false))
  }

  @Test func `Records that do not follow one another are refused`() throws {
    let (bench, _, _) = try bench()
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    try sync(bench)
    _ = try bench.act(1, sequence: 2, .incrementButtonTapped)
    try sync(bench)
    let recovery = Recovery(DurableForm(Deck.State.self), initial: Deck.State())
    try recovery.written(by: DurableForm(Deck.State.self).schema)
    #expect(throws: CodecError.self) {
      try recovery.take(records: journal.batches[1].records[...])
    }
  }
}
