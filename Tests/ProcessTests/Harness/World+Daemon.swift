import GenericState
import StoreState

extension World {
  /// The state of a scope, with its digest and revision.
  struct Snapshot: Sendable {
    let state: JSONValue
    let digest: String
    let revision: Int
  }

  /// Requests a scope's state from the daemon.
  func snapshot(_ scope: String) async throws -> Snapshot {
    let tree = try await answer("--json", "get", scope, "--digest")
    guard let state = tree["state"], let digest = tree["digest"]?.text,
      let revision = tree["revision"]?.int
    else { throw ProcessFailure("This is no state with a digest: \(tree.text())") }
    return Snapshot(state: state, digest: digest, revision: revision)
  }

  /// Requests a scope's state from the daemon.
  func get(_ scope: String) async throws -> JSONValue { try await answer("--json", "get", scope) }

  /// The titles of the todos at a revision in a data directory.
  func titles(at revision: Int, in data: String) async throws -> [String] {
    let todos = try await answer("--json", "at", "\(revision)", "get", "todos", "--data", data)
    guard let items = todos["items"]?.items else {
      throw ProcessFailure("The state of revision \(revision) has no todos: \(todos.text())")
    }
    return items.compactMap { $0["title"]?.text }
  }

  /// A counter of the daemon's status.
  func counter(_ name: String) async throws -> Int {
    let status = try await answer("--json", "status")
    guard let count = status["counters"]?[name]?.int else {
      throw ProcessFailure("The status has no counter \(name): \(status.text())")
    }
    return count
  }

  /// All counters of the daemon's status that are not 0, as JSON.
  func counters() async throws -> String {
    guard case .object(let members)? = try await answer("--json", "status")["counters"] else {
      throw ProcessFailure("The status has no counters")
    }
    return JSONValue.object(members.filter { $0.value.int != 0 }).text()
  }

  /// Runs a command that succeeds with one line of JSON.
  func answer(_ arguments: String...) async throws -> JSONValue {
    let run = try await client(arguments)
    guard run.isSuccess, run.output.count == 1 else {
      throw ProcessFailure("\(arguments) gave \(run.end): \(run.output) \(run.errorText)")
    }
    return try JSONValue(parsing: run.output[0])
  }

  /// Sends actions and expects that all are applied.
  func send(_ scope: String, _ actions: String...) async throws {
    let run = try await client(["--json", "send", scope] + actions)
    guard run.isSuccess, run.output.count == actions.count else {
      throw ProcessFailure("\(actions) gave \(run.end): \(run.output) \(run.errorText)")
    }
  }

  /// Follows scopes, and waits for the first line of each.
  func watch(_ arguments: String..., scopes: Int = 1) async throws -> ChildProcess {
    let watcher = try startClient(["--json", "watch"] + arguments)
    _ = try await watcher.output.lines(atLeast: scopes)
    return watcher
  }
}
