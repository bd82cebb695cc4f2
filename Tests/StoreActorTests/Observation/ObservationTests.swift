import Foundation
import Observation
import StoreActor
import Testing

@Suite("Observing a store", .timeLimit(.minutes(1)))
@MainActor
struct ObservationTests {
  struct Screen: Reducer {
    struct State: Equatable, Sendable, ObservableState {
      var count = 0
      var name = ""
      var hidden = 0
      var closure = Opaque()
      static var _$ignoredKeyPaths: [PartialKeyPath<Self>] { [\.hidden] }
    }

    /// A value that can be compared only by its memory.
    struct Opaque: Equatable, Sendable {
      var number = 0
    }

    enum Action: Sendable {
      case count(Int)
      case name(String)
      case hidden(Int)
      case several
      case nothing
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .count(let count): state.count = count
        case .name(let name): state.name = name
        case .hidden(let hidden): state.hidden = hidden
        case .several: return .merge(.send(.count(1)), .send(.count(2)), .send(.name("x")))
        case .nothing: break
        }
        return .none
      }
    }
  }

  private func screen() -> StoreOf<Screen> {
    Store(initialState: Screen.State()) { Screen() }
  }

  private func office(rows: [Int] = []) -> StoreOf<Office> {
    Store(
      initialState: Office.State(
        rows: IdentifiedArray(uniqueElements: rows.map { Worker.State(id: $0) })
      )
    ) {
      Office()
    }
  }

  /// Counts the changes of the values that `read` accesses, and reads again after each change.
  @MainActor
  final class Watch {
    private(set) var count = 0
    private let read: @MainActor () -> Void

    init(_ read: @escaping @MainActor () -> Void) {
      self.read = read
      track()
    }

    private func track() {
      withObservationTracking(read) { [weak self] in
        MainActor.assumeIsolated {
          self?.count += 1
          self?.track()
        }
      }
    }
  }

  @Test("An observer is notified only of changes of the property that it read")
  func precise() {
    let store = screen()
    let watch = Watch { _ = store.count }
    store.send(.name("Ann"))
    store.send(.nothing)
    #expect(watch.count == 0)
    store.send(.count(1))
    #expect(watch.count == 1)
    store.send(.count(1))
    #expect(watch.count == 1)
    store.send(.count(2))
    #expect(watch.count == 2)
  }

  @Test("A reader of the whole state is notified of every change, and only of changes")
  func whole() {
    let store = screen()
    let state = Watch { _ = store.state }
    let withState = Watch { store.withState { _ = $0.name } }
    store.send(.nothing)
    #expect(state.count == 0)
    store.send(.name("Ann"))
    store.send(.count(1))
    #expect(state.count == 2)
    #expect(withState.count == 2)
  }

  @Test("A notified observer sees the new state")
  func newState() {
    let store = screen()
    var seen: [Int] = []
    let watch = Watch { seen.append(store.count) }
    store.send(.count(5))
    store.send(.count(6))
    #expect(seen == [0, 5, 6])
    #expect(watch.count == 2)
  }

  @Test("A batch of queued actions causes one notification for any number of changes")
  func batch() {
    let store = screen()
    let watch = Watch { _ = (store.count, store.name) }
    store.send(.several)
    #expect(watch.count == 1)
    #expect(store.count == 2)
  }

  @Test("A property that is not tracked changes without a notification")
  func ignored() {
    let store = screen()
    let watch = Watch { _ = (store.hidden, store.count) }
    store.send(.hidden(1))
    #expect(watch.count == 0)
    store.send(.count(1))
    #expect(watch.count == 1)
  }

  @Test("A child's store is notified of its part for any sender, and the parent's of its own")
  func child() {
    let store = office(rows: [1])
    let boss = store.scope(\.boss, action: \.boss)
    let child = Watch { _ = boss.ticks }
    let parent = Watch { _ = store.boss }
    let other = Watch { _ = store.guestWasThere }
    boss.send(.tick)
    store.send(.boss(.tick))
    store.send(.rows(.element(id: 1, action: .tick)))
    #expect(child.count == 2)
    #expect(parent.count == 2)
    #expect(other.count == 0)
  }

  @Test("A reader of an optional child's store is notified of presence and identity")
  func presence() {
    let store = office()
    let watch = Watch { _ = store.scope(\.guest, action: \.guest) }
    store.send(.guestCame(1))
    #expect(watch.count == 1)
    store.send(.guest(.tick))
    #expect(watch.count == 1)
    store.send(.guestCame(2))
    #expect(watch.count == 2)
    store.send(.guestLeft)
    #expect(watch.count == 3)
  }

  @Test("An optional child's own store is notified of its properties, until the child is removed")
  func optionalChild() {
    let store = office()
    store.send(.guestCame(1))
    let guest = store.scope(\.guest, action: \.guest)
    let watch = Watch { _ = guest?.ticks }
    guest?.send(.tick)
    #expect(watch.count == 1)
    store.send(.guestLeft)
    store.send(.guestCame(2))
    store.send(.guest(.tick))
    #expect(watch.count == 1)
  }

  @Test("A list's stores are notified of inserted, removed and moved rows, not of changed rows")
  func rows() {
    let store = office(rows: [1, 2, 3])
    let list = Watch { _ = store.scope(\.rows, action: \.rows).count }
    let first = Watch { _ = store.scope(\.rows, action: \.rows).first?.ticks }
    store.send(.rows(.element(id: 2, action: .tick)))
    #expect(list.count == 0)
    #expect(first.count == 0)
    store.send(.rows(.element(id: 1, action: .tick)))
    #expect(list.count == 0)
    #expect(first.count == 1)
    store.send(.rowRemoved(3))
    #expect(list.count == 1)
    var moved = store.rows
    moved.reverse()
    store.send(.rowsReplaced(moved))
    #expect(list.count == 2)
  }

  @Test("A row by its id is notified only of its own changes")
  func row() {
    let store = office(rows: [1, 2])
    let row = store.scope(\.rows[id: 1], action: \.rows[id: 1])
    let watch = Watch { _ = row?.ticks }
    store.send(.rows(.element(id: 2, action: .tick)))
    #expect(watch.count == 0)
    store.send(.rows(.element(id: 1, action: .tick)))
    #expect(watch.count == 1)
  }

  @Test("A reader of an enum's case is notified only of another case")
  func enumCase() {
    let store = Store(initialState: Result<Int, Never>?.none) {
      Reduce<Result<Int, Never>?, Int?> { state, action in
        state = action.map { .success($0) }
        return .none
      }
    }
    let watch = Watch { store._$readingCase { _ in } }
    store.send(1)
    #expect(watch.count == 1)
    store.send(2)
    #expect(watch.count == 1)
    store.send(nil)
    #expect(watch.count == 2)
  }

  @Test("A value that cannot be compared has changed if its memory differs")
  func incomparable() {
    struct Box: Sendable { var value = 0 }
    struct State: Sendable {
      var box = Box()
      var other = 0
    }
    let store = Store(initialState: State()) {
      Reduce<State, Int> { state, action in
        if action < 0 { state.other -= 1 } else { state.box.value = action }
        return .none
      }
    }
    let watch = Watch { _ = store.box }
    store.send(-1)
    store.send(0)
    #expect(watch.count == 0)
    store.send(1)
    #expect(watch.count == 1)
  }

  @Test("Reads outside a tracking are not recorded, and fired or abandoned reads are removed")
  func deadReads() {
    let store = screen()
    _ = (store.count, store.name, store.state)
    #expect(store.readCount == 0)
    withObservationTracking {
      _ = (store.count, store.name)
    } onChange: {
    }
    #expect(store.readCount == 2)
    store.send(.count(1))
    #expect(store.readCount == 1)
    // No observer waits for the name, since the only tracking that read it has fired.
    store.send(.hidden(1))
    #expect(store.readCount == 0)
    store.send(.nothing)
    let core = store.core as? RootCore<Screen.State, Screen.Action>
    #expect(core?.isObserved == false)
  }

  @Test("Trackings that end without a change leave a limited number of reads")
  func bounded() {
    let store = office(rows: Array(0..<1000))
    for id in 0..<1000 {
      let watch = Watch { _ = store[dynamicMember: \.rows[id: id]] }
      #expect(watch.count == 0)
      store.send(.boss(.tick))
    }
    #expect((store.readCount) <= 1000)
  }

  @Test("The cost of a read is the same for any number of key paths that are created at run time")
  func manyKeyPaths() {
    func cost(_ count: Int) -> Duration {
      let store = office(rows: Array(0..<count))
      let start = Self.threadTime
      let watch = Watch { for id in 0..<count { _ = store[dynamicMember: \.rows[id: id]] } }
      #expect(watch.count == 0 && store.readCount == count)
      return Self.threadTime - start
    }
    let costs = [1_000, 8_000].map { count in (0..<3).map { _ in cost(count) }.min() ?? .zero }
    // A linear search for each would cost 64 times as much.
    #expect(costs[1] < costs[0] * 24, "\(costs)")
  }

  /// The processor time of this thread, independent of the machine's load.
  private static var threadTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test("A waiting observer keeps no store alive")
  func lifetime() {
    weak var weakCore: RootCore<Screen.State, Screen.Action>?
    let other = screen()
    do {
      let store = screen()
      weakCore = store.core as? RootCore
      withObservationTracking {
        _ = (store.count, other.count)
      } onChange: {
      }
    }
    #expect(weakCore == nil)
  }

  @Test("A reader of two stores is notified once of one change")
  func twoStores() {
    let store = office()
    let boss = store.scope(\.boss, action: \.boss)
    let watch = Watch { _ = (store.boss, boss.ticks) }
    boss.send(.tick)
    #expect(watch.count == 1)
    boss.send(.tick)
    #expect(watch.count == 2)
  }

  /// A core whose state another process owns, like that of a remote scope.
  private final class ReplicaCore: StoreCore {
    let root = RootNode(Office.State())
    var node: StoreNode<Office.State> { root }
    var state: Office.State {
      get { root.state }
      set {
        root.show(newValue)
        root.tell()
      }
    }

    func send(_: Office.Action) -> StoreTask { StoreTask(revision: 0) }

    func observeChanges(_ onChange: @escaping @MainActor () -> Void) -> StoreSubscription {
      root.observeCommits(onChange)
    }

    func observeOutputs(
      _: @escaping @MainActor (StoreOutput<Office.Action>) -> Void
    ) -> StoreSubscription {
      StoreSubscription {}
    }
  }

  @Test("A remote store is observed like any other, and so are its parts")
  func replica() {
    let core = ReplicaCore()
    let store = Store(core: core)
    let boss = store.scope(\.boss, action: \.boss)
    let child = Watch { _ = boss.ticks }
    let list = Watch { _ = store.scope(\.rows, action: \.rows).count }
    let guest = Watch { _ = store.scope(\.guest, action: \.guest) }
    var counts: [Int] { [child, list, guest].map(\.count) }
    core.state.boss.ticks = 1
    #expect(counts == [1, 0, 0])
    core.state.rows.append(Worker.State(id: 1))
    #expect(counts == [1, 1, 0])
    core.state.guest = Worker.State(id: 2)
    #expect(counts == [1, 1, 1])
  }

  @Test("withPerceptionTracking notifies like withObservationTracking")
  func perception() {
    let store = screen()
    let isTold = LockIsolated(false)
    let count = withPerceptionTracking {
      store.count
    } onChange: {
      isTold.setValue(true)
    }
    #expect(count == 0)
    store.send(.count(1))
    #expect(isTold.value)
  }
}
