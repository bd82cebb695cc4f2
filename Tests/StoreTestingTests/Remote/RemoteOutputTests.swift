import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreReplica
@testable import StoreServer
@testable import StoreTesting

@Suite("Outputs of a feature in a daemon", .timeLimit(.minutes(1)))
@MainActor
struct RemoteOutputTests {
  /// A daemon of a whistle, and a client's store of it.
  private func remote() -> (store: Store<Whistle.State, Whistle.Action>, root: Whistle.Root) {
    let root = Whistle.Root(initialState: { Whistle.State() }, reducer: { Whistle() })
    let daemon = InMemoryDaemon(
      root: root,
      exposures: [
        Expose("whistle", state: \.self, action: \.self, output: Whistle.Output.self)
      ],
    )
    let core = RemoteStoreCore<Whistle.State, Whistle.Action>(
      "whistle",
      of: daemon.client,
      connection: daemon,
    )
    return (Store(core: core), root)
  }

  @Test("Those that the exposure names arrive at the client's store, in order")
  func arrive() async {
    let store = remote().store
    let outputs = AsyncStream<Whistle.Output>(outputsOf: store)
    let texts = AsyncStream<String>(outputsOf: store)
    await store.send(.blown(times: 2)).finish()
    await store.send(.blown(times: 1)).finish()
    var numbers: [Int] = []
    for await output in outputs.prefix(3) { numbers.append(output.number) }
    #expect(numbers == [1, 2, 3])
    let none = Task {
      for await text in texts { Issue.record("\(text) should have stayed with the daemon") }
    }
    await Task.megaYield()
    none.cancel()
    await none.value
  }

  @Test("An effect's output arrives without a revision, and the store's state is unchanged")
  func effect() async {
    let (store, root) = remote()
    var log: [String] = []
    let changes = store.core.observeChanges { log.append("change") }
    let outputs = store.core.observeOutputs { _ in log.append("output") }
    root.send(.echoed)
    while root.hasRunningEffects { await Task.yield() }
    #expect(log == ["output"])
    changes.cancel()
    outputs.cancel()
  }

  @Test("They are identified by their schema: another type with the same encoding is not read")
  func schema() {
    let value = Whistle.Output(number: 3)
    let schema = SchemaRegistry.document(for: Whistle.Output.self).hash
    let encoded = EncodedOutput(bytes: value.encoded()[...], schema: schema)
    #expect(OutputReader(Whistle.Output.self).read(encoded) == value)
    #expect(OutputReader(Whistle.Output.self).read(value) == value)
    #expect(OutputReader(Whistle.Echo.self).read(encoded) == nil)
    #expect(OutputReader(String.self).read(encoded) == nil)
  }

  @Test(
    "A test receives them the same way from a feature here and from one in a daemon",
    arguments: [false, true],
  )
  func received(isRemote: Bool) async {
    let store =
      isRemote
      ? TestStore(remote: Whistle.State(), output: Whistle.Output.self) { Whistle() }
      : TestStore(initialState: Whistle.State()) { Whistle() }
    await store.send(.blown(times: 2)) { $0.blows = 2 }
    // An output of another type does not travel: it is visible only in the daemon.
    await store.receive(output: "whistle")
    await store.receive(output: Whistle.Output(number: 1))
    await store.receive(outputOf: Whistle.Output.self) { $0.number == 2 }
    await store.send(.echoed)
    await store.receive(output: Whistle.Output(number: -1))
  }

  @Test("A test of a scope receives only the outputs of the scope")
  func receivedOfScope() async {
    let store = TestStore(
      remote: Yard.State(),
      state: \.left,
      action: \.left,
      output: Whistle.Output.self,
    ) {
      Yard()
    }
    await store.send(.blown(times: 1)) { $0.blows = 1 }
    await store.receive(output: "whistle")
    await store.receive(output: Whistle.Output(number: 1))
    // The parent's output, on behalf of the child whose action it was.
    await store.receive(output: Whistle.Output(number: 99))
    await expectIssue("The feature put out 2 unexpected outputs", "number: 1", "number: 2") {
      let store = TestStore(
        remote: Yard.State(),
        state: \.right,
        action: \.right,
        output: Whistle.Output.self,
      ) {
        Yard()
      }
      await store.send(.blown(times: 2)) { $0.blows = 2 }
      await store.receive(output: "whistle")
    }
  }

  @Test("One that is too large to travel is a failure of the test with that reason")
  func tooLarge() async {
    await expectIssue(
      "An output of type \"String\" has 100005 bytes, and does not travel",
      "put large values into the state",
    ) {
      let store = TestStore(remote: Whistle.State(), output: String.self) {
        Reduce<Whistle.State, Whistle.Action> { _, _ in
          .output(String(repeating: "x", count: 100_000))
        }
      }
      await store.send(.echoed)
      await store.receive(outputOf: String.self)
    }
  }

