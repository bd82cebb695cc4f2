import GenericState
import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

@MainActor
@Suite("Reducers' replies to clients", .timeLimit(.minutes(1)))
struct ServerReplyTests {
  private let journal = BenchJournal()

  private func bench(
    journal: BenchJournal? = nil,
    limits: Limits = Limits(),
    recovered: Recovered<Deck.State>? = nil,
    features: ProtocolFeatures = .replies,
  ) throws -> ServerBench {
    let bench = ServerBench(limits: limits, journal: journal, recovered: recovered)
    let hello = try bench.hello(1, features: features)
    _ = try bench.join(1, hello, nonce: 1, [.follow("counter"), .follow("extra")])
    return bench
  }

  /// The batch under way becomes durable.
  private func sync(_ bench: ServerBench) throws {
    let batch = try #require(journal.batches.last)
    bench.turn.finish(.durable(through: batch.revisions.upperBound))
    try bench.endTurn()
  }

  private func replied(_ revision: UInt64, _ bytes: Int?) throws -> Outcome {
    let text = bytes.map { String(repeating: "x", count: $0) }
    let value = try text.map { try EncodedValue.encoding($0).get() }
    return .replied(.init(revision: revision, hasEffects: false, value: value))
  }

  private func applied(_ revision: UInt64) -> Outcome {
    .applied(revision: revision, hasEffects: false)
  }

  @Test("The outcome of an action has the reply of its reducer, also if it is sent again")
  func replied() throws {
    let bench = try bench()
    let outcomes = try bench.act(
      1,
      sequence: 1,
      .asked(bytes: 2),
      .incrementButtonTapped,
      .asked(bytes: 0),
    )
    #expect(outcomes == [try replied(1, 2), applied(2), try replied(3, 0)])
    #expect(try bench.act(1, sequence: 1, .asked(bytes: 2)) == [try replied(1, 2)])
    #expect(bench.root.state.counter.count == 3)
  }

  @Test("A client that does not know replies receives the outcome without one")
  func unknownFeature() throws {
    let bench = try bench(features: [])
    #expect(try bench.act(1, sequence: 1, .asked(bytes: 2)) == [applied(1)])
    #expect(try bench.act(1, sequence: 1, .asked(bytes: 2)) == [applied(1)])
  }

  @Test("A scope that is exposed without replies has none")
  func undeclared() throws {
    let bench = try bench()
    bench.root.send(.counter(.extraToggled))
    let action = try Deck.ExtraAction.written(text: "x").encoded()
    let request = ClientMessage.ActionRequest(handle: 2, action: action[...], deadline: nil)
    bench.receive(.actions(first: 1, [request]), from: 1)
    try bench.endTurn()
    #expect(bench.take(1).outcomes == [applied(2)])
  }

  @Test("A reply that is too large is reported, and its client learns that there was one")
  func tooLarge() throws {
    let bench = try bench()
    let most = Outcome.Reply.mostBytes
    // A text has a header of three bytes.
    let room = most - 3
    #expect(try bench.act(1, sequence: 1, .asked(bytes: room)) == [try replied(1, room)])
    var outcomes: [Outcome] = []
    try withKnownIssue {
      outcomes = try bench.act(1, sequence: 2, .asked(bytes: room + 1))
    } matching: {
      "\($0)".contains(#"A reply in scope "counter" has \#(most + 1) bytes"#)
    }
    #expect(outcomes == [try replied(2, nil)])
  }

  @Test("A reply is sent when its revision is durable, and is in its record and the snapshot")
  func durable() throws {
    let bench = try bench(journal: journal)
    #expect(try bench.act(1, sequence: 1, .asked(bytes: 2), .incrementButtonTapped) == [])
    try sync(bench)
    #expect(bench.take(1).outcomes == [try replied(1, 2), applied(2)])
    let text = try EncodedValue.encoding("xx").get()
    #expect(try journal.records.map(\.details.reply) == [EncodedReply(value: text), nil])
    var history = KeptHistory()
    history.clients = bench.server.outcomes.kept(through: 2)
    let form = DurableForm(Deck.State.self)
    let bytes = SnapshotBytes.encode(revision: 2, history) { form.encode(Deck.State(), &$0) }
    let decoded = try SnapshotBytes.decode(bytes[...]).history.clients
    #expect(decoded.first?.outcomes == [try replied(1, 2), applied(2)])
  }

  @Test("After a restart, an action that is sent again receives its reply")
  func restarted() throws {
    let bench = try bench(journal: journal)
    _ = try bench.act(1, sequence: 1, .asked(bytes: 2), .asked(bytes: 3))
    try sync(bench)
    let again = try self.bench(journal: BenchJournal(), recovered: journal.recover(1))
    let outcomes = try again.act(1, sequence: 1, .asked(bytes: 2), .asked(bytes: 3))
    #expect(outcomes == [try replied(1, 2), try replied(2, 3)])
    #expect(again.root.state.counter.count == 2)
  }

  @Test("The reply of a daemon's own action is not recorded, and does not reach a client")
  func ofProcess() throws {
    let bench = try bench(journal: journal)
    bench.root.send(.counter(.asked(bytes: 9)))
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    try sync(bench)
    #expect(bench.take(1).outcomes == [applied(2)])
    #expect(try journal.records.allSatisfy { $0.details.reply == nil })
  }

  @Test("A reply of an action that was sent during a commit is not that of the client's action")
  func duringCommit() throws {
    let bench = try bench(journal: journal)
    bench.root.onCommit = { [root = bench.root] revision, _, _ in
      if revision == 1 { root.send(.counter(.asked(bytes: 9))) }
    }
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped, .asked(bytes: 1))
    try sync(bench)
    #expect(bench.take(1).outcomes == [applied(2), try replied(3, 1)])
  }

