import Foundation
import GenericState
import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// Replays an older journal with current reducers.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct ReplayTests {
  private let journal = BenchJournal()

  /// The history of a daemon that counted, listed a session, ran an effect, and restarted.
  private func history() throws -> BenchHistory {
    let bench = ServerBench(journal: journal, recovered: try journal.recover(0))
    let hello = try bench.hello(1, isListed: true)
    try bench.join(1, hello, nonce: 1, [.follow("counter")])
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped, .incrementButtonTapped)
    bench.root.send(.counter(.decrementButtonTapped))
    bench.root.send(.secretChanged)
    try bench.endTurn()
    try finish(bench)
    let recovered = try journal.recover(journal.batches.count)
    _ = ServerBench(journal: journal, recovered: recovered)
    let form = DurableForm(Deck.State.self)
    let initial = try BenchJournal().recover(0).snapshot(form)
    return BenchHistory(schema: form.schema, snapshots: [0: initial], batches: journal.batches)
  }

  private func finish(_ bench: Bench) throws {
    while let last = journal.batches.last?.revisions.upperBound, last > bench.server.revision {
      bench.turn.finish(.durable(through: last))
      try bench.endTurn()
    }
  }

  private func replay(_ reducer: some Reducer<Deck.State, Deck.Action>) -> DeckReplay {
    Replay(
      RootCore(initialState: { Deck.State() }, reducer: { reducer }),
      exposures: Deck.exposures,
      form: DurableForm(Deck.State.self),
      restoredAction: { _ in nil },
      sessionAction: { event in
        switch event {
        case .joined(let info): .session(id: info.id, isThere: true)
        case .left(let info): .session(id: info.id, isThere: false)
        }
      },
    )
  }

  private typealias DeckReplay = Replay<Deck.State, Deck.Action>

  private var today: DeckReplay { replay(Deck(gate: Gate())) }

  private var changed: DeckReplay {
    replay(
      CombineReducers {
        Deck(gate: Gate())
        Reduce<Deck.State, Deck.Action> { state, action in
          if case .counter(.decrementButtonTapped) = action { state.counter.count = 7 }
          return .none
        }
      }
    )
  }

  @Test func `The same reducers have the same results, and actions without a form are counted`()
    throws
  {
    let history = try history()
    let report = try today.run(history, 0 ... .max)
    #expect(report.difference == nil, "\(report)")
    #expect(report.first == 1)
    #expect(report.last == 6)
    #expect(report.checked == 5, "\(report)")
    #expect(report.unchecked == ["secretChanged: it has no form": 1])
    #expect(report.digest.count == 16)
    #expect(try today.run(history, 0 ... .max).digest == report.digest)
    #expect(try today.run(history, 2 ... .max).digest != report.digest)
    #expect("\(report)".contains("5 run again with the result that was kept"))
    #expect(report.json["unchecked"]?["secretChanged: it has no form"] == 1)
  }

  @Test func `The first revision that differs is shown, with the place and both values`() throws {
    let history = try history()
    let report = try changed.run(history, 0 ... .max)
    let difference = try #require(report.difference)
    #expect(difference.revision == 4)
    #expect(difference.cause == "counter.decrementButtonTapped")
    #expect(difference.path == "$.counter.count")
    #expect(difference.recorded == "1")
    #expect(difference.now == "7")
    #expect(report.checked == 3)
    #expect(report.json["difference"]?["now"] == "7")
    #expect("\(report)".contains("Revision 4 differs at $.counter.count:"))
    // Each revision begins with the recorded state, so later revisions are unaffected.
    #expect(try changed.run(history, 5 ... .max).difference == nil)
    #expect(try changed.run(history, 1...3).difference == nil)
  }

  @Test func `An action that this build does not take, or expose, is not checked`() throws {
    let history = try history()
    let form = DurableForm(Deck.State.self)
    let replay = Replay(
      RootCore(initialState: { Deck.State() }, reducer: { Deck(gate: Gate()) }),
      exposures: [Expose("counter", state: \.extra, action: \.extra)],
      form: form,
      restoredAction: { _ in nil },
      sessionAction: { _ in nil },
    )
    let report = try replay.run(history, 2...3)
    #expect(report.checked == 0)
    let why = try #require(report.unchecked.keys.first)
    #expect(why == "incrementButtonTapped to counter: this build cannot read it: unknownName")
    #expect(report.unchecked[why] == 2)
    let none = Replay(
      RootCore(initialState: { Deck.State() }, reducer: { Deck(gate: Gate()) }),
      exposures: [],
      form: form,
      restoredAction: { _ in nil },
      sessionAction: { _ in nil },
    )
    #expect(
      try none.run(history, 2...2).unchecked
        == ["incrementButtonTapped to counter: this build does not expose the scope": 1]
    )
  }

  @Test func `Records of another build are run with the types of this one`() throws {
    let history = try history()
    func replay(isTotalled: Bool) throws -> ReplayReport {
      try Replay(
        RootCore(
          initialState: { LaterDeck.State() },
          reducer: { LaterDeck(isTotalled: isTotalled) },
        ),
        exposures: LaterDeck.exposures,
        form: DurableForm(LaterDeck.State.self),
        restoredAction: { _ in nil },
        sessionAction: { _ in nil },
      )
      .run(history, 0 ... .max)
    }
    let same = try replay(isTotalled: false)
    #expect(same.difference == nil, "\(same)")
    #expect(same.checked == 4)
    #expect(same.unchecked["a session joined: this build makes no action of it"] == 1)
    // A field that the other build lacked is no excuse: this build reduces differently.
    let difference = try #require(try replay(isTotalled: true).difference)
    #expect(difference.revision == 2)
    #expect(difference.path == "$.total")
    #expect(difference.recorded == "0")
    #expect(difference.now == "1")
  }

  @Test func `The origin of an internal action is not kept, and its readers are not checked`()
    throws
  {
    let history = try history()
    let report = try replay(
      CombineReducers {
        Deck(gate: Gate())
        OriginReader()
      }
    )
    .run(history, 4...4)
    #expect(report.difference == nil)
    #expect(
      report.unchecked
        == ["counter.decrementButtonTapped: it reads its origin, which was not kept": 1]
    )
  }

  private struct OriginReader: Reducer {
    @Dependency(\.origin) private var origin

    func reduce(into state: inout Deck.State, action: Deck.Action) -> Effect<Deck.Action> {
      state.secret = origin.identity == .process ? 9 : 0
      return .none
    }
  }

  @Test func `A limited number of reasons is distinguished`() {
    var report = ReplayReport()
    for number in 1...500 { report.pass(over: "action \(number)", "it has no form") }
    report.pass(over: "action 1", "it has no form")
    #expect(report.unchecked.count == 101)
    #expect(report.unchecked["action 1: it has no form"] == 2)
    #expect(report.unchecked["other reasons"] == 400)
  }

  @Test func `A scope that is not exposed is counted without a possible id of a row`() throws {
    let history = try history()
    for index in history.batches.indices {
      history.batches[index].records = try Self.changed(history.batches[index].records) { record in
        guard case .client(var action) = record.origin else { return }
        action.scope = "old/rows/\(record.revision)"
        record.origin = .client(action)
      }
    }
    #expect(
      try today.run(history, 2...3).unchecked
        == ["incrementButtonTapped to old/rows/…: this build does not expose the scope": 2]
    )
  }

  @Test func `A session's event of which this build makes no action is not checked`() throws {
    let replay = Replay(
      RootCore(initialState: { Deck.State() }, reducer: { Deck(gate: Gate()) }),
      exposures: Deck.exposures,
      form: DurableForm(Deck.State.self),
      restoredAction: { _ in nil },
      sessionAction: { _ in nil },
    )
    let history = try history()
    let report = try replay.run(history, 1...2)
    #expect(report.difference == nil, "\(report)")
    #expect(report.checked == 1)
    #expect(report.unchecked == ["a session joined: this build makes no action of it": 1])
    #expect(!report.hasSessionActions)
    #expect(try today.run(history, 1...1).hasSessionActions)
  }

  @Test func `Records kept after the beginning are not run`() throws {
    let history = try history()
    history.newest = 3
    #expect(try today.run(history, 0 ... .max).last == 3)
  }

  @Test func `Revisions that are gone or to come are refused`() throws {
    let history = try history()
    let future = #expect(throws: HistoryError.self) { try today.run(history, 99...100) }
    #expect(future?.code == .future)
    history.snapshots = [3: try #require(history.snapshots[0])]
    let gone = #expect(throws: HistoryError.self) { try today.run(history, 2...5) }
    #expect(gone?.code == .gone)
  }

  @Test func `A revision that is missing is no journal to run`() throws {
    let history = try history()
    history.batches.removeFirst()
    let error = #expect(throws: HistoryError.self) { try today.run(history, 0 ... .max) }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains("Revision 1 is missing") == true)
  }

  // MARK: Excerpts

  @Test func `An excerpt that becomes too large is refused`() throws {
    let error = #expect(throws: HistoryError.self) {
      try today.excerpt(try history(), 0 ... .max, atMost: 200)
    }
    #expect(error?.code == .tooLarge)
  }

  @Test func `An excerpt replays as the history that it was cut out of`() throws {
    let history = try history()
    let excerpt = try today.excerpt(history, 3...6)
    #expect(excerpt.revisions == 3...6)
    let read = try JournalExcerpt(encoded: excerpt.encoded)
    #expect(try read.root(DurableForm(Deck.State.self)).counter.count == 1)
    let report = try today.run(read.source, 0 ... .max)
    #expect(report == (try today.run(history, 3...6)))
    #expect(try today.excerpt(read.source, 0 ... .max).encoded == excerpt.encoded)
    #expect(try changed.run(read.source, 0 ... .max).difference?.revision == 4)
    let error = #expect(throws: HistoryError.self) { try today.run(read.source, 2...3) }
    #expect(error?.code == .gone)
  }

  @Test func `An excerpt of which a byte is another, or missing, is refused`() throws {
    let bytes = try today.excerpt(try history(), 1...2).encoded
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 1
      #expect(throws: HistoryError.self, "byte \(index)") { try JournalExcerpt(encoded: damaged) }
    }
    for count in 0..<bytes.count {
      #expect(throws: HistoryError.self, "\(count) bytes") {
        try JournalExcerpt(encoded: Array(bytes.prefix(count)))
      }
    }
  }

  @Test func `An excerpt with a right checksum may still be invalid`() throws {
    let heading = Array("A journal of StoreActor\n".utf8)
    for item: [UInt8] in [
      [], [0x80], [0x86, 2, 0, 0, 0, 0, 0], [0x86, 1, 0x60, 9, 0x80, 0x82, 0, 0x40],
    ] {
      let sum = SipHash24.hash((heading + item)[...])
      let bytes = heading + item + (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
      let error = #expect(throws: HistoryError.self) { try JournalExcerpt(encoded: bytes) }
      #expect(error?.code == .corrupt)
    }
  }

  @Test func `A snapshot that ends early, or continues after its root, has no revision`() throws {
    let history = try history()
    let bytes = try #require(history.snapshots[0])
    let schema = DurableForm(Deck.State.self).schema
    #expect(try HistoryPart(schema: schema, bytes: bytes).snapshotRevision() == 0)
    for damaged in [bytes + [0xF6], bytes.dropLast()] {
      let error = #expect(throws: HistoryError.self) {
        try HistoryPart(schema: schema, bytes: damaged).snapshotRevision()
      }
      #expect(error?.code == .corrupt)
    }
  }

  // MARK: Time and chance

  @Test func `A reducer's reads of time and chance are kept, and replayed`() throws {
    let history = try tosses()
    let records = try journal.records
    #expect(records.count == 5)
    #expect(records[0].details.inputs.date != nil)
    #expect(records[0].details.inputs.seed != nil)
    #expect(records[1].details.inputs == JournalRecord.Inputs())
    #expect(records[2].details.inputs.seed != records[0].details.inputs.seed)
    let report = try replay(tosses: Tosses()).run(history, 0 ... .max)
    #expect(report.difference == nil, "\(report)")
    #expect(report.checked == 5)
    #expect(report.read == ["timeZone": 1])
  }

  @Test func `Inputs that an older record lacks are reported`() throws {
    let history = try tosses(keeping: false)
    let report = try replay(tosses: Tosses()).run(history, 0 ... .max)
    #expect(report.difference == nil, "\(report)")
    #expect(report.checked == 2)
    // This applies even if the result is equal, which is then chance.
    #expect(
      report.unchecked == [
        "dateRead: it reads the date, which was not kept": 1,
        "tossed: it reads the date, which was not kept": 2,
      ]
    )
  }

  private func replay(tosses: Tosses) -> Replay<Tosses.State, Tosses.Action> {
    Replay(
      RootCore(
        initialState: { Tosses.State() },
        reducer: { tosses },
        withDependencies: {
          $0.useReducerInputs()
          $0.timeZone = .gmt
        },
      ),
      exposures: Tosses.exposures,
      form: DurableForm(Tosses.State.self),
      restoredAction: { _ in nil },
      sessionAction: { _ in nil },
    )
  }

  /// Two tosses, each followed by an action that reads neither date nor random numbers.
  private func tosses(keeping: Bool = true) throws -> BenchHistory {
    let form = DurableForm(Tosses.State.self)
    let root = RootCore(
      initialState: { Tosses.State() },
      reducer: { Tosses() },
      withDependencies: {
        $0.useReducerInputs()
        $0.timeZone = .gmt
      },
    )
    let recorder = Recorder(revision: 0)
    let port = TypedRoot(
      root,
      exposures: Tosses.exposures,
      limits: Limits(),
      journal: RootJournal(form, recorder: recorder),
    ) { _ in nil }
    let initial = form.encoded(root.state)
    for action in [Tosses.Action.tossed, .counted, .tossed, .zoneRead, .dateRead] {
      root.send(action)
    }
    withExtendedLifetime(port) {}
    let now = Instant.distantFuture
    var batch = try #require(recorder.nextBatch(now))
    if !keeping {
      batch.records = try Self.changed(batch.records) {
        $0.details.inputs = JournalRecord.Inputs()
      }
    }
    journal.append(batch)
    let snapshot = SnapshotBytes.encode(revision: 0, KeptHistory()) { $0.append(raw: initial) }
    return BenchHistory(schema: form.schema, snapshots: [0: snapshot], batches: [batch])
  }

  private static func changed(
    _ bytes: [UInt8],
    _ change: (inout JournalRecord) -> Void,
  ) throws -> [UInt8] {
    var decoder = CBORDecoder(bytes)
    var encoder = CBOREncoder()
    while decoder.offset < bytes.count {
      var record = try JournalRecord(from: &decoder)
      change(&record)
      record.encode(to: &encoder)
    }
    return encoder.bytes
  }
}