  @Test("An output that cannot be read from its own encoding is a failure of the test")
  func unreadableHere() async {
    await expectIssue("An output of type \"Broken\" cannot be read from its own encoding") {
      let store = TestStore(remote: Whistle.State(), output: Broken.self) {
        Reduce<Whistle.State, Whistle.Action> { _, _ in .output(Broken()) }
      }
      await store.send(.echoed)
      await store.receive(outputOf: Broken.self)
    }
  }

  @Test("An output whose encoding varies does not arrive unchanged")
  func fickle() async {
    await expectIssue(
      "The client did not get the outputs that the daemon emitted: …",
      "(Daemon: −, Client: +)",
    ) {
      let store = TestStore(remote: Whistle.State(), output: Fickle.self) {
        Reduce<Whistle.State, Whistle.Action> { _, _ in .output(Fickle()) }
      }
      await store.send(.echoed)
      await store.receive(outputOf: Fickle.self)
    }
  }

  @Test("One that its own type cannot read is an issue")
  func unreadable() async {
    let schema = SchemaRegistry.document(for: Whistle.Output.self).hash
    let encoded = EncodedOutput(bytes: [0x05], schema: schema)
    await expectIssue("An output of type", "cannot be read from its encoding") {
      #expect(OutputReader(Whistle.Output.self).read(encoded) == nil)
    }
  }
}

/// A feature whose outputs are numbered.
private struct Whistle: Reducer {
  typealias Root = RootCore<State, Action>

  struct State: Equatable, ReplicatedRecord {
    var blows = 0

    static let layout = RecordLayout<Self>("Whistle", [.field("blows", \.blows)])
  }

  enum Action: Equatable, WireChoiceAction {
    case blown(times: Int)
    case echoed

    static let layout = ActionLayout<Self>(
      "Whistle.Action",
      [
        .case("blown", "times", embed: Self.blown(times:)) {
          if case .blown(let times) = $0 { times } else { nil }
        },
        .case("echoed", .echoed),
      ],
    )
  }

  struct Output: Equatable, ReplicatedRecord {
    var number = 0

    static let layout = RecordLayout<Self>("Output", [.field("number", \.number)])
  }

  /// Has the encoding of an output, but is another type.
  struct Echo: Equatable, ReplicatedRecord {
    var number: UInt8 = 0

    static let layout = RecordLayout<Self>("Echo", [.field("number", \.number)])
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .blown(let times):
        let first = state.blows + 1
        state.blows += times
        return .concatenate(
          [.output("whistle")] + (first...state.blows).map { .output(Output(number: $0)) }
        )
      case .echoed:
        return .run { await $0.output(Output(number: -1)) }
      }
    }
  }
}

/// Writes a number, and reads a text.
private struct Broken: WireValue, Equatable {
  static func schema(in registry: inout SchemaRegistry) -> Schema { .int64 }

  init() {}

  init(from decoder: inout CBORDecoder) throws(CodecError) { _ = try decoder.text() }

  func encode(to encoder: inout CBOREncoder) { encoder.encode(unsigned: 1) }
}

/// Counts how often it was written.
private struct Fickle: WireValue {
  private let count = LockIsolated(UInt64(0))

  static func schema(in registry: inout SchemaRegistry) -> Schema { .uint64 }

  init() {}

  init(from decoder: inout CBORDecoder) throws(CodecError) { _ = try decoder.unsigned() }

  func encode(to encoder: inout CBOREncoder) {
    count.withValue { $0 += 1 }
    encoder.encode(unsigned: count.value)
  }
}

/// Two whistles.
private struct Yard: Reducer {
  struct State: Sendable {
    var left = Whistle.State()
    var right: Whistle.State? = Whistle.State()
  }

  enum Action: Sendable, CasePathable {
    case left(Whistle.Action)
    case right(Whistle.Action)

    struct AllCasePaths: Sendable {
      var left: AnyCasePath<Action, Whistle.Action> {
        AnyCasePath(embed: Action.left) { if case .left(let it) = $0 { it } else { nil } }
      }
      var right: AnyCasePath<Action, Whistle.Action> {
        AnyCasePath(embed: Action.right) { if case .right(let it) = $0 { it } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Scope(\.left, action: \.left) { Whistle() }
    Reduce { _, action in
      if case .left = action { .output(Whistle.Output(number: 99)) } else { .none }
    }
    .ifLet(\.right, action: \.right) { Whistle() }
  }
}
