import StoreState

/// A place in a tree of stores: a root's state, or a part of what is above it.
///
/// Nodes hold their children only while somebody waits there to be told of changes; a store holds
/// the nodes from its own up to the root. So a node lives as long as anybody has use for it, and
/// nobody who waits keeps a root alive. A node whose child has gone has **ended**, and everything
/// below it: it keeps its last state.
///
/// What every commit looks at is not checked for overlapping accesses, which would cost a third of
/// the walk: nothing here is handed on `inout` to code that could come back.
@MainActor
@usableFromInline
package class AnyStoreNode {
  package final let tree: StoreTree
  /// Lives as long as this does: whoever holds this holds it, too.
  final unowned let parent: AnyStoreNode?
  /// Its place among the waiting children of its parent.
  final var slot: Int?
  /// Whether somebody waits here or below, so that each commit that changes this comes by.
  final private(set) var isWaiting = false
  /// Whether somebody waits who keeps this in the tree.
  final private(set) var isHeld = false
  final private(set) var ownEnd: StoreEnd?
  @exclusivity(unchecked) fileprivate final var waiting = WaitingChildren()
  /// The rows among the waiting children, which are found by their ids.
  @exclusivity(unchecked) fileprivate final var waitingRows = WaitingChildren()

  init(tree: StoreTree, parent: AnyStoreNode?, end: StoreEnd? = nil) {
    self.tree = tree
    self.parent = parent
    ownEnd = end
  }

  /// Whether this is a row of the list above.
  var isRow: Bool { false }

  /// Whether what this shows may go while what is above stays.
  var mayGo: Bool { false }

  /// The nearest node, from this one upwards, of which that is so; nil where nothing can go.
  final var nearestThatMayGo: AnyStoreNode? {
    var next: AnyStoreNode? = self
    while let node = next, !node.mayGo { next = node.parent }
    return next
  }

  /// Where the state is, until the next commit.
  var rawPlace: UnsafeRawPointer { preconditionFailure("A node is of some kind.") }

  /// Whether somebody waits for this node itself.
  var waitsItself: Bool { false }

  /// Whether somebody waits for this node itself and is to be told even if no store is left.
  var holdsItself: Bool { false }

  /// Comes to the state of the last commit, if it is not there yet.
  func refresh() {}

  /// Comes to the next state of the parent, and goes on where that changes anything here.
  ///
  /// - Parameters:
  ///   - old: Where the parent's last state is.
  ///   - new: Where its next one is.
  func parentChanged(from old: UnsafeRawPointer, to new: UnsafeRawPointer) {}

  /// Collects those who are to be told that this has ended.
  func collectEnd(_ end: StoreEnd) {}

  /// Drops what nobody waits for any more, and counts the rest.
  func sweepReads() -> Int { 0 }

  /// Why nothing new will come; nil as long as something may.
  package final var end: StoreEnd? {
    // Whatever is above is looked at with it.
    if ownEnd == nil { refresh() }
    var next: AnyStoreNode? = self
    while let node = next {
      if let end = node.ownEnd { return end }
      next = node.parent
    }
    return nil
  }

  /// Ends, with everything below.
  final func finish(_ end: StoreEnd) {
    guard ownEnd == nil else { return }
    ownEnd = end
    collectEnd(end)
    forEachWaitingChild { $0.finish(end) }
    updateWaiting()
  }

  private final func forEachWaitingChild(_ body: (AnyStoreNode) -> Void) {
    var place = 0
    while let child = waiting.next(&place) { body(child) }
    place = 0
    while let row = waitingRows.next(&place) { body(row) }
  }

  /// Sees to it that commits come by as long as somebody waits, and no longer.
  final func updateWaiting() {
    let waits =
      ownEnd == nil && (waitsItself || !waiting.isEmpty || !waitingRows.isEmpty)
    let isHeld = waits && (holdsItself || waiting.heldCount + waitingRows.heldCount > 0)
    guard waits != isWaiting || isHeld != self.isHeld else { return }
    if waits, !isWaiting {
      refresh()
      if ownEnd != nil { return }
    }
    isWaiting = waits
    self.isHeld = isHeld
    guard let parent else {
      tree.isWaited = waits
      return
    }
    if isRow {
      parent.waitingRows.update(self, waits: waits, isHeld: isHeld)
    } else {
      parent.waiting.update(self, waits: waits, isHeld: isHeld)
    }
    parent.updateWaiting()
  }

  /// Drops what nobody waits for any more, here and below, and counts the rest.
  final func sweep() -> Int {
    var count = sweepReads()
    forEachWaitingChild { count += $0.sweep() }
    updateWaiting()
    return count
  }
}

