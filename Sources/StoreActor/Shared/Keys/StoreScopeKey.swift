public import StoreState

extension SharedReaderKey {
  /// A value whose truth is a daemon's: `@Shared(.store("settings")) var settings = Settings()`.
  ///
  /// In a program with a connection (`StoreConnection.share(in:)` of StoreClient) it is the exposed
  /// value of that name. Until its first snapshot has come it is the default, `isLoading`, and
  /// changes are refused. `withLock` shows its result at once and sends it to the daemon; where the
  /// daemon's value has become another one meanwhile, that comes back, and `saveError` is a
  /// conflict. `update` runs on the daemon's value, and again after a conflict.
  ///
  /// Anywhere else, as in the daemon itself, it is the process's, as with ``inMemory(_:)``.
  ///
  /// - Parameter scope: The name by which the daemon exposes it.
  /// - Returns: The key.
  public static func store<Value>(_ scope: String) -> Self where Self == StoreScopeKey<Value> {
    StoreScopeKey(scope)
  }
}

/// A key of a value whose truth is a daemon's: ``SharedReaderKey/store(_:)``.
public struct StoreScopeKey<Value: ReplicatedState>: SharedKey {
  private enum Place {
    case process(InMemoryKey<Value>)
    case daemon(any SharedScope<Value>)
  }

  private let name: String
  private let place: Place

  init(_ name: String) {
    self.name = name
    if let scopes = DependencyValues._current[SharedScopesKey.self] {
      place = .daemon(scopes.scope(name, of: Value.self))
    } else {
      // No other key has such a name.
      place = .process(InMemoryKey("store(\(name))"))
    }
  }

  /// The name, and whose scope it is.
  public var id: StoreScopeKeyID {
    switch place {
    case .process(let key): StoreScopeKeyID(place: .process(key.id))
    case .daemon(let scope): StoreScopeKeyID(place: .daemon(ObjectIdentifier(scope)))
    }
  }

  /// Reads the value; a daemon's comes when it comes.
  public func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>) {
    switch place {
    case .process(let key): key.load(context: context, continuation: continuation)
    case .daemon(let scope):
      if case .initialValue = context { return continuation.resumeReturningInitialValue() }
      scope.load(continuation)
    }
  }

  /// Says when the daemon has another value.
  public func subscribe(
    context: LoadContext<Value>,
    subscriber: SharedSubscriber<Value>,
  ) -> SharedSubscription {
    switch place {
    case .process(let key): key.subscribe(context: context, subscriber: subscriber)
    case .daemon(let scope): scope.subscribe(subscriber)
    }
  }

  /// Sends the daemon what was changed.
  public func save(_ value: Value, context: SaveContext, continuation: SaveContinuation) {
    switch place {
    case .process(let key): key.save(value, context: context, continuation: continuation)
    case .daemon(let scope): scope.save(value, continuation)
    }
  }
}

extension StoreScopeKey: SharedUpdatingKey {
  var update: UpdatingValue<Value>? {
    guard case .daemon(let scope) = place else { return nil }
    return { try await scope.update($0) }
  }
}

extension StoreScopeKey: CustomStringConvertible {
  /// How the key is written.
  public var description: String { ".store(\(String(reflecting: name)))" }
}

/// What keys of values of daemons are told apart by.
public struct StoreScopeKeyID: Hashable, Sendable {
  enum Place: Hashable {
    case process(InMemoryKeyID)
    case daemon(ObjectIdentifier)
  }

  let place: Place
}

/// The scopes of a daemon, as values that are shared with it.
package protocol SharedScopes: AnyObject, Sendable {
  /// The scope of a name: the one that somebody has already, or else a new one.
  func scope<Value: ReplicatedState>(
    _ name: String,
    of type: Value.Type,
  ) -> any SharedScope<Value>
}

/// A scope of a daemon, as a value that is shared with it.
package protocol SharedScope<Value>: AnyObject, Sendable {
  associatedtype Value: ReplicatedState

  /// Reads the daemon's value, once it has come.
  func load(_ continuation: LoadContinuation<Value>)

  /// Follows the scope for as long as the subscription is kept.
  func subscribe(_ subscriber: SharedSubscriber<Value>) -> SharedSubscription

  /// Sends a value that was made of the last one that the subscriber has taken.
  func save(_ value: Value, _ continuation: SaveContinuation)

  /// Changes the daemon's value.
  func update(_ operation: @escaping @Sendable (inout Value) throws -> Void) async throws
}

/// The scopes of the process's connection; nil where there is none.
enum SharedScopesKey: DependencyKey {
  static var liveValue: (any SharedScopes)? { nil }
  static var testValue: (any SharedScopes)? { nil }
}

extension DependencyValues {
  /// The scopes of which `.store` shares the values; nil where they are the process's.
  package var sharedScopes: (any SharedScopes)? {
    get { self[SharedScopesKey.self] }
    set { self[SharedScopesKey.self] = newValue }
  }
}
