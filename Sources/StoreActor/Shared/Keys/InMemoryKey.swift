extension SharedReaderKey {
  /// A value in memory that lives as long as the process, or a test.
  public static func inMemory<Value>(_ key: String) -> Self where Self == InMemoryKey<Value> {
    InMemoryKey(key)
  }
}

/// A key of a value in memory: ``SharedReaderKey/inMemory(_:)``.
public struct InMemoryKey<Value: Sendable>: SharedKey {
  private let key: String
  private let storage: InMemoryStorage

  init(_ key: String) {
    self.key = key
    storage = DependencyValues._current.defaultInMemoryStorage
  }

  /// The name and its storage.
  public var id: InMemoryKeyID { InMemoryKeyID(key: key, storage: storage) }

  /// Reads the value; if there is none, the initial one is stored.
  public func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>) {
    // In two steps: without a value, a cast of nil would create a value of an optional type.
    let initialValue = context.initialValue
    let kept = storage.values.withValue { [key] values -> (any Sendable)? in
      if let kept = values[key] { return kept }
      if let initialValue { values[key] = initialValue }
      return nil
    }
    guard let value = kept else { return continuation.resumeReturningInitialValue() }
    continuation.resume(with: .success(value as? Value))
  }

  /// Subscribes to no changes, as only this process changes the value.
  public func subscribe(
    context: LoadContext<Value>,
    subscriber: SharedSubscriber<Value>,
  ) -> SharedSubscription {
    SharedSubscription {}
  }

  /// Stores a value.
  public func save(_ value: Value, context: SaveContext, continuation: SaveContinuation) {
    storage.values.withValue { [key] in $0[key] = value }
    continuation.resume()
  }
}

/// The identity of a key for memory.
public struct InMemoryKeyID: Hashable, Sendable {
  let key: String
  let storage: InMemoryStorage
}

extension InMemoryKey: CustomStringConvertible {
  /// The expression that creates the key.
  public var description: String { ".inMemory(\(String(reflecting: key)))" }
}

/// A storage of values in memory.
public struct InMemoryStorage: Hashable, Sendable {
  let values = LockIsolated<[String: any Sendable]>([:])

  /// Creates an empty storage.
  public init() {}

  /// Whether both are the same storage.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.values === rhs.values }

  /// Hashes the storage's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(values)) }
}

extension InMemoryStorage: DependencyKey {
  /// The storage of the process.
  public static var liveValue: InMemoryStorage { InMemoryStorage() }
  /// An empty storage for each test.
  public static var testValue: InMemoryStorage { InMemoryStorage() }
}

extension DependencyValues {
  /// The storage of `.inMemory`: the process's, and in a test one of its own.
  public var defaultInMemoryStorage: InMemoryStorage {
    get { self[InMemoryStorage.self] }
    set { self[InMemoryStorage.self] = newValue }
  }
}
