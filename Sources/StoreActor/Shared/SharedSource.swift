import Observation

/// A shared value as it was at a version: what a state holds of it, and never changes.
///
/// So two states are one value where they have the same memory, with shared values as without.
final class SharedSnapshot<Value> {
  let value: Value
  /// The version of the change that led to it; of a part, that which led to the whole.
  let version: UInt64

  init(value: Value, version: UInt64) {
    self.value = value
    self.version = version
  }
}

/// Where a shared value comes from: a cell, or a part of another source's value.
///
/// Everything is called under the shared lock, but ``change(_:)``, which takes it, and what says
/// otherwise.
class SharedSource<Value> {
  /// How it is described: its key, or its value.
  var name: String { preconditionFailure("A source is of some kind.") }

  /// Whether two values are the same, so that the one need not replace the other.
  final lazy var isSame = Sameness.of(Value.self)

  /// The value, as a context sees it; the newest one where there is none.
  func snapshot(in context: SharedContext?) -> SharedSnapshot<Value> {
    preconditionFailure("A source is of some kind.")
  }

  /// The version of that value, which takes less.
  func version(in context: SharedContext?) -> UInt64 {
    preconditionFailure("A source is of some kind.")
  }

  /// Changes the value.
  func change<R>(_ operation: (inout Value) throws -> R) rethrows -> R {
    preconditionFailure("A source that cannot be changed is read only.")
  }

  /// Changes the value where its truth is, and returns when that is done.
  func update(_ operation: @escaping @Sendable (inout Value) throws -> Void) async throws {
    try change(operation)
    try await persistence?.saveNow()
  }

  /// Takes a value that was kept for the newest one, if it is one that has a key.
  func adopt(_ value: Value) {}

  /// Notes that the newest value was read, for whoever observes; without the lock.
  func noteRead() {}

  /// Whether there is a value; else ``prepare()`` gets it.
  var isPrepared: Bool { true }

  /// Gets the value for the first time, if it is one that has a key; without the lock, for the key
  /// may do anything.
  func prepare() {}

  /// Gets the value for the first time for a state of a root, or a property: its initial value is
  /// kept where the key keeps values.
  func enter() { prepare() }

  /// Whether a closure is changing the value.
  var isBeingChanged: Bool { false }

  /// Tells somebody before the newest value is replaced, for as long as they live.
  func add(_ follower: any SharedFollower) {}

  /// Whether a value need not be replaced by another one where it is kept.
  final lazy var isKept = Sameness.ofKept(Value.self)

  /// What is behind the value; nil where that is this process's memory alone.
  var persistence: (any SharedPersistence)? { nil }
}

/// Somebody who is told, under the shared lock, that a value is about to be replaced.
protocol SharedFollower: AnyObject {
  func willReplace()
}

/// A shared value itself.
final class SharedCell<Value>: SharedSource<Value>, Observable {
  private var newest: SharedSnapshot<Value>
  /// Those before it that somebody may look at, oldest first.
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

  /// Says what is behind the value, once.
  func persist(by persistence: any SharedPersistence) { ownPersistence = persistence }

  override func snapshot(in context: SharedContext?) -> SharedSnapshot<Value> {
    guard let context else { return newest }
    if context.isExpectation, let expected = context.expected[ObjectIdentifier(self)] {
      return unsafeDowncast(expected, to: SharedSnapshot<Value>.self)
    }
    if newest.version <= context.version { return newest }
    // One that was made later has been what it was first.
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
      // What was changed before an error stays changed.
      defer {
        isChanging = wasChanging
        if let expectation {
          expectation.expect(value, of: self)
        } else {
          let old = newest
          context?.noteWrite()
          setAndSave(value)
          if old !== newest { context?.note(self, from: old, to: newest) }
        }
      }
      return try operation(&value)
    }
  }

  /// Sets what has come from behind.
  func receive(_ value: Value) { SharedLock.withLock { set(value) } }

  /// Sets what there was before a change, unless somebody has changed it since.
  func takeBack(to value: Value, from version: UInt64) {
    SharedLock.withLock { if newest.version == version { setAndSave(value) } }
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

/// What a property shows of a shared value.
struct SharedContent<Value> {
  /// Nil of a copy of what another process shares.
  private(set) var source: SharedSource<Value>?
  /// What a state shows, or the state that this was taken from.
  private var held: SharedSnapshot<Value>?
  /// Whether the newest value counts, whatever is held.
  private var isLive = false

  /// What a state shows; nil where it is always the newest value.
  var snapshot: SharedSnapshot<Value>? { isLive ? nil : held }

  init(_ source: SharedSource<Value>) {
    SharedLock.use()
    self.source = source
  }

  /// A copy of what another process shares.
  init(copyOf value: Value) { held = SharedSnapshot(value: value, version: Self.ofCopies) }

  /// No version that the counter comes to: a copy is not known to be what any source has.
  private static var ofCopies: UInt64 { .max }

  /// What `$value` is: the newest value, where it is known.
  var live: Self {
    var live = self
    live.isLive = source != nil
    return live
  }

  /// What the state shows that this was taken from.
  var valueInState: Value { (held ?? newest).value }

  /// Whether the states that both were taken from show one value in the same memory.
  func showsSameInState(as other: Self) -> Bool { held != nil && held === other.held }

  /// The value: in a step the step's, else what is shown.
  var value: Value {
    if let snapshot, source == nil || !SharedLock.isInContext { return snapshot.value }
    return newest.value
  }

  /// What is shown, also in a step.
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

  /// What is behind the value; nil where that is this process's memory alone.
  var persistence: (any SharedPersistence)? {
    source?.prepare()
    return source?.persistence
  }

  /// A part of the value.
  func part<Part>(_ path: KeyPath<Value, Part>) -> SharedContent<Part> {
    guard let source else { return SharedContent<Part>(copyOf: value[keyPath: path]) }
    return SharedContent<Part>(SharedPart(path, of: source))
  }

  /// What a closure makes of the value.
  func reading<Result>(
    _ read: @escaping @Sendable (Value) -> Result
  ) -> SharedContent<Result> {
    guard let source else { return SharedContent<Result>(copyOf: read(value)) }
    return SharedContent<Result>(SharedReading(of: source, read))
  }

  /// How it is described: by its key, or its value.
  var name: String { source?.name ?? "value: \(String(reflecting: shown))" }

  /// The value where it is there; nil where it is not.
  static func presence(of base: SharedContent<Value?>) -> Self? {
    guard let value = base.value else { return nil }
    return base.source.map { Self(SharedPresence($0, last: value)) } ?? Self(copyOf: value)
  }

  /// What is to be shown in place of what is; nil where that is the same.
  func next(in context: SharedContext?) -> SharedSnapshot<Value>? {
    guard let source else { return nil }
    guard let snapshot else { return source.snapshot(in: context) }
    if snapshot.version == source.version(in: context) { return nil }
    let next = source.snapshot(in: context)
    return source.isKept(snapshot.value, next.value) ? nil : next
  }

  /// Shares the value that was kept.
  func adopt() { if let snapshot { source?.adopt(snapshot.value) } }

  /// Goes on from a value that was kept, sharing what the key stands for.
  mutating func keep(_ kept: Self) {
    if source == nil { self = kept } else { held = kept.held }
  }

  /// Shows what is to be shown.
  mutating func show(_ snapshot: SharedSnapshot<Value>) {
    held = snapshot
    isLive = false
  }

  /// Changes what is shown of a copy.
  mutating func replace(with value: Value) {
    show(SharedSnapshot(value: value, version: snapshot?.version ?? Self.ofCopies))
  }
}
