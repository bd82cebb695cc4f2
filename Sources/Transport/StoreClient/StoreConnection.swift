public import StoreActor
public import StoreProtocol
package import StoreReplica
import StoreState
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
/// The connection reconnects by itself: after an interruption it resumes from the revision that it
/// has, and meanwhile stores show their last state. All stores of a connection show the same
/// revision. Everything happens on the main actor.
///
/// ## Lifetimes
///
/// A scope is followed while a store of it is held, and for ``linger`` after the last one was
/// released. Then its pending actions get their outcomes, and the client stops following the scope.
/// Streams do not retain their store: they end with it. A store retains its connection; a
/// connection closes itself when neither it nor any of its stores is held.
///
/// A store ends when its scope becomes absent, when the daemon refuses the scope, or when the
/// connection is closed; its `end` states the reason. Then its streams end, it keeps its last
/// state, and actions that are sent to it fail.
@MainActor
public final class StoreConnection {
  /// The time in which the daemon must reduce an action; 30 seconds by default.
  ///
  /// It prevents a tap from being applied an hour later. After this time `StoreTask.applied()`
  /// throws: `expired` if the action was certainly not applied, `outcomeUnknown` if that is
  /// uncertain. With nil, actions wait forever.
  public var actionTimeToLive: Duration? {
    get { client.actionTimeToLive }
    set { client.actionTimeToLive = newValue }
  }

  /// The time for which a scope is followed after its last store's release; by default one second.
  ///
  /// A request for the scope within this time reuses its copy.
  public var linger: Duration {
    get { client.timing.linger }
    set { client.timing.linger = max(.zero, newValue) }
  }

  /// The events of the connection from now on, until it is closed.
  ///
  /// The newest 256 events are buffered; a slow reader misses older ones.
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
  /// Weak, because it retains the connection.
  private weak var sharedScopes: ClientSharedScopes?
  // A test ends the service's sockets from outside, and counts the observers.
  let service: ConnectionService
  private var queueLoop: QueueLoop?
  let eventObservers = ObserverList<ConnectionEvent>()
  let endObservers = ObserverList<Void>()
  package var onEvent: @MainActor (ConnectionEvent) -> Void = { _ in }

  /// Connects to a daemon; returns at once, and retries until ``close()``.
  ///
  /// Use this in a program that runs the main queue itself. A program that can give up its main
  /// thread uses ``run(to:name:isListed:_:)``.
  ///
  /// - Parameters:
  ///   - location: The daemon's location.
  ///   - name: This client's name in the daemon's status and in its list of sessions.
  ///   - isListed: Whether features of the daemon see this client in their list of sessions.
  /// - Throws: ``ConnectionError`` if the sockets cannot be created, or if users other than this
  ///   one and root can change the daemon's directory.
  public convenience init(
    to location: StoreLocation,
    name: String,
    isListed: Bool = true,
  ) throws(ConnectionError) {
    try self.init(connecting: location, name: name, isListed: isListed)
    let loop = QueueLoop(service) { [weak self] error in self?.loopFailed(error) }
    queueLoop = loop
    client.onNeedsTurn = { [weak loop] in loop?.wakeUp() }
    service.turn.transport.onCut = { [weak loop] in loop?.wakeUp() }
    loop.start()
  }

