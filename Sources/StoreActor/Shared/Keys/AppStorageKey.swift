public import Foundation

/// A key of a value in the user's settings: `appStorage`.
public struct AppStorageKey<Value: Sendable>: SharedKey, UnreadKeepingKey {
  private let key: String
  private let storage: AppStorage
  private let read: @Sendable (Any) throws -> Value?
  private let write: @Sendable (Value) throws -> Any?

  fileprivate init(
    _ key: String,
    _ store: UserDefaults?,
    read: @escaping @Sendable (Any) throws -> Value?,
    write: @escaping @Sendable (Value) throws -> Any?,
  ) {
    self.key = key
    storage = store.map(AppStorage.init) ?? DependencyValues._current[AppStorage.self]
    self.read = read
    self.write = write
  }

  /// A setting that may be absent.
  fileprivate init<Wrapped>(optional setting: AppStorageKey<Wrapped>) where Value == Wrapped? {
    key = setting.key
    storage = setting.storage
    read = { try setting.read($0).map(Optional.some) }
    write = { try $0.flatMap(setting.write) }
  }

  /// The name and its settings.
  public var id: AppStorageKeyID { AppStorageKeyID(key: key, storage: storage) }

  /// Reads the setting; if it is absent, the initial value is set.
  ///
  /// A setting of another type is unchanged, and the initial value applies.
  public func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>) {
    if let initialValue = context.initialValue, storage.defaults.object(forKey: key) == nil {
      // If the write fails, the next program begins with the same initial value.
      _ = try? set(initialValue)
    }
    continuation.resume(with: current)
  }

  private var current: Result<Value?, any Error> {
    Result { try storage.defaults.object(forKey: key).flatMap(read) }
  }

  /// Sets the setting, or removes it if the value is nil.
  ///
  /// - Parameter value: The value.
  /// - Returns: Whether it is written.
  /// - Throws: The reason why the value cannot be a setting.
  private func set(_ value: Value) throws -> Bool {
    if let object = try write(value) {
      storage.defaults.set(object, forKey: key)
    } else if storage.defaults.object(forKey: key) != nil {
      storage.defaults.removeObject(forKey: key)
    } else {
      return true
    }
    #if canImport(Darwin)
    return true
    #else
    // On these platforms settings stay in memory until they are synchronized.
    return storage.defaults.synchronize()
    #endif
  }

  /// Notifies of changes of the setting in this process, if the platform reports them.
  ///
  /// Linux does not: there, changes other than through a key require `load()`.
  public func subscribe(
    context: LoadContext<Value>,
    subscriber: SharedSubscriber<Value>,
  ) -> SharedSubscription {
    // The notification concerns all settings.
    let last = LockIsolated(try? current.get())
    let observer = NotificationObserver(
      NotificationCenter.default.addObserver(
        forName: UserDefaults.didChangeNotification,
        object: storage.defaults,
        queue: nil,
      ) { [self] _ in
        let isOther = last.withValue { last in
          let current = try? current.get()
          defer { last = current }
          return !Sameness.of(Value?.self)(last, current)
        }
        if isOther { subscriber.yield { try current.get() } }
      }
    )
    return SharedSubscription { observer.remove() }
  }

  /// Sets the setting and writes it to disk; a nil value removes it.
  public func save(_ value: Value, context: SaveContext, continuation: SaveContinuation) {
    continuation.resume(
      with: Result { if try !set(value) { throw UnwrittenSetting(key: key) } }
    )
  }
}

/// A setting that was set but could not be written.
struct UnwrittenSetting: Error, CustomStringConvertible {
  let key: String

  var description: String {
    "The setting \"\(key)\" could not be written, and is lost when the program ends. "
      + "Let the user's directory of settings, in ~/.config, be writable."
  }
}

extension AppStorageKey: CustomStringConvertible {
  /// The expression that creates the key.
  public var description: String { ".appStorage(\(String(reflecting: key)))" }
}

/// The identity of a key for settings.
public struct AppStorageKeyID: Hashable, Sendable {
  let key: String
  let storage: AppStorage
}

// Sound: it holds a token that is only passed back.
private struct NotificationObserver: @unchecked Sendable {
  private let token: any NSObjectProtocol

  init(_ token: any NSObjectProtocol) { self.token = token }

  func remove() { NotificationCenter.default.removeObserver(token) }
}

/// The settings of a program.
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
  /// Separate settings in memory, initially empty.
  public static var inMemory: UserDefaults { MemoryDefaults(name: "in-memory") ?? .standard }
}

/// Settings in memory, which any thread may read and set, like other settings.
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

  override func synchronize() -> Bool { true }
}

