import GenericState
import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// A daemon's past, read while the daemon runs.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct ServerHistoryTests {
  /// A daemon that has counted twice and changed a card, and its history.
  private func bench() throws -> (ServerBench, BenchHistory) {
    let journal = BenchJournal()
    let bench = ServerBench(journal: journal, recovered: try journal.recover(0))
    let hello = try bench.hello(1)
    try bench.join(
      1,
      hello,
      nonce: 1,
      [.follow("counter"), .follow("cards"), .follow("cards/row/1")],
    )
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    bench.root.send(.counter(.incrementButtonTapped))
    bench.root.send(.cards(.element(id: 1, action: .titleChanged(title: "new"))))
    bench.root.send(.secretChanged)
    try bench.endTurn()
    while let last = journal.batches.last?.revisions.upperBound, last > bench.server.revision {
      bench.turn.finish(.durable(through: last))
      try bench.endTurn()
    }
    let initial = try BenchJournal().recover(0).snapshot(DurableForm(Deck.State.self))
    let history = BenchHistory(
      schema: DurableForm(Deck.State.self).schema,
      snapshots: [0: initial],
      batches: journal.batches,
    )
    return (bench, history)
  }

  private func answer(
    _ query: HistoryQuery,
    _ bench: ServerBench,
    _ history: BenchHistory,
  ) throws -> HistoryAnswer {
    bench.server.onHistory = { [turn = bench.turn] in turn.finish(history.run($0)) }
    bench.receive(.history(request: 5, query), from: 1)
    try bench.endTurn()
    guard case .history(request: 5, let item)? = bench.take(1).last else {
      throw CodecError(.typeMismatch, "there is no answer")
    }
    var decoder = CBORDecoder(item)
    return try HistoryAnswer(from: &decoder)
  }

  private func log(
    scope: String? = nil,
    client: Identifier? = nil,
    after: UInt64 = 0,
    count: UInt64 = 100,
  ) throws -> [GenericValue] {
    let (bench, history) = try bench()
    let query = HistoryQuery.log(after: after, count: count, scope: scope, client: client)
    guard case .log(let entries, _, _) = try answer(query, bench, history) else { return [] }
    return entries
  }

  private func revisions(_ entries: [GenericValue]) -> [GenericValue?] {
    entries.map { $0[field: "revision"] }
  }

  @Test func `The log has the sender of each action, and the changed scopes`() throws {
    let entries = try log()
    #expect(revisions(entries) == (1...4).map { .unsigned($0) })
    #expect(entries[0][field: "by"] == .text("client"))
    #expect(entries[0][field: "session"] == .unsigned(1))
    #expect(entries[0][field: "client"] == nil, "The id would give the client's place")
    #expect(entries[0][field: "scope"] == .text("counter"))
    #expect(entries[0][field: "action"] == .text("incrementButtonTapped"))
    #expect(entries[0][field: "changed"] == .array([.text("counter")]))
    #expect(entries[2][field: "changed"] == .array([.text("cards"), .text("cards/row/1")]))
  }

  @Test func `Of a change of many rows some are named, and that there are others`() throws {
    let exposed = Deck.exposures.map { $0.scopes() }
    var (old, new) = (Deck.State(), Deck.State())
    old.cards = IdentifiedArray(uniqueElements: (1...100).map { Deck.Card(id: $0, title: "old") })
    new.cards = IdentifiedArray(uniqueElements: (1...100).map { Deck.Card(id: $0, title: "new") })
    func changed(_ rights: Rights) -> [String] {
      withUnsafePointer(to: old) { old in
        withUnsafePointer(to: new) { new in
          exposed.compactMap { NamedScopes($0, rights) }
            .flatMap { $0.changed(from: UnsafeRawPointer(old), to: UnsafeRawPointer(new)) }
        }
      }
    }
    let names = changed(.everything)
    #expect(names.first == "cards" && names.last == "cards/row/<id>")
    #expect(names.count == 1 + NamedScopes.mostRows + 1 && Set(names).count == names.count)
    // A user with rights to one row receives its name, regardless of the row's position.
    let line = Grants.Line(
      grantee: .user(1),
      scopes: [try #require(ScopePattern("cards/row/99"))],
      sees: true,
      sends: .nothing,
    )
    let grants = Grants(owner: 0, lines: [line])
    #expect(changed(grants.rights(of: .user(1, group: 1, process: 1))) == ["cards/row/99"])
    // A row that only moved is unchanged.
    new.cards = IdentifiedArray(uniqueElements: old.cards.reversed())
    #expect(changed(.everything) == ["cards"])
  }

  @Test func `A question for more of a quiet log causes no read`() throws {
    let (bench, history) = try bench()
    var reads = 0
    history.onRead = { reads += 1 }
    func page(after revision: UInt64) throws -> HistoryAnswer {
      try answer(.log(after: revision, count: 9, scope: nil, client: nil), bench, history)
    }
    #expect(try page(after: 4) == .log(entries: [], next: 4, end: 4))
    #expect(try page(after: 9) == .log(entries: [], next: 9, end: 4))
    #expect(reads == 0)
    guard case .log(let entries, 4, 4) = try page(after: 3) else {
      Issue.record("There is no page")
      return
    }
    #expect(revisions(entries) == [.unsigned(4)] && reads > 0)
  }

  @Test func `The pages of a log are read once, each from where the one before has ended`() throws {
    let (bench, history) = try bench()
    func page(after revision: UInt64, scope: String? = nil) throws -> HistoryAnswer {
      try answer(.log(after: revision, count: 1, scope: scope, client: nil), bench, history)
    }
    let whole = try log()
    for revision in 0..<3 as Range<UInt64> {
      let entry = whole[Int(revision)]
      #expect(try page(after: revision) == .log(entries: [entry], next: revision + 1, end: 4))
      // The next page must not read a snapshot.
      history.snapshots = [:]
    }
    // Another list does not continue from a state of another revision or scope: without a state it
    // omits the changes, and finds no revision of a scope.
    #expect(try page(after: 0) != .log(entries: [whole[0]], next: 1, end: 4))
    guard case .failed = try page(after: 3, scope: "counter") else {
      Issue.record("A scope's changes are reported without a state")
      return
    }
  }

  @Test func `A log continues if history was removed between two of its pages`() throws {
    let (bench, history) = try bench()
    func page(after revision: UInt64) throws -> HistoryAnswer {
      try answer(.log(after: revision, count: 1, scope: nil, client: nil), bench, history)
    }
    _ = try page(after: 0)
    history.batches = Array(try batches(of: history).dropFirst(2))
    history.snapshots = [4: []]
    guard case .log(let entries, 3, 4) = try page(after: 1) else {
      Issue.record("The next page was not found")
      return
    }
    #expect(revisions(entries) == [.unsigned(3)])
  }

  @Test func `A log is read up to a damage, and the next page reports the damage`() throws {
    let (bench, history) = try bench()
    func page(after revision: UInt64) throws -> HistoryAnswer {
      try answer(.log(after: revision, count: 9, scope: nil, client: nil), bench, history)
    }
    history.batches = try batches(of: history)
    history.batches[2].records = [0xFF]
    guard case .log(let entries, 2, 4) = try page(after: 0) else {
      Issue.record("The revisions before the damage were not reported")
      return
    }
    #expect(revisions(entries) == [.unsigned(1), .unsigned(2)])
    guard case .failed(let error) = try page(after: 2) else {
      Issue.record("The damage was not told")
      return
    }
    #expect(error.code == .corrupt)
  }

  /// The same records, with one record in each batch.
  private func batches(of history: BenchHistory) throws -> [JournalBatch] {
    var records: [JournalRecord] = []
    try history.records(after: 0) { (part) throws(HistoryError) in
      try part.withRecords { (record, _) throws(HistoryError) in
        records.append(record)
        return true
      }
    }
    return records.map { record in
      var encoder = CBOREncoder.durable
      record.encode(to: &encoder)
      return JournalBatch(
        revisions: record.revision...record.revision,
        records: encoder.bytes,
        sessionNumbers: 0,
      )
    }
  }

  @Test func `One connection has few questions at once, and only so many a second`() throws {
    let (bench, history) = try bench()
    var jobs: [HistoryJob] = []
    bench.server.onHistory = { jobs.append($0) }
    func ask(_ count: Int) throws -> [DaemonMessage] {
      for _ in 0..<count { bench.receive(.history(request: 5, .verify), from: 1) }
      try bench.endTurn()
      return bench.take(1)
    }
    _ = bench.take(1)
    #expect(try ask(6).count == 2, "Two are refused at once")
    #expect(jobs.count == 4)
    try bench.hello(2)
    bench.receive(.history(request: 5, .verify), from: 2)
    #expect(jobs.count == 5, "Others get theirs")
    for job in jobs { bench.turn.finish(history.run(job)) }
    try bench.endTurn()
    #expect(bench.take(1).count == 4)
    #expect(try ask(4).isEmpty)
    #expect(jobs.count == 9)
    _ = try ask(100)
    #expect(bench.server.counters.reportsRefused == 1)
    #expect(bench.cuts.count == 1)
    // Results for sessions that have ended are discarded, and no longer count.
    for job in jobs[5...] { bench.turn.finish(history.run(job)) }
    #expect(bench.server.historyJobs.isEmpty)
  }

  @Test func `A client with changed rights does not get earlier findings`() throws {
    let (bench, history) = try bench()
    bench.addresses[ServerBench.peer(2)] = "localhost:1000:100:2"
    func grant(_ scopes: String...) throws {
      let line = Grants.Line(
        grantee: .user(1000),
        scopes: scopes.compactMap { ScopePattern($0) },
        sees: true,
        sends: .nothing,
      )
      bench.turn.apply(Grants(owner: 999, lines: [line]))
      try bench.endTurn()
    }
    try grant("counter", "cards")
    try bench.join(2, try bench.hello(2), nonce: 1, [.follow("cards")])
    var jobs: [HistoryJob] = []
    bench.server.onHistory = { jobs.append($0) }
    func ask(_ narrow: () throws -> Void) throws -> HistoryAnswer {
      _ = bench.take(2)
      bench.receive(.history(request: 5, .state(revision: 1, scope: "counter")), from: 2)
      try narrow()
      let job = jobs.popLast()
      bench.turn.finish(history.run(try #require(job)))
      try bench.endTurn()
      for case .history(request: 5, let item) in bench.take(2) {
        var decoder = CBORDecoder(item)
        return try HistoryAnswer(from: &decoder)
      }
      throw CodecError(.typeMismatch, "there is no answer")
    }
    guard case .state = try ask({}) else {
      Issue.record("No state")
      return
    }
    // The user may still follow the same scopes, so the session continues.
    guard case .failed(let error) = try ask({ try grant("cards") }) else {
      Issue.record("It is reported")
      return
    }
    #expect(error.code == .unavailable && error.message.contains("Ask again"))
    #expect(bench.server.sessions.all.count == 2)
  }

  @Test func `A change outside of all scopes has the name of its action, and no scope`() throws {
    let hidden = try log()[3]
    #expect(hidden[field: "by"] == .text("internal"))
    #expect(hidden[field: "name"] == .text("secretChanged"))
    #expect(hidden[field: "action"] == nil)
    #expect(hidden[field: "changed"] == .array([]))
  }

  @Test func `The log of a scope, of a row, of a client, and of later revisions`() throws {
    #expect(try revisions(log(scope: "counter")) == [.unsigned(1), .unsigned(2)])
    #expect(try revisions(log(scope: "cards/row/1")) == [.unsigned(3)])
    // Another spelling names the same row.
    #expect(try revisions(log(scope: "cards/row/ 1")) == [.unsigned(3)])
    #expect(try revisions(log(scope: "cards/row/2")) == [])
    #expect(try revisions(log(client: ServerBench.clientID(1))) == [.unsigned(1)])
    #expect(try revisions(log(after: 2, count: 1)) == [.unsigned(3)])
  }

  @Test(arguments: [0, 1, 2, 4] as [UInt64])
  func `A scope is shown as it was at a revision`(_ revision: UInt64) throws {
    let (bench, history) = try bench()
    let query = HistoryQuery.state(revision: revision, scope: "counter")
    guard case .state(let bytes) = try answer(query, bench, history) else {
      Issue.record("No state")
      return
    }
    #expect(try Deck.Counter?(encoded: bytes)?.count == Int(min(revision, 2)))
  }

  @Test func `A revision that is to come, one that is gone, and an unknown scope are refused`()
    throws
  {
    let (bench, history) = try bench()
    func refusal(_ revision: UInt64, _ scope: String) throws -> HistoryError.Code? {
      let query = HistoryQuery.state(revision: revision, scope: scope)
      guard case .failed(let error) = try answer(query, bench, history) else { return nil }
      return error.code
    }
    #expect(try refusal(5, "counter") == .future)
    #expect(try refusal(1, "nothing") == .unknownScope)
    #expect(try refusal(1, "cards/row/x") == .unknownScope)
    let long = "cards/row/" + String(repeating: " ", count: 1024) + "1"
    #expect(try refusal(1, long) == .unknownScope)
    history.snapshots = [3: try #require(history.snapshots[0])]
    #expect(try refusal(2, "counter") == .gone)
  }

  @Test func `A daemon without a journal reports that it keeps no history`() throws {
    let bench = ServerBench()
    try bench.hello(1)
    bench.receive(.history(request: 5, .verify), from: 1)
    try bench.endTurn()
    guard case .history(request: 5, let item)? = bench.take(1).last else {
      Issue.record("No answer")
      return
    }
    var decoder = CBORDecoder(item)
    guard case .failed(let error) = try HistoryAnswer(from: &decoder) else {
      Issue.record("No refusal")
      return
    }
    #expect(error.message.contains("in memory only"))
  }

  @Test func `All that is kept fits together, and a record that is missing does not`() throws {
    let (bench, history) = try bench()
    let whole = HistoryAnswer.verified(first: 0, last: 4, records: 4, snapshots: 1)
    #expect(try answer(.verify, bench, history) == whole)
    #expect(history.batches.count > 1)
    history.batches.removeFirst()
    guard case .failed(let error) = try answer(.verify, bench, history) else {
      Issue.record("A missing record was not found")
      return
    }
    #expect(error.code == .corrupt)
  }

  /// The snapshot of a revision.
  private func snapshot(_ revision: UInt64, _ history: BenchHistory) throws -> [UInt8] {
    let form = DurableForm(Deck.State.self)
    let recovery = Recovery(form, initial: Deck.State())
    try recovery.written(by: form.schema)
    for batch in history.batches where batch.revisions.upperBound <= revision {
      try recovery.take(records: batch.records[...])
    }
    try #require(recovery.revision == revision)
    return recovery.finish().snapshot(form)
  }

  @Test func `A running daemon does not report removed history as damage`() throws {
    let (bench, history) = try bench()
    history.snapshots[1] = try snapshot(1, history)
    #expect(
      try answer(.verify, bench, history)
        == .verified(first: 0, last: 4, records: 4, snapshots: 2)
    )
    // The first snapshot has been read when both are removed.
    let newest = try snapshot(4, history)
    var reads = 0
    history.onRead = {
      reads += 1
      if reads == 2 { history.snapshots = [4: newest] }
    }
    #expect(
      try answer(.verify, bench, history)
        == .verified(first: 0, last: 4, records: 4, snapshots: 1)
    )
    // The snapshot is removed before it is read.
    history.snapshots = [0: try snapshot(0, history), 1: try snapshot(1, history)]
    reads = 1
    #expect(
      try answer(.verify, bench, history)
        == .verified(first: 4, last: 4, records: 4, snapshots: 1)
    )
  }

  @Test func `A state is not shown without records that were let go of meanwhile`() throws {
    let (bench, history) = try bench()
    let (first, newest) = (try snapshot(1, history), try snapshot(4, history))
    func state() throws -> HistoryAnswer {
      history.snapshots = [1: first]
      return try answer(.state(revision: 4, scope: "cards"), bench, history)
    }
    let whole = try state()
    var reads = 0
    history.onRead = {
      reads += 1
      // The snapshot was read, and is no longer usable.
      guard reads == 1 else { return }
      history.snapshots = [4: newest]
      history.batches.removeAll { $0.revisions.upperBound < 4 }
    }
    #expect(try state() == whole)
    // A history that loses its snapshot on each read is unreadable.
    history.newest = 4
    history.onRead = {
      reads += 1
      history.snapshots[1_000 + UInt64(reads)] = newest
      history.batches = []
    }
    guard case .failed(let error) = try state() else {
      Issue.record("Something was read")
      return
    }
    #expect(error.code == .unavailable, "\(error)")
  }

  @Test func `A continuation by another build is read without its types, and is not damage`() throws
  {
    let (_, history) = try bench()
    // The new build renamed all fields, and has the state of revision 1 in its form.
    let form = DurableForm(RenamedDeck.self)
    history.snapshots[1] = SnapshotBytes.encode(revision: 1, KeptHistory()) {
      form.encode(RenamedDeck(), &$0)
    }
    var encoder = CBOREncoder.durable
    for revision in 2...3 as ClosedRange<UInt64> {
      var delta = CBOREncoder.durable
      withUnsafePointer(to: RenamedDeck()) { old in
        withUnsafePointer(to: RenamedDeck(total: 3)) { #expect(form.encodeDelta(old, $0, &delta)) }
      }
      JournalRecord(
        revision: revision,
        wallMilliseconds: 1,
        origin: .daemon,
        delta: revision == 2 ? nil : delta.bytes,
      ).encode(to: &encoder)
    }
    history.batches = [
      history.batches[0],
      JournalBatch(revisions: 2...3, records: encoder.bytes, sessionNumbers: 1),
    ]
    (history.snapshotSchemas, history.batchSchemas) = ([1: form.schema], [2: form.schema])
    func ask(_ query: HistoryQuery, _ scope: String = "") -> (HistoryAnswer, GenericPast) {
      var past = PastReader(history, GenericPast(asked: scope), telling: .all)
      return (past.answer(query), past.root)
    }
    #expect(ask(.verify).0 == .verified(first: 0, last: 3, records: 3, snapshots: 2))
    guard
      case .log(let entries, _, _) = ask(.log(after: 0, count: 9, scope: nil, client: nil)).0
    else {
      Issue.record("No log")
      return
    }
    #expect(entries.map { $0[field: "changed"] }.last == .array([.text("total")]))
    let (_, past) = ask(.state(revision: 3, scope: "total"), "total")
    #expect(try past.found().value == .unsigned(3))
    #expect(try export(history).count == 3 + 1 + 1 + 2 + 1)
    // Without that snapshot only the bytes are exported.
    history.snapshots[1] = nil
    let lines = try export(history)
    #expect(lines.count == 3 + 1 + 1 + 2 + 1)
    #expect(lines[6]["record"] != nil && lines[6]["delta"] == nil)
    guard case .failed(let error) = ask(.verify).0 else {
      Issue.record("It was read")
      return
    }
    #expect(error.message.contains("another build"))
  }

  @Test func `Without its types the past is called by its fields`() throws {
    let (_, history) = try bench()
    func state(_ scope: String, at revision: UInt64) throws -> JSONValue? {
      var past = PastReader(history, GenericPast(asked: scope), telling: .all)
      let answer = past.answer(.state(revision: revision, scope: scope))
      if case .failed(let error) = answer { throw error }
      let found = try past.root.found()
      return past.root.state.map {
        JSONProjection.tree(found.value, schema: found.schema, in: $0.schema)
      }
    }
    #expect(try state("counter/count", at: 1) == .number("1"))
    #expect(try state("cards/1/title", at: 3) == .string("new"))
    #expect(try state("cards/1/title", at: 2) == .string("one"))
    #expect(try state("secret", at: 4) == .number("1"))
    #expect(throws: HistoryError.self) { try state("counter/total", at: 4) }
    var past = PastReader(history, GenericPast(), telling: .all)
    guard
      case .log(let entries, _, _) = past.answer(
        .log(after: 0, count: 9, scope: nil, client: nil)
      )
    else {
      Issue.record("No log")
      return
    }
    #expect(entries[3][field: "name"] == .text("secretChanged"))
    #expect(entries[3][field: "changed"] == .array([.text("secret")]))
  }

  @Test func `Without its types the log has deeper changes, too, on request`() throws {
    let (_, history) = try bench()
    func log(_ scope: String) throws -> [GenericValue?] {
      var past = PastReader(history, GenericPast(asked: scope), telling: .all)
      let answer = past.answer(.log(after: 0, count: 9, scope: scope, client: nil))
      guard case .log(let entries, _, _) = answer else { return [] }
      return revisions(entries)
    }
    #expect(try log("cards") == [.unsigned(3)])
    #expect(try log("cards/1") == [.unsigned(3)])
    #expect(try log("cards/1/title") == [.unsigned(3)])
    #expect(try log("cards/2") == [])
    #expect(try log("counter/count") == [.unsigned(1), .unsigned(2)])
  }

  @Test func `Without its types it is known which scopes there can never have been`() throws {
    let old = DurableForm(RenamedDeck.self).schema
    let schemas = [old, DurableForm(Deck.State.self).schema]
    // A row may have existed, and a field may exist in another build's state.
    for scope in ["counter", "cards/7", "cards/7/title", "total"] {
      try GenericPast(asked: scope).check(in: schemas)
    }
    for (scope, words) in [
      ("countr", "\"counter\""), ("cards/1/titel", "\"title\""), ("counter/count/x", "none"),
    ] {
      let error = try #require(throws: HistoryError.self) {
        try GenericPast(asked: scope).check(in: schemas)
      }
      #expect(error.code == .unknownScope && error.message.contains(words), "\(error)")
    }
  }

  @Test func `An export is the first state and the changes of each revision`() throws {
    let (_, history) = try bench()
    let lines = try export(history)
    #expect(lines.count == 3 + 4 + 1)
    #expect(lines[0]["root"] == .string("Deck"))
    #expect(lines[2]["state"]?["secret"] == .number("0"))
    #expect(lines[3]["delta"]?["counter"]?["count"] == .number("1"))
    #expect(lines[7]["end"] == .number("4"))
  }

  private func export(_ history: BenchHistory) throws -> [JSONValue] {
    let heading = HistoryHeading(root: "Deck", epoch: 7, wasStopped: true)
    var export = try PastExport(heading, format: 2, history)
    var lines = export.begin()
    try history.records(after: export.revision) { (part) throws(HistoryError) in
      lines += try export.lines(of: part)
      return true
    }
    return try (lines + [export.end]).map { try JSONValue(parsing: $0) }
  }

  @Test(
    "An export with any changed line is refused, and one of an earlier release is read",
    arguments: 0..<7,
  )
  func changed(_ line: Int) throws {
    let (_, history) = try bench()
    let lines = try export(history).map { $0.text() }
    func take(_ lines: [String]) throws {
      var past = PastImport()
      for line in lines { _ = try past.take(line) }
      try past.finish()
    }
    try take(lines)
    var changed = lines
    changed[line] =
      [
        lines[0].replacing("true", with: "false"), lines[1].replacing("title", with: "tutle"),
        lines[2].replacing("one", with: "two"),
        lines[3].replacing(#""sessions":2"#, with: #""sessions":3"#),
        lines[4] + " ", lines[5].replacing(#""time":"#, with: #""time": "#),
        lines[6].replacing("{", with: "{ "),
      ][line]
    try #require(changed != lines)
    let error = #expect(throws: HistoryError.self) { try take(changed) }
    // With other types the bytes are invalid before the end is read.
    let words = line == 1 ? "cannot be read" : "changed"
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    // The end of an export that guarantees only the bytes.
    var sum = SipHash24()
    for part in [try #require(history.snapshots[0])] + history.batches.map(\.records) {
      part.withUnsafeBytes { sum.append($0) }
    }
    let end = #"{"end":4,"sum":"\#(String(sum.finish(), radix: 16))"}"#
    try take(lines.dropLast() + [end])
  }

  @Test func `Numbers without room for a successor are refused`() throws {
    for revision in [.max, 1 << 63, (1 << 62) + 1] as [UInt64] {
      let bytes = SnapshotBytes.encode(revision: revision, KeptHistory()) { $0.encodeNull() }
      #expect(throws: CodecError.self) { try SnapshotBytes.decode(bytes[...]) }
    }
    for revision in [0, .max, (1 << 62) + 1] as [UInt64] {
      var encoder = CBOREncoder.durable
      JournalRecord(revision: revision, wallMilliseconds: 1, origin: .daemon, delta: nil)
        .encode(to: &encoder)
      var decoder = CBORDecoder(encoder.bytes)
      #expect(throws: CodecError.self) { try JournalRecord(from: &decoder) }
    }
    var history = KeptHistory()
    history.sessionNumbers = .max
    let bytes = SnapshotBytes.encode(revision: 1, history) { $0.encodeNull() }
    #expect(throws: CodecError.self) { try SnapshotBytes.decode(bytes[...]) }
    for last in [.max, (1 << 63) + 1] as [UInt64] {
      var history = KeptHistory()
      history.clients = [
        KeptHistory.Client(id: ServerBench.clientID(1), last: last, outcomes: [])
      ]
      let bytes = SnapshotBytes.encode(revision: 1, history) { $0.encodeNull() }
      #expect(throws: CodecError.self) { try SnapshotBytes.decode(bytes[...]) }
    }
  }

  @Test func `An export is imported without changes, to the byte`() throws {
    let (_, history) = try bench()
    var past = PastImport()
    var records: [UInt8] = []
    for line in try export(history) {
      switch try past.take(line.text()) {
      case .heading(format: 2, let heading):
        #expect(heading == HistoryHeading(root: "Deck", epoch: 7, wasStopped: true))
      case .snapshot(let part, let revision):
        #expect(revision == 0)
        #expect(part.bytes == history.snapshots[0])
        #expect(part.schema == DurableForm(Deck.State.self).schema)
      case .records(let part):
        #expect(part.sessionNumbers == 1 + Limits().reservedSessions)
        records += part.bytes
      case nil: break
      case let other: Issue.record("\(String(describing: other))")
      }
    }
    try past.finish()
    #expect(records == history.batches.flatMap(\.records))
  }

  @Test(
    "An invalid or incomplete export is refused with the line",
    arguments: [
      (3, nil, "Line 4"), (0, #"{"root":"Deck"}"#, "Line 1"), (1, "{}", "Line 2"),
      (4, #"{"record":"?"}"#, "Line 5"), (2, "hello", "Line 3"), (7, nil, "breaks off"),
    ] as [(Int, String?, String)],
  )
  func refused(_ line: Int, _ other: String?, _ words: String) throws {
    let (_, history) = try bench()
    var lines = try export(history).map { $0.text() }
    if let other { lines[line] = other } else { lines.remove(at: line) }
    let error = #expect(throws: HistoryError.self) {
      var past = PastImport()
      for line in lines { _ = try past.take(line) }
      try past.finish()
    }
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test func `An export from which no daemon could start is refused with the line`() throws {
    let (_, history) = try bench()
    let lines = try export(history).map { $0.text() }
    func refusal(_ line: Int, _ text: String) -> String {
      var past = PastImport()
      do throws(HistoryError) {
        for line in lines[..<line] + [text] { _ = try past.take(line) }
        return "nothing"
      } catch {
        return error.message
      }
    }
    let state = SnapshotBytes.encode(revision: 0, KeptHistory()) { $0.encode(text: "no deck") }
    let snapshot = #"{"snapshot":"\#(Base64.text(of: state))"}"#
    #expect(refusal(2, snapshot).contains("Line 3"), "\(refusal(2, snapshot))")
    #expect(refusal(3, lines[2]).contains("Line 4"), "\(refusal(3, lines[2]))")
    let action = JournalRecord.ClientAction(
      client: ServerBench.clientID(1),
      session: 1,
      sequence: 0,
      scope: "counter",
      action: [0xf6],
    )
    for (origin, delta) in [(.daemon, [0x61, 0x61]), (.client(action), nil)]
      as [(JournalRecord.Origin, [UInt8]?)]
    {
      var encoder = CBOREncoder.durable
      JournalRecord(revision: 1, wallMilliseconds: 1, origin: origin, delta: delta)
        .encode(to: &encoder)
      let record = #"{"sessions":1,"record":"\#(Base64.text(of: encoder.bytes))"}"#
      #expect(refusal(3, record).contains("Line 4"), "\(refusal(3, record))")
    }
  }

  @Test func `An export with less of a record than was written is refused at its end`() throws {
    let (_, history) = try bench()
    var past = PastImport()
    let lines = try export(history).map { $0.text() }
    let error = #expect(throws: HistoryError.self) {
      for line in lines.dropLast(2) { _ = try past.take(line) }
      _ = try past.take(#"{"end":3,"sum":"0"}"#)
    }
    #expect(error?.message.contains("changed") == true)
  }
}

/// The deck in another build.
private struct RenamedDeck: ReplicatedRecord, DurableState, Equatable {
  var total = 0

  static let layout = RecordLayout<Self>("Deck", [.field("total", \.total)])
}

/// A past in memory.
final class BenchHistory: HistorySource, @unchecked Sendable {
  private let schema: SchemaDocument
  /// The schemas of snapshots, and of batches by first revision, that differ from `schema`.
  var (snapshotSchemas, batchSchemas): ([UInt64: SchemaDocument], [UInt64: SchemaDocument]) =
    ([:], [:])
  /// Called before a snapshot or a batch is returned.
  var onRead: () -> Void = {}
  var snapshots: [UInt64: [UInt8]]
  var batches: [JournalBatch]
  /// The newest revision that it reports; by default the last batch's.
  var newest: UInt64?
  /// The remainder of the last question.
  private var left: (any Sendable)?

  init(schema: SchemaDocument, snapshots: [UInt64: [UInt8]], batches: [JournalBatch]) {
    self.schema = schema
    self.snapshots = snapshots
    self.batches = batches
  }

  private lazy var metered = MeteredSource(self)

  func run(_ job: HistoryJob) -> HistoryJob.Result { job.run(metered, &left) }

  func extent() -> HistoryExtent {
    let snapshots = snapshots.keys.sorted()
    return HistoryExtent(
      oldestState: snapshots.first ?? 0,
      beforeRecords: (batches.first?.revisions.lowerBound ?? 1) - 1,
      newest: newest ?? batches.last?.revisions.upperBound ?? 0,
      snapshots: snapshots,
    )
  }

  func snapshot(upTo revision: UInt64) -> HistoryPart? {
    onRead()
    return snapshots.filter { $0.key <= revision }.max { $0.key < $1.key }
      .map { HistoryPart(schema: snapshotSchemas[$0.key] ?? schema, bytes: $0.value) }
  }

  func records(
    after revision: UInt64,
    _ take: (HistoryPart) throws(HistoryError) -> Bool,
  ) throws(HistoryError) {
    for batch in batches where batch.revisions.upperBound > revision {
      onRead()
      let part = HistoryPart(
        schema: batchSchemas[batch.revisions.lowerBound] ?? schema,
        bytes: batch.records,
        sessionNumbers: batch.sessionNumbers,
      )
      guard try take(part) else { return }
    }
  }
}
