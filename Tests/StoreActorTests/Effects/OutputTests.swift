import StoreActor
import Testing

@Suite("Outputs of a feature", .timeLimit(.minutes(1)))
@MainActor
struct OutputTests {
  /// Emits an output for each ring.
  struct Bell: Reducer {
    typealias State = Int

    enum Action: Sendable {
      case ring
      case ringTwice
      case ringLater
      case rung
    }

    struct Output: Equatable, Sendable {
      var ring: Int
    }

    var body: some Reducer<Int, Action> {
      Reduce { state, action in
        switch action {
        case .ring:
          state += 1
          return .output(Output(ring: state))
        case .ringTwice:
          return .concatenate(.send(.ring), .output("between"), .send(.ring))
        case .ringLater:
          return .run { [state] send in
            await send.output(Output(ring: -1))
            await send(.rung)
            await send.output(Output(ring: state + 1))
          }
        case .rung:
          state += 100
          return .none
        }
      }
    }
  }

  struct House: Reducer {
    struct State: Sendable {
      var front = 0
      var back: Int? = 0
    }

    enum Action: Sendable, CasePathable {
      case front(Bell.Action)
      case back(Bell.Action)
      case leave

      struct AllCasePaths: Sendable {
        var front: AnyCasePath<Action, Bell.Action> {
          AnyCasePath(embed: Action.front) { if case .front(let it) = $0 { it } else { nil } }
        }
        var back: AnyCasePath<Action, Bell.Action> {
          AnyCasePath(embed: Action.back) { if case .back(let it) = $0 { it } else { nil } }
        }
      }
      static var allCasePaths: AllCasePaths { AllCasePaths() }
    }

    var body: some ReducerOf<Self> {
      Scope(\.front, action: \.front) {
        Bell()
      }
      Reduce { state, action in
        guard case .leave = action else { return .none }
        state.back = nil
        return .output(true)
      }
      .ifLet(\.back, action: \.back) {
        Bell()
      }
    }
  }

  /// Reads a number of outputs, as rings.
  private func rings(_ count: Int, of outputs: AsyncStream<Bell.Output>) async -> [Int] {
    var rings: [Int] = []
    for await output in outputs.prefix(count) { rings.append(output.ring) }
    return rings
  }

  @Test("Outputs arrive in order, of the requested type, also from running effects")
  func order() async {
    let store = Store(initialState: 0) { Bell() }
    let outputs = AsyncStream<Bell.Output>(outputsOf: store)
    let texts = AsyncStream<String>(outputsOf: store)
    store.send(.ring)
    store.send(.ringTwice)
    await store.send(.ringLater).finish()
    #expect(await rings(5, of: outputs) == [1, 2, 3, -1, 4])
    var iterator = texts.makeAsyncIterator()
    #expect(await iterator.next() == "between")
  }

  @Test("Outputs follow the commit of their action, when all observers know the new state")
  func afterCommit() {
    let core = RootCore(initialState: { 0 }, reducer: { Bell() })
    var log: [String] = []
    core.onCommit = { revision, _, new in log.append("commit \(revision): \(new)") }
    core.onOutput = { output, revision in log.append("hook \(revision): \(output.value)") }
    let changes = core.observeChanges { log.append("change") }
    let outputs = core.observeOutputs { [unowned core] _ in log.append("output at \(core.state)") }
    core.send(.ringTwice)
    #expect(
      log == [
        "commit 1: 2", "hook 1: between", "hook 1: Output(ring: 1)", "hook 1: Output(ring: 2)",
        "change", "output at 2", "output at 2", "output at 2",
      ]
    )
    changes.cancel()
    outputs.cancel()
  }

  @Test("The outputs of an observer's action follow those that are still pending")
  func sendFromObserver() {
    let core = RootCore(initialState: { 0 }, reducer: { Bell() })
    var first: [String] = []
    var second: [String] = []
    let one = core.observeOutputs { [unowned core] output in
      first.append("\(output.value)")
      if core.state < 3 { core.send(.ring) }
    }
    let other = core.observeOutputs { second.append("\($0.value)") }
    core.send(.ring)
    #expect(first == ["Output(ring: 1)", "Output(ring: 2)", "Output(ring: 3)"])
    #expect(second == first)
    one.cancel()
    other.cancel()
  }

  @Test("A child's outputs reach the child's observers and its parent's, and no sibling's")
  func scopes() async {
    let store = Store(initialState: House.State()) { House() }
    let all = AsyncStream<Bell.Output>(outputsOf: store)
    let front = store.scope(\.front, action: \.front)
    let frontOutputs = AsyncStream<Bell.Output>(outputsOf: front)
    let back = store.scope(\.back, action: \.back)
    let backOutputs = back.map { AsyncStream<Bell.Output>(outputsOf: $0) }
    front.send(.ring)
    back?.send(.ringTwice)
    await front.send(.ringLater).finish()
    #expect(await rings(5, of: all) == [1, 1, 2, -1, 2])
    #expect(await rings(3, of: frontOutputs) == [1, -1, 2])
    if let backOutputs { #expect(await rings(2, of: backOutputs) == [1, 2]) }
  }

  @Test("A removed child emits no output; the outputs with its end are its parent's")
  func goneChild() async {
    let store = Store(initialState: House.State()) { House() }
    let back = store.scope(\.back, action: \.back)
    var backOutputs: [Bool] = []
    let subscription = back?.core.observeOutputs { _ in backOutputs.append(true) }
    let ends = AsyncStream<Bool>(outputsOf: store)
    store.send(.leave)
    var iterator = ends.makeAsyncIterator()
    #expect(await iterator.next() == true)
    #expect(backOutputs.isEmpty)
    subscription?.cancel()
  }

  @Test("A slow reader keeps the newest outputs, unless it chooses another policy")
  func buffer() async {
    let store = Store(initialState: 0) { Bell() }
    let newest = AsyncStream<Bell.Output>(outputsOf: store)
    let oldest = AsyncStream<Bell.Output>(outputsOf: store, bufferingPolicy: .bufferingOldest(2))
    for _ in 0..<300 { store.send(.ring) }
    #expect(await rings(256, of: newest) == Array(45...300))
    #expect(await rings(2, of: oldest) == [1, 2])
  }

  @Test("Outputs without an observer are lost, and the sequence ends with the store")
  func lost() async {
    var store: StoreOf<Bell>? = Store(initialState: 0) { Bell() }
    store?.send(.ring)
    let outputs = store.map { AsyncStream<Bell.Output>(outputsOf: $0) }
    store?.send(.ring)
    store = nil
    var rings: [Int] = []
    for await output in outputs ?? .never { rings.append(output.ring) }
    #expect(rings == [2])
  }

  @Test("A cancelled effect emits no output")
  func cancelled() async {
    let clock = TestClock()
    let core = RootCore(
      initialState: { 0 },
      reducer: {
        Reduce<Int, Bool> { _, isStart in
          isStart
            ? .run { send in
              try? await clock.sleep(for: .seconds(1))
              await send.output("late")
            }
            .cancellable(id: "work")
            : .cancel(id: "work")
        }
      },
    )
    var outputs = 0
    let subscription = core.observeOutputs { _ in outputs += 1 }
    let task = core.send(true)
    await clock.advance()
    core.send(false)
    await task.finish()
    #expect(outputs == 0)
    subscription.cancel()
  }
}
