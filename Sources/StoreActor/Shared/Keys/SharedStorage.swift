import Foundation

/// The shared values that have keys: a dependency, so that a test has its own.
///
/// A value lives as long as somebody shares it; what is behind its key lives longer.
///
/// Sendable because `cells` and `declared` are only touched under the table's lock.
final class SharedStorage: @unchecked Sendable {
  private var cells: [CellID: WeakObject] = [:]
  /// Who was first to share values that nobody has looked for yet.
  private var declared: [CellID: WeakObject] = [:]
  private var limit = 64
  /// Whether no key is asked or told anything: then values are here alone, and live as long.
  private let isAlone: Bool
  private var kept: [AnyObject] = []

  init(isAlone: Bool = false) { self.isAlone = isAlone }

  private struct CellID: Hashable {
    let key: AnyHashable
    let value: ObjectIdentifier

    init<Key: SharedReaderKey>(_ key: Key) {
      self.key = AnyHashable(key.id)
      value = ObjectIdentifier(Key.Value.self)
    }
  }

  private struct WeakObject {
    weak var object: AnyObject?
  }

  /// Notes who shares the value of a key: where nobody did before, its initial value counts,
  /// whoever looks for the value first.
  func declare<Key: SharedReaderKey>(_ source: SharedKeyed<Key>, of key: Key) {
    let id = CellID(key)
    SharedTable.withLock {
      guard cells[id]?.object == nil, declared[id]?.object == nil else { return }
      declared[id] = WeakObject(object: source)
      forgetOld()
    }
  }

  private func declaredValue<Value>(_ id: CellID, _: Value.Type) -> Value? {
    let first = declared.removeValue(forKey: id)?.object
    return (first as? any DeclaredValue<Value>)?.initialValue
  }

  /// The value of a key: that which somebody shares already, or else a new one.
  ///
  /// Without the table's lock, for a key may do anything, and take its time.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - save: Saves a value; nil where that cannot be.
  ///   - initialValue: The value for when there is none outside.
  /// - Returns: The value.
  func cell<Key: SharedReaderKey>(
    of key: Key,
    saving save: SavingValue<Key.Value>?,
    _ initialValue: () -> Key.Value,
  ) -> SharedCell<Key.Value> {
    let id = CellID(key)
    let (cell, persistence) = SharedTable.withLock {
      if let known = known(id, Key.Value.self) {
        // One that was only read so far.
        let persistence = known.persistence as? KeyedValue<Key.Value>
        if let save, let persistence { persistence.saves(by: save) }
        return (known, persistence)
      }
      let value = declaredValue(id, Key.Value.self) ?? initialValue()
      let cell = SharedCell(value)
      cells[id] = WeakObject(object: cell)
      if isAlone {
        kept.append(cell)
        return (cell, nil)
      }
      let persistence = KeyedValue(cell, key, saving: save, value)
      cell.persist(by: persistence)
      forgetOld()
      return (cell, persistence)
    }
    persistence?.begin()
    return cell
  }

  private func known<Value>(_ id: CellID, _: Value.Type) -> SharedCell<Value>? {
    cells[id]?.object as? SharedCell<Value>
  }

  private func forgetOld() {
    guard cells.count + declared.count > limit else { return }
    cells = cells.filter { $0.value.object != nil }
    declared = declared.filter { $0.value.object != nil }
    limit = max(64, (cells.count + declared.count) * 2)
  }
}

extension SharedStorage: DependencyKey {
  static var liveValue: SharedStorage { SharedStorage() }
  static var testValue: SharedStorage { SharedStorage() }
}

extension DependencyValues {
  /// Shares values with nobody else: in no files, no settings, no daemon, and by no key of one's
  /// own.
  ///
  /// For reducers that are run again.
  package mutating func shareNothing() {
    self[SharedStorage.self] = SharedStorage(isAlone: true)
    sharedScopes = nil
    defaultInMemoryStorage = InMemoryStorage()
    defaultFileStorage = .inMemory
    defaultAppStorage = .inMemory
  }
}

/// What has the initial value of a key.
private protocol DeclaredValue<Value>: AnyObject {
  associatedtype Value
  var initialValue: Value { get }
}

/// The value of a key, which is looked for when somebody wants it: a state that is read from bytes
/// is made with its keys, and gets others in their place.
final class SharedKeyed<Key: SharedReaderKey>: SharedSource<Key.Value>, DeclaredValue {
  private let key: Key
  private let saving: SavingValue<Key.Value>?
  private let storage = DependencyValues._current[SharedStorage.self]
  fileprivate private(set) var initialValue: Key.Value
  /// Nil until somebody wants it.
  private var known: SharedCell<Key.Value>?

