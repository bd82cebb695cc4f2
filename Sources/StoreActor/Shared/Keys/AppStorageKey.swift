public import Foundation

/// A key of a value among the user's settings: `appStorage`.
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

  /// The name, and whose settings they are.
  public var id: AppStorageKeyID { AppStorageKeyID(key: key, storage: storage) }

  /// Reads the setting; where there is none, the initial value is set.
  ///
  /// A setting of another type is left as it is, and the value is the initial one.
  public func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>) {
    if let initialValue = context.initialValue, storage.defaults.object(forKey: key) == nil {
      // Where it cannot be written, the next program begins with the same initial value.
      _ = try? set(initialValue)
    }
    continuation.resume(with: current)
  }

  private var current: Result<Value?, any Error> {
    Result { try storage.defaults.object(forKey: key).flatMap(read) }
  }

  /// Sets the setting, or removes it where the value is nil.
  ///
  /// - Parameter value: The value.
  /// - Returns: Whether it is written.
  /// - Throws: Why the value is none of a setting.
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
    // There, what is set is in memory until then.
    return storage.defaults.synchronize()
    #endif
  }

  /// Says when the setting has changed in this process, where the platform tells it.
  ///
  /// On Linux it does not: what was set there by another way than a key is seen by `load()`.
  public func subscribe(
    context: LoadContext<Value>,
    subscriber: SharedSubscriber<Value>,
  ) -> SharedSubscription {
    // The notification is of all settings.
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

  /// Sets the setting, and writes it where others find it; one that is nil is removed.
  public func save(_ value: Value, context: SaveContext, continuation: SaveContinuation) {
    continuation.resume(
      with: Result { if try !set(value) { throw UnwrittenSetting(key: key) } }
    )
  }
}

/// A setting that was set, and could not be written.
struct UnwrittenSetting: Error, CustomStringConvertible {
  let key: String

  var description: String {
    "The setting \"\(key)\" could not be written, and is lost when the program ends. "
      + "Let the user's directory of settings, in ~/.config, be writable."
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

  override func synchronize() -> Bool { true }
}

extension DependencyValues {
  /// The settings that `.appStorage` reads and sets: the program's, and in a test none at first.
  public var defaultAppStorage: UserDefaults {
    get { self[AppStorage.self].defaults }
    set { self[AppStorage.self] = AppStorage(newValue) }
  }
}

/// The URL of a text in the settings, where files are paths, as `UserDefaults` has them.
private func url(_ text: String) -> URL? {
  if let url = URL(string: text), url.scheme != nil { return url }
  return URL(fileURLWithPath: NSString(string: text).expandingTildeInPath)
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
    AppStorageKey(optional: AppStorageKey<Bool>.appStorage(key, store: store))
  }

  /// A number among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Int> {
    AppStorageKey(key, store, read: { $0 as? Int }, write: { $0 })
  }

  /// A number, or nothing, among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Int?> {
    AppStorageKey(optional: AppStorageKey<Int>.appStorage(key, store: store))
  }

  /// A number among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Double> {
    AppStorageKey(key, store, read: { $0 as? Double }, write: { $0 })
  }

  /// A number, or nothing, among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Double?> {
    AppStorageKey(optional: AppStorageKey<Double>.appStorage(key, store: store))
  }

  /// A text among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<String> {
    AppStorageKey(key, store, read: { $0 as? String }, write: { $0 })
  }

  /// A text, or nothing, among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<String?> {
    AppStorageKey(optional: AppStorageKey<String>.appStorage(key, store: store))
  }

  /// Texts among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<[String]> {
    AppStorageKey(key, store, read: { $0 as? [String] }, write: { $0 })
  }

  /// Texts, or nothing, among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<[String]?> {
    AppStorageKey(optional: AppStorageKey<[String]>.appStorage(key, store: store))
  }

  /// A date among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Date> {
    AppStorageKey(key, store, read: { $0 as? Date }, write: { $0 })
  }

  /// A date, or nothing, among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Date?> {
    AppStorageKey(optional: AppStorageKey<Date>.appStorage(key, store: store))
  }

  /// Bytes among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Data> {
    AppStorageKey(key, store, read: { $0 as? Data }, write: { $0 })
  }

  /// Bytes, or nothing, among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<Data?> {
    AppStorageKey(optional: AppStorageKey<Data>.appStorage(key, store: store))
  }

  /// A URL among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<URL> {
    AppStorageKey(
      key,
      store,
      read: { ($0 as? String).flatMap(url) },
      write: { $0.isFileURL ? $0.path : $0.absoluteString },
    )
  }

  /// A URL, or nothing, among the user's settings.
  public static func appStorage(_ key: String, store: UserDefaults? = nil) -> Self
  where Self == AppStorageKey<URL?> {
    AppStorageKey(optional: AppStorageKey<URL>.appStorage(key, store: store))
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
    AppStorageKey(optional: AppStorageKey<Value>.appStorage(key, store: store))
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
    AppStorageKey(optional: AppStorageKey<Value>.appStorage(key, store: store))
  }

  /// A value in JSON among the user's settings.
  ///
  /// One that cannot be read is not replaced by a change, as a file is not.
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

  /// A value in JSON, or nothing, among the user's settings.
  @_disfavoredOverload
  public static func appStorage<Value: Codable & Sendable>(
    _ key: String,
    store: UserDefaults? = nil,
  ) -> Self where Self == AppStorageKey<Value?> {
    AppStorageKey(optional: AppStorageKey<Value>.appStorage(key, store: store))
  }
}
