import Foundation

/// The shared values that have keys: a dependency, so that a test has its own.
///
/// A value lives as long as somebody shares it; what is behind its key lives longer.
///
/// Sendable because everything in it is only touched under the shared lock.
final class SharedStorage: @unchecked Sendable {
  private var cells: [SharedCellID: WeakObject] = [:]
  private var limit = 64
  /// Whether no key is asked or told anything: then values are here alone, and live as long.
  private let isAlone: Bool
  private var kept: [AnyObject] = []

  init(isAlone: Bool = false) { self.isAlone = isAlone }

  private struct WeakObject {
    weak var object: AnyObject?
  }

  /// The value of a key: that which somebody shares already, or else a new one.
  ///
  /// Without the shared lock, for a key may do anything, and take its time.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - save: Saves a value; nil where that cannot be.
  ///   - question: What the key is asked where nobody has shared its value.
  ///   - initialValue: The value for when there is none outside.
  /// - Returns: The value, and whether somebody shared it before.
  func cell<Key: SharedReaderKey>(
    of key: Key,
    saving save: SavingValue<Key.Value>?,
    asking question: FirstQuestion,
    _ initialValue: Key.Value,
  ) -> (cell: SharedCell<Key.Value>, wasKnown: Bool) {
    let id = SharedCellID(key)
    let (cell, persistence, wasKnown) = SharedLock.withLock {
      if let known = known(id, Key.Value.self) {
        // One that was only read so far.
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

  /// The value of a key that somebody shares, under the shared lock; nil where nobody does.
  func known<Value>(_ id: SharedCellID, _: Value.Type) -> SharedCell<Value>? {
    cells[id]?.object as? SharedCell<Value>
  }

  private func forgetOld() {
    guard cells.count > limit else { return }
    cells = cells.filter { $0.value.object != nil }
    limit = max(64, cells.count * 2)
  }
}

/// What shared values with keys are told apart by.
struct SharedCellID: Hashable {
  let key: AnyHashable
  let value: ObjectIdentifier

  init<Key: SharedReaderKey>(_ key: Key) {
    self.key = AnyHashable(key.id)
    value = ObjectIdentifier(Key.Value.self)
  }
}

/// What a key is asked when its value is shared for the first time.
enum FirstQuestion {
  /// For its value, and to keep the initial one where it has none.
  case valueOrInitial
  /// For its value.
  case value
  /// Nothing: the value was read before, or is about to be.
  case nothing
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

/// The value of a key.
///
/// The key is asked when this is made. In a state that is read from bytes it is asked when the
/// state enters a root, or when the value is read: such a state is made with its keys, and gets
/// others in their place. An expectation asks no key.
final class SharedKeyed<Key: SharedReaderKey>: SharedSource<Key.Value> {
  private let key: Key
  private let saving: SavingValue<Key.Value>?
  private let storage = DependencyValues._current[SharedStorage.self]
  private var initialValue: Key.Value
  /// Nil until the key is asked.
  private var known: SharedCell<Key.Value>?

  init(_ key: Key, saving: SavingValue<Key.Value>?, _ initialValue: Key.Value) {
    self.key = key
    self.saving = saving
    self.initialValue = initialValue
    super.init()
    if !ReadingScope.isCurrent, SharedLock.current?.isExpectation != true { enter() }
  }

  /// A value that was read, or is about to be, and which the key is not asked for again.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - saving: Saves a value; nil where that cannot be.
  ///   - value: The value.
  ///   - version: The version of shared values when the reading began; nil where it did not.
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
