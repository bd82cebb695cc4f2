import GenericState
import StoreActor
import StoreReplica
import StoreServer
import StoredWorkspace

/// Measures the memory that opened and dropped stores leave in the daemon and in the client.
@MainActor
final class OpenBench {
  private typealias Core = RemoteStoreCore<Todo.State, Todo.Action>

  private let daemon: BenchDaemon
  private let client: BenchClient

  private init(rows: Int) {
    daemon = BenchDaemon(rows: rows)
    client = daemon.addClient(1)
  }

  static func run(_ arguments: inout Arguments) throws {
    let count = arguments.number("--count", or: 10_000)
    try figures(count, rows: arguments.number("--rows", or: 100)).printLine()
  }

  /// Opens stores of single rows one after the other, and drops each again.
  ///
  /// The memory after the first tenth is compared with that at the end.
  static func figures(_ count: Int, rows: Int) throws -> Figures {
    let bench = OpenBench(rows: rows)
    for number in 0..<count / 10 { try bench.open(number) }
    let before = Machine.memoryBytes
    for number in count / 10..<count { try bench.open(number) }
    var figures = Figures()
    figures.set("count", count)
    figures.set("kib", Double(Machine.memoryBytes - before) / 1024)
    figures.set("snapshots", Int(bench.daemon.server.counters.snapshots))
    figures.set("scopes", try bench.joinedScopes())
    return figures
  }

  /// Opens a store, drops it and waits until its scope is left.
  private func open(_ number: Int) throws {
    do {
      let id = daemon.ids[number % daemon.ids.count]
      let core = Core("todos/items/\(id)", of: client.client)
      try daemon.exchange([client])
      guard core.replica.shown?.id == id else { throw BenchError("No. \(number) is not shown") }
    }
    repeat {
      try daemon.exchange([client])
      daemon.turnAfterSilence()
    } while !client.client.unheldScopes.isEmpty
  }

  /// Returns the number of joined scopes by the daemon's status.
  private func joinedScopes() throws -> Int {
    var scopes: Int?
    client.client.status { answer in
      guard case .array(let sessions)? = (try? answer.get())?[field: "sessions"] else { return }
      scopes = sessions.reduce(0) { count, session in
        guard case .array(let names)? = session[field: "scopes"] else { return count }
        return count + names.count
      }
    }
    try daemon.exchange([client])
    guard let scopes else { throw BenchError("The daemon does not report its status") }
    return scopes
  }
}
