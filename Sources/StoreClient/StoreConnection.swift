public import StoreActor
public import StoreReplication
public import StoreState
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A client's connection to a daemon, and the stores whose state the daemon keeps.
///
/// ```swift
/// let connection = try StoreConnection(to: StoreLocation(directory: path), name: "menu bar")
/// let todos = try await connection.store("todos", Todos.self)
/// try await todos.send(.addButtonTapped(title: "Milk")).applied()
/// print(todos.items.count)
/// ```
///
/// The connection repairs itself: after a break it resumes from what it has, and meanwhile stores
/// show what they last had. All stores of a connection show one and the same revision. Everything
/// happens on the main actor.
///
/// ## Lifetimes
///
/// A scope is followed as long as a store of it is held, and for ``linger`` after the last was let
/// go; then its last actions get their outcomes, and it is left. Streams hold no store: they end
/// with it. A store keeps its connection; a connection that nobody holds any more, nor a store of
/// it, closes itself.
///
/// A store ends when its scope goes absent, when the daemon refuses the scope, and with the
/// connection, and its `end` says which: its streams end, it keeps the last state, and an action
/// that is sent to it fails.
@MainActor
public final class StoreConnection {
  /// How long an action of a store may take to come to its turn.
  ///
  /// An hour-old tap is not wanted. Beyond it `StoreTask.applied()` throws: `expired` where the
  /// action certainly was not applied, `outcomeUnknown` where that is not known. Nil lets actions
  /// wait for ever. Unless told otherwise 30 seconds.
  public var actionTimeToLive: Duration? {
    get { client.actionTimeToLive }
    set { client.actionTimeToLive = newValue }
  }

  /// How long a scope is followed after its last store was let go.
  ///
  /// Asking for it again meanwhile takes the copy as it is. Unless told otherwise a second.
  public var linger: Duration {
    get { client.timing.linger }
    set { client.timing.linger = max(.zero, newValue) }
  }

