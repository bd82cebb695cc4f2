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
  /// - `scope`: The name by which the daemon exposes it.
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

/// A key of a value whose truth is a daemon's:
/// ``SharedReaderKey/store(_:fileID:filePath:line:column:)``.
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
      // No other key has such a name.
      place = .process(InMemoryKey("store(\(name))"))
    }
  }

  /// What is missing where a client's value is not shared with its daemon.
  var omission: UnsharedScope? {
    guard isLive, case .process = place, SharedProcess.isClient else { return nil }
    return UnsharedScope(name: name)
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
    if let omission { return { _ in throw omission } }
    guard case .daemon(let scope) = place else { return nil }
    return { try await scope.update($0) }
  }
}

extension StoreScopeKey: CustomStringConvertible {
  /// How the key is written.
  public var description: String { ".store(\(String(reflecting: name)))" }
}

/// A value of a daemon that a client does not share with it.
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