  @Test("If outcomes need room, values are dropped before outcomes, and old ones first")
  func room() throws {
    var limits = Limits()
    (limits.outcomeBytes, limits.outcomeBytesOfOwner) = (40_000, 0)
    let bench = try bench(limits: limits)
    for sequence in 1...100 as ClosedRange<UInt64> {
      let outcomes = try bench.act(1, sequence: sequence, .asked(bytes: 2_000))
      #expect(outcomes == [try replied(sequence, 2_000)])
      #expect(bench.server.outcomes.outcomeBytes <= limits.outcomeBytes)
    }
    let kept = try #require(bench.server.outcomes.kept(through: 100).first?.outcomes)
    #expect(kept.count == 100)
    let values = kept.map(\.hasValue)
    let count = values.count { $0 }
    #expect(count > 5 && count < 20)
    #expect(values.suffix(count).allSatisfy { $0 })
    #expect(try bench.act(1, sequence: 1, .asked(bytes: 2_000)) == [try replied(1, nil)])
  }

  @Test("Outcomes that wait for the disk are bounded by bytes, and their values are dropped")
  func waiting() throws {
    var limits = Limits()
    (limits.outcomeBytes, limits.outcomeBytesOfOwner) = (40_000, 0)
    let bench = try bench(journal: journal, limits: limits)
    for sequence in 1...100 as ClosedRange<UInt64> {
      _ = try bench.act(1, sequence: sequence, .asked(bytes: 2_000))
      #expect(bench.server.outcomes.outcomeBytes <= limits.outcomeBytes)
    }
    let session = try #require(bench.server.sessions.all.first)
    #expect(session.actions.unsaid.allSatisfy { !$0.outcome.hasValue })
    while bench.server.revision < 100 { try sync(bench) }
    let outcomes = bench.take(1).outcomes
    #expect(outcomes.map { $0.applied?.revision ?? 0 } == Array(1...100))
    #expect(outcomes.count { $0.hasValue } > 5)
    #expect(outcomes.last == (try replied(100, 2_000)))
  }

  @Test("A recovery drops values before outcomes, those of the greatest holder first")
  func recovered() throws {
    var limits = Limits()
    (limits.outcomeBytes, limits.outcomeBytesOfOwner) = (40_000, 8_000)
    let form = DurableForm(Deck.State.self)
    func client(_ number: UInt8, _ holder: ClientHolder) throws -> KeptHistory.Client {
      let outcomes = [applied(1), applied(2), try replied(3, 4_000)]
      let id = ServerBench.clientID(number)
      return KeptHistory.Client(id: id, last: 3, outcomes: outcomes, holder: holder)
    }
    var history = KeptHistory()
    for number in 1...12 as ClosedRange<UInt8> {
      history.clients.append(try client(number, .user(2)))
    }
    history.clients.append(try client(13, .user(1)))
    let recovery = Recovery(form, initial: Deck.State(), limits: limits)
    try recovery.written(by: form.schema)
    let bytes = SnapshotBytes.encode(revision: 3, history) { form.encode(Deck.State(), &$0) }
    try recovery.take(snapshot: bytes[...])
    let clients = recovery.finish().history.clients
    #expect(clients.count == 13)
    #expect(clients.allSatisfy { $0.outcomes.count == 3 })
    #expect(clients.allSatisfy { $0.outcomes[2].hasValue == ($0.holder == .user(1)) })
  }

  @Test("Outcomes that fit keep their values, and others keep as many as possible")
  func keeping() throws {
    let outcomes = try (1...5 as ClosedRange<UInt64>).map { try replied($0, 100) }
    let full = outcomes[0].keptBytes
    let bare = outcomes[0].withoutValue.keptBytes
    func kept(_ bytes: Int, _ count: Int = 1) -> [Bool] {
      outcomes.keeping(olderBytes: bytes, atLeast: count).map(\.hasValue)
    }
    #expect(kept(4 * full) == [true, true, true, true, true])
    #expect(kept(4 * full - 1) == [false, true, true, true, true])
    #expect(kept(4 * bare) == [false, false, false, false, true])
    #expect(kept(4 * bare - 1) == [false, false, false, true])
    #expect(kept(0) == [true])
    #expect(kept(0, 3) == [false, false, true])
    #expect([Outcome]().keeping(olderBytes: 0, atLeast: 1).isEmpty)
  }
}
