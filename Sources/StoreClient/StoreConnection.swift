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
/// show what they last had. Everything happens on the main actor.
@MainActor
public final class StoreConnection {
  /// How long an action of a store may wait for the daemon before it must not run any more.
  ///
  /// An hour-old tap is not wanted; nil lets actions wait for ever.
  public var actionTimeToLive: Duration? = .seconds(30)

  /// What happens to the connection, for all who ask, from when they ask.
  public var events: AsyncStream<ConnectionEvent> {
    AsyncStream { continuation in eventContinuations.append(continuation) }
  }

  package let client: ReplicaClient
  package let location: StoreLocation
  private let service: ConnectionService
  private var queueLoop: QueueLoop?
  private var eventContinuations: [AsyncStream<ConnectionEvent>.Continuation] = []
  private var onConnected: [@MainActor (Result<Void, ConnectionError>) -> Void] = []
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
  /// - Throws: ``ConnectionError`` when sockets cannot be made.
  public convenience init(
    to location: StoreLocation,
    name: String,
    isListed: Bool = true,
  ) throws(ConnectionError) {
    try self.init(connecting: location, name: name, isListed: isListed)
    let loop = QueueLoop(service) { [weak self] error in
      self?.failConnected(ConnectionError(.system, "The loop failed: \(error)", remedy: ""))
    }
    queueLoop = loop
    loop.start()
  }

  private init(
    connecting location: StoreLocation,
    name: String,
    isListed: Bool,
  ) throws(ConnectionError) {
    self.location = location
    var generator = SystemRandomNumberGenerator()
    let identity = ReplicaClient.Identity(
      clientID: .random(using: &generator),
      name: name,
      isListed: isListed,
    )
    client = ReplicaClient(identity: identity, now: .current, generator: generator)
    do throws(ZeroMQError) {
      try EndpointPath.check(location.control, operation: "connect to")
    } catch {
      throw ConnectionError(.usage, "\(error)", remedy: "")
    }
    do throws(ZeroMQError) {
      service = ConnectionService(client: client, sockets: try ClientSockets(location))
    } catch {
      throw ConnectionError(.system, "\(error)", remedy: "")
    }
    service.onEvent = { [unowned self] in took($0) }
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
    try loop.run()
    try connection.service.close()
    guard let result else {
      preconditionFailure("The loop ended before what it ran for")
    }
    return try result.get()
  }
  #endif

  /// The store of a scope, once its first state has come.
  ///
  /// Nobody needs to know the root: the scope's name and the child's types are enough. Asking twice
  /// for one scope gives two stores that follow it both.
  ///
  /// - Throws: ``ConnectionError`` when there is no such scope, the daemon's types for it cannot be
  ///   read here, or it is absent.
  public func store<R: Reducer>(
    _ scope: String,
    _ reducer: R.Type,
  ) async throws(ConnectionError) -> StoreOf<R>
  where R.State: ReplicatedState, R.Action: WireAction {
    try await store(scope)
  }

  /// The store of a scope that may only be looked at, once its first state has come.
  ///
  /// - Throws: ``ConnectionError`` when there is no such scope, the daemon's types for it cannot be
  ///   read here, or it is absent.
  public func store<State: ReplicatedState>(
    _ scope: String,
    state: State.Type,
  ) async throws(ConnectionError) -> Store<State, Never> {
    try await store(scope)
  }

  private func store<State: ReplicatedState, Action: WireAction>(
    _ scope: String
  ) async throws(ConnectionError) -> Store<State, Action> {
    let core = RemoteCore<State, Action>(connection: self)
    let result = await withCheckedContinuation { continuation in
      core.whenReady { continuation.resume(returning: $0) }
      core.follow(scope)
      wakeUp()
    }
    do throws(ConnectionError) {
      try result.get()
    } catch {
      core.leave()
      wakeUp()
      throw error
    }
    return Store(core: core)
  }

  /// Waits until a session is open.
  ///
  /// - Throws: ``ConnectionError/Code/noDaemon`` when none is open in that time.
  public func connected(within time: Duration) async throws(ConnectionError) {
    guard !client.isLive else { return }
    let result = await withCheckedContinuation { continuation in
      onConnected.append { continuation.resume(returning: $0) }
      service.after(time) { [self] in failConnected(noDaemon) }
      wakeUp()
    }
    try result.get()
  }

  /// Ends the session and closes the sockets; actions without an outcome fail.
  public func close() throws(ConnectionError) {
    queueLoop?.stop()
    do throws(ZeroMQError) {
      try service.close()
    } catch {
      throw ConnectionError(.system, "\(error)", remedy: "")
    }
    for continuation in eventContinuations { continuation.finish() }
    eventContinuations = []
  }

  private var noDaemon: ConnectionError {
    let place = location.directory.map { " --dir \($0)" } ?? ""
    return ConnectionError(
      .noDaemon,
      "No daemon answers at \(location).",
      remedy: "Start one with: stored\(place)",
    )
  }

  private func failConnected(_ error: ConnectionError) {
    let bodies = onConnected
    onConnected = []
    for body in bodies { body(.failure(error)) }
  }

  private func took(_ event: ClientEvent) {
    switch event {
    case .connected:
      let bodies = onConnected
      onConnected = []
      for body in bodies { body(.success(())) }
    case .refused(let code, let message):
      failConnected(ConnectionError(JoinFailure(code: code, message: message, details: [])))
    default: break
    }
    let event = ConnectionEvent(event)
    onEvent(event)
    for continuation in eventContinuations { continuation.yield(event) }
  }

  // MARK: For the cores

  /// Runs `body` once, when so much time is over.
  func after(_ time: Duration, _ body: @escaping @MainActor () -> Void) {
    service.after(time, body)
    wakeUp()
  }

  /// Sees to it that what was just submitted goes out.
  func wakeUp() { queueLoop?.wakeUp() }

  package func submit(
    _ action: [UInt8],
    to scope: ClientScope,
    deadline: Duration? = nil,
  ) -> ActionTicket {
    let life = deadline ?? actionTimeToLive
    let end = life.map { LoopClock.wallMilliseconds + UInt64(clamping: $0.wholeMilliseconds) }
    let ticket = client.submit(action, to: scope, deadline: end)
    wakeUp()
    return ticket
  }

  func task(for ticket: ActionTicket) -> TicketTask {
    TicketTask(ticket) { [weak self, client] in
      Task { @MainActor in
        client.cancel(ticket)
        self?.wakeUp()
      }
    }
  }
}
