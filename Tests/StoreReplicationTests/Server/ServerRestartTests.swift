import GenericState
import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// A daemon that restarts from a journal: the revisions that it creates before a client connects.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct ServerRestartTests {
  private let journal = BenchJournal()

  /// Makes all waiting revisions durable.
  private func sync(_ bench: ServerBench, _ journal: BenchJournal) throws {
    try bench.endTurn()
    while let last = journal.batches.last?.revisions.upperBound, last > bench.server.revision {
      bench.turn.finish(.durable(through: last))
      try bench.endTurn()
    }
  }

  private func origin(_ journal: BenchJournal, _ index: Int) throws -> JournalRecord.Origin {
    try journal.records[index].origin
  }

  @Test func `A first start has no restoration, and each later one makes a revision`() throws {
    let bench = ServerBench(journal: journal, recovered: try journal.recover(0))
    #expect(bench.root.revision == 0)
    bench.root.send(.secretChanged)
    try sync(bench, journal)
    for revision in 2...3 as ClosedRange<UInt64> {
      let recovered = try journal.recover(journal.batches.count)
      #expect(recovered.revision == revision - 1)
      let again = ServerBench(journal: journal, recovered: recovered)
      #expect(again.root.revision == revision)
      #expect(try again.hello(1).revision == revision)
      let told = Restoration(wasStopped: false)
      #expect(try origin(journal, Int(revision) - 1) == .restored(told))
    }
  }

  /// A daemon whose root counts the starts, the first one as a hundred.
  private func starting(
    _ journal: BenchJournal?,
    _ recovered: Recovered<Deck.State>? = nil,
  ) -> ServerBench {
    let root = RootCore(
      initialState: { Deck.State() },
      reducer: {
        Deck(gate: Gate()).onStart { state, start in
          state.counter.count += start.isFirst ? 100 : 1
          return .none
        }
      },
    )
    if let recovered { root.restore(recovered.root, revision: recovered.revision) }
    let recorder = journal.map { _ in Recorder(revision: recovered?.revision ?? 0) }
    let port = TypedRoot(
      root,
      exposures: Deck.exposures,
      limits: Limits(),
      journal: recorder.map { RootJournal(DurableForm(Deck.State.self), recorder: $0) },
      recovered: recovered,
    ) { _ in nil }
    let bench = ServerBench(root, port, recorder: recorder, journal: journal, epoch: 3)
    if let recovered { bench.server.restore(recovered) } else { bench.server.startFirst() }
    bench.turn.end()
    return bench
  }

  @Test func `onStart runs at the first start and at later ones, with and without a journal`()
    throws
  {
    #expect(starting(nil).root.state.counter.count == 100)
    let first = starting(journal)
    #expect(first.root.state.counter.count == 100 && first.root.revision == 1)
    #expect(try origin(journal, 0) == .restored(.first))
    let entry = try #require(try journal.records[0].entry(changed: [], PastLimits(), .causes)).value
    #expect(entry[field: "by"] == .text("start") && entry[field: "wasStopped"] == nil)
    let next = BenchJournal()
    let second = starting(next, try journal.recover(1))
    #expect(second.root.state.counter.count == 101)
    guard case .restored(let restoration) = try origin(next, 0) else {
      Issue.record("No restoration")
      return
    }
    #expect(!restoration.isFirst && restoration.isRestart)
  }

  @Test func `A daemon that ended before its first revision was kept starts for the first time`()
    throws
  {
    let form = DurableForm(Deck.State.self)
    let recovery = Recovery(form, initial: Deck.State())
    let empty = SnapshotBytes.encode(revision: 0, KeptHistory()) { form.encode(Deck.State(), &$0) }
    try recovery.take(snapshot: empty[...])
    let recovered = recovery.finish()
    #expect(recovered.restoration?.isFirst == true)
    #expect(starting(journal, recovered).root.state.counter.count == 100)
  }

  @Test func `All sessions that left with the daemon are in the revision of its restart`() throws {
    let bench = ServerBench(journal: journal)
    let sessions = try (1...3 as ClosedRange<UInt8>).map {
      try bench.hello($0, isListed: true).session
    }
    try sync(bench, journal)
    #expect(bench.root.state.sessions == sessions)
    let recovered = try journal.recover(journal.batches.count)
    let next = BenchJournal()
    let again = ServerBench(journal: next, recovered: recovered)
    try sync(again, next)
    #expect(again.root.state.sessions.isEmpty && again.root.revision == recovered.revision + 1)
    let record = try #require(try next.records.first)
    #expect(record.details.departed.map(\.id) == sessions)
    #expect(try record.readBack() == record)
    let entry = try #require(record.entry(changed: [], PastLimits(), .causes)).value
    #expect(entry[field: "by"] == .text("restart"))
    guard case .array(let left)? = entry[field: "left"] else {
      Issue.record("\(entry)")
      return
    }
    #expect(left.map { $0[field: "session"] } == sessions.map { .unsigned($0) })

    // They have not left a second time.
    var history = recovered.history
    history.note(record.details, of: record.origin)
    #expect(recovered.history.sessions.count == 3 && history.sessions.isEmpty)
  }

  @Test func `An entry of the log lists a bounded number of the sessions that left`() throws {
    var record = JournalRecord(
      revision: 1,
      wallMilliseconds: 1,
      origin: .restored(Restoration(wasStopped: false)),
      delta: nil,
    )
    record.details.departed = (1...1_000).map {
      SessionInfo(id: $0, name: "client", address: "here")
    }
    let entry = try #require(record.entry(changed: [], PastLimits(), .causes)).value
    guard case .array(let left)? = entry[field: "left"] else {
      Issue.record("\(entry)")
      return
    }
    #expect(left.count == 256 && entry[field: "leftMore"] == .unsigned(744))
  }

  @Test func `Many clients that arrive at once are listed over several turns`() throws {
    var limits = Limits()
    limits.sessionEventsPerTurn = 2
    let bench = ServerBench(limits: limits)
    func arrive(_ number: UInt8) throws -> Session {
      let hello = ClientMessage.Hello(
        clientID: ServerBench.clientID(number),
        token: nil,
        firstSequence: 1,
        name: "client",
        isListed: true,
      )
      bench.receive(.hello(hello), from: number)
      return try #require(bench.server.sessions.session(ofClient: hello.clientID))
    }
    for number in 1...5 as ClosedRange<UInt8> { _ = try arrive(number) }
    for listed in [2, 4, 5] {
      #expect(bench.server.hasWork)
      bench.turn.end()
      #expect(bench.root.state.sessions.count == listed)
    }
    #expect(!bench.server.hasSessionEvents)

    // A session is listed before its first action, and so are those before it. One that has left
    // meanwhile was never listed.
    let later = try (6...9 as ClosedRange<UInt8>).map { try arrive($0) }
    bench.receive(.bye, from: 8)
    bench.server.deliverSessionEvents(before: later[3])
    #expect(bench.root.state.sessions == [1, 2, 3, 4, 5, 6, 7, 9])

    // All departures precede what others send after them.
    for number in 1...4 as ClosedRange<UInt8> { bench.receive(.bye, from: number) }
    _ = try arrive(10)
    bench.server.deliverSessionEvents(before: later[3])
    #expect(bench.root.state.sessions == [5, 6, 7, 9])
    #expect(bench.server.hasSessionEvents)
  }

  @Test func `A departure that a reducer refuses at a restart concerns no other one`() throws {
    let bench = ServerBench(journal: journal)
    for number in 1...3 as ClosedRange<UInt8> { try bench.hello(number, isListed: true) }
    try sync(bench, journal)
    let recovered = try journal.recover(journal.batches.count)
    let root = RootCore(
      initialState: { Deck.State() },
      reducer: {
        CombineReducers {
          Deck(gate: Gate())
          Reduce<Deck.State, Deck.Action> { _, action in
            if case .session(2, false) = action { .refuse("Stay.") } else { .none }
          }
        }
      },
    )
    root.restore(recovered.root, revision: recovered.revision)
    let next = BenchJournal()
    let recorder = Recorder(revision: recovered.revision, history: recovered.history)
    let port = TypedRoot(
      root,
      exposures: Deck.exposures,
      limits: Limits(),
      journal: RootJournal(DurableForm(Deck.State.self), recorder: recorder),
      recovered: recovered,
    ) { event in
      if case .left(let info) = event { .session(id: info.id, isThere: false) } else { nil }
    }
    let again = ServerBench(root, port, recorder: recorder, journal: next, epoch: 3)
    again.server.restore(recovered)
    try sync(again, next)
    #expect(again.root.state.sessions == [2])
    let origins = try next.records.map(\.origin)
    guard origins.count == 3, case .session(.left(let first)) = origins[0],
      case .session(.left(let third)) = origins[1], case .restored = origins[2]
    else {
      Issue.record("\(origins)")
      return
    }
    #expect(first.id == 1 && third.id == 3)
    #expect(try next.records.allSatisfy { $0.details.departed.isEmpty })
    #expect(again.takeNotices().contains { $0.text.contains("Stay.") })
  }

  @Test func `A safe start leaves the sessions to the next start`() throws {
    let bench = ServerBench(journal: journal)
    let session = try bench.hello(1, isListed: true).session
    try sync(bench, journal)
    var recovered = try journal.recover(journal.batches.count)
    recovered.restoration = recovered.restoration?.heldBack
    let safe = ServerBench(journal: journal, recovered: recovered)
    try sync(safe, journal)
    #expect(safe.root.state.sessions == [session])
    let next = try journal.recover(journal.batches.count)
    #expect(next.history.sessions.keys.sorted() == [session])
    #expect(ServerBench(journal: BenchJournal(), recovered: next).root.state.sessions.isEmpty)
  }

  @Test func `Of clients that were away those of the greatest holder are forgotten first`() throws {
    var limits = Limits()
    (limits.clients, limits.outcomes) = (4, 8)
    let form = DurableForm(Deck.State.self)
    func client(_ number: UInt8, _ outcomes: Int, _ holder: ClientHolder) -> KeptHistory.Client {
      KeptHistory.Client(
        id: ServerBench.clientID(number),
        last: 9,
        outcomes: Array(repeating: .applied(revision: 1, hasEffects: false), count: outcomes),
        holder: holder,
      )
    }
    var history = KeptHistory()
    history.clients = [client(1, 4, .user(1)), client(2, 4, .unknown)]
    history.clients += (3..<20 as Range<UInt8>).map { client($0, 4, .user(2)) }
    let bytes = SnapshotBytes.encode(revision: 3, history) { form.encode(Deck.State(), &$0) }
    let recovery = Recovery(form, initial: Deck.State(), limits: limits)
    try recovery.written(by: form.schema)
    try recovery.take(snapshot: bytes[...])
    let clients = recovery.finish().history.clients
    #expect(clients.map(\.id) == [1, 2, 18, 19].map { ServerBench.clientID($0) })
    #expect(clients.map(\.outcomes.count) == [2, 2, 1, 1])
  }

  @Test func `No client gets an answer before the daemon's own changes are durable`() throws {
    let bench = ServerBench(journal: journal, recovered: try journal.recover(0))
    bench.root.send(.secretChanged)
    try sync(bench, journal)
    let recovered = try journal.recover(journal.batches.count)
    let second = BenchJournal()
    let again = ServerBench(journal: second, recovered: recovered, isStarted: false)
    let hello = ClientMessage.Hello(
      clientID: ServerBench.clientID(1),
      token: nil,
      firstSequence: 1,
      name: "early",
      isListed: false,
    )
    again.receive(.hello(hello), from: 1)
    try again.endTurn()
    #expect(again.take(1).isEmpty)
    again.turn.finish(.durable(through: 2))
    try again.endTurn()
    guard case .helloOK(let answer)? = again.take(1).first else {
      Issue.record("No answer")
      return
    }
    #expect(answer.revision == 2)
  }

  @Test func `A running effect is reported by name, way and action, and an ended one is not`()
    async throws
  {
    let bench = ServerBench(journal: journal)
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("counter")])
    _ = try bench.act(1, sequence: 1, .numberFactButtonTapped)
    try sync(bench, journal)
    while bench.gate.waiting == 0 { await Task.yield() }
    let fact = InterruptedEffect(name: "fact", path: ["counter", "numberFactButtonTapped"])
    let interrupted = try journal.recover(journal.batches.count)
    #expect(interrupted.restoration?.interrupted.map(\.name) == [fact.name])
    #expect(interrupted.restoration?.interrupted.map(\.path) == [fact.path])

    bench.gate.open()
    while bench.server.recorder?.needsRecord == false { await Task.yield() }
    try sync(bench, journal)
    #expect(try origin(journal, journal.records.count - 1) == .daemon)
    let ended = try journal.recover(journal.batches.count)
    #expect(ended.restoration?.interrupted == [])
    #expect(ended.root == bench.root.state)
  }

  @Test func `A snapshot has the effects that were running`() async throws {
    var limits = Limits()
    limits.recordBytesPerSnapshot = 1
    let bench = ServerBench(limits: limits, journal: journal)
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("counter")])
    _ = try bench.act(1, sequence: 1, .numberFactButtonTapped)
    try sync(bench, journal)
    #expect(journal.snapshots.count == 1)
    let recovered = try journal.recover(0, snapshot: 0)
    #expect(recovered.restoration?.interrupted.map(\.name) == ["fact"])
    bench.gate.open()
  }

  @Test func `A reported effect is not reported at the next start`() async throws {
    let bench = ServerBench(journal: journal)
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("counter")])
    _ = try bench.act(1, sequence: 1, .numberFactButtonTapped)
    try sync(bench, journal)
    let again = ServerBench(journal: journal, recovered: try journal.recover(1))
    try sync(again, journal)
    let third = try journal.recover(journal.batches.count)
    #expect(third.restoration?.interrupted == [])
    bench.gate.open()
  }

  @Test func `An effect that begins when a client has left is reported at the next start`() throws {
    let fact = InterruptedEffect(name: "fact", path: ["counter"])
    var history = KeptHistory()
    func note(_ origin: JournalRecord.Origin, _ began: [UInt64], in history: inout KeptHistory) {
      var details = JournalRecord.Details()
      details.began = began.map { JournalRecord.RunningEffect(number: $0, effect: fact) }
      history.note(details, of: origin)
    }
    note(.daemon, [1, 4], in: &history)
    let told = history.restoration(wasStopped: false)
    #expect(told.interrupted.map(\.path) == [fact.path, fact.path])
    // The next process continues the numbers, independent of its own.
    let next = Recorder(revision: 1, history: history)
    next.began(1, fact)
    #expect(next.record(2) { _ in false } == 0)
    let batch = try #require(next.nextBatch(Instant(nanoseconds: 0)))
    var decoder = CBORDecoder(batch.records)
    let record = try JournalRecord(from: &decoder)
    #expect(record.details.began.map(\.number) == [5])
    note(.session(.left(SessionInfo(id: 1, name: "", address: ""))), [5], in: &history)
    note(.restored(told), [], in: &history)
    #expect(history.effects == [5: fact])
  }

  @Test func `An action that no client sent is kept with its form, if it has one`() throws {
    let bench = ServerBench(journal: journal)
    bench.root.send(.counter(.incrementButtonTapped))
    try sync(bench, journal)
    let form = JournalRecord.InternalAction.Form(
      scope: "counter",
      action: try Deck.CounterAction.incrementButtonTapped.encoded(),
    )
    let action = JournalRecord.InternalAction(name: "counter.incrementButtonTapped", form: form)
    #expect(try origin(journal, 0) == .internal(action))
  }

  @Test func `An action of an effect has its own time, also long after the last turn`() throws {
    let bench = ServerBench(journal: journal)
    bench.root.send(.secretChanged)
    bench.clock.advance(by: .milliseconds(700))
    bench.root.send(.secretChanged)
    try sync(bench, journal)
    let times = try journal.records.map(\.wallMilliseconds)
    #expect(times.count == 2 && times[1] == times[0] + 700, "\(times)")
  }

  @Test func `An action of an effect is recorded with the effect and the revision that began it`()
    async throws
  {
    let bench = ServerBench(journal: journal)
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("counter")])
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped, .numberFactButtonTapped)
    try sync(bench, journal)
    while bench.gate.waiting == 0 { await Task.yield() }
    _ = try bench.act(1, sequence: 3, .incrementButtonTapped)
    bench.gate.open()
    while bench.root.state.counter.numberFactAlert == nil { await Task.yield() }
    try sync(bench, journal)
    let records = try journal.records
    let record = try #require(records.first { $0.origin.internalAction != nil })
    #expect(record.revision == 4)
    let name = "counter.numberFactResponse"
    #expect(record.origin.internalAction?.name == name)
    #expect(record.origin.internalAction?.cause == EffectCause(revision: 2, name: "fact"))
    // The log shows it to a client that may see everything, and to no other.
    let entry = try #require(record.entry(changed: ["counter"], PastLimits(), .causes)).value
    #expect(entry[field: "name"] == .text(name) && entry[field: "cause"] == .unsigned(2))
    #expect(entry[field: "effect"] == .text("fact"))
    let began = try #require(records[1].entry(changed: ["counter"], PastLimits(), .causes)).value
    #expect(began[field: "began"] == .array([.text("fact")]))
    #expect(began[field: "client"] == nil && began[field: "forgot"] == nil)
    let part = try #require(record.entry(changed: ["counter"], PastLimits(), .seeing("cards")))
      .value
    #expect(part[field: "changed"] != nil)
    for field in ["by", "name", "cause", "effect", "bytes"] { #expect(part[field: field] == nil) }
  }

  @Test("An action that nests too deeply for an answer has only its size in the log")
  func deepActions() throws {
    func record(levels: Int) -> JournalRecord {
      let bytes = [UInt8](repeating: 0x81, count: levels) + [0x00]
      let form = JournalRecord.InternalAction.Form(scope: nil, action: bytes)
      return JournalRecord(
        revision: 1,
        wallMilliseconds: 0,
        origin: .internal(.init(name: "a", form: form)),
        delta: nil,
      )
    }
    for (levels, isShown) in [(90, true), (101, false), (127, false)] {
      let entry = try #require(record(levels: levels).entry(changed: [], PastLimits(), .causes))
      #expect((entry.value[field: "action"] != nil) == isShown)
      #expect((entry.value[field: "actionBytes"] == .unsigned(UInt64(levels + 1))) == !isShown)
      // The files themselves are read without that limit.
      let whole = record(levels: levels).wholeEntry(changed: [], .unlimited).value
      #expect(whole[field: "action"] != nil)
    }
  }

  @Test("The name of a form ends where no case follows")
  func pathsOfForms() throws {
    func path(_ value: GenericValue) -> String? {
      var encoder = CBOREncoder()
      value.encode(to: &encoder)
      return ActionName.path(of: encoder.bytes)
    }
    func one(_ name: String, _ value: GenericValue) -> GenericValue {
      .map(named: [(name, value)])
    }
    func element(_ id: GenericValue) -> GenericValue {
      one("a", .map(named: [("id", id), ("action", .text("b"))]))
    }
    #expect(path(.text("a")) == "a")
    #expect(path(one("a", .map([]))) == "a")
    #expect(path(one("a", one("_0", one("b", .unsigned(1))))) == "a.b")
    #expect(path(element(.text("x"))) == "a[x].b")
    let uuid = UUID(3)
    var bytes = CBOREncoder()
    uuid.encode(to: &bytes)
    #expect(path(element(try GenericValue(encoded: bytes.bytes))) == "a[\(uuid)].b")
    for id in [GenericValue.bytes([1]), .negative(0), .null, .array([])] {
      #expect(path(element(id)) == "a")
    }
    for value in [GenericValue.null, .map([]), .unsigned(1), .array([])] {
      #expect(path(value) == nil)
    }
    #expect(path(.map([.init(.unsigned(1), .text("a"))])) == nil)
    #expect(ActionName.path(of: []) == nil && ActionName.path(of: [0xff]) == nil)
  }

  @Test(
    "A record has neither a name nor a form that leads to one",
    arguments: [[2, 0xf6], [4, 0xf6, 1, 0xf6]],
  )
  func namelessRecords(rest: [UInt8]) throws {
    // An origin of kind 5 or 6, in a record of revision 1.
    let kind: UInt8 = rest[0] == 2 ? 5 : 6
    let bytes = [0x85, 1, 0, 0x80 | rest[0], kind] + rest.dropFirst() + [0xf6, 0xa0]
    #expect(throws: (any Error).self) {
      var decoder = CBORDecoder(bytes[...])
      _ = try JournalRecord(from: &decoder)
    }
  }

  @Test(
    "A record has no name that its action's form contains",
    arguments: [
      ("counter.incrementButtonTapped", true), ("counter", false), ("counter.filled", false),
      ("cards.element[1].titleChanged", true), ("cards.element[2].titleChanged", false),
      ("", false),
    ],
  )
  func namesInForms(name: String, isLeftOut: Bool) throws {
    func one(_ name: String, _ value: GenericValue) -> GenericValue {
      .map(named: [(name, value)])
    }
    let change = one("titleChanged", one("title", .text("x")))
    let element: GenericValue = .map(named: [("id", .unsigned(1)), ("action", change)])
    let action =
      name.hasPrefix("cards")
      ? one("cards", one("_0", one("element", element)))
      : one("counter", one("_0", .text("incrementButtonTapped")))
    var encoder = CBOREncoder()
    action.encode(to: &encoder)
    let form = JournalRecord.InternalAction.Form(scope: nil, action: encoder.bytes)
    let record = JournalRecord(
      revision: 1,
      wallMilliseconds: 0,
      origin: .internal(.init(name: name, form: form)),
      delta: nil,
    )
    #expect(try record.readBack() == record)
    var origin = CBOREncoder.durable
    record.origin.encode(to: &origin)
    // The array, its kind, and then null or the name.
    #expect((origin.bytes[2] == 0xf6) == isLeftOut)
  }

  @Test(arguments: [
    JournalRecord.Origin.daemon, .internal(.init(name: "a.b")), .restored(.first),
    .internal(.init(name: "a", form: .init(scope: "s", action: [1, 2]))),
    .internal(.init(name: "a", cause: EffectCause(revision: 3, name: nil))),
    .internal(
      .init(
        name: "a",
        form: .init(scope: "s", action: [1]),
        cause: EffectCause(revision: 3, name: "save"),
      )
    ),
    .restored(
      Restoration(
        wasStopped: true,
        interrupted: [InterruptedEffect(name: "save", path: ["game", "[1]", "tapped"])],
      )
    ),
  ])
  func `A record is read as it was written`(_ origin: JournalRecord.Origin) throws {
    var details = JournalRecord.Details()
    details.began = [
      .init(number: 7, effect: InterruptedEffect(name: "save", path: ["game"]))
    ]
    details.ended = [3, 4]
    details.inputs = JournalRecord.Inputs(date: -1.5, seed: .max)
    details.microseconds = 12
    for delta in [nil, [0xa0]] as [[UInt8]?] {
      let record = JournalRecord(
        revision: 9,
        wallMilliseconds: 8,
        origin: origin,
        delta: delta,
        details: details,
      )
      #expect(try record.readBack() == record)
    }
  }
}

extension JournalRecord.Origin {
  fileprivate var internalAction: JournalRecord.InternalAction? {
    if case .internal(let action) = self { action } else { nil }
  }
}
