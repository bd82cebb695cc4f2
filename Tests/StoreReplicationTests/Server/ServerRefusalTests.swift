import GenericState
import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

@MainActor
@Suite("Reducers' refusals of clients' actions", .timeLimit(.minutes(1)))
struct ServerRefusalTests {
  private let journal = BenchJournal()
  private let bytes = -7

  private func bench(
    journal: BenchJournal? = nil,
    limits: Limits = Limits(),
    recovered: Recovered<Deck.State>? = nil,
    first: UInt64 = 1,
  ) throws -> (ServerBench, Topic) {
    let bench = ServerBench(limits: limits, journal: journal, recovered: recovered)
    let hello = try bench.hello(1, first: first)
    let joined = try bench.join(1, hello, nonce: 1, [.follow("counter")])
    return (bench, joined.topic)
  }

  /// The batch under way becomes durable.
  private func sync(_ bench: ServerBench) throws {
    let batch = try #require(journal.batches.last)
    bench.turn.finish(.durable(through: batch.revisions.upperBound))
    try bench.endTurn()
  }

  private func refusal(_ bytes: Int = -7) throws -> Outcome {
    let value = try EncodedValue.encoding(bytes).get()
    return .failed(
      Outcome.Failure(
        code: Outcome.refused,
        message: "No negative bytes.",
        details: Outcome.RefusalDetails(code: "negative", value: value),
      )
    )
  }

  @Test("A refused action has an outcome with the reason, and no other consequence")
  func refused() throws {
    let (bench, topic) = try bench()
    let outcomes = try bench.act(1, sequence: 1, .filled(bytes: bytes), .incrementButtonTapped)
    #expect(outcomes == [try refusal(), .applied(revision: 1, hasEffects: false)])
    #expect(bench.root.state.counter == Deck.Counter(count: 1))
    #expect(bench.take(topic).count == 1)
    #expect(!bench.root.hasRunningEffects)
    // A repeated action receives the same outcome.
    #expect(try bench.act(1, sequence: 1, .filled(bytes: bytes)) == [try refusal()])
    #expect(bench.root.revision == 1)
  }

