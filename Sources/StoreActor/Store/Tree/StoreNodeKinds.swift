import StoreState

/// The root of a tree: a feature's state in this process, or a scope's state from a daemon.
@MainActor
@usableFromInline
package final class RootNode<State>: StoreNode<State> {
  let cells: StateCells<State>
  private let commitObservers = StoreObservers()

  /// Creates a root with a state.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - isElsewhere: Whether another process creates the states: a sent action is not in the state
  ///     when `send` returns.
  package init(_ state: State, isElsewhere: Bool = false) {
    cells = StateCells(state)
    super.init(tree: StoreTree(isElsewhere: isElsewhere), parent: nil)
  }

  override var rawPlace: UnsafeRawPointer { UnsafeRawPointer(cells.current) }

  override var waitsForMore: Bool { !commitObservers.isEmpty }

  /// Calls a closure after each commit, also after commits without a change.
  package func observeCommits(_ onCommit: @escaping @MainActor () -> Void) -> StoreSubscription {
    defer { updateWaiting() }
    return commitObservers.add(onCommit)
  }

  /// Collects notices of the latest commit.
  ///
  /// The previous state must still be in place.
  func collect() {
    commitObservers.removeCancelled()
    if !commitObservers.isEmpty { tree.add(.commit(commitObservers)) }
    let (old, new) = (UnsafePointer(cells.other), UnsafePointer(cells.current))
    if haveSameMemory(at: old, new) { updateWaiting() } else { changed(from: old, to: new) }
  }

  /// Shows another state: a commit of a root whose states another process creates.
  ///
  /// It does not notify observers.
  package func show(_ state: State) {
    cells.begin(with: state)
    cells.commit()
    tree.commits &+= 1
    if tree.isWaited { collect() }
    cells.dropOld()
  }

  /// Ends this node and all nodes below it.
  ///
  /// It does not notify observers.
  package func end(_ end: StoreEnd) { finish(end) }

  /// Delivers the collected notices.
  package func tell() { tree.tell() }
}

/// A part that is stored in its parent's state.
final class StoredNode<State>: StoreNode<State> {
  private let offset: Int

  init(tree: StoreTree, parent: AnyStoreNode, offset: Int) {
    self.offset = offset
    super.init(tree: tree, parent: parent)
  }

  override var rawPlace: UnsafeRawPointer {
    guard let parent else { preconditionFailure("A part has a parent.") }
    return parent.rawPlace + offset
  }

  override func refresh() { parent?.refresh() }

  override func parentChanged(from old: UnsafeRawPointer, to new: UnsafeRawPointer) {
    let old = (old + offset).assumingMemoryBound(to: State.self)
    let new = (new + offset).assumingMemoryBound(to: State.self)
    if !haveSameMemory(at: old, new) { changed(from: old, to: new) }
  }
}

/// A part that must be read from its parent's state: a computed part, a part that may be absent, or
/// a row.
///
/// It caches the value. While observers wait, each commit updates the value; otherwise a read
/// updates it if the root has changed since.
final class CachedNode<State>: StoreNode<State> {
  /// Reads the part; nil if it is absent.
  typealias Read = @MainActor (_ whole: UnsafeRawPointer) -> State?

  private let read: Read
  private let cell: ValueCell<State>
  private let mustSeeEnd: Bool
  override var isRow: Bool { isRowOfParent }
  override var mayGo: Bool { true }
  private let isRowOfParent: Bool
  /// The bytes of the parent that alone determine the value, if they are known.
  private let bytes: Range<Int>?
  private var commits: Int

  /// Creates a node.
  ///
  /// - Parameters:
  ///   - tree: The tree that contains it.
  ///   - parent: The node of the whole.
  ///   - state: The value in the parent's present state.
  ///   - isRow: Whether it is a row of the list that the parent is.
  ///   - mustSeeEnd: Whether the node waits for its end as long as it lives.
  ///   - bytes: The bytes of the parent that alone determine the value, if they are known.
  ///   - end: The reason why it has ended already.
  ///   - read: Reads the value again.
  init(
    tree: StoreTree,
    parent: AnyStoreNode,
    state: State,
    isRow: Bool = false,
    mustSeeEnd: Bool = false,
    bytes: Range<Int>? = nil,
    end: StoreEnd? = nil,
    read: @escaping Read,
  ) {
    self.read = read
    self.mustSeeEnd = mustSeeEnd
    isRowOfParent = isRow
    self.bytes = bytes
    cell = ValueCell(state)
    commits = tree.commits
    super.init(tree: tree, parent: parent, end: end)
    if mustSeeEnd { updateWaiting() }
  }

  override var rawPlace: UnsafeRawPointer {
    refresh()
    return UnsafeRawPointer(cell.place)
  }

  override var waitsForMore: Bool { mustSeeEnd }

  override func refresh() {
    guard !isWaiting, commits != tree.commits, ownEnd == nil, let parent else { return }
    let whole = parent.rawPlace
    commits = tree.commits
    tree.evaluations += 1
    if let state = read(whole) { cell.place.pointee = state } else { finish(.gone) }
  }

  override func parentChanged(from old: UnsafeRawPointer, to new: UnsafeRawPointer) {
    commits = tree.commits
    if let bytes, haveSameBytes(at: old, new, bytes) { return }
    tree.evaluations += 1
    guard let state = read(new) else { return finish(.gone) }
    let place = UnsafePointer(cell.place)
    withUnsafePointer(to: state) { state in
      if haveSameMemory(at: place, state) { return }
      let previous = cell.exchange(state.pointee)
      withUnsafePointer(to: previous) { changed(from: $0, to: place) }
    }
  }
}

/// A value at a stable address, so that pointers to it stay valid.
final class ValueCell<Value> {
  let place: UnsafeMutablePointer<Value>

  init(_ value: consuming Value) {
    place = .allocate(capacity: 1)
    place.initialize(to: value)
  }

  deinit {
    place.deinitialize(count: 1)
    place.deallocate()
  }

  /// Stores another value and returns the previous one.
  func exchange(_ value: consuming Value) -> Value {
    let old = place.move()
    place.initialize(to: value)
    return old
  }
}
