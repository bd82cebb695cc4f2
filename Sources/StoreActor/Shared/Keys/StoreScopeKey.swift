public import StoreState

extension SharedReaderKey {
  /// A value that a daemon owns: `@Shared(.store("settings")) var settings = Settings()`.
  ///
  /// In a program with a connection (`StoreConnection.share(in:)` of StoreClient) it is the exposed
  /// value of that name. Until its first snapshot it has the default value, `isLoading` is true,
  /// and changes are refused. `withLock` shows its result at once and sends it to the daemon. If
  /// the daemon's value has changed meanwhile, that value is restored, and `saveError` is a
  /// conflict. `update` runs on the daemon's value, and again after a conflict.
  ///
  /// Elsewhere, also in the daemon itself, the process owns it, as with ``inMemory(_:)``.
  ///
  /// - `scope`: The name under which the daemon exposes it.
  ///
  /// Returns the key.
  public static func store<Value>(
    _ scope: String,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Self where Self == StoreScopeKey<Value> {
    let key = StoreScopeKey<Value>(scope)
    if !ReadingScope.isCurrent, let omission = key.omission {
      reportIssue(
        omission.description,
        fileID: fileID,
        filePath: filePath,
        line: line,
        column: column,
      )
    }
    return key
  }
}

/// A key of a value that a daemon owns: ``SharedReaderKey/store(_:fileID:filePath:line:column:)``.
public struct StoreScopeKey<Value: ReplicatedState>: SharedKey {
  private enum Place {
    case process(InMemoryKey<Value>)
    case daemon(any SharedScope<Value>)
  }

  private let name: String
  private let place: Place
  private let isLive = DependencyValues._current.context == .live

  init(_ name: String) {
    self.name = name
    if let scopes = DependencyValues._current[SharedScopesKey.self] {
      place = .daemon(scopes.scope(name, of: Value.self))
    } else {
      // No other key has this form of name.
      place = .process(InMemoryKey("store(\(name))"))
    }
  }

  /// The error of a client's value that is not shared with its daemon.
  var omission: UnsharedScope? {
    guard isLive, case .process = place, SharedProcess.isClient else { return nil }
    return UnsharedScope(name: name)
  }

  /// The name, or the scope.
  public var id: StoreScopeKeyID {
    switch place {
    case .process(let key): StoreScopeKeyID(place: .process(key.id))
    case .daemon(let scope): StoreScopeKeyID(place: .daemon(ObjectIdentifier(scope)))
    }
  }

  /// Reads the value; a daemon's value arrives later.
  public func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>) {
    switch place {
    case .process(let key): key.load(context: context, continuation: continuation)
    case .daemon(let scope):
      if case .initialValue = context { return continuation.resumeReturningInitialValue() }
      scope.load(continuation)
    }
  }

  /// Notifies the subscriber of changes of the daemon's value.
  public func subscribe(
    context: LoadContext<Value>,
    subscriber: SharedSubscriber<Value>,
  ) -> SharedSubscription {
    switch place {
    case .process(let key): key.subscribe(context: context, subscriber: subscriber)
    case .daemon(let scope): scope.subscribe(subscriber)
    }
  }

  /// Sends a changed value to the daemon.
  public func save(_ value: Value, context: SaveContext, continuation: SaveContinuation) {
    switch place {
    case .process(let key): key.save(value, context: context, continuation: continuation)
    case .daemon(let scope): scope.save(value, continuation)
    }
  }
}

extension StoreScopeKey: SharedUpdatingKey {
  var update: UpdatingValue<Value>? {
    if let omission { return { _ in throw omission } }
    guard case .daemon(let scope) = place else { return nil }
    return { try await scope.update($0) }
  }
}

extension StoreScopeKey: CustomStringConvertible {
  /// The expression that creates the key.
  public var description: String { ".store(\(String(reflecting: name)))" }
}

/// A daemon's value that a client does not share with it.
struct UnsharedScope: Error, CustomStringConvertible {
  let name: String

  var description: String {
    """
    The program has a connection to a daemon, and does not share "\(name)" with it: the value is \
    this process's alone.

    To fix, call "connection.share(in: &$0)" in "prepareDependencies", or in "withDependencies" \
    around what shares the value, before it is shared.
    """
  }
}

/// The identity of a key for a daemon's value.
public struct StoreScopeKeyID: Hashable, Sendable {
  enum Place: Hashable {
    case process(InMemoryKeyID)
    case daemon(ObjectIdentifier)
  }

  let place: Place
}

/// The scopes of a daemon, as values that clients share with it.
package protocol SharedScopes: AnyObject, Sendable {
  /// The scope of a name: the existing one, or a new one.
  func scope<Value: ReplicatedState>(
    _ name: String,
    of type: Value.Type,
  ) -> any SharedScope<Value>
}

/// A scope of a daemon, as a value that a client shares with it.
package protocol SharedScope<Value>: AnyObject, Sendable {
  associatedtype Value: ReplicatedState

  /// Reads the daemon's value after it has arrived.
  func load(_ continuation: LoadContinuation<Value>)

  /// Follows the scope for as long as the subscription is kept.
  func subscribe(_ subscriber: SharedSubscriber<Value>) -> SharedSubscription

  /// Sends a value that is derived from the last one that the subscriber took.
  func save(_ value: Value, _ continuation: SaveContinuation)

  /// Changes the daemon's value.
  func update(_ operation: @escaping @Sendable (inout Value) throws -> Void) async throws
}

/// The scopes of the process's connection; nil without a connection.
enum SharedScopesKey: DependencyKey {
  static var liveValue: (any SharedScopes)? { nil }
  static var testValue: (any SharedScopes)? { nil }
}

extension DependencyValues {
  /// The scopes whose values `.store` shares; nil if the process owns the values.
  package var sharedScopes: (any SharedScopes)? {
    get { self[SharedScopesKey.self] }
    set { self[SharedScopesKey.self] = newValue }
  }
}
