import Observation
import StoreActor
import Testing

/// The work of a commit in the tree of stores: its visits, its notifications and their order.
@Suite("The tree of stores", .timeLimit(.minutes(1)))
@MainActor
struct StoreTreeTests {
  private func office(guest: Int? = nil, rows: [Int] = []) -> StoreOf<Office> {
    Store(
      initialState: Office.State(
        guest: guest.map { Worker.State(id: $0) },
        rows: IdentifiedArray(uniqueElements: rows.map { Worker.State(id: $0) }),
      )
    ) {
      Office()
    }
  }

  /// The number of visited nodes, and of evaluated key paths.
  private struct Cost: Equatable {
    var visits: Int
    var evaluations: Int
  }

  /// The cost of a change in the tree of a store.
  private func cost(_ store: Store<some Any, some Any>, of change: () -> Void) -> Cost {
    let tree = store.core.node.tree
    let before = Cost(visits: tree.visits, evaluations: tree.evaluations)
    change()
    return Cost(
      visits: tree.visits - before.visits,
      evaluations: tree.evaluations - before.evaluations,
    )
  }

  // MARK: Where a commit looks

  @Test("Without observers no node is visited")
  func silent() {
    let store = office(guest: 1, rows: [1, 2, 3])
    let stores: [AnyObject?] = [
      store.scope(\.boss, action: \.boss), store.scope(\.guest, action: \.guest),
      store.scope(\.rows, action: \.rows).first,
    ]
    let cost = cost(store) {
      store.send(.boss(.tick))
      store.send(.guest(.tick))
      store.send(.rows(.element(id: 1, action: .tick)))
    }
    withExtendedLifetime(stores) { #expect(cost == Cost(visits: 0, evaluations: 0)) }
  }

  @Test(
    "Of a thousand observed rows a commit visits those that changed, for any way of scoping",
    arguments: [false, true],
  )
  func rows(byKeyPath: Bool) {
    let store = office(rows: Array(0..<1000))
    var told: [Int] = []
    // This makes the list known. `@ObservableState` would do so for another state.
    let list = store.scope(\.rows, action: \.rows)
    let rows =
      byKeyPath
      ? (0..<1000).compactMap { store.scope(\.rows[id: $0], action: \.rows[id: $0]) } : Array(list)
    let watches = rows.map { row in
      Watch(reading: { _ = row.ticks }, told: { told.append(row.id) })
    }
    #expect(cost(store) { store.send(.boss(.tick)) } == Cost(visits: 1, evaluations: 0))
    #expect(told == [])
    #expect(
      cost(store) { store.send(.rows(.element(id: 7, action: .tick))) }
        == Cost(visits: 3, evaluations: 1)
    )
    #expect(told == [7])
    #expect(cost(store) { store.send(.guestCame(1)) } == Cost(visits: 1, evaluations: 0))
    #expect(watches.count == 1000)
  }

  @Test("A computed value is evaluated once, if its inputs have changed")
  func computed() {
    let store = Store(initialState: Shelf.State()) { Shelf() }
    let child = store.scope(\.summary, action: \.self)
    let inner = Watch { _ = child.text }
    let outer = Watch { _ = store.box.doubled }
    let box = store.scope(\.box, action: \.self)
    let doubled = Watch { _ = box.doubled }
    var told: [Int] { [inner, outer, doubled].map(\.count) }
    // The summary is evaluated, and depends on the root.
    #expect(cost(store) { store.send(.other) } == Cost(visits: 1, evaluations: 1))
    #expect(told == [0, 0, 0])
    // The summary is evaluated, and the doubled number, which depends on the box.
    #expect(cost(store) { store.send(.box) } == Cost(visits: 3, evaluations: 2))
    #expect(told == [1, 1, 1])
    #expect(cost(store) { store.send(.nothing) } == Cost(visits: 0, evaluations: 0))
  }

  @Test("The end of a wait ends the visits")
  func unwatched() {
    let store = office()
    let boss = store.scope(\.boss, action: \.boss)
    withObservationTracking {
      _ = boss.ticks
    } onChange: {
    }
    boss.send(.tick)
    #expect(cost(store) { boss.send(.tick) } == Cost(visits: 0, evaluations: 0))
  }

  // MARK: Notifications

  @Test("Readers of a parent are notified first, and all readers see the same state")
  func order() {
    let store = office(guest: 1, rows: [1])
    let boss = store.scope(\.boss, action: \.boss)
    let row = store.scope(\.rows, action: \.rows).first
    var log: [String] = []
    let look = { (name: String) in
      let torn = store.boss.ticks != boss.ticks || store.rows.first?.ticks != row?.ticks
      log.append(torn ? "\(name), torn" : name)
    }
    let watches = [
      Watch(reading: { _ = row?.ticks }, told: { look("row") }),
      Watch(reading: { _ = boss.ticks }, told: { look("boss") }),
      Watch(reading: { _ = store.state }, told: { look("root") }),
    ]
    boss.send(.tick)
    #expect(log == ["root", "boss"])
    row?.send(.tick)
    #expect(log.dropFirst(2) == ["root", "row"])
    #expect(watches.count == 3)
  }