/// A node of a known type.
@MainActor
@usableFromInline
package class StoreNode<State>: AnyStoreNode {
  /// What somebody reads of it who wants to know of changes; nil until anybody has.
  @exclusivity(unchecked) fileprivate final var reads: StoreReads<State>?
  @exclusivity(unchecked) private final var observers: ObserverList<StoreEvent>?
  private final var children: [StoreNodeKey: WeakChild] = [:]
  private final var limit = 16
  private final var stores: [WeakStore] = []
  /// The nodes of a list's rows; nil where this is no list, or nobody has asked for any.
  final var rows: StoreRows<State>?
  /// What bindings have set, until it is known what became of it.
  final var pending: [PendingValue] = []

  /// Where the state is, until the next commit.
  final var place: UnsafePointer<State> { rawPlace.assumingMemoryBound(to: State.self) }

  /// The state after the last commit, or after the last one before the end.
  package final var state: State { place.pointee }

  override final var waitsItself: Bool {
    reads?.isEmpty == false || observers?.isEmpty == false || waitsForMore
  }

  override final var holdsItself: Bool { reads?.isEmpty == false }

  /// Whether somebody waits for something that only some kinds of nodes have.
  var waitsForMore: Bool { false }

  /// Collects those who are to be told of a change here and below.
  ///
  /// - Parameters:
  ///   - old: Where the last state is.
  ///   - new: Where the next one is, in other memory.
  final func changed(from old: UnsafePointer<State>, to new: UnsafePointer<State>) {
    tree.visits += 1
    reads?.collect(from: old, to: new, tree)
    if let observers {
      observers.removeCancelled()
      if !observers.isEmpty { tree.add(.event(observers, .changed)) }
    }
    var place = 0
    while let child = waiting.next(&place) { child.parentChanged(from: old, to: new) }
    place = 0
    if waitingRows.next(&place) != nil { rows?.listChanged(from: old, to: new) }
    updateWaiting()
  }

  override final func collectEnd(_ end: StoreEnd) {
    reads?.collectEnd(tree)
    if let observers, !observers.isEmpty { tree.add(.event(observers, .ended(end))) }
  }

  override final func sweepReads() -> Int {
    reads?.removeDead()
    return reads?.count ?? 0
  }

  /// How many reads somebody may be waiting for.
  final var readCount: Int { reads?.count ?? 0 }

  /// Calls a closure after each commit that has changed the state's memory, and at the end.
  ///
  /// It keeps nothing alive: the calls end with the node.
  package final func observe(
    _ onEvent: @escaping @MainActor (StoreEvent) -> Void
  ) -> StoreSubscription {
    let observers = self.observers ?? ObserverList()
    self.observers = observers
    defer { updateWaiting() }
    return observers.add(onEvent)
  }

  /// Notes a read for whoever is tracking; of what has ended nothing will change.
  final func note(
    _ id: StoreReadID,
    _ hasChanged: () -> StoreReads<State>.HasChanged,
  ) {
    guard end == nil else { return }
    let reads = self.reads ?? StoreReads(of: self)
    self.reads = reads
    guard reads.note(id, hasChanged) else { return }
    updateWaiting()
    tree.countRead(at: self)
  }
}

extension StoreNode {
  /// Tells those who have read through bindings what has another value there now.
  final func pendingChanged() {
    let place = place
    reads?.collect(from: place, to: place, tree) { $0.kind == .binding }
    updateWaiting()
    tree.tell()
  }
}

// MARK: - Children

extension StoreNode {
  /// The node of a part that is always there.
  final func part<Part>(_ path: KeyPath<State, Part>) -> StoreNode<Part> {
    let key = StoreNodeKey(path: path, isOptional: false)
    // Equal key paths lead to values of one type; to look that up takes a tenth of finding a store.
    if let known = child(key) { return unsafeDowncast(known, to: StoreNode<Part>.self) }
    let node: StoreNode<Part>
    if let offset = MemoryLayout<State>.offset(of: path) {
      node = StoredNode(tree: tree, parent: self, offset: offset)
    } else {
      node = CachedNode(tree: tree, parent: self, state: state[keyPath: path]) { whole in
        // A copy: a getter is a user's, and may do anything.
        let whole = whole.assumingMemoryBound(to: State.self).pointee
        return whole[keyPath: path]
      }
    }
    keep(node, as: key)
    return node
  }

