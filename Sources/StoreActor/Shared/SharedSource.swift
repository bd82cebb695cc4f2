import Observation

/// An immutable snapshot of a shared value at a version, held by a state.
///
/// So two states with the same memory are equal, also if they contain shared values.
final class SharedSnapshot<Value> {
  let value: Value
  /// The version of the change that created it; for a part, the version of the whole.
  let version: UInt64

  init(value: Value, version: UInt64) {
    self.value = value
    self.version = version
  }
}

/// The source of a shared value: a cell, or a part of another source's value.
///
/// All methods are called under the shared lock, except ``change(_:)``, which acquires it, and
/// those whose comment states otherwise.
class SharedSource<Value> {
  /// The description: the key, or the value.
  var name: String { preconditionFailure("A source is of some kind.") }

  /// Whether two values are the same, so that a replacement has no effect for observers.
  final lazy var isSame = Sameness.of(Value.self)

  /// The value in a context; the newest value without a context.
  func snapshot(in context: SharedContext?) -> SharedSnapshot<Value> {
    preconditionFailure("A source is of some kind.")
  }

  /// The version of that value, at a lower cost.
  func version(in context: SharedContext?) -> UInt64 {
    preconditionFailure("A source is of some kind.")
  }

  /// Changes the value.
  func change<R>(_ operation: (inout Value) throws -> R) rethrows -> R {
    preconditionFailure("A source that cannot be changed is read only.")
  }

  /// Changes the value at its origin, and returns when the change is complete.
  func update(_ operation: @escaping @Sendable (inout Value) throws -> Void) async throws {
    try change(operation)
    try await persistence?.saveNow()
  }

  /// Replaces the newest value by a restored one, if the source has a key.
  func adopt(_ value: Value) {}

  /// Records for observers that the newest value was read; called without the lock.
  func noteRead() {}

  /// Whether there is a value; otherwise ``prepare()`` loads it.
  var isPrepared: Bool { true }

  /// Loads the value for the first time, if the source has a key; called without the lock, as the
  /// key may run any code.
  func prepare() {}

  /// Loads the value for the first time for a state of a root, or a property.
  ///
  /// The key's storage then also saves an initial value.
  func enter() { prepare() }

  /// Whether a closure is changing the value.
  var isBeingChanged: Bool { false }

  /// Adds a follower, held weakly, which is notified before the newest value is replaced.
  func add(_ follower: any SharedFollower) {}

  /// Whether a stored value need not be replaced by another one.
  final lazy var isKept = Sameness.ofKept(Value.self)

  /// The persistence of the value; nil if it exists in this process's memory only.
  var persistence: (any SharedPersistence)? { nil }
}

/// A follower that is notified, under the shared lock, before a value is replaced.
protocol SharedFollower: AnyObject {
  func willReplace()
}

/// The storage of a shared value.
final class SharedCell<Value>: SharedSource<Value>, Observable {
  private var newest: SharedSnapshot<Value>
  /// Earlier snapshots that a context may still read, oldest first.
  private var older: [SharedSnapshot<Value>] = []
  private var ownPersistence: (any SharedPersistence)?
  private var isChanging = false
  private var followers: [WeakFollower] = []
  private var followerLimit = 16
  private let registrar = ObservationRegistrar()

  private struct WeakFollower {
    weak var follower: (any SharedFollower)?
  }

  init(_ value: Value) {
    SharedLock.use()
    newest = SharedSnapshot(value: value, version: SharedLock.withLock { SharedLock.version })
  }

  override var name: String { "value: \(String(reflecting: value))" }

  override var persistence: (any SharedPersistence)? { ownPersistence }

  /// Sets the persistence of the value, once.
  func persist(by persistence: any SharedPersistence) { ownPersistence = persistence }

  override func snapshot(in context: SharedContext?) -> SharedSnapshot<Value> {
    guard let context else { return newest }
    if context.isExpectation, let expected = context.expected[ObjectIdentifier(self)] {
      return unsafeDowncast(expected, to: SharedSnapshot<Value>.self)
    }
    if newest.version <= context.version { return newest }
    // A value that is newer than the context has its first snapshot.
    return older.last { $0.version <= context.version } ?? older.first ?? newest
  }

  override func version(in context: SharedContext?) -> UInt64 { snapshot(in: context).version }

  override var isBeingChanged: Bool { isChanging }

  override func change<R>(_ operation: (inout Value) throws -> R) rethrows -> R {
    try SharedLock.withLock {
      let context = SharedLock.current
      let expectation = context?.isExpectation == true ? context : nil
      var value = snapshot(in: expectation).value
      let wasChanging = isChanging
      isChanging = true
      // Changes before an error are kept.
      defer {
        isChanging = wasChanging
        if let expectation {
          expectation.expect(value, of: self)
        } else {
          let old = newest
          context?.noteWrite()
          setAndSave(value)
          if old !== newest {
            (context ?? SharedLock.looseStep)?.note(self, from: old, to: newest)
          }
        }
      }
      return try operation(&value)
    }
  }

  /// Sets a value that the persistence delivers.
  func receive(_ value: Value) { SharedLock.withLock { set(value) } }

  /// Restores the value before a change, unless it was changed since.
  ///
  /// - Returns: The cell's version after the restoration; nil if it was changed since.
  func takeBack(to value: Value, from version: UInt64) -> UInt64? {
    SharedLock.withLock {
      guard newest.version == version else { return nil }
      setAndSave(value)
      return newest.version
    }
  }

