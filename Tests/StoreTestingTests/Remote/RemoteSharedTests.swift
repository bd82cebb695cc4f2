import IssueReporting
import StoreActor
import StoreState
import StoreTesting
import Testing

/// Two tabs that share a counter, in a daemon.
@Reducer
private struct SharedTabs {
  @ObservableState
  struct State: Equatable, ReplicatedState, Sendable {
    var counter: Tab.State
    var other: Tab.State
    var rows: IdentifiedArrayOf<Item> = []
    @SharedReader var total: Int
    @Presents var sheet: Tab.State?

    init(_ count: Shared<Int>) {
      counter = Tab.State(count: count)
      other = Tab.State(count: count)
      _total = SharedReader(count)
    }
  }

  @ObservableState
  struct Item: Equatable, Identifiable, ReplicatedState, Sendable {
    let id: Int
    @Shared var count: Int
  }

  @Reducer
  struct Tab {
    @ObservableState
    struct State: Equatable, ReplicatedState, Sendable {
      @Shared var count: Int
    }

    enum Action: Equatable, Sendable, WireAction { case add(Int) }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .add(let number) = action { state.$count.withLock { $0 += number } }
        return .none
      }
    }
  }

  enum Action: Equatable, Sendable, WireAction {
    case addItem
    case addLater
    case counter(Tab.Action)
    case open
    case other(Tab.Action)
    case sheet(PresentationAction<Tab.Action>)
  }

  var body: some ReducerOf<Self> {
    Scope(\.counter, action: \.counter) { Tab() }
    Scope(\.other, action: \.other) { Tab() }
    Reduce { state, action in
      switch action {
      case .addItem:
        let id = state.rows.count
        state.rows.append(Item(id: id, count: state.counter.$count))
        return .none
      case .addLater:
        return .run { [count = state.counter.$count] _ in count.withLock { $0 += 1 } }
      case .open:
        state.sheet = Tab.State(count: state.counter.$count)
        return .none
      case .counter, .other, .sheet:
        return .none
      }
    }
    .ifLet(\.$sheet, action: \.sheet) { Tab() }
  }
}

@Suite("Shared values in a daemon, as a client sees them", .timeLimit(.minutes(1)))
@MainActor
struct RemoteSharedTests {
  @Test("The same test runs in process and in a daemon", arguments: [false, true])
  func hereAndThere(isRemote: Bool) async {
    let count = Shared(value: 0)
    let store =
      isRemote
      ? TestStore(remote: SharedTabs.State(count)) { SharedTabs() }
      : TestStore(initialState: SharedTabs.State(count)) { SharedTabs() }
    await store.send(.counter(.add(2))) {
      $0.counter.$count.withLock { $0 = 2 }
      #expect($0.other.count == 2)
      #expect($0.total == 2)
    }
    await store.send(.addItem) {
      $0.rows.append(SharedTabs.Item(id: 0, count: $0.counter.$count))
    }
    await store.send(.open) { $0.sheet = SharedTabs.Tab.State(count: $0.other.$count) }
    await store.send(.sheet(.presented(.add(1)))) {
      $0.rows[id: 0]?.$count.withLock { $0 += 1 }
    }
    await store.send(.addLater)
    await store.finish()
    store.assert { $0.counter.$count.withLock { $0 += 1 } }
    count.withLock { $0 = 10 }
    store.assert { $0.counter.$count.withLock { $0 = 10 } }
    await store.send(.other(.add(1))) { $0.other.$count.withLock { $0 = 11 } }
    #expect(count.wrappedValue == 11)
  }

  @Test("A change in the daemon without an action is awaited, or reported at the end")
  func unasserted() async {
    let count = Shared(value: 0)
    await expectIssue("Shared values were changed without an action") {
      let store = TestStore(remote: SharedTabs.State(count)) { SharedTabs() }
      count.withLock { $0 = 1 }
      await store.receiveSharedChange { $0.counter.$count.withLock { $0 = 1 } }
      count.withLock { $0 = 2 }
    }
  }

