import Foundation
import Synchronization

/// The common state of all shared values: one lock, and one counter of their changes.
///
/// There is one for the process. A ``SharedStorage``, which is a dependency, distinguishes values
/// by their keys. But a state may hold values of two storages, and two separately numbered
/// histories have no common consistent snapshot.
///
/// `lock` guards all state here and in the cells, except for the atomics, which are written under
/// it and read without it. It is recursive, as a caller that changes a value may read and change
/// others meanwhile. The closures of `withLock` are the only foreign code that runs under it: calls
/// of keys and notifications of observers run after it is released.
enum SharedLock {
  private static let lock = NSRecursiveLock()
  private static let used = Atomic<Bool>(false)
  private static let thread = Atomic<UInt>(0)
  private static let holder = Atomic<UInt>(0)
  private static let changes = Atomic<UInt64>(0)
  // Guarded by the lock: the recursion depth of its holder.
  nonisolated(unsafe) private static var depth = 0
  // Guarded by the lock.
  nonisolated(unsafe) private static var errands: [() -> Void] = []
  // Guarded by the lock, and belongs to the thread that `thread` names.
  nonisolated(unsafe) private static var context: SharedContext?
  // Guarded by the lock.
  nonisolated(unsafe) private static var historians = 0
  // Guarded by the lock.
  nonisolated(unsafe) private static var observers: [ObjectIdentifier: WeakObserver] = [:]

  /// Whether the process has ever shared a value.
  static var isUsed: Bool { used.load(ordering: .relaxed) }

  /// Records that a value is shared.
  static func use() { used.store(true, ordering: .relaxed) }

  static func withLock<R>(_ body: () throws -> R) rethrows -> R {
    lock.lock()
    if depth == 0 { holder.store(CurrentThread.id, ordering: .relaxed) }
    depth += 1
    defer { unlock() }
    return try body()
  }

  private static func unlock() {
    depth -= 1
    guard depth == 0 else { return lock.unlock() }
    holder.store(0, ordering: .relaxed)
    guard !errands.isEmpty else { return lock.unlock() }
    let due = errands
    errands = []
    lock.unlock()
    for errand in due { errand() }
  }

  /// Whether this thread holds the lock.
  static var isHeld: Bool { holder.load(ordering: .relaxed) == CurrentThread.id }

  /// Runs foreign code after this thread, which holds the lock, has released it.
  static func afterUnlock(_ errand: @escaping () -> Void) { errands.append(errand) }

  // MARK: Contexts

  /// Whether this thread reads values in a step or an expectation.
  static var isInContext: Bool {
    let owner = thread.load(ordering: .relaxed)
    return owner != 0 && owner == CurrentThread.id
  }

  /// The context of this thread; nil if it reads the newest values.
  static var current: SharedContext? { isInContext ? context : nil }

  /// The version that this thread sees.
  static var visibleVersion: UInt64 { withLock { current?.version ?? version } }

  /// Begins a step or an expectation on this thread.
  ///
  /// - Parameters:
  ///   - owner: The root that makes the step; nil for an expectation.
  ///   - version: The version at which an expectation begins; nil for a step, which begins at
  ///     the newest.
  /// - Returns: The new context.
  static func begin(_ owner: AnyObject?, from version: UInt64? = nil) -> SharedContext {
    withLock {
      precondition(
        context == nil || isInContext,
        "Steps belong to one thread: one is under way on another.",
      )
      let context = SharedContext(
        owner: owner,
        version: version ?? self.version,
        isExpectation: version != nil,
        outer: context,
      )
      self.context = context
      thread.store(CurrentThread.id, ordering: .relaxed)
      return context
    }
  }

  /// Ends the most recent step or expectation.
  static func end(_ ended: SharedContext) {
    withLock {
      precondition(context === ended, "Steps end in the order in which they began.")
      context = ended.outer
      if let outer = ended.outer, ended.hasChanged { outer.move(to: ended.version) }
      if ended.outer == nil { thread.store(0, ordering: .relaxed) }
    }
  }

  // MARK: Changes

  /// The number of changes.
  static var version: UInt64 { changes.load(ordering: .acquiring) }

  /// The oldest version that a context may read; nil if all readers use the newest.
  static var oldestSeen: UInt64? {
    if historians > 0 { return 0 }
    var oldest: UInt64?
    var next = context
    while let context = next {
      oldest = min(oldest ?? .max, context.version)
      next = context.outer
    }
    return oldest
  }

  /// Counts a change.
  ///
  /// The caller holds the lock.
  ///
  /// - Returns: The new version.
  static func advance() -> UInt64 {
    let version = changes.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    let step = current
    step?.move(to: version)
    for (id, observer) in observers where step.map({ $0.concerns(id) }) != true {
      observer.observer?.sharedValuesChanged()
    }
    return version
  }

  /// Keeps old values until a matching number of ``forgetOld()`` calls.
  static func keepOld() { withLock { historians += 1 } }

  static func forgetOld() { withLock { historians -= 1 } }

  static func add(_ observer: any SharedObserver) {
    withLock { observers[ObjectIdentifier(observer)] = WeakObserver(observer: observer) }
  }

  static func remove(_ id: ObjectIdentifier) {
    withLock { _ = observers.removeValue(forKey: id) }
  }

  private struct WeakObserver {
    weak var observer: (any SharedObserver)?
  }
}

/// An observer that is notified, on any thread, when others have changed values.
protocol SharedObserver: AnyObject, Sendable {
  func sharedValuesChanged()
}

