extension Shared {
  /// Shares the value of a key.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value that applies if the key has none.
  ///   - key: The key.
  public init(wrappedValue: @autoclosure () -> Value, _ key: some SharedKey<Value>) {
    content = SharedContent(keyed(key, wrappedValue))
  }

  /// Shares the value of a key; nil if the key has none.
  @_disfavoredOverload
  public init<Wrapped>(_ key: some SharedKey<Value>) where Value == Wrapped? {
    self.init(wrappedValue: nil, key)
  }

  /// Shares the value of a key that has a default value.
  public init(_ key: (some SharedKey<Value>).Default) {
    self.init(wrappedValue: key.defaultValue(), key.base)
  }

  /// Shares the value of a key, with another default value.
  @_disfavoredOverload
  public init(wrappedValue: @autoclosure () -> Value, _ key: (some SharedKey<Value>).Default) {
    content = SharedContent(keyed(key.base, wrappedValue))
  }

  /// Shares the value of a key that must have one.
  public init(require key: some SharedKey<Value>) async throws {
    content = SharedContent(try await required(key, saving: saving(by: key)))
  }

  /// A value with a key needs a default value: `@Shared(.key) var x = 0`.
  @available(*, unavailable, message: "Assign a default value")
  public init(_ key: some SharedKey<Value>) {
    preconditionFailure("A value with a key needs a default value.")
  }

  /// The error of the last read; nil if it succeeded.
  public var loadError: (any Error)? { content.persistence?.loadError }

  /// The error of the last save; nil if it succeeded.
  public var saveError: (any Error)? { content.persistence?.saveError }

  /// Whether the value is being loaded.
  public var isLoading: Bool { content.persistence?.isLoading ?? false }

  /// Reads the value from its source again.
  ///
  /// Without a key it has no effect.
  public func load() async throws { try await content.persistence?.load() }

  /// Saves the value and waits until it is saved.
  ///
  /// Without a key it has no effect.
  public func save() async throws { try await content.persistence?.saveNow() }

  /// Changes a value at its origin, and returns when the change is complete.
  ///
  /// ```swift
  /// try await Shared.update($settings) { $0.size = 2 }
  /// ```
  ///
  /// With the key `.store` that is the daemon: the operation runs on the daemon's value, and again
  /// if that value has changed meanwhile. Otherwise it is `withLock` followed by `save()`.
  ///
  /// It is static because an instance's method would hide a property `update` of the value.
  ///
  /// - Parameters:
  ///   - shared: The value.
  ///   - operation: Changes the value; may run several times.
  /// - Throws: The operation's error, or the reason why the change failed. If others change the
  ///   value repeatedly, that is a conflict, after about ten seconds.
  public static func update(
    _ shared: Self,
    _ operation: @escaping @Sendable (inout Value) throws -> Void,
  ) async throws {
    if let source = shared.content.source { return try await source.update(operation) }
    try shared.withLock { try operation(&$0) }
  }

  /// Switches to the value of another key, and reads it.
  public mutating func load(_ key: some SharedKey<Value>) async throws {
    let value = wrappedValue
    content = SharedContent(SharedKeyed(key, saving: saving(by: key), read: value, at: nil))
    try await load()
  }
}

extension SharedReader {
  /// Reads the value of a key.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value that applies if the key has none.
  ///   - key: The key.
  public init(wrappedValue: @autoclosure () -> Value, _ key: some SharedReaderKey<Value>) {
    content = SharedContent(keyedReader(key, wrappedValue))
  }

  /// Reads the value of a key; nil if the key has none.
  @_disfavoredOverload
  public init<Wrapped>(_ key: some SharedReaderKey<Value>) where Value == Wrapped? {
    self.init(wrappedValue: nil, key)
  }

  /// Reads the value of a key that has a default value.
  public init(_ key: (some SharedReaderKey<Value>).Default) {
    self.init(wrappedValue: key.defaultValue(), key.base)
  }

  /// Reads the value of a key, with another default value.
  @_disfavoredOverload
  public init(
    wrappedValue: @autoclosure () -> Value,
    _ key: (some SharedReaderKey<Value>).Default,
  ) {
    content = SharedContent(keyedReader(key.base, wrappedValue))
  }

  /// Reads the value of a key that must have one.
  public init(require key: some SharedReaderKey<Value>) async throws {
    content = SharedContent(try await required(key, saving: nil))
  }

  /// A value with a key needs a default value: `@SharedReader(.key) var x = 0`.
  @available(*, unavailable, message: "Assign a default value")
  public init(_ key: some SharedReaderKey<Value>) {
    preconditionFailure("A value with a key needs a default value.")
  }

  /// The error of the last read; nil if it succeeded.
  public var loadError: (any Error)? { content.persistence?.loadError }

  /// Whether the value is being loaded.
  public var isLoading: Bool { content.persistence?.isLoading ?? false }

  /// Reads the value from its source again.
  ///
  /// Without a key it has no effect.
  public func load() async throws { try await content.persistence?.load() }

  /// Switches to the value of another key, and reads it.
  public mutating func load(_ key: some SharedReaderKey<Value>) async throws {
    let value = wrappedValue
    content = SharedContent(SharedKeyed(key, saving: nil, read: value, at: nil))
    try await load()
  }
}

private func keyed<Key: SharedKey>(
  _ key: Key,
  _ initialValue: () -> Key.Value,
) -> SharedSource<Key.Value> {
  SharedKeyed(key, saving: saving(by: key), initialValue())
}

private func keyedReader<Key: SharedReaderKey>(
  _ key: Key,
  _ initialValue: () -> Key.Value,
) -> SharedSource<Key.Value> {
  SharedKeyed(key, saving: nil, initialValue())
}

private func saving<Key: SharedKey>(by key: Key) -> SavingValue<Key.Value> {
  { key.save($0, context: $1, continuation: $2) }
}

private func required<Key: SharedReaderKey>(
  _ key: Key,
  saving: SavingValue<Key.Value>?,
) async throws -> SharedSource<Key.Value> {
  let version = SharedLock.version
  let value = try await untilCancelled { finish in
    let answer = KeyAnswer<Key.Value?>(to: "load", of: { "\(key)" }) { finish($0 ?? .success(nil)) }
    key.load(context: .userInitiated, continuation: LoadContinuation(answer))
  }
  guard let value else { throw MissingSharedValue(key: "\(key)") }
  return SharedKeyed(key, saving: saving, read: value, at: version)
}

/// A required value that its key does not have.
private struct MissingSharedValue: Error, CustomStringConvertible {
  let key: String

  var description: String {
    "There is no value of \(key); give it one, or share it with a default value."
  }
}
