public import Foundation

/// A key of a value among the user's settings: `appStorage`.
public struct AppStorageKey<Value: Sendable>: SharedKey {
  private let key: String
  private let storage: AppStorage
  private let read: @Sendable (Any) -> Value?
  private let write: @Sendable (Value) -> Any?

  fileprivate init(
    _ key: String,
    _ store: UserDefaults?,
    read: @escaping @Sendable (Any) -> Value?,
    write: @escaping @Sendable (Value) -> Any?,
  ) {
    self.key = key
    storage = store.map(AppStorage.init) ?? DependencyValues._current[AppStorage.self]
    self.read = read
    self.write = write
  }

  /// The name, and whose settings they are.
  public var id: AppStorageKeyID { AppStorageKeyID(key: key, storage: storage) }

  /// Reads the setting; one that is of another type has the initial value.
  public func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>) {
    let value = storage.defaults.object(forKey: key).flatMap(read)
    continuation.resume(with: .success(value))
  }

  /// Says when the settings have changed in this process.
  public func subscribe(
    context: LoadContext<Value>,
    subscriber: SharedSubscriber<Value>,
  ) -> SharedSubscription {
    let observer = NotificationObserver(
      NotificationCenter.default.addObserver(
        forName: UserDefaults.didChangeNotification,
        object: storage.defaults,
        queue: nil,
      ) { [key, storage, read] _ in
        subscriber.yield { storage.defaults.object(forKey: key).flatMap(read) }
      }
    )
    return SharedSubscription { observer.remove() }
  }

  /// Sets the setting; one that is nil is removed.
  public func save(_ value: Value, context: SaveContext, continuation: SaveContinuation) {
    if let object = write(value) {
      storage.defaults.set(object, forKey: key)
    } else {
      storage.defaults.removeObject(forKey: key)
    }
    continuation.resume()
  }
}

extension AppStorageKey: CustomStringConvertible {
  /// How the key is written.
  public var description: String { ".appStorage(\(String(reflecting: key)))" }
}

/// What keys of settings are told apart by.
public struct AppStorageKeyID: Hashable, Sendable {
  let key: String
  let storage: AppStorage
}

// Sound: what it holds is a token that is only given back.
private struct NotificationObserver: @unchecked Sendable {
  private let token: any NSObjectProtocol

  init(_ token: any NSObjectProtocol) { self.token = token }

  func remove() { NotificationCenter.default.removeObserver(token) }
}

/// Whose settings they are.
// Sound: settings may be read and set from any thread.
struct AppStorage: Hashable, @unchecked Sendable {
  let defaults: UserDefaults

  init(_ defaults: UserDefaults) { self.defaults = defaults }

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.defaults === rhs.defaults }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(defaults)) }
}

extension AppStorage: DependencyKey {
  static var liveValue: AppStorage { AppStorage(.standard) }
  static var previewValue: AppStorage { AppStorage(.inMemory) }
  static var testValue: AppStorage { AppStorage(.inMemory) }
}

extension UserDefaults {
  /// Settings in memory that nobody else has, none at first.
  public static var inMemory: UserDefaults { MemoryDefaults(name: "in-memory") ?? .standard }
}

/// Settings in memory, which may be read and set from any thread as others are.
private final class MemoryDefaults: UserDefaults {
  private let lock = NSLock()
  private var values: [String: Any] = [:]

  init?(name: String) { super.init(suiteName: name) }

  override func object(forKey key: String) -> Any? { lock.withLock { values[key] } }

  override func set(_ value: Any?, forKey key: String) {
    lock.withLock { values[key] = value }
    NotificationCenter.default.post(name: UserDefaults.didChangeNotification, object: self)
  }

  override func removeObject(forKey key: String) { set(Any?.none, forKey: key) }
}

extension DependencyValues {
  /// The settings that `.appStorage` reads and sets: the program's, and in a test none at first.
  public var defaultAppStorage: UserDefaults {
    get { self[AppStorage.self].defaults }
    set { self[AppStorage.self] = AppStorage(newValue) }
  }
}

