import StoreActor
import StoreProtocol
import StoreServer
import StoreState
import StoredWorkspace

/// Measures the cost of a joiner of a large scope for the daemon's main thread, turn by turn, while
/// another client changes the scope.
@MainActor
enum JoinBench {
  static func run(_ arguments: inout Arguments) throws {
    let rows = arguments.number("--rows", or: 100_000)
    try figures(rows: rows, joins: arguments.number("--joins", or: 3)).printLine()
  }

  static func figures(rows: Int, joins: Int) throws -> Figures {
    let daemon = BenchDaemon(rows: rows)
    var most = Samples()
    var bytes = 0
    for round in 0..<joins {
      let join = try Join(daemon, round: round)
      most.append(Double(join.most) / 1e6)
      bytes = join.bytes
    }
    var encoder = CBOREncoder()
    let state: Todos.State? = daemon.root.state.todos
    state.encode(to: &encoder)
    var figures = Figures()
    figures.set("rows", rows)
    figures.set("most_ms", most)
    figures.set("bytes", bytes)
    figures.set("plain_bytes", encoder.bytes.count)
    figures.set("ratio", Double(bytes) / Double(encoder.bytes.count))
    return figures
  }

  /// One client that joins, from its hello to the bookmark after its last piece.
  @MainActor
  private final class Join {
    /// The CPU time of the longest turn in nanoseconds.
    private(set) var most: Int64 = 0
    private(set) var bytes = 0
    private let daemon: BenchDaemon
    private var sequence: UInt64

    init(_ daemon: BenchDaemon, round: Int) throws {
      self.daemon = daemon
      sequence = 1 + 2 * UInt64(round)
      let token = try daemon.hello()
      timed { daemon.turn(BenchDaemon.join("todos")) }
      timed { daemon.turn(upstream: Fence(token: token, nonce: 1)) }
      // A change before the capture exists creates another version, while the captured one
      // is retained.
      try change(round)
      // Another thread's work is not counted.
      for job in daemon.takeJobs() {
        let result = job.run()
        timed { daemon.turn(result) }
      }
      try takePieces()
      try change(round + 1)
      timed { daemon.turnAfterSilence() }
      timed { daemon.turn(.bye) }
    }

    private func change(_ place: Int) throws {
      let id = daemon.ids[place * 7919 % daemon.ids.count]
      let frame = try BenchDaemon.toggle(id, sequence: sequence)
      sequence += 1
      timed { daemon.turn(frame) }
    }

    /// Grants credit for all pieces, as a client does, until no further piece arrives.
    private func takePieces() throws {
      var sent = lastBytes
      while sent > 0 {
        timed { daemon.turn(.credit(nonce: 1, bytes: UInt64(sent))) }
        sent = lastBytes
      }
    }

    private var lastBytes = 0

    private func timed(_ turn: () -> Void) {
      most = max(most, Machine.cost(of: turn))
      lastBytes = daemon.outgoingBytes
      bytes += lastBytes
    }
  }
}