/// The deck in a later build: many fields are removed, and there may be a total.
private struct LaterDeck: Reducer {
  struct State: DurableState, Equatable, ReplicatedRecord, Sendable {
    var counter = Deck.Counter()
    var total = 0

    static let layout = RecordLayout<Self>(
      "Deck",
      [.field("counter", \.counter), .field("total", \.total)],
    )
  }

  enum Action: CasePathable, Equatable, Sendable {
    case counter(Deck.CounterAction)

    struct AllCasePaths: Sendable {
      var counter: AnyCasePath<Action, Deck.CounterAction> {
        AnyCasePath(
          embed: { .counter($0) },
          extract: { (action: Action) -> Deck.CounterAction? in
            switch action {
            case .counter(let action): action
            }
          },
        )
      }
    }

    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  static let exposures: [Expose<State, Action>] = [
    Expose("counter", state: \.counter, action: \.counter)
  ]

  let isTotalled: Bool

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .counter(.incrementButtonTapped): state.counter.count += 1
      case .counter(.decrementButtonTapped): state.counter.count -= 1
      case .counter: break
      }
      if isTotalled { state.total += 1 }
      return .none
    }
  }
}

/// A feature that reads the date and random numbers.
@Reducer
struct Tosses {
  @ObservableState
  struct State: DurableState, Equatable, Sendable {
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var id = UUID(0)
    var isHeads = false
    var count = 0
  }

  enum Action: Equatable, Sendable, WireAction {
    case counted
    case dateRead
    case tossed
    case zoneRead
  }

  static let exposures: [Expose<State, Action>] = [
    Expose("tosses", state: \.self, action: \.self)
  ]

  @Dependency(\.date.now) private var now
  @Dependency(\.timeZone) private var timeZone
  @Dependency(\.uuid) private var uuid
  @Dependency(\.withRandomNumberGenerator) private var withRandomNumberGenerator

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .counted: state.count += 1
      case .dateRead: _ = now
      case .tossed:
        state.date = now
        state.id = uuid()
        state.isHeads = withRandomNumberGenerator { Bool.random(using: &$0) }
      case .zoneRead: _ = timeZone
      }
      return .none
    }
  }
}