  private init(
    connecting location: StoreLocation,
    name: String,
    isListed: Bool,
  ) throws(ConnectionError) {
    StandardDescriptors.open()
    try location.check()
    SharedProcess.beginConnecting()
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
      // No caller is left to receive the error.
    }
  }

  #if os(Linux)
  /// Connects to a daemon, runs `body` with the connection, closes it and returns the result.
  ///
  /// It takes over the main thread, so call it there, from a synchronous `main`. The sockets,
  /// the main actor and `body` then share that thread.
  ///
  /// - Throws: ``ConnectionError``, and the errors of `body`.
  public static func run<Success: Sendable>(
    to location: StoreLocation,
    name: String,
    isListed: Bool = true,
    _ body: @escaping @MainActor (StoreConnection) async throws -> Success,
  ) throws -> Success {
    let connection = try StoreConnection(connecting: location, name: name, isListed: isListed)
    // The end of the program reports files that still cannot be written.
    defer { _ = SharedProcess.drainFiles() }
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
      preconditionFailure("The loop ended before its result")
    }
    return try result.get()
  }
  #endif

  /// The store of a scope, as soon as its first state has arrived.
  ///
  /// The scope's name and the child feature's types are enough; the root's types are not needed.
  /// Stores of one scope share one copy of its state.
  ///
  /// - Parameters:
  ///   - scope: The scope's name.
  ///   - reducer: The feature.
  ///   - time: The time limit; nil waits until the connection is closed.
  /// - Returns: The store.
  /// - Throws: ``ConnectionError`` if there is no such scope, it is absent, this program cannot
  ///   read its types, no state arrived in time, the connection was closed, or the task canceled.
  public func store<R: Reducer>(
    _ scope: String,
    _ reducer: R.Type,
    within time: Duration? = .seconds(10),
  ) async throws(ConnectionError) -> StoreOf<R>
  where R.State: ReplicatedState, R.Action: WireAction {
    try await store(scope, within: time)
  }

  /// The read-only store of a scope, as soon as its first state has arrived.
  ///
  /// - Parameters:
  ///   - scope: The scope's name.
  ///   - state: The type of its state.
  ///   - time: The time limit; nil waits until the connection is closed.
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
    // If no state arrives, the core is released, and with it the scope.
    let core = RemoteStoreCore<State, Action>(scope, of: client, connection: self)
    try await state(of: core.scope, within: time)
    return Store(core: core)
  }

  /// Connects `@Shared(.store(…))` to the daemon's shared values.
  ///
  /// ```swift
  /// prepareDependencies { connection.share(in: &$0) }
  /// ```
  ///
  /// All values that a program shares with its daemon belong to one revision. The connection is
  /// retained while these dependencies, or a value that is shared through them, are in use.
  ///
  /// - Parameter dependencies: The dependencies of the features that share the values.
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
  /// - Parameter time: The time limit.
  /// - Throws: ``ConnectionError/Code/noDaemon`` if no session opens in that time; `refused`,
  ///   `closed` or `canceled` if none can open.
  public func connected(within time: Duration) async throws(ConnectionError) {
    try await wait(for: .connected, "The session", within: time)
  }

  /// The reason for which the daemon refuses this client; nil if no refusal is known.
  private var refusal: ConnectionError? {
    let sockets = service.turn.transport
    if location.key == nil, sockets.isMismatched {
      return .withoutKey("The daemon at \(location) asks for a key, and there is none here.")
    }
    guard let probe = location.directory.map({ DaemonProbe(directory: $0) }) else {
      return sockets.isRefused ? .notAdmitted(at: location) : nil
    }
    // A daemon that has refused this client may have ended since.
    let isRefused = sockets.isRefused && !probe.isRefused
    return isRefused || probe.isForbidden ? .notAdmitted(at: location) : nil
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
      if case .timedOut(isConnected: false) = failure, let refusal { throw refusal }
      throw ConnectionError(failure, of: subject, at: location, time)
    } catch {
      if let wait { client.cancel(wait) }
      throw ConnectionError(.canceled, of: subject, at: location, time)
    }
  }

  /// Ends the session and closes the sockets.
  ///
  /// Pending waits fail: unsent actions have not been applied, and the outcome of sent actions is
  /// unknown. Streams and stores end.
  ///
  /// - Throws: ``ConnectionError/Code/system`` if the goodbye cannot be sent.
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

  /// Stops the loop and notifies the observers of the end.
  private func ended() {
    queueLoop?.stop()
    endObservers.notify()
  }

  private func loopFailed(_ error: ZeroMQError) {
    do throws(ConnectionError) {
      try close("The connection's loop failed: \(error)")
    } catch {
      // All waits have ended; only the goodbye failed.
    }
  }

  private func tell(_ event: ClientEvent) {
    let event = ConnectionEvent(event)
    onEvent(event)
    eventObservers.notify(event)
  }

  // MARK: For programs without the types

  package func submit(
    _ action: [UInt8],
    to scope: ClientScope,
    timeToLive time: Duration? = nil,
  ) -> ActionTicket {
    client.submit(action, to: scope, timeToLive: time ?? actionTimeToLive)
  }
}