  @Test("A refusal is sent when the state that it judged is durable")
  func durable() throws {
    let (bench, _) = try bench(journal: journal)
    let outcomes = try bench.act(1, sequence: 1, .incrementButtonTapped, .filled(bytes: bytes))
    #expect(outcomes == [])
    try sync(bench)
    #expect(
      bench.take(1).outcomes == [.applied(revision: 1, hasEffects: false), try refusal()]
    )
    // Without another revision it makes no record.
    #expect(try bench.act(1, sequence: 3, .filled(bytes: bytes)) == [try refusal()])
    #expect(try journal.records.count == 1)
  }

  @Test("The next record contains the refusals since the last one, and the log shows them")
  func recorded() throws {
    let (bench, _) = try bench(journal: journal)
    _ = try bench.act(1, sequence: 1, .filled(bytes: -1), .filled(bytes: -2))
    _ = try bench.act(1, sequence: 3, .incrementButtonTapped, .incrementButtonTapped)
    let records = try journal.records
    #expect(records.map(\.details.refused.count) == [2, 0])
    #expect(records.map(\.details.began.count) == [0, 0])
    let first = try #require(records.first?.details.refused.first)
    #expect(first.client == ServerBench.clientID(1))
    #expect(first.sequence == 1 && first.scope == "counter")
    #expect(first.action == (try Deck.CounterAction.filled(bytes: -1).encoded()))
    #expect(Outcome.failed(first.failure) == (try refusal(-1)))
    let entry = try #require(records[0].entry(changed: nil, PastLimits(), .causes)).value
    #expect("\(entry)".contains("negative") && "\(entry)".contains("No negative bytes."))
    // Its holder could impersonate the client.
    #expect(!"\(entry)".contains(ServerBench.clientID(1).hexadecimal))
    let part = try #require(records[0].entry(changed: ["counter"], PastLimits(), .seeing("cards")))
      .value
    #expect(!"\(part)".contains("negative"))
  }

  @Test("After a restart, a refusal that a record contains is repeated")
  func restarted() throws {
    let (bench, _) = try bench(journal: journal)
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    try sync(bench)
    _ = try bench.act(1, sequence: 2, .filled(bytes: bytes), .filled(bytes: bytes))
    _ = try bench.act(1, sequence: 4, .incrementButtonTapped)
    try sync(bench)
    let (again, _) = try self.bench(journal: BenchJournal(), recovered: journal.recover(2))
    let outcomes = try again.act(
      1,
      sequence: 1,
      .incrementButtonTapped,
      .filled(bytes: bytes),
      .filled(bytes: bytes),
      .incrementButtonTapped,
    )
    #expect(
      outcomes == [
        .applied(revision: 1, hasEffects: false), try refusal(), try refusal(),
        .applied(revision: 2, hasEffects: false),
      ]
    )
    #expect(again.root.state.counter.count == 2)
  }

  @Test("After a restart, a refusal that no record contains is evaluated again")
  func evaluatedAgain() throws {
    let (bench, _) = try bench(journal: journal)
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    try sync(bench)
    _ = try bench.act(1, sequence: 2, .filled(bytes: bytes))
    let recovered = try journal.recover(1)
    #expect(recovered.history.clients.map(\.last) == [1])
    let (again, _) = try self.bench(journal: BenchJournal(), recovered: recovered)
    #expect(try again.hello(1).lastSequence == 1)
  }

  @Test("A snapshot contains the refusals among the outcomes")
  func snapshot() throws {
    let (bench, _) = try bench(journal: journal)
    _ = try bench.act(1, sequence: 1, .filled(bytes: bytes), .incrementButtonTapped)
    try sync(bench)
    let clients = bench.server.outcomes.kept(through: 1)
    var history = KeptHistory()
    history.clients = clients
    let form = DurableForm(Deck.State.self)
    let bytes = SnapshotBytes.encode(revision: 1, history) { form.encode(Deck.State(), &$0) }
    let decoded = try SnapshotBytes.decode(bytes[...]).history.clients
    #expect(decoded.first?.outcomes == [try refusal(), .applied(revision: 1, hasEffects: false)])
  }

  @Test("A snapshot omits only the refusals that were decided by later revisions")
  func snapshotBehind() throws {
    let (bench, _) = try bench(journal: journal)
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped, .filled(bytes: bytes))
    _ = try bench.act(1, sequence: 3, .incrementButtonTapped, .filled(bytes: -2))
    try sync(bench)
    #expect(bench.server.revision == 1)
    let kept = bench.server.outcomes.kept(through: 1)
    #expect(kept.first?.last == 2)
    #expect(kept.first?.outcomes == [.applied(revision: 1, hasEffects: false), try refusal()])
    #expect(bench.server.outcomes.kept(through: 2).first?.last == 4)
  }

  @Test("The decisions of failures are bounded by the kept outcomes, and end with their release")
  func decisions() {
    let record = ClientRecord(last: 0, holder: .unknown, limit: 10)
    let failure = Outcome.failed(Outcome.Failure(code: Outcome.refused, message: "No."))
    record.record(failure, at: 1, releasedThrough: 1)
    #expect(record.failures.isEmpty)
    #expect(record.last(through: 1) == 1)
    for _ in 0..<1000 {
      record.record(failure, at: 2, releasedThrough: 1)
      #expect(record.failures.count <= 20)
    }
    // The outcomes that are not kept were decided no later than the kept ones.
    #expect(record.last(through: 1) == 991)
    #expect(record.last(through: 2) == 1001)
    record.keep(3, releasedThrough: 2)
    #expect(record.failures.count == 3)
    record.record(failure, at: 2, releasedThrough: 2)
    #expect(record.failures.isEmpty)
  }

  @Test("If outcomes need room, the values of refusals are dropped first, of the greatest holder")
  func values() throws {
    var limits = Limits()
    (limits.outcomeBytes, limits.outcomeBytesOfOwner) = (40_000, 8_000)
    let bench = ServerBench(limits: limits)
    let value = EncodedValue(schema: Digest(rawValue: 1), bytes: Array(repeating: 0, count: 4000))
    let failure = Outcome.Failure(
      code: Outcome.refused,
      message: "No.",
      details: Outcome.RefusalDetails(code: "full", value: value),
    )
    func client(_ number: UInt8, _ holder: ClientHolder) -> KeptHistory.Client {
      let id = ServerBench.clientID(number)
      return KeptHistory.Client(id: id, last: 1, outcomes: [.failed(failure)], holder: holder)
    }
    let clients = (1...3 as ClosedRange<UInt8>).map { client($0, .user(1)) }
    let others = (4...12 as ClosedRange<UInt8>).map { client($0, .user(2)) }
    bench.server.outcomes.restore(clients + others)
    #expect(bench.server.outcomes.outcomeBytes <= limits.outcomeBytes)
    let kept = bench.server.outcomes.kept(through: 0)
    #expect(kept.count == 12)
    for client in kept {
      guard case .failed(let kept)? = client.outcomes.first else {
        Issue.record("The outcome of \(client.id) is dropped")
        continue
      }
      #expect(kept.message == "No." && kept.details?.code == "full")
      #expect((kept.details?.value == nil) == (client.holder == .user(2)))
    }
  }

  @Test("An action that ran again after its client was dropped is found applied")
  func droppedClient() throws {
    let (bench, _) = try bench(journal: journal)
    _ = try bench.act(1, sequence: 1, .filled(bytes: bytes), .incrementButtonTapped)
    let refused = try #require(try journal.records.first)
    // The daemon has dropped the client, which sends its first action again.
    var again = refused
    again.revision = 2
    (again.details, again.delta) = (JournalRecord.Details(), nil)
    guard case .client(var action) = refused.origin else { return }
    action.sequence = 1
    again.origin = .client(action)
    var encoder = CBOREncoder.durable
    refused.encode(to: &encoder)
    again.encode(to: &encoder)
    let form = DurableForm(Deck.State.self)
    let recovery = Recovery(form, initial: Deck.State())
    try recovery.written(by: form.schema)
    try recovery.take(records: encoder.bytes[...])
    let client = try #require(recovery.finish().history.clients.first)
    #expect(client.last == 1)
    #expect(client.outcomes == [.applied(revision: 2, hasEffects: false)])
  }

  @Test("Recovery bounds the bytes of outcomes")
  func recoveredBytes() throws {
    var limits = Limits()
    (limits.outcomeBytes, limits.outcomeBytesOfOwner) = (40_000, 0)
    let form = DurableForm(Deck.State.self)
    let recovery = Recovery(form, initial: Deck.State(), limits: limits)
    try recovery.written(by: form.schema)
    let text = String(repeating: "x", count: 400)
    for revision in 1...300 as ClosedRange<UInt64> {
      let refused = JournalRecord.RefusedAction(
        client: ServerBench.clientID(1),
        session: 1,
        sequence: revision,
        scope: "counter",
        action: [UInt8](),
        identity: .unknown,
        failure: Outcome.Failure(code: Outcome.refused, message: text),
      )
      var record = JournalRecord(
        revision: revision,
        wallMilliseconds: 1,
        origin: .daemon,
        delta: nil,
      )
      record.details.refused = [refused]
      var encoder = CBOREncoder.durable
      record.encode(to: &encoder)
      try recovery.take(records: encoder.bytes[...])
    }
    let client = try #require(recovery.finish().history.clients.first)
    let bytes = client.outcomes.reduce(0) { $0 + $1.keptBytes }
    #expect(client.last == 300 && bytes <= 40_000 && bytes > 20_000, "\(bytes)")
  }

  @Test("Refusals that wait for a record need one before the daemon ends")
  func lastRecord() throws {
    let (bench, _) = try bench(journal: journal)
    let recorder = try #require(bench.server.recorder)
    #expect(!recorder.needsLastRecord(bench.now.instant))
    _ = try bench.act(1, sequence: 1, .filled(bytes: bytes))
    #expect(recorder.needsLastRecord(bench.now.instant))
    bench.root.send(.secretChanged)
    #expect(!recorder.needsLastRecord(bench.now.instant))
  }

  @Test("A client that was refused and said goodbye is not restored")
  func farewell() throws {
    let (bench, _) = try bench(journal: journal)
    _ = try bench.act(1, sequence: 1, .filled(bytes: bytes))
    bench.receive(.bye, from: 1)
    try bench.endTurn()
    bench.root.send(.secretChanged)
    try bench.endTurn()
    let record = try #require(try journal.records.last)
    #expect(record.details.forgotten == [ServerBench.clientID(1)])
    // The log shows the refusal.
    #expect(record.details.refused.map(\.isForgotten) == [true])
    #expect(try journal.recover(journal.batches.count).history.clients.isEmpty)
  }

  @Test("A client that is known by refusals only keeps its holder after a restart")
  func holder() throws {
    let bench = ServerBench(journal: journal)
    bench.addresses[ServerBench.peer(1)] = "localhost:7:8:9"
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("counter")])
    _ = try bench.act(1, sequence: 1, .filled(bytes: bytes))
    let identity = try #require(bench.server.sessions.all.first?.origin.identity)
    bench.root.send(.secretChanged)
    try bench.endTurn()
    #expect(try journal.records.first?.details.refused.first?.identity == identity)
    let clients = try journal.recover(1).history.clients
    #expect(clients.map(\.holder) == [identity.holder])
    #expect(clients.first?.outcomes == [try refusal()])
  }

  @Test("Of many refusals a record contains some of each holder, and the number of the others")
  func bounded() throws {
    var limits = Limits()
    limits.unrecordedRefusals = SharedLimit(all: 6, others: 5, holder: 3)
    let recorder = Recorder(revision: 0, limits: limits)
    func refuse(_ count: Int, by holder: Holder, text: String = "x") {
      for _ in 0..<count {
        recorder.refused(
          JournalRecord.RefusedAction(
            client: ServerBench.clientID(1),
            session: 1,
            sequence: 1,
            scope: "counter",
            action: Array(text.utf8),
            identity: .unknown,
            failure: Outcome.Failure(code: Outcome.refused, message: text),
          ),
          of: holder,
        )
      }
    }
    refuse(9, by: .user(1))
    refuse(9, by: .user(2))
    refuse(9, by: .program(user: 0, process: 1))
    _ = recorder.record(1) { _ in false }
    // The shares are those of a batch.
    refuse(2, by: .user(1))
    _ = recorder.record(2) { _ in false }
    let first = try #require(recorder.nextBatch(Instant(nanoseconds: 0)))
    refuse(3, by: .user(1))
    refuse(1, by: .user(2), text: String(repeating: "x", count: 20 << 10))
    _ = recorder.record(3) { _ in false }
    _ = recorder.record(4) { _ in false }
    _ = recorder.finish(.durable(through: 2), now: Instant(nanoseconds: 0))
    let second = try #require(recorder.nextBatch(Instant(nanoseconds: 0)))
    var decoder = CBORDecoder(first.records + second.records)
    let records = try (0..<4).map { _ in try JournalRecord(from: &decoder) }
    #expect(records.map(\.details.refused.count) == [6, 0, 4, 0])
    #expect(records.map(\.details.refusedMore) == [21, 2, 0, 0])
    // A long action is omitted, its reason is cut.
    #expect(records[2].details.refused.last?.action == nil)
  }

  @Test("Refused actions of the daemon's own are reported in one line")
  func own() throws {
    let (bench, _) = try bench(journal: journal)
    for _ in 0..<5 { bench.root.send(.counter(.filled(bytes: bytes))) }
    try bench.endTurn()
    let notices = bench.takeNotices().map(\.text)
    #expect(
      notices == [
        "5 actions of effects or sessions were refused. The last one: No negative bytes. (negative)"
      ]
    )
    #expect(bench.root.revision == 0)
    // The next record has its own cause.
    bench.root.send(.secretChanged)
    try bench.endTurn()
    let record = try #require(try journal.records.first)
    #expect(record.origin == .internal(JournalRecord.InternalAction(name: "secretChanged")))
    #expect(record.details.refused.isEmpty)
  }

  @Test("An outcome with unknown details of a refusal can be read")
  func unknownDetails() throws {
    var encoder = CBOREncoder()
    encoder.message(2, 4)
    encoder.encode(text: "refused")
    encoder.encode(text: "No.")
    encoder.mapHeader(2)
    encoder.encode(unsigned: 0)
    encoder.encode(text: "full")
    encoder.encode(unsigned: 9)
    encoder.encode(text: "later")
    encoder.encode(text: "a later item")
    var decoder = CBORDecoder(encoder.bytes)
    let details = Outcome.RefusalDetails(code: "full", value: nil)
    let expected = Outcome.Failure(code: "refused", message: "No.", details: details)
    #expect(try Outcome(from: &decoder) == .failed(expected))
    try decoder.finish()
  }
}
