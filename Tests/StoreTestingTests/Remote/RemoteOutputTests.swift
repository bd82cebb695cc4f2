import StoreActor
import StoreState
import Testing

@testable import StoreReplication
@testable import StoreTesting

@Suite("Outputs of a feature in a daemon", .timeLimit(.minutes(1)))
@MainActor
struct RemoteOutputTests {
  /// A daemon of a whistle, and a store of it that is a client's.
  private func remote() -> (store: Store<Whistle.State, Whistle.Action>, root: Whistle.Root) {
    let root = Whistle.Root(initialState: { Whistle.State() }, reducer: { Whistle() })
    let daemon = InMemoryDaemon(
      root: root,
      exposures: [
        Expose("whistle", state: \.self, action: \.self, output: Whistle.Output.self)
      ],
    )
    let core = InMemoryCore<_, _, Whistle.State, Whistle.Action>(
      daemon,
      scope: "whistle",
      state: Whistle.State(),
    )
    return (Store(core: core), root)
  }

  @Test("Those that the exposure names arrive at the client's store, in order")
  func arrive() async {
    let store = remote().store
    let outputs = store.outputs(of: Whistle.Output.self)
    let texts = store.outputs(of: String.self)
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

  @Test("An effect's output arrives without a revision, when the store's state is what it was")
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

  @Test("They are known by their schema: another type is not read as one that looks like it")
  func schema() {
    let value = Whistle.Output(number: 3)
    let schema = SchemaRegistry.document(for: Whistle.Output.self).hash
    let encoded = EncodedOutput(bytes: value.encoded()[...], schema: schema)
    #expect(OutputReader(Whistle.Output.self).read(encoded) == value)
    #expect(OutputReader(Whistle.Output.self).read(value) == value)
    #expect(OutputReader(Whistle.Echo.self).read(encoded) == nil)
    #expect(OutputReader(String.self).read(encoded) == nil)
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

/// A feature that counts in what it puts out.
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

  /// Has the encoding of an output, and is none.
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