  @Test("An observer may send: that is a separate commit, and later observers see it at once")
  func sendWhileTelling() {
    let store = office()
    let boss = store.scope(\.boss, action: \.boss)
    var log: [String] = []
    let look: @MainActor () -> Void = {
      log.append("root sees \(store.boss.ticks)")
      if store.boss.ticks == 1 { boss.send(.tick) }
    }
    let first = Watch(reading: { _ = store.boss }, told: look)
    let second = Watch(
      reading: { _ = boss.ticks },
      told: { log.append("boss sees \(boss.ticks)") },
    )
    boss.send(.tick)
    #expect(log == ["root sees 1", "boss sees 2", "root sees 2"])
    #expect(first.count == 2)
    #expect(second.count == 1)
  }

  @Test("Rows that are moved, removed and replaced are notified of their own changes")
  func listChanges() {
    let store = office(rows: [1, 2, 3, 4])
    var told: [String] = []
    let rows = store.scope(\.rows, action: \.rows).map { $0 }
    let watches = rows.flatMap { row in
      [
        Watch(reading: { _ = row.ticks }, told: { told.append("\(row.id) changed") }),
        Watch(reading: { _ = StoreEnd(of: row) }, told: { told.append("\(row.id) ended") }),
      ]
    }
    var next = store.rows
    next.reverse()
    store.send(.rowsReplaced(next))
    #expect(told == [])
    next[id: 2]?.ticks = 5
    next.remove(id: 4)
    next.append(Worker.State(id: 5))
    store.send(.rowsReplaced(next))
    #expect(told.sorted() == ["2 changed", "4 ended"])
    #expect(rows.map { StoreEnd(of: $0) } == [nil, nil, nil, .gone])
    store.send(.rowsReplaced([Worker.State(id: 4, ticks: 9)]))
    #expect(told.dropFirst(2).sorted() == ["1 ended", "2 ended", "3 ended"])
    #expect(rows.allSatisfy { StoreEnd(of: $0) == .gone })
    #expect(rows.map(\.ticks) == [0, 5, 0, 0])
    #expect(watches.count == 8)
  }

  @Test("A child ends at nil, with all its descendants, and keeps its last state")
  func end() async {
    let store = Store(initialState: Shelf.State(drawer: Shelf.Drawer())) { Shelf() }
    let drawer = store.scope(\.drawer, action: \.self)
    let box = drawer?.scope(\.box, action: \.self)
    var states = box.map { AsyncStream(statesOf: $0) }?.makeAsyncIterator()
    #expect(await states?.next()?.number == 0)
    let watch = Watch { _ = box.flatMap { StoreEnd(of: $0) } }
    store.send(.drawerBox)
    #expect(await states?.next()?.number == 1)
    store.send(.drawerGone)
    #expect(watch.count == 1)
    #expect(drawer.flatMap { StoreEnd(of: $0) } == .gone)
    #expect(box.flatMap { StoreEnd(of: $0) } == .gone)
    #expect(box?.number == 1)
    #expect(await states?.next() == nil)
    store.send(.drawerCame)
    #expect(drawer.flatMap { StoreEnd(of: $0) } == .gone)
    #expect(store.scope(\.drawer, action: \.self) !== drawer)
    #expect(box?.number == 1)
  }

  @Test("A child without an id that is removed and recreated is another child, even unobserved")
  func another() {
    let store = Store(initialState: Shelf.State(drawer: Shelf.Drawer())) { Shelf() }
    let drawer = store.scope(\.drawer, action: \.self)
    store.send(.drawerBox)
    store.send(.drawerGone)
    store.send(.drawerCame)
    #expect(drawer.flatMap { StoreEnd(of: $0) } == .gone)
    #expect(drawer?.box.number == 1)
  }

  @Test("A case's child ends when the enum changes its case")
  func enumCase() {
    let store = Store(initialState: Shelf.State()) { Shelf() }
    let text = store.scope(\.place.text, action: \.self)
    let number = store.scope(\.place.number, action: \.self)
    #expect(text?.state == "")
    #expect(number == nil)
    let watch = Watch { _ = text.flatMap { StoreEnd(of: $0) } }
    store.send(.place(.text("attic")))
    #expect(text?.state == "attic")
    #expect(watch.count == 0)
    store.send(.place(.number(4)))
    #expect(watch.count == 1)
    #expect(text?.state == "attic")
    #expect(store.scope(\.place.number, action: \.self)?.state == 4)
  }

  // MARK: Lifetimes

