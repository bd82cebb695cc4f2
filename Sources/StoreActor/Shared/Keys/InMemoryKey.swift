extension SharedReaderKey {
  /// A value that is kept in memory for as long as the process runs, or a test.
  public static func inMemory<Value>(_ key: String) -> Self where Self == InMemoryKey<Value> {
    InMemoryKey(key)
  }
}

/// A key of a value that is kept in memory: ``SharedReaderKey/inMemory(_:)``.
public struct InMemoryKey<Value: Sendable>: SharedKey {
  private let key: String
  private let storage: InMemoryStorage

  init(_ key: String) {
    self.key = key
    storage = DependencyValues._current.defaultInMemoryStorage
  }

  /// The name, and where the value is kept.
  public var id: InMemoryKeyID { InMemoryKeyID(key: key, storage: storage) }

  /// Reads the value; where there is none, the initial one is kept from now on.
  public func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>) {
    // In two steps: where there is none, a cast of nil would make a value of an optional type.
    let initialValue = context.initialValue
    let kept = storage.values.withValue { [key] values -> (any Sendable)? in
      if let kept = values[key] { return kept }
      if let initialValue { values[key] = initialValue }
      return nil
    }
    guard let value = kept else { return continuation.resumeReturningInitialValue() }
    continuation.resume(with: .success(value as? Value))
  }

  /// Nobody else changes it.
  public func subscribe(
    context: LoadContext<Value>,
    subscriber: SharedSubscriber<Value>,
  ) -> SharedSubscription {
    SharedSubscription {}
  }

  /// Keeps a value.
  public func save(_ value: Value, context: SaveContext, continuation: SaveContinuation) {
    storage.values.withValue { [key] in $0[key] = value }
    continuation.resume()
  }
}

/// What keys of values in memory are told apart by.
public struct InMemoryKeyID: Hashable, Sendable {
  let key: String
  let storage: InMemoryStorage
}

extension InMemoryKey: CustomStringConvertible {
  /// How the key is written.
  public var description: String { ".inMemory(\(String(reflecting: key)))" }
}

/// Where values are kept in memory.
public struct InMemoryStorage: Hashable, Sendable {
  let values = LockIsolated<[String: any Sendable]>([:])

  /// An empty one.
  public init() {}

  /// Whether both are one.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.values === rhs.values }

  /// Hashes which one it is.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(values)) }
}

extension InMemoryStorage: DependencyKey {
  /// The process's.
  public static var liveValue: InMemoryStorage { InMemoryStorage() }
  /// An empty one for each test.
  public static var testValue: InMemoryStorage { InMemoryStorage() }
}

extension DependencyValues {
  /// Where `.inMemory` keeps values: the process's own, and in a test one of its own.
  public var defaultInMemoryStorage: InMemoryStorage {
    get { self[InMemoryStorage.self] }
    set { self[InMemoryStorage.self] = newValue }
  }
}