/// The view of a thread on shared values during a step or an expectation.
///
/// A step sees all values as of its begin. After its own change of a value it sees the values of
/// that moment. An expectation begins at some version, and only it sees its changes.
final class SharedContext {
  /// The root that runs the step.
  private let owner: ObjectIdentifier?
  let outer: SharedContext?
  /// The version of the visible values, except for those in ``expected``.
  private(set) var version: UInt64
  /// Whether the step has changed any value.
  private(set) var hasChanged = false
  /// Whether the step has set a value, even to an equal one.
  private(set) var hasWritten = false
  let isExpectation: Bool
  /// The values that an expectation has changed.
  private(set) var expected: [ObjectIdentifier: AnyObject] = [:]
  private var nextExpectation = UInt64.max
  /// The cells of keys that exist only in the expectation.
  private var cells: [SharedCellID: AnyObject] = [:]
  /// The changes of the step.
  private var changes: [ObjectIdentifier: Change] = [:]

  struct Change {
    /// The version before the step's first change.
    let first: UInt64
    /// Reverts the change, and returns the cell's new version; nil if the cell has another version
    /// than this one by then, and stays as it is.
    let takeBack: (_ version: UInt64) -> UInt64?
    /// The version of the step's last change.
    var version: UInt64
  }

  fileprivate init(
    owner: AnyObject?,
    version: UInt64,
    isExpectation: Bool,
    outer: SharedContext?,
  ) {
    self.owner = owner.map(ObjectIdentifier.init)
    self.version = version
    self.isExpectation = isExpectation
    self.outer = outer
  }

  fileprivate func move(to version: UInt64) {
    self.version = version
    hasChanged = true
  }

  /// Whether an observer's root runs the step; it detects its own changes itself.
  fileprivate func concerns(_ observer: ObjectIdentifier) -> Bool { owner == observer }

  /// Records that the step has set a value.
  func noteWrite() { hasWritten = true }

  /// Expects another value of a cell.
  func expect<Value>(_ value: Value, of cell: SharedCell<Value>) {
    // A version that the counter does not reach, so that equal versions mean one value.
    nextExpectation -= 1
    expected[ObjectIdentifier(cell)] = SharedSnapshot(value: value, version: nextExpectation)
  }

  /// The cell of a key that is not shared, for an expectation: all properties with the key have one
  /// cell, and the key is not loaded.
  func cell<Value>(_ id: SharedCellID, _ initialValue: Value) -> SharedCell<Value> {
    if let cell = cells[id] as? SharedCell<Value> { return cell }
    let cell = SharedCell(initialValue)
    cells[id] = cell
    return cell
  }

  /// Records that the step has changed a cell.
  func note<Value>(
    _ cell: SharedCell<Value>,
    from old: SharedSnapshot<Value>,
    to new: SharedSnapshot<Value>,
  ) {
    let id = ObjectIdentifier(cell)
    if changes[id]?.version == old.version {
      changes[id]?.version = new.version
    } else {
      // A change by another thread in between is kept.
      changes[id] = Change(
        first: old.version,
        takeBack: { cell.takeBack(to: old.value, from: $0) },
        version: new.version,
      )
    }
  }

  /// Reverts the step's changes, except for values that others have changed since.
  func takeBack() {
    for change in changes.values { _ = change.takeBack(change.version) }
    changes = [:]
  }

  /// Begins a part of the step whose changes can be reverted alone.
  ///
  /// - Returns: The earlier changes.
  fileprivate func beginPart() -> [ObjectIdentifier: Change] {
    defer { changes = [:] }
    return changes
  }

  /// Ends a part of the step.
  ///
  /// - Parameters:
  ///   - earlier: The changes before the part.
  ///   - isKept: Whether the part's changes are kept; otherwise they are reverted.
  fileprivate func endPart(_ earlier: [ObjectIdentifier: Change], isKept: Bool) {
    let part = changes
    changes = earlier
    for (cell, change) in part {
      let version = isKept ? change.version : change.takeBack(change.version)
      if changes[cell]?.version == change.first {
        // Without a version, others have changed the value, which then stays.
        if let version { changes[cell]?.version = version }
      } else if isKept {
        changes[cell] = change
      }
    }
  }
}

extension SharedLock {
  /// The changes of a step before a part that can be reverted alone.
  struct Part {
    fileprivate let context: SharedContext
    fileprivate let earlier: [ObjectIdentifier: SharedContext.Change]
  }

  /// Begins a part of this thread's step whose changes can be reverted alone; nil without a step.
  static func beginPart() -> Part? {
    withLock { (current ?? looseStep).map { Part(context: $0, earlier: $0.beginPart()) } }
  }

  /// The record of changes by this thread's step, if the state of the step's root shows no shared
  /// values; nil without such a step.
  static var looseStep: SharedContext? {
    let registry = EffectPlace.current.registry
    // An effect of the root may change values on another thread meanwhile.
    guard registry.isInStep, [0, CurrentThread.id].contains(registry.stepThread) else { return nil }
    if let edits = registry.looseEdits { return edits }
    let edits = SharedContext(owner: nil, version: version, isExpectation: false, outer: nil)
    registry.looseEdits = edits
    registry.hasStepChanges = true
    return edits
  }

  /// Ends a part of a step.
  static func endPart(_ part: Part?, isKept: Bool) {
    guard let part else { return }
    withLock { part.context.endPart(part.earlier, isKept: isKept) }
  }
}

/// Runs several operations on shared values without intermediate reads by other threads.
///
/// - Parameter body: The operations.
package func withSharedValuesLocked(_ body: () -> Void) { SharedLock.withLock(body) }
