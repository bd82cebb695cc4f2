import StoreActor
import StoreReplica
import StoredWorkspace

/// Measures the cost of an action on one row for the main threads of the daemon and of the
/// sender: if the sender follows one row, if it follows a thousand, and if a thousand clients
/// follow one each.
@MainActor
final class RowBench {
  private typealias Core = RemoteStoreCore<Todo.State, Todo.Action>

  private let daemon: BenchDaemon
  private let clients: [BenchClient]
  private let cores: [Core]
  /// The client that sends the actions and follows their row.
  private var client: BenchClient { clients[0] }

  /// Creates a daemon with rows, the first of which are followed.
  ///
  /// - Parameters:
  ///   - rows: The number of rows.
  ///   - count: The number of clients.
  ///   - scopes: The number of rows that each client follows, distinct from those of other clients.
  /// - Throws: ``BenchError`` if a row is not shown.
  init(rows: Int, clients count: Int, scopes: Int) throws {
    daemon = BenchDaemon(rows: rows)
    var clients: [BenchClient] = []
    var cores: [Core] = []
    for number in 0..<count {
      let client = daemon.addClient(UInt64(number))
      for place in 0..<scopes {
        let id = daemon.ids[number * scopes + place]
        cores.append(Core("todos/items/\(id)", of: client.client))
      }
      try daemon.exchange([client])
      clients.append(client)
    }
    (self.clients, self.cores) = (clients, cores)
    guard cores.allSatisfy({ $0.replica.shown != nil }) else {
      throw BenchError("Some rows are not shown: \(cores.map(\.scope.status).prefix(3))")
    }
  }

  /// Returns the CPU time per action in nanoseconds.
  func nanoseconds(_ count: Int) throws -> Double {
    let before = cores[0].replica.shown
    let cost = try Machine.cost {
      for _ in 0..<count {
        cores[0].send(.toggleButtonTapped)
        try client.turn()
        daemon.turn()
        try client.turn()
      }
    }
    let after = cores[0].replica.shown
    guard count.isMultiple(of: 2) == (before == after), client.client.pendingActions == 0 else {
      throw BenchError("Not all of \(count) actions are shown")
    }
    return Double(cost) / Double(count)
  }

  static func run(_ arguments: inout Arguments) throws {
    let many = arguments.number("--many", or: 1000)
    let actions = arguments.number("--actions", or: 2001)
    let rounds = arguments.number("--rounds", or: 15)
    try compare(many, actions: actions, rounds: rounds).printLine()
  }

  static func compare(_ many: Int, actions: Int, rounds: Int) throws -> Figures {
    let benches = [
      try RowBench(rows: many, clients: 1, scopes: 1),
      try RowBench(rows: many, clients: 1, scopes: many),
      try RowBench(rows: many, clients: many, scopes: 1),
    ]
    for bench in benches { _ = try bench.nanoseconds(actions) }
    var samples = benches.map { _ in Samples() }
    for _ in 0..<rounds {
      for (place, bench) in benches.enumerated() {
        samples[place].append(try bench.nanoseconds(actions))
      }
    }
    var figures = Figures()
    figures.set("many", many)
    for (name, samples) in zip(["one_ns", "scopes_ns", "clients_ns"], samples) {
      figures.set(name, samples)
    }
    figures.set("scopes_ratio", samples[1] / samples[0])
    figures.set("clients_ratio", samples[2] / samples[0])
    return figures
  }
}