// MARK: - Kinds of settings

extension SharedReaderKey {
  /// A truth value among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Bool> {
    AppStorageKey(key, store, read: { $0 as? Bool }, write: { $0 })
  }

  /// A truth value, or nothing, among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Bool?> {
    AppStorageKey(key, store, read: { $0 as? Bool }, write: { $0 })
  }

  /// A number among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Int> {
    AppStorageKey(key, store, read: { $0 as? Int }, write: { $0 })
  }

  /// A number, or nothing, among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Int?> {
    AppStorageKey(key, store, read: { $0 as? Int }, write: { $0 })
  }

  /// A number among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Double> {
    AppStorageKey(key, store, read: { $0 as? Double }, write: { $0 })
  }

  /// A number, or nothing, among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Double?> {
    AppStorageKey(key, store, read: { $0 as? Double }, write: { $0 })
  }

  /// A text among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<String> {
    AppStorageKey(key, store, read: { $0 as? String }, write: { $0 })
  }

  /// A text, or nothing, among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<String?> {
    AppStorageKey(key, store, read: { $0 as? String }, write: { $0 })
  }

  /// Texts among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<[String]> {
    AppStorageKey(key, store, read: { $0 as? [String] }, write: { $0 })
  }

  /// Texts, or nothing, among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<[String]?> {
    AppStorageKey(key, store, read: { $0 as? [String] }, write: { $0 })
  }

  /// A date among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Date> {
    AppStorageKey(key, store, read: { $0 as? Date }, write: { $0 })
  }

  /// A date, or nothing, among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Date?> {
    AppStorageKey(key, store, read: { $0 as? Date }, write: { $0 })
  }

  /// Bytes among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Data> {
    AppStorageKey(key, store, read: { $0 as? Data }, write: { $0 })
  }

  /// Bytes, or nothing, among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Data?> {
    AppStorageKey(key, store, read: { $0 as? Data }, write: { $0 })
  }

  /// A URL among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<URL> {
    AppStorageKey(
      key,
      store,
      read: { ($0 as? String).flatMap { URL(string: $0) } },
      write: { $0.absoluteString },
    )
  }

  /// A URL, or nothing, among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<URL?> {
    AppStorageKey(
      key,
      store,
      read: { ($0 as? String).flatMap { URL(string: $0) } },
      write: { $0?.absoluteString },
    )
  }

  /// A value with a raw value among the user's settings.
  public static func appStorage<Value: RawRepresentable & Sendable>(
    _ key: String,
    store: UserDefaults? = nil,
  ) -> Self where Self == AppStorageKey<Value>, Value.RawValue == Int {
    AppStorageKey(
      key,
      store,
      read: { ($0 as? Int).flatMap(Value.init) },
      write: { $0.rawValue },
    )
  }

  /// A value with a raw value, or nothing, among the user's settings.
  public static func appStorage<Value: RawRepresentable & Sendable>(
    _ key: String,
    store: UserDefaults? = nil,
  ) -> Self where Self == AppStorageKey<Value?>, Value.RawValue == Int {
    AppStorageKey(
      key,
      store,
      read: { ($0 as? Int).flatMap(Value.init) },
      write: { $0?.rawValue },
    )
  }

  /// A value with a raw value among the user's settings.
  public static func appStorage<Value: RawRepresentable & Sendable>(
    _ key: String,
    store: UserDefaults? = nil,
  ) -> Self where Self == AppStorageKey<Value>, Value.RawValue == String {
    AppStorageKey(
      key,
      store,
      read: { ($0 as? String).flatMap(Value.init) },
      write: { $0.rawValue },
    )
  }

  /// A value with a raw value, or nothing, among the user's settings.
  public static func appStorage<Value: RawRepresentable & Sendable>(
    _ key: String,
    store: UserDefaults? = nil,
  ) -> Self where Self == AppStorageKey<Value?>, Value.RawValue == String {
    AppStorageKey(
      key,
      store,
      read: { ($0 as? String).flatMap(Value.init) },
      write: { $0?.rawValue },
    )
  }
}