extension DependencyValues {
  /// The settings that `.appStorage` reads and sets: the program's, and in a test initially
  /// empty ones.
  public var defaultAppStorage: UserDefaults {
    get { self[AppStorage.self].defaults }
    set { self[AppStorage.self] = AppStorage(newValue) }
  }
}

/// The URL of a text in the settings.
///
/// Files are stored as paths, as in `UserDefaults`.
private func url(_ text: String) -> URL? {
  if let url = URL(string: text), url.scheme != nil { return url }
  return URL(fileURLWithPath: NSString(string: text).expandingTildeInPath)
}

// MARK: - Kinds of settings

extension SharedReaderKey {
  /// A Boolean in the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Bool> {
    AppStorageKey(key, store, read: { $0 as? Bool }, write: { $0 })
  }

  /// An optional Boolean in the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Bool?> {
    AppStorageKey(optional: AppStorageKey<Bool>.appStorage(key, store: store))
  }

  /// An integer in the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Int> {
    AppStorageKey(key, store, read: { $0 as? Int }, write: { $0 })
  }

  /// An optional integer in the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Int?> {
    AppStorageKey(optional: AppStorageKey<Int>.appStorage(key, store: store))
  }

  /// A floating-point number in the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Double> {
    AppStorageKey(key, store, read: { $0 as? Double }, write: { $0 })
  }

  /// An optional floating-point number in the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Double?> {
    AppStorageKey(optional: AppStorageKey<Double>.appStorage(key, store: store))
  }

  /// A string in the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<String> {
    AppStorageKey(key, store, read: { $0 as? String }, write: { $0 })
  }

  /// An optional string in the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<String?> {
    AppStorageKey(optional: AppStorageKey<String>.appStorage(key, store: store))
  }

  /// An array of strings in the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<[String]> {
    AppStorageKey(key, store, read: { $0 as? [String] }, write: { $0 })
  }

  /// An optional array of strings in the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<[String]?> {
    AppStorageKey(optional: AppStorageKey<[String]>.appStorage(key, store: store))
  }

  /// A date in the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Date> {
    AppStorageKey(key, store, read: { $0 as? Date }, write: { $0 })
  }

  /// An optional date in the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Date?> {
    AppStorageKey(optional: AppStorageKey<Date>.appStorage(key, store: store))
  }

  /// Data in the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Data> {
    AppStorageKey(key, store, read: { $0 as? Data }, write: { $0 })
  }

  /// Optional data in the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Data?> {
    AppStorageKey(optional: AppStorageKey<Data>.appStorage(key, store: store))
  }

  /// A URL in the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<URL> {
    AppStorageKey(
      key,
      store,
      read: { ($0 as? String).flatMap(url) },
      write: { $0.isFileURL ? $0.path : $0.absoluteString },
    )
  }

  /// An optional URL in the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<URL?> {
    AppStorageKey(optional: AppStorageKey<URL>.appStorage(key, store: store))
  }

  /// A value with an integer as its raw value in the user's settings.
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

  /// An optional value with an integer as its raw value in the user's settings.
  public static func appStorage<Value: RawRepresentable & Sendable>(
    _ key: String,
    store: UserDefaults? = nil,
  ) -> Self where Self == AppStorageKey<Value?>, Value.RawValue == Int {
    AppStorageKey(optional: AppStorageKey<Value>.appStorage(key, store: store))
  }

  /// A value with a string as its raw value in the user's settings.
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

  /// An optional value with a string as its raw value in the user's settings.
  public static func appStorage<Value: RawRepresentable & Sendable>(
    _ key: String,
    store: UserDefaults? = nil,
  ) -> Self where Self == AppStorageKey<Value?>, Value.RawValue == String {
    AppStorageKey(optional: AppStorageKey<Value>.appStorage(key, store: store))
  }

  /// A value as JSON in the user's settings.
  ///
  /// A change does not replace an unreadable setting, as with a file.
  @_disfavoredOverload
  public static func appStorage<Value: Codable & Sendable>(
    _ key: String,
    store: UserDefaults? = nil,
  ) -> Self where Self == AppStorageKey<Value> {
    AppStorageKey(
      key,
      store,
      read: { try ($0 as? Data).map { try JSONDecoder().decode(Value.self, from: $0) } },
      write: { try JSONEncoder().encode($0) },
    )
  }

  /// An optional value as JSON in the user's settings.
  @_disfavoredOverload
  public static func appStorage<Value: Codable & Sendable>(
    _ key: String,
    store: UserDefaults? = nil,
  ) -> Self where Self == AppStorageKey<Value?> {
    AppStorageKey(optional: AppStorageKey<Value>.appStorage(key, store: store))
  }
}