  @Test("A node is released with its last store, and the root holds no node")
  func letGo() {
    let store = office(guest: 1, rows: [1])
    weak var row: AnyObject?
    weak var guest: AnyObject?
    weak var boss: AnyObject?
    do {
      let stores = (
        store.scope(\.rows, action: \.rows).first, store.scope(\.guest, action: \.guest),
        store.scope(\.boss, action: \.boss),
      )
      row = stores.0?.core.node
      guest = stores.1?.core.node
      boss = stores.2.core.node
      withExtendedLifetime(stores) { #expect(row != nil && guest != nil && boss != nil) }
    }
    #expect(row == nil && guest == nil && boss == nil)
  }

  @Test("A child's store holds its ancestors' nodes, not their stores")
  func above() {
    let store = Store(initialState: Shelf.State(drawer: Shelf.Drawer())) { Shelf() }
    weak let drawer = store.scope(\.drawer, action: \.self)
    let box = store.scope(\.drawer, action: \.self)?.scope(\.box, action: \.self)
    #expect(drawer == nil)
    let watch = Watch { _ = box?.number }
    store.send(.drawerBox)
    #expect(watch.count == 1)
    #expect(box?.number == 1)
  }

  @Test("A tracking keeps a child observed without a store, until it fires")
  func tracked() {
    let store = office(rows: [1])
    weak var node: AnyObject?
    let isTold = LockIsolated(0)
    withObservationTracking {
      let row = store.scope(\.rows, action: \.rows).first
      _ = row?.ticks
      node = row?.core.node
    } onChange: {
      isTold.withValue { $0 += 1 }
    }
    #expect(node != nil)
    store.send(.boss(.tick))
    #expect(isTold.value == 0)
    store.send(.rows(.element(id: 1, action: .tick)))
    #expect(isTold.value == 1)
    store.send(.rowRemoved(1))
    #expect(node == nil)
  }

  @Test("Streams hold no store: they end with their store")
  func streams() async {
    let store = office(rows: [1])
    var row = store.scope(\.rows, action: \.rows).first
    var states = row.map { AsyncStream(statesOf: $0) }?.makeAsyncIterator()
    var outputs = row.map { AsyncStream<Int>(outputsOf: $0) }?.makeAsyncIterator()
    #expect(await states?.next()?.ticks == 0)
    row?.send(.tick)
    #expect(await states?.next()?.ticks == 1)
    row = nil
    #expect(await states?.next() == nil)
    #expect(await outputs?.next() == nil)
  }

  @Test("Rows without observers are released without a change")
  func swept() {
    let store = office(rows: Array(0..<500))
    _ = store.scope(\.rows, action: \.rows)
    var nodes: [WeakBox] = []
    for id in 0..<500 {
      let watch = Watch {
        let row = store.scope(\.rows[id: id], action: \.rows[id: id])
        _ = (row?.ticks, store.boss)
        nodes.append(WeakBox(object: row?.core.node))
      }
      #expect(watch.count == 0)
    }
    // All of these trackings have ended, and no row has changed.
    store.send(.boss(.tick))
    #expect(nodes.count { $0.object != nil } == 500)
    for id in 0..<500 {
      let watch = Watch { _ = store[dynamicMember: \.rows[id: id]] }
      #expect(watch.count == 0)
    }
    #expect(nodes.count { $0.object != nil } == 0)
  }
}

private struct WeakBox {
  weak var object: AnyObject?
}

/// A feature with parts of each kind of key path.
private struct Shelf: Reducer {
  struct Box: Equatable, Sendable {
    var number = 0
    var doubled: Int { number * 2 }
  }

  struct Summary: Equatable, Sendable {
    var text: String
  }

  struct Drawer: Equatable, Sendable {
    var box = Box()
  }

  enum Place: Equatable, Sendable {
    case text(String)
    case number(Int)

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var number: Int? { if case .number(let number) = self { number } else { nil } }
  }

  struct State: Equatable, Sendable {
    var box = Box()
    var other = 0
    var drawer: Drawer?
    var place = Place.text("")
    var summary: Summary { Summary(text: "\(box.number)") }
  }

  enum Action: Equatable, Sendable, CasePathable {
    case box
    case other
    case nothing
    case drawerBox
    case drawerGone
    case drawerCame
    case place(Place)

    struct AllCasePaths: Sendable {}
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .box: state.box.number += 1
      case .other: state.other += 1
      case .nothing: break
      case .drawerBox: state.drawer?.box.number += 1
      case .drawerGone: state.drawer = nil
      case .drawerCame: state.drawer = Drawer(box: Box(number: 100))
      case .place(let place): state.place = place
      }
      return .none
    }
  }
}

/// Counts the changes of the values that were read, and reads again after each change.
@MainActor
private final class Watch {
  private(set) var count = 0
  private let read: @MainActor () -> Void
  private let told: @MainActor () -> Void

  init(
    reading read: @escaping @MainActor () -> Void,
    told: @escaping @MainActor () -> Void = {},
  ) {
    self.told = told
    self.read = read
    track()
  }

  private func track() {
    withObservationTracking(read) { [weak self] in
      MainActor.assumeIsolated {
        guard let self else { return }
        self.count += 1
        self.track()
        self.told()
      }
    }
  }
}