  init(_ key: Key, saving: SavingValue<Key.Value>?, _ initialValue: Key.Value) {
    self.key = key
    self.saving = saving
    self.initialValue = initialValue
    super.init()
    storage.declare(self, of: key)
  }

  private var cell: SharedCell<Key.Value> {
    guard let known else { preconditionFailure("The value of \(key) was not looked for.") }
    return known
  }

  override var isPrepared: Bool { known != nil }

  override func prepare() {
    let (isPrepared, initialValue) = SharedTable.withLock { (known != nil, self.initialValue) }
    if isPrepared { return }
    let cell = storage.cell(of: key, saving: saving) { initialValue }
    SharedTable.withLock { known = known ?? cell }
  }

  override func adopt(_ value: Key.Value) {
    SharedTable.withLock { if known == nil { initialValue = value } }
    change { $0 = value }
  }

  override var isBeingChanged: Bool { known?.isBeingChanged ?? false }

  override func add(_ follower: any SharedFollower) { cell.add(follower) }

  override var persistence: (any SharedPersistence)? { cell.persistence }

  override func noteRead() { cell.noteRead() }

  override func snapshot(in context: SharedContext?) -> SharedSnapshot<Key.Value> {
    cell.snapshot(in: context)
  }

  override func version(in context: SharedContext?) -> UInt64 { cell.version(in: context) }

  override func change<R>(_ operation: (inout Key.Value) throws -> R) rethrows -> R {
    prepare()
    return try cell.change(operation)
  }

  override func update(
    _ operation: @escaping @Sendable (inout Key.Value) throws -> Void
  ) async throws {
    prepare()
    if cell.persistence != nil, let key = key as? any SharedUpdatingKey<Key.Value>,
      let update = key.update
    {
      try await update(operation)
    } else {
      try await cell.update(operation)
    }
  }
}

/// A key of which the truth is elsewhere, so that changes can be made there.
protocol SharedUpdatingKey<Value>: SharedReaderKey {
  /// Changes the value there; nil where its truth is here.
  var update: UpdatingValue<Value>? { get }
}

/// Changes a value where its truth is.
typealias UpdatingValue<Value> =
  @Sendable (_ operation: @escaping @Sendable (inout Value) throws -> Void) async throws -> Void

/// Saves a value by its key.
typealias SavingValue<Value> = @Sendable (Value, SaveContext, SaveContinuation) -> Void

/// What is behind a shared value.
protocol SharedPersistence: AnyObject {
  var loadError: (any Error)? { get }
  var saveError: (any Error)? { get }
  var isLoading: Bool { get }

  /// The value was changed, and will be saved; called under the table's lock.
  func noteChange()

  /// Saves the newest value, because it was changed.
  func save()

  /// Reads the value again.
  func load() async throws

  /// Saves the newest value, because somebody asked for it.
  func saveNow() async throws
}

/// The outside of a value with a key.
///
/// Sendable because everything that changes is only touched under the table's lock, but for
/// `hasBegun`, which has a lock of its own.
final class KeyedValue<Value: Sendable>: SharedPersistence, @unchecked Sendable {
  private weak var cell: SharedCell<Value>?
  private let key: any SharedReaderKey<Value>
  private var saving: SavingValue<Value>?
  private let initialValue: Value
  /// Held while the key is asked for the first time: whoever wants the value waits for that.
  private let beginning = NSRecursiveLock()
  private var hasBegun = false
  private var subscription: SharedSubscription?
  private var lastLoadError: (any Error)?
  private var lastSaveError: (any Error)?
  private var loads = 0
  private var isLoadingOutside = false
  /// Whether the key is being told a value.
  private var isSaving = false
  /// What has to be saved when that is done, and who waits for it.
  private var saves: [(context: SaveContext, finish: Finish)] = []
  /// The version of this process's last change: what was outside before that is older.
  private var changed: UInt64 = 0
  /// Whether the key was not told of that change yet.
  private var isUntold = false
  private var lastSave = 0
  /// What the key was told and has not saved yet, which will replace what is outside.
  private var savesUnderWay: Set<Int> = []

  private typealias Finish = @Sendable (Result<Void, any Error>) -> Void

  init(
    _ cell: SharedCell<Value>,
    _ key: some SharedReaderKey<Value>,
    saving: SavingValue<Value>?,
    _ initialValue: Value,
  ) {
    self.cell = cell
    self.key = key
    self.saving = saving
    self.initialValue = initialValue
  }

  func saves(by saving: @escaping SavingValue<Value>) { self.saving = self.saving ?? saving }

  var loadError: (any Error)? { SharedTable.withLock { lastLoadError } }
  var saveError: (any Error)? { SharedTable.withLock { lastSaveError } }
  var isLoading: Bool { SharedTable.withLock { loads > 0 || isLoadingOutside } }

