import StoreClient
import StoreProtocol
import StoreReplica
import StoreState

/// Connects a command with the daemon, and ends it with the right status.
struct Connecting {
  /// How long to wait for a daemon that is there before saying that it does not answer.
  static let patience: Duration = .milliseconds(1500)
  /// The same for a daemon of another machine.
  static let remotePatience: Duration = .seconds(10)
  /// How long a daemon that is there may take for an answer to a question.
  static let answerLimit: Duration = .seconds(10)

  let options: ConnectionOptions
  /// What the daemon calls this client.
  let name: String
  /// Whether it is listed among those present: only who stays is.
  var isListed = false
  /// Whether it goes on until SIGTERM or SIGINT: then one that comes before the daemon has answered
  /// ends it as well, and is no failure.
  var isEndless = false
  /// How long all may take that needs the daemon, from when it is connected to; nil for the limits
  /// above, each for itself.
  var timeout: Duration?

  /// Runs a command that stays as long as it has something to do.
  func run(_ body: @escaping @MainActor (Daemon) async throws -> Void) throws {
    let place = try options.place()
    do {
      switch place {
      case .location(let location):
        do {
          try run(at: location.enrolled(), body)
        } catch let error as ConnectionError {
          throw error.orStarting(in: location.directory)
        }
      case .remote(let address):
        let shell = try SecureShell(address)
        defer { shell.end() }
        do {
          try run(at: shell.location, isForwarded: true, body)
        } catch let error as ConnectionError where error.code == .noDaemon {
          throw CommandError(
            .unavailable,
            "ssh is connected with \(address.host), but no daemon answers at \(address.directory) "
              + "there.",
          )
        }
      }
    } catch {
      throw Note.failure(error)
    }
  }

  private func run(
    at location: StoreLocation,
    isForwarded: Bool = false,
    _ body: @escaping @MainActor (Daemon) async throws -> Void,
  ) throws {
    let (name, isListed, isEndless, timeout) = (name, isListed, isEndless, timeout)
    try MainActor.assumeIsolated {
      let stop = StopRequest()
      // Before anything is sent.
      let signals = isEndless ? StopSignals { _ in stop.make() } : nil
      try StoreConnection.run(to: location, name: name, isListed: isListed) { connection in
        let daemon = Daemon(connection, timeout: timeout)
        let answer = Task { try await daemon.describe(isForwarded: isForwarded) }
        stop.onMade { answer.cancel() }
        let answered = await answer.result
        if answer.isCancelled { return }
        try answered.get()
        // Who goes on takes the signals as well: to take them once more could lose one in between.
        try await body(daemon)
        withExtendedLifetime(signals) {}
      }
    }
  }

  /// A request to stop, which may be made before there is something to stop.
  @MainActor
  private final class StopRequest {
    private var isMade = false
    private var body: () -> Void = {}

    func make() {
      isMade = true
      body()
    }

    func onMade(_ body: @escaping () -> Void) {
      self.body = body
      if isMade { body() }
    }
  }

  /// Runs a command that asks something and ends with the answer.
  func ask(_ body: @escaping @MainActor (Daemon) async throws -> Void) throws {
    try run { daemon in
      try await daemon.connection.within(Self.answerLimit) { try await body(daemon) }
    }
  }
}

/// A daemon that answered, and what it exposes.
@MainActor
final class Daemon {
  let connection: StoreConnection
  private(set) var scopes: [ScopeDescription] = []
  private let timeout: Duration?
  private let start = ContinuousClock.now

  /// A daemon that is still to be asked what it exposes.
  init(_ connection: StoreConnection, timeout: Duration? = nil) {
    self.connection = connection
    self.timeout = timeout
  }

  /// How much is left of the time that all may take; nil where none was named.
  var timeLeft: Duration? { timeout.map { max(.zero, $0 - start.duration(to: .now)) } }

  /// Waits for the daemon, and asks what it exposes in the same breath.
  func describe(isForwarded: Bool = false) async throws {
    let connection = connection
    let answer = Task { try await connection.describe() }
    if isForwarded || connection.location.key != nil {
      // What can be seen here says nothing about the daemon.
      try await connection.connected(within: timeout ?? Connecting.remotePatience)
    } else {
      try await connection.reached(within: timeout ?? Connecting.patience)
    }
    scopes = try await connection.within(timeLeft ?? Connecting.answerLimit) {
      try await answer.value
    }
  }

  /// What the daemon says of a scope.
  ///
  /// - Throws: A `CommandError` that names the nearest scopes there are.
  func description(of name: String) throws(CommandError) -> ScopeDescription {
    if let found = scopes.find(name) { return found.description }
    throw CommandError(.badData, "There is no scope \"\(name)\"\(remedy(for: name))")
  }

  /// Follows a scope until its first state has come.
  func state(of name: String) async throws -> GenericReplica {
    let description = try description(of: name)
    return try await connection.followed(name, description: description).replica
  }
}

extension StoreLocation {
  /// The same with this user's key for it, if there is one.
  func enrolled() throws(ConnectionError) -> StoreLocation {
    try enrolled(environment: Environment.variables("HOME", "XDG_CONFIG_HOME"))
  }
}

extension Daemon {
  fileprivate func remedy(for name: String) -> String {
    NearestNames().remedy(for: name, among: scopes.map(\.pattern))
  }
}
