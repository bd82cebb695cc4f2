import Foundation

/// The shared values that have keys: a dependency, so that a test has its own.
///
/// A value lives as long as somebody shares it; what is behind its key lives longer.
///
/// Sendable because `cells` and `declared` are only touched under the shared lock.
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
    SharedLock.withLock {
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
  /// Without the shared lock, for a key may do anything, and take its time.
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
    let (cell, persistence) = SharedLock.withLock {
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
    let (isPrepared, initialValue) = SharedLock.withLock { (known != nil, self.initialValue) }
    if isPrepared { return }
    let cell = storage.cell(of: key, saving: saving) { initialValue }
    SharedLock.withLock { known = known ?? cell }
  }

  override func adopt(_ value: Key.Value) {
    SharedLock.withLock { if known == nil { initialValue = value } }
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

  /// The value was changed, and will be saved; called under the shared lock.
  func noteChange()

  /// Saves the newest value, because it was changed.
  func save()

  /// Reads the value again.
  func load() async throws

  /// Saves the newest value, because somebody asked for it.
  func saveNow() async throws
}
