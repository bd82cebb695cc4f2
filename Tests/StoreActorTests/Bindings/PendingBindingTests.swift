import Observation
import StoreActor
import Testing

@Suite("Bindings to a store in another process")
@MainActor
struct PendingBindingTests {
  @Test("Only the binding shows a new value until the outcome is known")
  func pending() async {
    let daemon = FormElsewhere()
    let store = Store(core: daemon)
    var states = AsyncStream(statesOf: store).makeAsyncIterator()
    _ = await states.next()
    store.name = "Blob"
    #expect(store.name == "Blob")
    #expect(store.state.name == "")
    #expect(store.withState(\.name) == "")
    daemon.apply { $0.age = 4 }
    #expect(await states.next()?.name == "")
    #expect(store.name == "Blob")
    daemon.apply { $0.name = "Blob!" }
    #expect(store.name == "Blob")
    daemon.settle()
    #expect(store.name == "Blob!")
  }

  @Test("Newly typed text is shown until its last action is settled, separately for each field")
  func several() {
    let daemon = FormElsewhere()
    let store = Store(core: daemon)
    store.name = "B"
    store.name = "Bl"
    store.age = 7
    daemon.apply { $0.name = "B" }
    daemon.settle()
    #expect(store.name == "Bl")
    daemon.settle()
    #expect(store.name == "B")
    #expect(store.age == 7)
    daemon.settle()
    #expect(store.age == 0)
  }

  @Test("A reader of the binding is notified when the shown value changes, and only then")
  func told() {
    let daemon = FormElsewhere()
    let store = Store(core: daemon)
    let count = LockIsolated(0)
    func track() {
      withObservationTracking {
        _ = store.name
      } onChange: {
        count.withValue { $0 += 1 }
      }
    }
    track()
    store.name = "Blob"
    #expect(count.value == 1)
    track()
    daemon.apply { $0.name = "Blob" }
    daemon.settle()
    #expect(count.value == 1)
    store.name = "Blobby"
    #expect(count.value == 2)
    track()
    // After a refusal the binding shows the daemon's value again.
    daemon.settle()
    #expect(count.value == 3)
    #expect(store.name == "Blob")
  }

  @Test("An action keeps its store's node until it is settled")
  func lifetime() {
    let daemon = FormElsewhere()
    let root = Store(core: daemon)
    weak var node: AnyObject?
    do {
      let store = root.scope(\.self, action: \.self)
      node = store.core.node
      store.name = "Blob"
    }
    #expect(node != nil)
    daemon.settle()
    #expect(node == nil)
  }
}

/// A form whose state a test changes in place of a daemon.
@MainActor
private final class FormElsewhere: StoreCore {
  typealias State = Form.State
  typealias Action = Form.Action

  private let root = RootNode(Form.State(), isElsewhere: true)
  private var unsettled: [Ticket] = []

  var node: StoreNode<Form.State> { root }

  func send(_: Form.Action) -> StoreTask {
    unsettled.append(Ticket())
    return StoreTask(handle: unsettled[unsettled.count - 1])
  }

  func observeChanges(_ onChange: @escaping @MainActor () -> Void) -> StoreSubscription {
    root.observeCommits(onChange)
  }

  func observeOutputs(
    _: @escaping @MainActor (StoreOutput<Form.Action>) -> Void
  ) -> StoreSubscription {
    StoreSubscription {}
  }

  /// Changes the state.
  func apply(_ change: (inout Form.State) -> Void) {
    var state = root.state
    change(&state)
    root.show(state)
    root.tell()
  }

  /// Settles the oldest action.
  func settle() { unsettled.removeFirst().settle() }
}

private final class Ticket: SentTaskHandle {
  @MainActor private var onSettled: [@MainActor @Sendable () -> Void] = []

  let isCancelled = false
  let isFinished = false

  func cancel() {}

  func finish() async {}

  @MainActor
  func whenFinished(_: @escaping @MainActor @Sendable () -> Void) {}

  @MainActor
  func whenSettled(_ body: @escaping @MainActor @Sendable () -> Void) { onSettled.append(body) }

  func applied() async throws -> AppliedAction { AppliedAction(revision: 1) }

  @MainActor
  func settle() {
    for body in onSettled { body() }
    onSettled = []
  }
}