  /// A node of what a function makes of the state.
  final func made<Part>(by read: @escaping (State) -> Part) -> StoreNode<Part> {
    CachedNode(tree: tree, parent: self, state: read(state)) { whole in
      read(whole.assumingMemoryBound(to: State.self).pointee)
    }
  }

  /// The node of a part that may be absent; nil when it is absent now.
  ///
  /// - Parameters:
  ///   - path: The part.
  ///   - list: Is set to what else has to be held, until the node has a store.
  /// - Returns: The node.
  final func optional<Part>(
    _ path: KeyPath<State, Part?>,
    holding list: inout AnyStoreNode?,
  ) -> StoreNode<Part>? {
    let key = StoreNodeKey(path: path, isOptional: true)
    if let known = child(key) as? StoreNode<Part>, known.end == nil { return known }
    guard let part = state[keyPath: path] else { return nil }
    let node = KnownLists.row(at: path, part, in: self, &list) ?? optional(path, part)
    keep(node, as: key)
    return node
  }

  private final func optional<Part>(_ path: KeyPath<State, Part?>, _ part: Part) -> StoreNode<Part>
  {
    let identity = ChildIdentity<Part>(.idOnly)
    let id = identity(part)
    let node = CachedNode(
      tree: tree,
      parent: self,
      state: part,
      // Without an id only its absence tells it from another one that comes in its place.
      mustSeeEnd: identity.id == nil,
      bytes: MemoryLayout<State>.offset(of: path).map { $0..<($0 + MemoryLayout<Part?>.size) },
    ) { whole in
      let whole = whole.assumingMemoryBound(to: State.self).pointee
      guard let part = whole[keyPath: path], identity(part) == id else { return nil }
      return part
    }
    return node
  }

  /// The store of a part that was found last, where that sends the actions of the same case.
  ///
  /// Looks for no more than the store itself: its node need not be found first.
  ///
  /// - Parameters:
  ///   - path: The part.
  ///   - key: What the case is known by, which has the type of the store's actions in its own.
  /// - Returns: The store; nil where another one was found last, or it has gone.
  final func lastStore<Part, Action>(
    at path: KeyPath<State, Part>,
    for key: AnyKeyPath,
  ) -> Store<Part, Action>? {
    let child = children[StoreNodeKey(path: path, isOptional: false)]
    guard let last = child?.lastStore, last.key == key, let store = last.store else { return nil }
    // As in part(_:): equal key paths lead to values of one type.
    return unsafeDowncast(store, to: Store<Part, Action>.self)
  }

  /// Notes the store of a part that was found.
  final func note<Part>(_ store: AnyObject, at path: KeyPath<State, Part>, for key: AnyKeyPath) {
    let child = children[StoreNodeKey(path: path, isOptional: false)]
    child?.lastStore = WeakStore(store, for: key)
  }

  private final func child(_ key: StoreNodeKey) -> AnyStoreNode? { children[key]?.node }

  private final func keep(_ node: AnyStoreNode, as key: StoreNodeKey) {
    children[key] = WeakChild(node)
    guard children.count > limit else { return }
    children = children.filter { $0.value.node != nil }
    limit = max(16, children.count * 2)
  }

  /// The store of this node that sends a kind of actions: the one that there is, or else a new one.
  ///
  /// - Parameters:
  ///   - key: What the case of the actions is known by.
  ///   - make: Makes a store.
  /// - Returns: The store.
  final func store<Action>(
    for key: AnyKeyPath?,
    _ make: () -> Store<State, Action>,
  ) -> Store<State, Action> {
    for known in stores where known.key == key {
      if let store = known.store as? Store<State, Action> { return store }
    }
    let store = make()
    stores.removeAll { $0.store == nil }
    stores.append(WeakStore(store, for: key))
    return store
  }
}

/// What tells a node's children apart.
struct StoreNodeKey: Hashable {
  let path: AnyKeyPath
  let isOptional: Bool
}

struct WeakNode {
  weak var node: AnyStoreNode?
}

// Objects, because whoever looks one up copies what is there, and a weak reference takes long to
// copy.

private final class WeakChild {
  private(set) weak var node: AnyStoreNode?
  /// The store that was found last; nil for what is found in another way.
  var lastStore: WeakStore?

  init(_ node: AnyStoreNode) { self.node = node }
}

private final class WeakStore {
  let key: AnyKeyPath?
  private(set) weak var store: AnyObject?

  init(_ store: AnyObject, for key: AnyKeyPath?) {
    self.key = key
    self.store = store
  }
}
