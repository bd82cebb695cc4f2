import GenericState
import StoreActor
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

@MainActor
@Suite("Actions that end the daemon", .timeLimit(.minutes(1)))
struct ServerCrashTests {
  private let memory = CrashMemory()

  /// Starts a daemon with a client that follows the counter.
  private func bench(
    journal: BenchJournal? = nil,
    _ memory: CrashMemory,
  ) throws -> ServerBench {
    let bench = ServerBench(journal: journal, crashes: memory.notes())
    _ = try bench.join(1, try bench.hello(1), nonce: 1, [.follow("counter")])
    return bench
  }

  /// The memory at the end of a daemon that ends while it makes a step.
  private func memoryAtDeath(
    of bench: ServerBench,
    _ memory: CrashMemory,
    during reduction: () throws -> Void,
  ) throws -> CrashMemory {
    var bytes: [UInt8]?
    bench.root.onCommit = { _, _, _ in bytes = bytes ?? memory.bytes }
    try reduction()
    bench.root.onCommit = nil
    return CrashMemory(try #require(bytes))
  }

  /// The memory after two daemons that ended while they reduced the client's first action.
  private func memoryAfterTwoCrashes() throws -> CrashMemory {
    var memory = memory
    for _ in 1...2 {
      let bench = try bench(memory)
      memory = try memoryAtDeath(of: bench, memory) {
        _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
      }
    }
    return memory
  }

  @Test("The third daemon refuses a client's action, and reduces those before and after it")
  func third() throws {
    let bench = try bench(memoryAfterTwoCrashes())
    let outcomes = try bench.act(1, sequence: 1, .incrementButtonTapped, .decrementButtonTapped)
    #expect(outcomes.first?.failure?.code == Outcome.crashed)
    #expect(outcomes.last == .applied(revision: 1, hasEffects: false))
    #expect(bench.root.state.counter.count == -1)
    #expect(bench.takeNotices().contains { $0.text.contains("Action 1 to") })
    // A repeated action receives the same outcome.
    #expect(try bench.act(1, sequence: 1, .incrementButtonTapped).first == outcomes.first)
    #expect(bench.root.revision == 1)
  }

  @Test("The refusal is recorded, shown by the log, and restored")
  func recorded() throws {
    let journal = BenchJournal()
    let bench = try bench(journal: journal, memoryAfterTwoCrashes())
    _ = try bench.act(1, sequence: 1, .incrementButtonTapped, .decrementButtonTapped)
    let refused = try #require(try journal.records.first?.details.refused.first)
    #expect(refused.failure.code == Outcome.crashed && refused.sequence == 1)
    let entry = try #require(try journal.records[0].entry(changed: nil, PastLimits(), .causes))
      .value
    #expect("\(entry)".contains("crashed"))
    let client = try #require(try journal.recover(1).history.clients.first)
    #expect(client.outcomes.first?.failure?.code == Outcome.crashed)
  }

  @Test("An action is noted during all of its step, and no longer", arguments: [false, true])
  func noted(isDurable: Bool) throws {
    let bench = try bench(journal: isDurable ? BenchJournal() : nil, memory)
    let left = try memoryAtDeath(of: bench, memory) {
      _ = try bench.act(1, sequence: 1, .incrementButtonTapped)
    }
    let found = try #require(left.notes().found)
    #expect(found.client == ServerBench.clientID(1) && found.name == "counter")
    #expect(memory.notes().found == nil)
    // A refused action, an absent target and bytes that are no action leave no note.
    _ = try bench.act(1, sequence: 2, .filled(bytes: -1))
    #expect(memory.notes().found == nil)
  }

  @Test(
    "Actions of effects and of sessions are noted, and never refused",
    arguments: [false, true],
  )
  func internalActions(isDurable: Bool) throws {
    var memory = memory
    for round in 1...4 {
      let bench = try bench(journal: isDurable ? BenchJournal() : nil, memory)
      let next = try memoryAtDeath(of: bench, memory) {
        bench.root.send(.counter(.numberFactResponse("a fact")))
      }
      #expect(bench.root.state.counter.numberFactAlert == "a fact")
      #expect(memory.notes().found == nil)
      memory = next
      let found = try #require(memory.notes().found)
      #expect(found.client == nil)
      // Without a journal, only actions after a crash are named.
      let isNamed = isDurable || round > 1
      let name = isNamed ? "counter.numberFactResponse" : "an action that no client sent"
      #expect(found.name == name)
    }
    let bench = ServerBench(crashes: memory.notes())
    let left = try memoryAtDeath(of: bench, memory) {
      _ = try bench.join(1, try bench.hello(1, isListed: true), nonce: 1, [.follow("counter")])
    }
    #expect(try #require(left.notes().found).name == "the action of a session that joined or left")
  }

  @Test("A restoration is noted")
  func restoration() throws {
    let journal = BenchJournal()
    let first = try bench(journal: journal, memory)
    _ = try first.act(1, sequence: 1, .incrementButtonTapped)
    let recovered = try journal.recover(1)
    var bytes: [UInt8]?
    let notes = memory.notes()
    let root = RootCore(initialState: { Deck.State() }, reducer: { Deck(gate: Gate()) })
    root.restore(recovered.root, revision: recovered.revision)
    root.onCommit = { [memory] _, _, _ in bytes = memory.bytes }
    let port = TypedRoot(
      root,
      exposures: Deck.exposures,
      limits: Limits(),
      journal: RootJournal(DurableForm(Deck.State.self), recorder: Recorder(revision: 1)),
      recovered: recovered,
    ) { _ in nil }
    port.crashNotes = notes
    _ = port.restart(after: [])
    let left = try #require(bytes)
    let found = try #require(CrashMemory(left).notes().found)
    #expect(found.name == "the restoration of the state" && found.client == nil)
    #expect(memory.notes().found == nil)
  }

  @Test("An interrupted effect counts the crashes while its feature begins it again")
  func interrupted() throws {
    let journal = BenchJournal()
    let bench = try bench(journal: journal, memory)
    _ = try bench.act(1, sequence: 1, .numberFactButtonTapped)
    let once = try journal.recover(1)
    #expect(once.restoration?.interrupted.map(\.crashes) == [1])
    let effect = try #require(once.restoration?.interrupted.first)
    let recorder = Recorder(revision: 1, history: once.history)
    let restored = JournalRecord.Origin.restored(try #require(once.restoration))
    recorder.begin(restored)
    // The feature began it in onRestored; the others are not the same work.
    let again = InterruptedEffect(name: effect.name, path: effect.path.dropLast() + ["onRestored"])
    recorder.began(1, again)
    recorder.began(2, InterruptedEffect(name: "other", path: effect.path))
    recorder.began(3, InterruptedEffect(name: effect.name, path: ["cards"]))
    let details = recorder.details
    #expect(details.began.map(\.effect.crashes) == [1, 0, 0])
    let record = JournalRecord(
      revision: 2,
      wallMilliseconds: 0,
      origin: restored,
      delta: nil,
      details: details,
    )
    #expect(try record.readBack() == record)
    var history = once.history
    history.note(details, of: restored)
    #expect(history.effects.count == 3)
    let snapshot = SnapshotBytes.encode(revision: 2, history) { $0.encodeNull() }
    history = try SnapshotBytes.decode(snapshot[...]).history
    #expect(history.restoration(wasStopped: false).interrupted.map(\.crashes) == [2, 1, 1])
    // An orderly stop between the two, as after a safe start, changes nothing.
    #expect(history.restoration(wasStopped: true).interrupted.map(\.crashes) == [1, 0, 0])
  }

  @Test("A safe start informs no feature, and the next start informs it of the same work")
  func safe() throws {
    let journal = BenchJournal()
    let bench = try bench(journal: journal, memory)
    _ = try bench.act(1, sequence: 1, .numberFactButtonTapped)
    var recovered = try journal.recover(1)
    recovered.restoration = recovered.restoration?.heldBack
    let next = BenchJournal()
    let safe = ServerBench(journal: next, recovered: recovered)
    _ = try safe.join(1, try safe.hello(1), nonce: 1, [.follow("counter")])
    // There is no revision for it.
    #expect(try safe.act(1, sequence: 2, .incrementButtonTapped) == [])
    #expect(try next.records.map(\.revision) == [2])
    var recovery = recovered.history
    for record in try next.records { recovery.note(record.details, of: record.origin) }
    #expect(recovery.restoration(wasStopped: true).interrupted.map(\.name) == ["fact"])
  }

  @Test("The status lists crashes to those who may see everything, without the client's id")
  func status() throws {
    try memory.notes().begin([1], of: ServerBench.clientID(1), 7, to: "todos", at: 1)
    let bench = try bench(memory)
    bench.receive(.status(request: 6), from: 1)
    try bench.endTurn()
    guard case .status(request: 6, let item)? = bench.take(1).last else {
      Issue.record("No status")
      return
    }
    let crashes = try GenericValue(encoded: item)[field: "crashes"]
    guard case .array(let list)? = crashes, let crash = list.first else {
      Issue.record("No crash in \(item)")
      return
    }
    #expect(crash[field: "name"] == .text("todos") && crash[field: "sequence"] == .unsigned(7))
    #expect(!"\(crash)".contains(ServerBench.clientID(1).hexadecimal))
  }
}

extension Outcome {
  fileprivate var failure: Failure? { if case .failed(let failure) = self { failure } else { nil } }
}