  @Test("A client that reads a daemon's state queries no key and writes no value")
  func clientKeys() async {
    let calls = LockIsolated<[String]>([])
    let state = Kept(calls)
    #expect(calls.value == ["load", "subscribe"])
    let store = TestStore(remote: state) {
      Reduce<Kept, KeptAction> { state, _ in
        state.$count.withLock { $0 += 1 }
        return .none
      }
    }
    await store.send(.add) { $0.$count.withLock { $0 = 4 } }
    await store.send(.add) { $0.$count.withLock { $0 = 5 } }
    // The changes of the daemon's reducer, once for each action.
    #expect(calls.value == ["load", "subscribe", "save 4", "save 5"])
  }

  @Test("A change travels in the states that show it, as the value's delta")
  func delta() throws {
    @Shared(value: "a long text that is typed into, of more than a few dozen bytes") var text
    let old = Copied(text: $text)
    #expect(old.encoded() == Plain(text: text).encoded())
    #expect(old._$digest == Plain(text: text)._$digest)
    let before = text
    $text.withLock { $0 += "!" }
    let new = Copied(text: $text)
    #expect(new.delta(from: old) == nil, "Neither is a snapshot: both are the newest value.")
    let copy = try Copied(encoded: Plain(text: before).encoded())
    let delta = try #require(Plain(text: text).delta(from: Plain(text: before)))
    #expect(new.delta(from: copy) == delta)
    #expect(try copy.applying(delta: delta) == new)
  }

  @Test("A shared value is described to clients of any kind as a plain value")
  func schema() {
    let copied = "\(SchemaRegistry.document(for: Copied.self))"
    #expect(copied.contains("Copied") && copied.contains("text"))
    #expect(
      copied.replacing("Copied", with: "Plain") == "\(SchemaRegistry.document(for: Plain.self))"
    )
  }

  @Test("No binding of a client replaces a shared value")
  func bindings() {
    let schema = "\(SchemaRegistry.document(for: BindingAction<Named>.self))"
    #expect(schema.contains("name"))
    #expect(!schema.contains("words") && !schema.contains("copied"))
  }

  @Test("A client's copy is read-only, and a write reports that")
  func readOnly() throws {
    let copy = try Copied(encoded: Plain(text: "text").encoded())
    withKnownIssue {
      copy.$text.withLock { $0 = "other" }
    } matching: { issue in
      issue.description.contains("a copy of what another process shares")
    }
    #expect(copy.text == "text")
    #expect(copy.$text.count.wrappedValue == 4)
  }
}

@ObservableState
private struct Named: Equatable, ReplicatedState, Sendable {
  var name = ""
  @Shared var words: String
  var copied: Copied
}

@ObservableState
private struct Copied: Equatable, ReplicatedState, Sendable {
  @Shared var text: String
}

@ObservableState
private struct Plain: Equatable, ReplicatedState, Sendable {
  var text: String
}

/// A key that records its calls.
private struct NotingKey: SharedKey {
  let calls: LockIsolated<[String]>

  var id: ObjectIdentifier { ObjectIdentifier(calls) }

  func load(context: LoadContext<Int>, continuation: LoadContinuation<Int>) {
    calls.withValue { $0.append("load") }
    continuation.resumeReturningInitialValue()
  }

  func subscribe(
    context: LoadContext<Int>,
    subscriber: SharedSubscriber<Int>,
  ) -> SharedSubscription {
    calls.withValue { $0.append("subscribe") }
    return SharedSubscription {}
  }

  func save(_ value: Int, context: SaveContext, continuation: SaveContinuation) {
    calls.withValue { $0.append("save \(value)") }
    continuation.resume()
  }
}

@ObservableState
private struct Kept: Equatable, ReplicatedState, Sendable {
  @Shared var count: Int

  init(_ calls: LockIsolated<[String]>) {
    _count = Shared(wrappedValue: 3, NotingKey(calls: calls))
  }
}

@CasePathable
private enum KeptAction: Equatable, Sendable, WireAction { case add }
