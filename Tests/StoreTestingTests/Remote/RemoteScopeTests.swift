import StoreActor
import StoreTesting
import Testing

@Suite("A test store of a feature in a daemon", .timeLimit(.minutes(1)))
@MainActor
struct RemoteScopeTests {
  @Test("shows the default of a property that is private to the daemon")
  func privateState() async {
    let store = TestStore(remote: Kettle.State()) { Kettle() }
    await store.send(.twiceButtonTapped)
    await store.receive(\.ticked) { $0.temperature = 21 }
    await store.receive(\.ticked) { $0.temperature = 22 }
    #expect(store.state.ticks == 0)
  }

  @Test("cannot send actions that only effects send")
  func privateAction() async {
    let store = TestStore(remote: Kettle.State()) { Kettle() }
    await expectIssue("The action was not applied", "A client cannot send it: ", "it. Receive it") {
      await store.send(.measured(3))
    }
  }

  @Test("of a scope sees that scope only, with its parent's changes of it")
  func scope() async {
    let store = TestStore(remote: Kitchen.State(), state: \.kettle, action: \.kettle) { Kitchen() }
    await store.send(.labelChanged("tea")) { $0.label = "tea" }
    await store.send(.twiceButtonTapped)
    await store.receive(\.ticked) { $0.temperature = 21 }
    await store.receive(\.ticked) { $0.temperature = 22 }
    // The parent takes a cup, whose effect the scope's client sees in the same revision.
    await store.send(.labelChanged("for all")) { $0.label = "for all" }
    store.assert { $0.temperature = 0 }
  }

  @Test("of a scope has no actions of a refused revision that another scope began")
  func refusedElsewhere() async {
    let store = TestStore(remote: Kitchen.State(), state: \.kettle, action: \.kettle) { Kitchen() }
    await store.send(.labelChanged("later")) { $0.label = "later" }
    await store.finish()
    await store.send(.labelChanged("tea")) { $0.label = "tea" }
  }

  @Test("of an optional scope follows it as long as it is present")
  func optionalScope() async {
    let store = TestStore(
      remote: Kitchen.State(spare: Kettle.State()),
      state: \.spare,
      action: \.spare,
    ) {
      Kitchen()
    } withDependencies: {
      $0.continuousClock = TestClock()
    }
    await store.send(.labelChanged("tea")) { $0.label = "tea" }
    await store.send(.switchTapped) { $0.isOn = true }
    await store.finish()
    await expectIssue("The action was not applied", "after what it shows had gone") {
      await store.send(.labelChanged("water"))
    }
  }

  @Test("ends its daemon, and the daemon's effects, when it is released")
  func theEnd() async {
    let traces = LockIsolated<[String]>([])
    var store: TestStore<Kettle.State, Kettle.Action>? = TestStore(
      remote: Kitchen.State(),
      state: \.kettle,
      action: \.kettle,
    ) {
      Kitchen()
    } withDependencies: {
      $0.traces = traces
    }
    let task = await store?.send(.labelChanged("watched")) { $0.label = "watched" }
    await Task.megaYield()
    #expect(traces.value == [])
    store = nil
    #expect(traces.value == ["given up"])
    #expect(task?.isCancelled == false)
  }

  @Test("reports a state whose deltas do not produce it")
  func brokenDeltas() async {
    let store = TestStore(remote: Sieve.State()) { Sieve() }
    await expectIssue(
      "The client's copy of the state differs from the daemon's: …",
      "− Sieve.State(count: 1)",
      "+ Sieve.State(count: 0)",
      "(Daemon: −, Client: +)",
      "applyDelta",
    ) {
      await store.send(.poured) { $0.count = 1 }
    }
  }

  @Test("passes the last check of an exhaustive test: no action is left over")
  func nothingLeft() async {
    let store = TestStore(remote: Kettle.State()) {
      Kettle()
    } withDependencies: {
      $0.thermometer = Thermometer { 5 }
    }
    for _ in 0..<20 {
      await store.send(.measureButtonTapped)
      await store.receive(\.measured) { $0.temperature = 5 }
      await store.send(.twiceButtonTapped)
      await store.receive(\.ticked) { $0.temperature = 6 }
      await store.receive(\.ticked) { $0.temperature = 7 }
    }
    await store.finish()
  }
}

/// A feature whose author got the deltas wrong.
private struct Sieve: Reducer {
  struct State: Equatable, ReplicatedState {
    var count = 0

    static func schema(in registry: inout SchemaRegistry) -> Schema {
      Int.schema(in: &registry)
    }

    init(count: Int = 0) { self.count = count }

    init(from decoder: inout CBORDecoder) throws(CodecError) {
      count = try Int(from: &decoder)
    }

    func encode(to encoder: inout CBOREncoder) { count.encode(to: &encoder) }

    func encodeDelta(from old: State, to encoder: inout CBOREncoder) -> Bool {
      guard count != old.count else { return false }
      count.encode(to: &encoder)
      return true
    }

    mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
      _ = try Int(from: &decoder)
    }
  }

  enum Action: Equatable, WireChoiceAction {
    case poured

    static let layout = ActionLayout<Self>("Sieve.Action", [.case("poured", .poured)])
  }

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}