  /// What happens to the connection, from when they are asked for until it is closed.
  ///
  /// Whoever reads too slowly misses the oldest beyond 256.
  public var events: AsyncStream<ConnectionEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
      guard !service.isClosed else { return continuation.finish() }
      let subscription = eventObservers.add { continuation.yield($0) }
      let end = endObservers.add { continuation.finish() }
      continuation.onTermination = { _ in
        subscription.cancel()
        end.cancel()
      }
    }
  }

  package let client: ReplicaClient
  package let location: StoreLocation
  /// Keeps the connection, so it is not kept by it.
  private weak var sharedScopes: ClientSharedScopes?
  // A test ends the service's sockets below it, and counts who observes.
  let service: ConnectionService
  private var queueLoop: QueueLoop?
  let eventObservers = ObserverList<ConnectionEvent>()
  let endObservers = ObserverList<Void>()
  package var onEvent: @MainActor (ConnectionEvent) -> Void = { _ in }

  /// Connects to a daemon; returns at once, and goes on trying until ``close()``.
  ///
  /// For a program that runs the main queue itself. One that has the main thread to give uses
  /// ``run(to:name:isListed:_:)``.
  ///
  /// - Parameters:
  ///   - location: Where the daemon is.
  ///   - name: What the daemon calls this client, in its status and among those present.
  ///   - isListed: Whether it is to be listed among those present.
  /// - Throws: ``ConnectionError`` when sockets cannot be made, or when another user than this one
  ///   and root may have a hand in the daemon's directory.
  public convenience init(
    to location: StoreLocation,
    name: String,
    isListed: Bool = true,
  ) throws(ConnectionError) {
    try self.init(connecting: location, name: name, isListed: isListed)
    let loop = QueueLoop(service) { [weak self] error in self?.loopFailed(error) }
    queueLoop = loop
    client.onNeedsTurn = { [weak loop] in loop?.wakeUp() }
    loop.start()
  }

  private init(
    connecting location: StoreLocation,
    name: String,
    isListed: Bool,
  ) throws(ConnectionError) {
    StandardDescriptors.open()
    try location.check()
    self.location = location
    var generator = SystemRandomNumberGenerator()
    let identity = ReplicaClient.Identity(
      clientID: .random(using: &generator),
      name: name,
      isListed: isListed,
    )
    client = ReplicaClient(identity: identity, now: .current, generator: generator)
    client.actionTimeToLive = .seconds(30)
    do throws(ZeroMQError) {
      service = ConnectionService(client, try ClientSockets(location))
    } catch {
      throw ConnectionError(.system, "\(error)", remedy: "")
    }
    service.turn.onEvent = { [weak self] in self?.tell($0) }
    service.onRefusal = { [weak self] in self?.ended() }
  }

  isolated deinit {
    do throws(ConnectionError) {
      try close()
    } catch {
      // Nobody is left who could be told.
    }
  }

  #if os(Linux)
  /// Connects to a daemon, runs `body` with the connection, closes it and returns the result.
  ///
  /// Takes over the main thread, so it must be called on it, from a synchronous `main`; sockets,
  /// the main actor and `body` then share that thread.
  ///
  /// - Throws: ``ConnectionError`` and what `body` throws.
  public static func run<Success: Sendable>(
    to location: StoreLocation,
    name: String,
    isListed: Bool = true,
    _ body: @escaping @MainActor (StoreConnection) async throws -> Success,
  ) throws -> Success {
    let connection = try StoreConnection(connecting: location, name: name, isListed: isListed)
    let loop = PollLoop(connection.service)
    var result: Result<Success, any Error>?
    Task { @MainActor in
      do { result = .success(try await body(connection)) } catch { result = .failure(error) }
      loop.stop()
    }
    do throws(ZeroMQError) {
      try loop.run()
    } catch {
      try connection.close("The loop failed: \(error)")
      throw ConnectionError(.system, "\(error)", remedy: "")
    }
    try connection.close()
    guard let result else {
      preconditionFailure("The loop ended before what it ran for")
    }
    return try result.get()
  }
  #endif

  /// The store of a scope, once its first state has come.
  ///
  /// Nobody needs to know the root: the scope's name and the child's types are enough. Stores of
  /// one scope share one copy of its state.
  ///
  /// - Parameters:
  ///   - scope: The scope's name.
  ///   - reducer: The feature.
  ///   - time: How long to wait at most; nil waits as long as the connection lives.
  /// - Returns: The store.
  /// - Throws: ``ConnectionError``: there is no such scope, it is absent, the daemon's types for it
  ///   cannot be read here, nothing came in time, the connection was closed, or the task was
  ///   canceled.
  public func store<R: Reducer>(
    _ scope: String,
    _ reducer: R.Type,
    within time: Duration? = .seconds(10),
  ) async throws(ConnectionError) -> StoreOf<R>
  where R.State: ReplicatedState, R.Action: WireAction {
    try await store(scope, within: time)
  }

  /// The store of a scope that may only be looked at, once its first state has come.
  ///
  /// - Parameters:
  ///   - scope: The scope's name.
  ///   - state: The type of its state.
  ///   - time: How long to wait at most; nil waits as long as the connection lives.
  /// - Returns: The store.
  /// - Throws: ``ConnectionError``, as ``store(_:_:within:)``.
  public func store<State: ReplicatedState>(
    _ scope: String,
    state: State.Type,
    within time: Duration? = .seconds(10),
  ) async throws(ConnectionError) -> Store<State, Never> {
    try await store(scope, within: time)
  }

  private func store<State: ReplicatedState, Action: WireAction>(
    _ scope: String,
    within time: Duration?,
  ) async throws(ConnectionError) -> Store<State, Action> {
    // Let go of when there is no state, and the scope with it.
    let core = RemoteStoreCore<State, Action>(scope, of: client, connection: self)
    try await state(of: core.scope, within: time)
    return Store(core: core)
  }

  /// Lets `@Shared(.store(…))` share the daemon's values.
  ///
  /// ```swift
  /// prepareDependencies { connection.share(in: &$0) }
  /// ```
  ///
  /// All that a program shares with its daemon is of one revision. The connection is kept as long
  /// as somebody has the dependencies, or shares a value.
  ///
  /// - Parameter dependencies: The dependencies of those who are to share them.
  public func share(in dependencies: inout DependencyValues) {
    let scopes = sharedScopes ?? ClientSharedScopes(client, connection: self)
    sharedScopes = scopes
    dependencies.sharedScopes = scopes
  }

  /// Waits for the first state of a scope.
  func state(of scope: ClientScope, within time: Duration?) async throws(ConnectionError) {
    let condition = WaitCondition.state(of: ObjectIdentifier(scope))
    try await wait(for: condition, "The scope \"\(scope.name)\"", within: time)
  }

  /// Waits until a session is open.
  ///
  /// - Parameter time: How long to wait at most.
  /// - Throws: ``ConnectionError/Code/noDaemon`` when none is open in that time; `refused`,
  ///   `closed` and `canceled` when there will be none.
  public func connected(within time: Duration) async throws(ConnectionError) {
    try await wait(for: .connected, "The session", within: time)
  }

  private func wait(
    for condition: WaitCondition,
    _ subject: String,
    within time: Duration?,
  ) async throws(ConnectionError) {
    var wait: WaitID?
    do {
      try await Resumption<Void>().value { resumption in
        wait = client.wait(for: condition, within: time) {
          resumption.resume(with: $0.mapError { $0 })
        }
      }
    } catch let failure as WaitFailure {
      throw ConnectionError(failure, of: subject, at: location, time)
    } catch {
      if let wait { client.cancel(wait) }
      throw ConnectionError(.canceled, of: subject, at: location, time)
    }
  }

  /// Ends the session and closes the sockets.
  ///
  /// Everybody who waits is told: what was not sent has not been applied, of what has no outcome it
  /// is not known. Streams and stores end.
  ///
  /// - Throws: ``ConnectionError/Code/system`` when the goodbye cannot be sent.
  public func close() throws(ConnectionError) { try close("The connection was closed.") }

  private func close(_ reason: String) throws(ConnectionError) {
    guard !service.isClosed else { return }
    defer { ended() }
    do throws(ZeroMQError) {
      try service.close(reason)
    } catch {
      throw ConnectionError(.system, "\(error)", remedy: "")
    }
  }

  /// Nothing comes any more.
  private func ended() {
    queueLoop?.stop()
    endObservers.notify()
  }

  private func loopFailed(_ error: ZeroMQError) {
    do throws(ConnectionError) {
      try close("The connection's loop failed: \(error)")
    } catch {
      // Everybody was told; what failed was a last goodbye.
    }
  }

  private func tell(_ event: ClientEvent) {
    let event = ConnectionEvent(event)
    onEvent(event)
    eventObservers.notify(event)
  }

  // MARK: For programs that know no types

  package func submit(
    _ action: [UInt8],
    to scope: ClientScope,
    timeToLive time: Duration? = nil,
  ) -> ActionTicket {
    client.submit(action, to: scope, timeToLive: time ?? actionTimeToLive)
  }
}
