import StoreClient
import StoreProtocol
import StoreReplica
import StoreState

/// Connects a command with the daemon, and ends it with the matching exit status.
struct Connecting {
  /// The timeout for a local daemon's first answer.
  static let patience: Duration = .milliseconds(1500)
  /// The same for a daemon of another machine.
  static let remotePatience: Duration = .seconds(10)
  /// The timeout for a connected daemon's answer to a query.
  static let answerLimit: Duration = .seconds(10)

  let options: ConnectionOptions
  /// The client's name at the daemon.
  let name: String
  /// Whether the client is listed among those present: only long-running clients are.
  var isListed = false
  /// Whether the command runs until SIGTERM or SIGINT: then a signal before the daemon's answer
  /// ends it as well, and is no failure.
  var isEndless = false
  /// The timeout for all work with the daemon, from the start of the connection; nil for the
  /// separate limits above.
  var timeout: Duration?

  /// Runs a command for as long as it has work.
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
      // Signals are handled before the first message is sent.
      let signals = isEndless ? StopSignals { _ in stop.make() } : nil
      try StoreConnection.run(to: location, name: name, isListed: isListed) { connection in
        let daemon = Daemon(connection, timeout: timeout)
        let answer = Task { try await daemon.describe(isForwarded: isForwarded) }
        stop.onMade { answer.cancel() }
        let answered = await answer.result
        if answer.isCancelled { return }
        try answered.get()
        // The body handles the signals too: to release them in between could lose one.
        try await body(daemon)
        withExtendedLifetime(signals) {}
      }
    }
  }

  /// A request to stop, which may precede the work that it stops.
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

  /// Runs a command that queries the daemon and ends with the answer.
  func ask(_ body: @escaping @MainActor (Daemon) async throws -> Void) throws {
    try run { daemon in
      try await daemon.connection.within(Self.answerLimit) { try await body(daemon) }
    }
  }
}

/// A daemon that answered, and its exposed scopes.
@MainActor
final class Daemon {
  let connection: StoreConnection
  private(set) var scopes: [ScopeDescription] = []
  private let timeout: Duration?
  private let start = ContinuousClock.now

  /// A daemon whose scopes are not requested yet.
  init(_ connection: StoreConnection, timeout: Duration? = nil) {
    self.connection = connection
    self.timeout = timeout
  }

  /// The time until the timeout for all work; nil without a timeout.
  var timeLeft: Duration? { timeout.map { max(.zero, $0 - start.duration(to: .now)) } }

  /// Waits for the daemon, and concurrently requests its scopes.
  func describe(isForwarded: Bool = false) async throws {
    let connection = connection
    let answer = Task { try await connection.describe() }
    if isForwarded || connection.location.key != nil {
      // Local files contain no information about a remote daemon.
      try await connection.connected(within: timeout ?? Connecting.remotePatience)
    } else {
      try await connection.reached(within: timeout ?? Connecting.patience)
    }
    scopes = try await connection.within(timeLeft ?? Connecting.answerLimit) {
      try await answer.value
    }
  }

  /// Returns the daemon's description of a scope.
  ///
  /// - Throws: A `CommandError` that names the nearest existing scopes.
  func description(of name: String) throws(CommandError) -> ScopeDescription {
    if let found = scopes.find(name) { return found.description }
    throw CommandError(.badData, "There is no scope \"\(name)\"\(remedy(for: name))")
  }

  /// Follows a scope, and waits for its first state.
  func state(of name: String) async throws -> GenericReplica {
    let description = try description(of: name)
    return try await connection.followed(name, description: description).replica
  }
}

extension StoreLocation {
  /// Returns the location with this user's key for it, if there is one.
  func enrolled() throws(ConnectionError) -> StoreLocation {
    try enrolled(environment: Environment.variables("HOME", "XDG_CONFIG_HOME"))
  }
}

extension Daemon {
  fileprivate func remedy(for name: String) -> String {
    NearestNames().remedy(for: name, among: scopes.map(\.pattern))
  }
}
