import StoreClient
import StoreReplication
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

  /// Runs a command that stays as long as it has something to do.
  func run(_ body: @escaping @MainActor (Daemon) async throws -> Void) throws {
    let place = try options.place()
    do {
      switch place {
      case .location(let location): try run(at: location.enrolled(), body)
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
    let (name, isListed) = (name, isListed)
    try MainActor.assumeIsolated {
      try StoreConnection.run(to: location, name: name, isListed: isListed) { connection in
        try await body(Daemon(asking: connection, isForwarded: isForwarded))
      }
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

  init(_ connection: StoreConnection) { self.connection = connection }

  /// One that has answered.
  convenience init(asking connection: StoreConnection, isForwarded: Bool = false) async throws {
    self.init(connection)
    try await describe(isForwarded: isForwarded)
  }

  /// Waits for the daemon, and asks what it exposes in the same breath.
  private func describe(isForwarded: Bool) async throws {
    let connection = connection
    let answer = Task { try await connection.describe() }
    if isForwarded || connection.location.key != nil {
      // What can be seen here says nothing about the daemon.
      try await connection.connected(within: Connecting.remotePatience)
    } else {
      try await connection.reached(within: Connecting.patience)
    }
    scopes = try await connection.within(Connecting.answerLimit) { try await answer.value }
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