  /// Reads the value for the first time, and hears of it from then on; once.
  func begin() {
    // Whoever begins may need the table's lock, and who holds that must not wait for them: then the
    // value is read twice, for what is made of the initial one would replace what there is.
    if SharedTable.isHeld {
      guard beginning.try() else { return load(.initialValue(initialValue)) { _ in } }
    } else {
      beginning.lock()
    }
    defer { beginning.unlock() }
    if hasBegun { return }
    hasBegun = true
    load(.initialValue(initialValue)) { _ in }
    let subscriber = SharedSubscriber<Value>(
      receive: { [weak self] in self?.receive($0, of: $1) ?? false },
      setLoading: { [weak self] isLoading in
        SharedTable.withLock { self?.isLoadingOutside = isLoading }
      },
    )
    let subscription = key.subscribe(context: .initialValue(initialValue), subscriber: subscriber)
    SharedTable.withLock { self.subscription = subscription }
  }

  private func load(
    _ context: LoadContext<Value>,
    _ finish: @escaping @Sendable (Result<Void, any Error>) -> Void,
  ) {
    let version = SharedTable.version
    SharedTable.withLock { loads += 1 }
    key.load(
      context: context,
      continuation: LoadContinuation { [weak self] result in
        SharedTable.withLock { self?.loads -= 1 }
        self?.receive(result, of: version)
        finish(result.map { _ in })
      },
    )
  }

  /// Takes what was outside at a version, unless this process has changed it since.
  ///
  /// - Returns: Whether it was taken.
  @discardableResult
  private func receive(_ result: Result<Value?, any Error>, of version: UInt64) -> Bool {
    SharedTable.withLock {
      switch result {
      case .success(let value):
        lastLoadError = nil
        guard !isUntold, savesUnderWay.isEmpty, version >= changed else { return false }
        cell?.receive(value ?? initialValue)
        return true
      case .failure(let error):
        lastLoadError = error
        return false
      }
    }
  }

  func load() async throws {
    try await untilCancelled { finish in load(.userInitiated, finish) }
  }

  func noteChange() {
    guard saving != nil else { return }
    changed = SharedTable.version
    isUntold = true
  }

  func save() { save(.didSet) { _ in } }

  func saveNow() async throws {
    try await untilCancelled { finish in save(.userInitiated, finish) }
  }

  private func save(_ context: SaveContext, _ finish: @escaping Finish) {
    let isFirst = SharedTable.withLock {
      saves.append((context, finish))
      defer { isSaving = true }
      return !isSaving
    }
    guard isFirst else { return }
    // One after the other, and each the newest: so the last one to be saved is the last one.
    while let save = next() {
      let completion = SaveContinuation { [weak self] result in
        SharedTable.withLock {
          self?.savesUnderWay.remove(save.number)
          self?.lastSaveError = result.failure
        }
        save.finish(result)
      }
      save.saving(save.value, save.context, completion)
    }
  }

  private struct Save {
    let number: Int
    let value: Value
    let context: SaveContext
    let saving: SavingValue<Value>
    let finish: Finish
  }

  /// What is to be saved now, for whom and how.
  private func next() -> Save? {
    SharedTable.withLock {
      guard let saving, let cell, !saves.isEmpty else {
        isSaving = false
        for save in saves { save.finish(.success(())) }
        saves = []
        return nil
      }
      let (contexts, finishes) = (saves.map(\.context), saves.map(\.finish))
      saves = []
      isUntold = false
      lastSave += 1
      savesUnderWay.insert(lastSave)
      return Save(
        number: lastSave,
        value: cell.value,
        context: contexts.contains(.userInitiated) ? .userInitiated : .didSet,
        saving: saving,
        finish: { result in for finish in finishes { finish(result) } },
      )
    }
  }
}

/// Waits for what a key tells, for as long as the task is not cancelled.
///
/// - Parameter begin: Asks the key, with what is to be called; once, or again in vain.
/// - Returns: What the key tells.
/// - Throws: What the key says, or `CancellationError`.
func untilCancelled<Value: Sendable>(
  _ begin: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
  let waiting = LockIsolated<CheckedContinuation<Value, any Error>?>(nil)
  let finish: @Sendable (Result<Value, any Error>) -> Void = { result in
    let continuation = waiting.withValue { waiting in
      defer { waiting = nil }
      return waiting
    }
    continuation?.resume(with: result)
  }
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { continuation in
      waiting.setValue(continuation)
      begin(finish)
      if Task.isCancelled { finish(.failure(CancellationError())) }
    }
  } onCancel: {
    finish(.failure(CancellationError()))
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
