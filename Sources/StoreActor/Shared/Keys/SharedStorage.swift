import Foundation

/// The shared values with keys: a dependency, so that each test has its own.
///
/// A value lives as long as it is shared; the data of its key lives longer.
///
/// Sendable because all its state is accessed under the shared lock only.
final class SharedStorage: @unchecked Sendable {
  private var cells: [SharedCellID: WeakObject] = [:]
  private var limit = 64
  /// Whether keys are never called: then values exist, and live as long as, this storage only.
  private let isAlone: Bool
  private var kept: [AnyObject] = []

  init(isAlone: Bool = false) { self.isAlone = isAlone }

  private struct WeakObject {
    weak var object: AnyObject?
  }

  /// The cell of a key: the one that is shared already, or a new one.
  ///
  /// Called without the shared lock, as a key may run any code and take time.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - save: Saves a value; nil for a read-only key.
  ///   - question: The first request to the key if its value is not shared yet.
  ///   - initialValue: The value if the key has none.
  /// - Returns: The cell, and whether it was shared before.
  func cell<Key: SharedReaderKey>(
    of key: Key,
    saving save: SavingValue<Key.Value>?,
    asking question: FirstQuestion,
    _ initialValue: Key.Value,
  ) -> (cell: SharedCell<Key.Value>, wasKnown: Bool) {
    let id = SharedCellID(key)
    let (cell, persistence, wasKnown) = SharedLock.withLock {
      if let known = known(id, Key.Value.self) {
        // A cell that was read only so far can be saved from now on.
        let persistence = known.persistence as? KeyedValue<Key.Value>
        if let save, let persistence { persistence.saves(by: save) }
        return (known, persistence, true)
      }
      let cell = SharedCell(initialValue)
      cells[id] = WeakObject(object: cell)
      if isAlone {
        kept.append(cell)
        return (cell, nil, false)
      }
      let persistence = KeyedValue(cell, key, saving: save, initialValue)
      cell.persist(by: persistence)
      forgetOld()
      return (cell, persistence, false)
    }
    persistence?.begin(question)
    return (cell, wasKnown)
  }

  /// The shared cell of a key, under the shared lock; nil if the value is not shared.
  func known<Value>(_ id: SharedCellID, _: Value.Type) -> SharedCell<Value>? {
    cells[id]?.object as? SharedCell<Value>
  }

  private func forgetOld() {
    guard cells.count > limit else { return }
    cells = cells.filter { $0.value.object != nil }
    limit = max(64, cells.count * 2)
  }
}

/// The identity of a shared value with a key.
struct SharedCellID: Hashable {
  let key: AnyHashable
  let value: ObjectIdentifier

  init<Key: SharedReaderKey>(_ key: Key) {
    self.key = AnyHashable(key.id)
    value = ObjectIdentifier(Key.Value.self)
  }
}

/// The first request to a key, when its value is shared for the first time.
enum FirstQuestion {
  /// A request for its value, which saves the initial one if it has none.
  case valueOrInitial
  /// A request for its value.
  case value
  /// No request: the value was read before, or is about to be.
  case nothing
}

extension SharedStorage: DependencyKey {
  static var liveValue: SharedStorage { SharedStorage() }
  static var testValue: SharedStorage { SharedStorage() }
}

extension DependencyValues {
  /// Isolates the shared values: without files, settings, a daemon, and custom keys.
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

/// The source of a value with a key.
///
/// Its creation calls the key. In a state that is decoded, the call happens when the state enters a
/// root, or when the value is read: the decoder first creates the state with its keys and then
/// replaces them. An expectation does not call keys.
final class SharedKeyed<Key: SharedReaderKey>: SharedSource<Key.Value> {
  private let key: Key
  private let saving: SavingValue<Key.Value>?
  private let storage = DependencyValues._current[SharedStorage.self]
  private var initialValue: Key.Value
  /// Nil until the key is loaded.
  private var known: SharedCell<Key.Value>?

  init(_ key: Key, saving: SavingValue<Key.Value>?, _ initialValue: Key.Value) {
    self.key = key
    self.saving = saving
    self.initialValue = initialValue
    super.init()
    if !ReadingScope.isCurrent, SharedLock.current?.isExpectation != true { enter() }
  }

  /// Creates a source whose value was read, or is about to be; the key is not loaded again.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - saving: Saves a value; nil for a read-only key.
  ///   - value: The value.
  ///   - version: The version of shared values when the read began; nil if it has not begun.
  init(_ key: Key, saving: SavingValue<Key.Value>?, read value: Key.Value, at version: UInt64?) {
    self.key = key
    self.saving = saving
    initialValue = value
    super.init()
    let (cell, wasKnown) = storage.cell(of: key, saving: saving, asking: .nothing, value)
    known = cell
    guard let version, wasKnown else { return }
    (cell.persistence as? KeyedValue<Key.Value>)?.take(value, of: version)
  }

  private var cell: SharedCell<Key.Value> {
    guard let known else { preconditionFailure("The value of \(key) was not looked for.") }
    return known
  }

  override var name: String { String(reflecting: key) }

  override var isPrepared: Bool { known != nil }

  override func prepare() { ask(.value) }

  override func enter() { ask(.valueOrInitial) }

  private func ask(_ question: FirstQuestion) {
    let (isPrepared, initialValue) = SharedLock.withLock { (known != nil, self.initialValue) }
    if isPrepared { return }
    if let context = SharedLock.current, context.isExpectation {
      let id = SharedCellID(key)
      return SharedLock.withLock {
        known = storage.known(id, Key.Value.self) ?? context.cell(id, initialValue)
      }
    }
    let (cell, _) = storage.cell(of: key, saving: saving, asking: question, initialValue)
    SharedLock.withLock { known = known ?? cell }
  }

  override func adopt(_ value: Key.Value) {
    SharedLock.withLock { if known == nil { initialValue = value } }
    enter()
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

/// A key whose origin is elsewhere, so that changes can be made there.
protocol SharedUpdatingKey<Value>: SharedReaderKey {
  /// Changes the value at its origin; nil if the origin is this process.
  var update: UpdatingValue<Value>? { get }
}

/// Changes a value at its origin.
typealias UpdatingValue<Value> =
  @Sendable (_ operation: @escaping @Sendable (inout Value) throws -> Void) async throws -> Void

/// Saves a value by its key.
typealias SavingValue<Value> = @Sendable (Value, SaveContext, SaveContinuation) -> Void

/// The persistence of a shared value.
protocol SharedPersistence: AnyObject {
  var loadError: (any Error)? { get }
  var saveError: (any Error)? { get }
  var isLoading: Bool { get }

  /// Records that the value was changed and will be saved; called under the shared lock.
  func noteChange()

  /// Saves the newest value after a change.
  func save()

  /// Reads the value again.
  func load() async throws

  /// Saves the newest value on a caller's request.
  func saveNow() async throws
}
