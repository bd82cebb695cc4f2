import StoreState

/// A node in a tree of stores: a root's state, or a part of its parent's state.
///
/// A node holds its children only while observers wait there for changes. A store holds its own
/// node and all nodes up to the root. So a node lives as long as it is used, and an observer does
/// not keep a root alive. A node whose child is absent has **ended**, with all nodes below it: it
/// keeps its last state.
///
/// Properties that each commit reads are not checked for overlapping accesses, which would cost a
/// third of the walk: no code passes them `inout` to code that could access them again.
@MainActor
@usableFromInline
package class AnyStoreNode {
  package final let tree: StoreTree
  /// Lives as long as this node: a holder of this node holds the parent, too.
  final unowned let parent: AnyStoreNode?
  /// Its index among the waiting children of its parent.
  final var slot: Int?
  /// Whether observers wait here or below, so that each commit that changes this node visits it.
  final private(set) var isWaiting = false
  /// Whether a waiter keeps this node in the tree.
  final private(set) var isHeld = false
  final private(set) var ownEnd: StoreEnd?
  @exclusivity(unchecked) fileprivate final var waiting = WaitingChildren()
  /// The rows among the waiting children, which are looked up by id.
  @exclusivity(unchecked) fileprivate final var waitingRows = WaitingChildren()

  init(tree: StoreTree, parent: AnyStoreNode?, end: StoreEnd? = nil) {
    self.tree = tree
    self.parent = parent
    ownEnd = end
  }

  /// Whether this is a row of the parent's list.
  var isRow: Bool { false }

  /// Whether this part may become absent while its parent remains.
  var mayGo: Bool { false }

  /// The nearest node, from this one upwards, whose part may become absent; nil if no part can.
  final var nearestThatMayGo: AnyStoreNode? {
    var next: AnyStoreNode? = self
    while let node = next, !node.mayGo { next = node.parent }
    return next
  }

  /// The address of the state, valid until the next commit.
  var rawPlace: UnsafeRawPointer { preconditionFailure("A node is of some kind.") }

  /// Whether observers wait for this node itself.
  var waitsItself: Bool { false }

  /// Whether observers wait for this node itself and must be notified even if no store is left.
  var holdsItself: Bool { false }

  /// Updates the node to the state of the last commit, if it is out of date.
  func refresh() {}

  /// Updates the node to the next state of the parent, and continues below if it changed.
  ///
  /// - Parameters:
  ///   - old: The address of the parent's last state.
  ///   - new: The address of its next state.
  func parentChanged(from old: UnsafeRawPointer, to new: UnsafeRawPointer) {}

  /// Collects notices that this node has ended.
  func collectEnd(_ end: StoreEnd) {}

  /// Drops reads without waiters, and returns the number of the others.
  func sweepReads() -> Int { 0 }

  /// The reason why no more changes follow; nil while changes are possible.
  package final var end: StoreEnd? {
    // A refresh also updates the nodes above.
    if ownEnd == nil { refresh() }
    var next: AnyStoreNode? = self
    while let node = next {
      if let end = node.ownEnd { return end }
      next = node.parent
    }
    return nil
  }

  /// Ends this node and all nodes below it.
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

  /// Updates whether commits visit this node: only while observers wait.
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

  /// Drops reads without waiters, here and below, and returns the number of the others.
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
  /// The reads that track changes; nil before the first one.
  @exclusivity(unchecked) fileprivate final var reads: StoreReads<State>?
  @exclusivity(unchecked) private final var observers: ObserverList<StoreEvent>?
  private final var children: [StoreNodeKey: WeakChild] = [:]
  private final var limit = 16
  private final var stores: [WeakStore] = []
  /// The nodes of a list's rows; nil if this is no list, or before the first request.
  final var rows: StoreRows<State>?
  /// Values that bindings have set and whose outcome is unknown.
  final var pending: [PendingValue] = []

  /// The address of the state, valid until the next commit.
  final var place: UnsafePointer<State> { rawPlace.assumingMemoryBound(to: State.self) }

  /// The state after the last commit, or after the last one before the end.
  package final var state: State { place.pointee }

  override final var waitsItself: Bool {
    reads?.isEmpty == false || observers?.isEmpty == false || waitsForMore
  }

  override final var holdsItself: Bool { reads?.isEmpty == false }

  /// Whether observers wait for events that only some kinds of nodes have.
  var waitsForMore: Bool { false }

  /// Collects notices of a change here and below.
  ///
  /// - Parameters:
  ///   - old: The address of the last state.
  ///   - new: The address of the next state, in other memory.
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

  /// The number of reads that may have waiters.
  final var readCount: Int { reads?.count ?? 0 }

  /// Calls a closure after each commit that has changed the state's memory, and at the end.
  ///
  /// It keeps no object alive: the calls end with the node.
  package final func observe(
    _ onEvent: @escaping @MainActor (StoreEvent) -> Void
  ) -> StoreSubscription {
    let observers = self.observers ?? ObserverList()
    self.observers = observers
    defer { updateWaiting() }
    return observers.add(onEvent)
  }

  /// Notes a read for the current tracker.
  ///
  /// After the end the state is constant, so reads are ignored.
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
  /// Notifies the readers of bindings whose value has changed.
  final func pendingChanged() {
    let place = place
    reads?.collect(from: place, to: place, tree) { $0.kind == .binding }
    updateWaiting()
    tree.tell()
  }
}

