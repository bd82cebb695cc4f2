/// A source that derives its value from another source.
class SharedView<Whole, Value>: SharedSource<Value> {
  fileprivate let base: SharedSource<Whole>

  fileprivate init(of base: SharedSource<Whole>) { self.base = base }

  override final var persistence: (any SharedPersistence)? { base.persistence }

  override final func noteRead() { base.noteRead() }

  override final var isPrepared: Bool { base.isPrepared }

  override final func prepare() { base.prepare() }

  override final func enter() { base.enter() }

  override final var isBeingChanged: Bool { base.isBeingChanged }

  override final func add(_ follower: any SharedFollower) { base.add(follower) }

  override func version(in context: SharedContext?) -> UInt64 { base.version(in: context) }
}

/// The result of a closure on a shared value.
final class SharedReading<Whole, Value>: SharedView<Whole, Value> {
  private let read: @Sendable (Whole) -> Value

  init(of base: SharedSource<Whole>, _ read: @escaping @Sendable (Whole) -> Value) {
    self.read = read
    super.init(of: base)
  }

  override var name: String { ".map(\(base.name), as: \(Value.self).self)" }

  override func snapshot(in context: SharedContext?) -> SharedSnapshot<Value> {
    let whole = base.snapshot(in: context)
    return SharedSnapshot(value: read(whole.value), version: whole.version)
  }
}

/// A part of a shared value.
final class SharedPart<Whole, Value>: SharedView<Whole, Value> {
  private let path: KeyPath<Whole, Value>

  init(_ path: KeyPath<Whole, Value>, of base: SharedSource<Whole>) {
    self.path = path
    super.init(of: base)
  }

  override var name: String { "\(base.name)[dynamicMember: \(path)]" }

  override func snapshot(in context: SharedContext?) -> SharedSnapshot<Value> {
    let whole = base.snapshot(in: context)
    return SharedSnapshot(value: whole.value[keyPath: path], version: whole.version)
  }

  override func change<R>(_ operation: (inout Value) throws -> R) rethrows -> R {
    guard let path = path as? WritableKeyPath<Whole, Value> else {
      preconditionFailure("\(path) cannot be written: it makes a SharedReader.")
    }
    return try base.change { try operation(&$0[keyPath: path]) }
  }

  override func update(
    _ operation: @escaping @Sendable (inout Value) throws -> Void
  ) async throws {
    guard let path = path as? WritableKeyPath<Whole, Value> else {
      preconditionFailure("\(path) cannot be written: it makes a SharedReader.")
    }
    let box = UncheckedSendable(path)
    try await base.update { try operation(&$0[keyPath: box.wrappedValue]) }
  }
}

/// A shared optional value that is present; it keeps its last value when it becomes absent.
final class SharedPresence<Value>: SharedView<Value?, Value>, SharedFollower {
  /// The newest present value, or the value to which it was changed since it became absent.
  private var last: Value
  /// The version of the base that was noted last.
  private var version: UInt64 = 0
  /// The version of the last change while absent.
  private var changed: UInt64 = 0

  init(_ base: SharedSource<Value?>, last: Value) {
    self.last = last
    super.init(of: base)
    SharedLock.withLock { base.add(self) }
  }

  override var name: String { "\(base.name)!" }

  func willReplace() {
    // Values that a state has shown are noted at that time.
    if base.version(in: nil) != version { note(base.snapshot(in: nil)) }
  }

  private func keep(_ value: Value) {
    guard SharedLock.current?.isExpectation != true, !isSame(last, value) else { return }
    last = value
    changed = SharedLock.advance()
  }

  private func note(_ snapshot: SharedSnapshot<Value?>) {
    guard snapshot.version >= version else { return }
    version = snapshot.version
    if let value = snapshot.value { last = value }
  }

  override func snapshot(in context: SharedContext?) -> SharedSnapshot<Value> {
    let snapshot = base.snapshot(in: context)
    if context?.isExpectation != true { note(snapshot) }
    return SharedSnapshot(
      value: snapshot.value ?? last,
      version: max(snapshot.version, changed),
    )
  }

  override func version(in context: SharedContext?) -> UInt64 {
    max(base.version(in: context), changed)
  }

  override func change<R>(_ operation: (inout Value) throws -> R) rethrows -> R {
    try base.change { value in
      guard var present = value else {
        // The base stays absent: only this source shows the change.
        var last = last
        defer { keep(last) }
        return try operation(&last)
      }
      defer { value = present }
      return try operation(&present)
    }
  }

  override func update(
    _ operation: @escaping @Sendable (inout Value) throws -> Void
  ) async throws {
    try await base.update { value in
      guard var present = value else { return }
      try operation(&present)
      value = present
    }
  }
}
