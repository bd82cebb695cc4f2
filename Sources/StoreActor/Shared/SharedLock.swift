import Foundation
import Synchronization

/// What all shared values have in common: one lock, and one number that counts their changes.
///
/// There is one for the process. Values are told apart by their keys in a ``SharedStorage``, which
/// is a dependency; but a state may hold values of two storages, and two separately numbered
/// histories have no common consistent snapshot.
///
/// `lock` guards everything here and in the cells, except for the atomics, which are written under
/// it and read by everybody. It is recursive, for whoever changes a value may read and change
/// others meanwhile. Of what others have written only the closures of `withLock` run under it: keys
/// are asked and told, and observers are told, by whoever has let go of it.
enum SharedLock {
  private static let lock = NSRecursiveLock()
  private static let used = Atomic<Bool>(false)
  private static let thread = Atomic<UInt>(0)
  private static let holder = Atomic<UInt>(0)
  private static let changes = Atomic<UInt64>(0)
  // Guarded by the lock: how often its holder has it.
  nonisolated(unsafe) private static var depth = 0
  // Guarded by the lock.
  nonisolated(unsafe) private static var errands: [() -> Void] = []
  // Guarded by the lock, and belongs to the thread that `thread` names.
  nonisolated(unsafe) private static var context: SharedContext?
  // Guarded by the lock.
  nonisolated(unsafe) private static var historians = 0
  // Guarded by the lock.
  nonisolated(unsafe) private static var observers: [ObjectIdentifier: WeakObserver] = [:]

  /// Whether the process has ever shared anything.
  static var isUsed: Bool { used.load(ordering: .relaxed) }

  /// Something is shared.
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

  /// Whether this thread has the lock.
  static var isHeld: Bool { holder.load(ordering: .relaxed) == CurrentThread.id }

  /// Runs what others have written once this thread lets go of the lock, which it has.
  static func afterUnlock(_ errand: @escaping () -> Void) { errands.append(errand) }

  // MARK: Contexts

  /// Whether this thread looks at values as a step or an expectation does.
  static var isInContext: Bool {
    let owner = thread.load(ordering: .relaxed)
    return owner != 0 && owner == CurrentThread.id
  }

  /// How this thread looks at values; nil where it sees the newest ones.
  static var current: SharedContext? { isInContext ? context : nil }

  /// The version that this thread sees.
  static var visibleVersion: UInt64 { withLock { current?.version ?? version } }

  /// A step or an expectation begins on this thread.
  ///
  /// - Parameters:
  ///   - owner: The root that makes the step; nil for an expectation.
  ///   - version: What an expectation begins with; nil for a step, which begins with the newest.
  /// - Returns: What it sees.
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

  /// The step or expectation that began last has ended.
  static func end(_ ended: SharedContext) {
    withLock {
      precondition(context === ended, "Steps end in the order in which they began.")
      context = ended.outer
      if let outer = ended.outer, ended.hasChanged { outer.move(to: ended.version) }
      if ended.outer == nil { thread.store(0, ordering: .relaxed) }
    }
  }

  // MARK: Changes

  /// How many changes there were.
  static var version: UInt64 { changes.load(ordering: .acquiring) }

  /// The oldest version that somebody may look at beside the newest one; nil where nobody does.
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

  /// Counts a change; to be called under the lock.
  ///
  /// - Returns: The version that it leads to.
  static func advance() -> UInt64 {
    let version = changes.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    let step = current
    step?.move(to: version)
    for (id, observer) in observers where step.map({ $0.concerns(id) }) != true {
      observer.observer?.sharedValuesChanged()
    }
    return version
  }

  /// Old values are kept until ``forgetOld()`` was called as often.
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

/// Somebody who is told, on whatever thread, that values have changed which somebody else changed.
protocol SharedObserver: AnyObject, Sendable {
  func sharedValuesChanged()
}

/// How a thread looks at shared values while it reduces, or says what it expects.
///
/// A step sees all values as they were when it began; when it changes one itself, it sees them as
/// they are then. An expectation begins with what was at some version, and its changes are seen by
/// nobody else.
final class SharedContext {
  /// The root whose step it is.
  private let owner: ObjectIdentifier?
  let outer: SharedContext?
  /// The values that are seen are those of this version, but for ``expected``.
  private(set) var version: UInt64
  /// Whether the step has changed anything.
  private(set) var hasChanged = false
  /// Whether the step has set a value, be it to what it was.
  private(set) var hasWritten = false
  let isExpectation: Bool
  /// What an expectation has changed.
  private(set) var expected: [ObjectIdentifier: AnyObject] = [:]
  private var nextExpectation = UInt64.max
  /// The values of keys that only the expectation has.
  private var cells: [SharedCellID: AnyObject] = [:]
  /// What the step has changed.
  private var changes: [ObjectIdentifier: Change] = [:]

  private struct Change {
    /// Takes it back, unless there is another version than this one by then.
    let takeBack: (_ version: UInt64) -> Void
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

  /// Whether the step is that of an observer, which will see by itself what it changed.
  fileprivate func concerns(_ observer: ObjectIdentifier) -> Bool { owner == observer }

  /// Notes that the step has set a value.
  func noteWrite() { hasWritten = true }

  /// Expects another value of a cell.
  func expect<Value>(_ value: Value, of cell: SharedCell<Value>) {
    // No version that the counter comes to, so that equal versions mean one value.
    nextExpectation -= 1
    expected[ObjectIdentifier(cell)] = SharedSnapshot(value: value, version: nextExpectation)
  }

  /// The value of a key that nobody shares, for an expectation: it is one for all who have the key,
  /// and the key is not asked.
  func cell<Value>(_ id: SharedCellID, _ initialValue: Value) -> SharedCell<Value> {
    if let cell = cells[id] as? SharedCell<Value> { return cell }
    let cell = SharedCell(initialValue)
    cells[id] = cell
    return cell
  }

  /// Notes that the step has changed a cell.
  func note<Value>(
    _ cell: SharedCell<Value>,
    from old: SharedSnapshot<Value>,
    to new: SharedSnapshot<Value>,
  ) {
    let id = ObjectIdentifier(cell)
    if changes[id]?.version == old.version {
      changes[id]?.version = new.version
    } else {
      // What somebody else has changed in between stays.
      changes[id] = Change(
        takeBack: { cell.takeBack(to: old.value, from: $0) },
        version: new.version,
      )
    }
  }

  /// Takes back what the step has changed, where nobody else has changed it since.
  func takeBack() {
    for change in changes.values { change.takeBack(change.version) }
    changes = [:]
  }
}

/// Does several things to shared values between which nobody looks at them.
///
/// - Parameter body: Does them.
package func withSharedValuesLocked(_ body: () -> Void) { SharedLock.withLock(body) }