// MARK: - Children

extension StoreNode {
  /// The node of a part that is always present.
  final func part<Part>(_ path: KeyPath<State, Part>) -> StoreNode<Part> {
    let key = StoreNodeKey(path: path, isOptional: false)
    // Equal key paths have values of one type. A checked cast takes a tenth of finding a store.
    if let known = child(key) { return unsafeDowncast(known, to: StoreNode<Part>.self) }
    let node: StoreNode<Part>
    if let offset = MemoryLayout<State>.offset(of: path) {
      node = StoredNode(tree: tree, parent: self, offset: offset)
    } else {
      node = CachedNode(tree: tree, parent: self, state: state[keyPath: path]) { whole in
        // Copied, because the getter is user code and may do anything.
        let whole = whole.assumingMemoryBound(to: State.self).pointee
        return whole[keyPath: path]
      }
    }
    keep(node, as: key)
    return node
  }

  /// A node whose state a function computes from this node's state.
  final func made<Part>(by read: @escaping (State) -> Part) -> StoreNode<Part> {
    CachedNode(tree: tree, parent: self, state: read(state)) { whole in
      read(whole.assumingMemoryBound(to: State.self).pointee)
    }
  }

  /// The node of a part that may be absent; nil if it is absent now.
  ///
  /// - Parameters:
  ///   - path: The part.
  ///   - list: Receives another node that must be held until the result has a store.
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
      // Without an id, only an observed absence distinguishes it from its replacement.
      mustSeeEnd: identity.id == nil,
      bytes: MemoryLayout<State>.offset(of: path).map { $0..<($0 + MemoryLayout<Part?>.size) },
    ) { whole in
      let whole = whole.assumingMemoryBound(to: State.self).pointee
      guard let part = whole[keyPath: path], identity(part) == id else { return nil }
      return part
    }
    return node
  }

  /// The most recently found store of a part, if it sends the actions of the same case.
  ///
  /// Looks up only the store: its node need not be found first.
  ///
  /// - Parameters:
  ///   - path: The part.
  ///   - key: The key of the case. Its type contains the type of the store's actions.
  /// - Returns: The store; nil if another one was found last, or it was released.
  final func lastStore<Part, Action>(
    at path: KeyPath<State, Part>,
    for key: AnyKeyPath,
  ) -> Store<Part, Action>? {
    let child = children[StoreNodeKey(path: path, isOptional: false)]
    guard let last = child?.lastStore, last.key == key, let store = last.store else { return nil }
    // As in part(_:): equal key paths lead to values of one type.
    return unsafeDowncast(store, to: Store<Part, Action>.self)
  }

  /// Records the store that was found for a part.
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

  /// Returns this node's store for a kind of actions: the existing one, or a new one.
  ///
  /// - Parameters:
  ///   - key: The key of the actions' case.
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

/// Identifies a child of a node.
struct StoreNodeKey: Hashable {
  let path: AnyKeyPath
  let isOptional: Bool
}

struct WeakNode {
  weak var node: AnyStoreNode?
}

// Objects, because a lookup copies the entry, and copying a weak reference is slow.

private final class WeakChild {
  private(set) weak var node: AnyStoreNode?
  /// The most recently found store; nil for children that are found differently.
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
