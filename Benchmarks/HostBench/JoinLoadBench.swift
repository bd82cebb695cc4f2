import StoreActor
import StoreDaemon
import StoreProtocol
import StoreReplica
import StoreState
import StoredWorkspace
import ZeroMQ

/// The shipped daemon with a number of initial rows, until it is killed.
@MainActor
enum ServeBench {
  static func run(_ arguments: inout Arguments) throws {
    guard let directory = arguments.text("--dir") else {
      throw BenchError("The option --dir DIR is missing.")
    }
    let rows = arguments.number("--rows", or: 100_000)
    let host = StoreHost(
      initialState: WorkspaceFeature.State(todos: BenchDaemon.todos(rows)),
      exposures: WorkspaceFeature.exposures,
      configuration: HostConfiguration(directory: directory),
    ) {
      WorkspaceFeature()
    }
    try host.run { _ in Machine.announce("ready rows=\(rows)") }
  }
}

/// A client that changes random rows at a rate, and measures the time until each action
/// is acknowledged.
@MainActor
enum WriteBench {
  static func run(_ arguments: inout Arguments) throws {
    guard let directory = arguments.text("--dir") else {
      throw BenchError("The option --dir DIR is missing.")
    }
    let rows = arguments.number("--rows", or: 100_000)
    let rate = arguments.number("--rate", or: 1000)
    let actions = arguments.number("--actions", or: 1000)
    let number = arguments.number("--number", or: 0)
    let ids = Array(BenchDaemon.todos(rows).items.ids)
    var numbers = Pseudorandom(seed: UInt64(number))
    let writer = try Writer(number, of: directory)
    for count in [100, actions] {
      try writer.write(count, interval: 1_000_000_000 / Int64(max(rate, 1))) {
        let id = ids[Int.random(in: ids.indices, using: &numbers)]
        return try Todos.Action.items(.element(id: id, action: .toggleButtonTapped)).encoded()
      }
    }
    var figures = Figures()
    figures.set("count", writer.latencies.count)
    for (name, part) in [("p50_us", 0.5), ("p99_us", 0.99), ("most_us", 1)] {
      figures.set(name, writer.latency(part))
    }
    figures.printLine()
  }
}

/// Sends actions at a fixed rate, independent of answers.
@MainActor
private final class Writer {
  /// The latencies in nanoseconds, unordered.
  private(set) var latencies: [Int64] = []
  private let client: Follower
  private let poller: Poller

  init(_ number: Int, of directory: String) throws {
    client = try Follower(
      1 << 20 | number,
      of: StoreLocation(directory: directory),
      scope: "todos",
      replica: nil,
      context: try Context(),
    )
    poller = Poller(client.sockets.map { .socket($0) })
    while !client.isReady { try turn() }
  }

  private func turn() throws {
    _ = try poller.wait(timeout: .milliseconds(1))
    try client.turn()
  }

  func write(_ count: Int, interval: Int64, _ action: () throws -> [UInt8]) throws {
    latencies = []
    let start = LoopClock.nanoseconds
    var sent = 0
    while latencies.count < count {
      while sent < count, LoopClock.nanoseconds >= start + Int64(sent) * interval {
        sent += 1
        try send(try action())
      }
      try turn()
    }
  }

  private func send(_ action: [UInt8]) throws {
    let start = LoopClock.nanoseconds
    try client.submit(action).whenSettled { [self] _ in
      latencies.append(LoopClock.nanoseconds - start)
    }
  }

  /// Returns the latency quantile of a fraction of the actions, in microseconds.
  func latency(_ part: Double) -> Double {
    let sorted = latencies.sorted()
    guard !sorted.isEmpty else { return 0 }
    return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]) / 1000
  }
}

/// Todos whose bytes are skipped.
private struct Unread: ReplicatedState {
  static func schema(in registry: inout SchemaRegistry) -> Schema {
    Todos.State.schema(in: &registry)
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) { try decoder.skipItem() }

  func encode(to encoder: inout CBOREncoder) { encoder.encodeNull() }

  var _$digest: Digest { Digest(rawValue: 0) }

  func _$isSame(as other: Self) -> Bool { true }
}

/// Clients that join a scope one after the other, each with a new identity, until killed.
///
/// They do not decode their snapshots: the daemon is measured, and there are few cores.
@MainActor
enum RejoinBench {
  static func run(_ arguments: inout Arguments) throws {
    guard let directory = arguments.text("--dir") else {
      throw BenchError("The option --dir DIR is missing.")
    }
    let first = arguments.number("--first", or: 0)
    let context = try Context()
    var joins = 0
    while true {
      let client = try Follower(
        first + joins,
        of: StoreLocation(directory: directory),
        scope: "todos",
        replica: TypedReplica<Unread>(),
        hasDigests: false,
        context: context,
      )
      let poller = Poller(client.sockets.map { .socket($0) })
      while !client.isReady {
        _ = try poller.wait(timeout: .milliseconds(5))
        try client.turn()
      }
      try client.close()
      joins += 1
      Machine.announce("ready joins=\(joins)")
    }
  }
}