  /// The newest value.
  var value: Value { SharedLock.withLock { newest.value } }

  override func add(_ follower: any SharedFollower) {
    followers.append(WeakFollower(follower: follower))
    guard followers.count > followerLimit else { return }
    followers.removeAll { $0.follower == nil }
    followerLimit = max(16, followers.count * 2)
  }

  private func setAndSave(_ value: Value) {
    set(value)
    guard let ownPersistence else { return }
    ownPersistence.noteChange()
    SharedLock.afterUnlock { ownPersistence.save() }
  }

  private func set(_ value: Value) {
    guard !isKept(newest.value, value) else { return }
    let isNoticed = !isSame(newest.value, value)
    for follower in followers { follower.follower?.willReplace() }
    if let oldest = SharedLock.oldestSeen {
      older.append(newest)
      let seen = older.lastIndex { $0.version <= oldest } ?? 0
      if seen > 0 { older.removeFirst(seen) }
    } else if !older.isEmpty {
      older = []
    }
    newest = SharedSnapshot(value: value, version: SharedLock.advance())
    guard isNoticed else { return }
    SharedLock.afterUnlock { self.registrar.withMutation(of: self, keyPath: \.value) {} }
  }

  override func noteRead() { registrar.access(self, keyPath: \.value) }
}

/// The content of a property with a shared value.
struct SharedContent<Value> {
  /// The source; nil for a copy of another process's shared value.
  private(set) var source: SharedSource<Value>?
  /// The snapshot of the state that contains this, or that this was taken from.
  private var held: SharedSnapshot<Value>?
  /// Whether reads return the newest value instead of the snapshot.
  private var isLive = false

  /// The snapshot that the state shows; nil if reads return the newest value.
  var snapshot: SharedSnapshot<Value>? { isLive ? nil : held }

  init(_ source: SharedSource<Value>) {
    SharedLock.use()
    self.source = source
  }

  /// Creates a copy of another process's shared value.
  init(copyOf value: Value) { held = SharedSnapshot(value: value, version: Self.ofCopies) }

  /// A version that the counter does not reach: a copy never equals a source's snapshot.
  private static var ofCopies: UInt64 { .max }

  /// The content of `$value`: the newest value, if there is a source.
  var live: Self {
    var live = self
    live.isLive = source != nil
    return live
  }

  /// The value in the state that this was taken from.
  var valueInState: Value { (held ?? newest).value }

  /// Whether both originate from states that show one value in the same memory.
  func showsSameInState(as other: Self) -> Bool { held != nil && held === other.held }

  /// The value: within a step the step's value, otherwise the shown value.
  var value: Value {
    if let snapshot, source == nil || !SharedLock.isInContext { return snapshot.value }
    return newest.value
  }

  /// The shown value, also within a step.
  var shown: Value { (snapshot ?? newest).value }

  /// Whether both show one value in the same memory.
  func isIdentical(to other: Self) -> Bool { snapshot != nil && snapshot === other.snapshot }

  private var newest: SharedSnapshot<Value> {
    guard let source else {
      preconditionFailure("A shared value has a source, or is a copy.")
    }
    source.prepare()
    let context = SharedLock.current
    if context == nil { source.noteRead() }
    return SharedLock.withLock { source.snapshot(in: context) }
  }

  /// The persistence of the value; nil if it exists in this process's memory only.
  var persistence: (any SharedPersistence)? {
    source?.prepare()
    return source?.persistence
  }

  /// A part of the value.
  func part<Part>(_ path: KeyPath<Value, Part>) -> SharedContent<Part> {
    guard let source else { return SharedContent<Part>(copyOf: value[keyPath: path]) }
    return SharedContent<Part>(SharedPart(path, of: source))
  }

  /// A reader of the result of a closure.
  func reading<Result>(
    _ read: @escaping @Sendable (Value) -> Result
  ) -> SharedContent<Result> {
    guard let source else { return SharedContent<Result>(copyOf: read(value)) }
    return SharedContent<Result>(SharedReading(of: source, read))
  }

  /// The description: the key, or the value.
  var name: String { source?.name ?? "value: \(String(reflecting: shown))" }

  /// The value if it is present; nil if it is absent.
  static func presence(of base: SharedContent<Value?>) -> Self? {
    guard let value = base.value else { return nil }
    return base.source.map { Self(SharedPresence($0, last: value)) } ?? Self(copyOf: value)
  }

  /// The snapshot that replaces the shown one; nil if they are the same.
  func next(in context: SharedContext?) -> SharedSnapshot<Value>? {
    guard let source else { return nil }
    guard let snapshot else { return source.snapshot(in: context) }
    if snapshot.version == source.version(in: context) { return nil }
    let next = source.snapshot(in: context)
    return source.isKept(snapshot.value, next.value) ? nil : next
  }

  /// Shares the restored value.
  func adopt() { if let snapshot { source?.adopt(snapshot.value) } }

  /// Continues from a restored value, with the source of the key.
  mutating func keep(_ kept: Self) {
    if source == nil { self = kept } else { held = kept.held }
  }

  /// Shows a snapshot.
  mutating func show(_ snapshot: SharedSnapshot<Value>) {
    held = snapshot
    isLive = false
  }

  /// Replaces the value of a copy.
  mutating func replace(with value: Value) {
    show(SharedSnapshot(value: value, version: snapshot?.version ?? Self.ofCopies))
  }
}
