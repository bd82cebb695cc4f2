import StoreActor
import StoreProtocol
import StoreServer
import StoreState
import StoredWorkspace

/// Measures the daemon's cost of a scope's snapshots, which it sends to several joiners at once.
///
/// The joiners discard them.
///
/// The capture is counted, although a real daemon makes it on another thread.
@MainActor
final class SnapshotBench {
  private let daemon: BenchDaemon
  private let count: Int
  private var number: UInt64 = 0
  /// The CPU time of the longest turn in nanoseconds.
  private var longest: Int64 = 0
  /// The peak of memory during joins, beyond the memory before.
  private var mostMemory = 0
  /// The bytes of a snapshot.
  private var bytes = 0

  /// Creates a daemon with a scope of a size.
  init(bytes: Int, joiners: Int) {
    daemon = BenchDaemon(rows: max(1, bytes / Self.bytesPerRow))
    count = joiners
  }

  /// The bytes of a row in a snapshot.
  private static let bytesPerRow: Int = {
    var encoder = CBOREncoder()
    let state: Todos.State? = BenchDaemon.todos(1000)
    state.encode(to: &encoder)
    return encoder.bytes.count / 1000
  }()

  /// Returns the bytes per second to all joiners together.
  ///
  /// - Parameter watchesMemory: Whether to sample memory meanwhile, which takes time.
  /// - Returns: The bytes per second of CPU time.
  /// - Throws: ``BenchError`` if a joiner did not receive the whole snapshot.
  func bytesPerSecond(watchesMemory: Bool = false) throws -> Double {
    let memory = watchesMemory ? Machine.memoryBytes : 0
    var cost: Int64 = 0
    var joiners: [PeerID: Joiner] = [:]
    for _ in 0..<count {
      let joiner = try join(&cost)
      joiners[joiner.peer] = joiner
    }
    for job in daemon.takeJobs() {
      var made: CaptureJob.Result?
      cost += Machine.cost { made = job.run() }
      if let made { turn(&cost) { daemon.turn(made) } }
    }
    var turns = 0
    while try take(&joiners) {
      turns += 1
      if watchesMemory, turns.isMultiple(of: 16) {
        mostMemory = max(mostMemory, Machine.memoryBytes - memory)
      }
      turn(&cost) { daemon.turn() }
    }
    guard joiners.values.allSatisfy(\.isDone) else {
      throw BenchError("Some joiners did not receive the whole snapshot")
    }
    for joiner in joiners.values { daemon.turn(.bye, from: joiner.peer) }
    let all = joiners.values.reduce(0) { $0 + $1.taken }
    bytes = all / count
    return Double(all) / (Double(cost) / 1e9)
  }

  /// Adds a joiner.
  private func join(_ cost: inout Int64) throws -> Joiner {
    number += 1
    let joiner = Joiner(number)
    let token = try daemon.hello(number, from: joiner.peer)
    turn(&cost) { daemon.turn(BenchDaemon.join("todos"), from: joiner.peer) }
    turn(&cost) {
      daemon.turn(upstream: Fence(token: token, nonce: 1), from: joiner.publisher)
    }
    return joiner
  }

  private func turn(_ cost: inout Int64, _ body: () -> Void) {
    let nanoseconds = Machine.cost(of: body)
    longest = max(longest, nanoseconds)
    cost += nanoseconds
  }

  /// Takes the pieces that the last turn sent, and grants credit for them as clients do.
  ///
  /// - Returns: Whether further pieces follow.
  private func take(_ joiners: inout [PeerID: Joiner]) throws -> Bool {
    for case .control(let peer, let frame) in daemon.outgoing {
      guard case .snapshot(let piece) = try DaemonMessage(frame: frame[...]) else { continue }
      joiners[peer]?.total = Int(piece.total)
      joiners[peer]?.taken += piece.bytes.count
      daemon.enqueue(.credit(nonce: 1, bytes: UInt64(piece.bytes.count)), from: peer)
    }
    return daemon.isBusy
  }

  /// A joiner that discards the pieces.
  private struct Joiner {
    let peer: PeerID
    let publisher: PeerID
    var taken = 0
    var total: Int?

    init(_ number: UInt64) {
      peer = PeerID(bytes: withUnsafeBytes(of: (2 << 32 | number).bigEndian, Array.init))
      publisher = PeerID(bytes: withUnsafeBytes(of: (3 << 32 | number).bigEndian, Array.init))
    }

    var isDone: Bool { taken == total }
  }

  // MARK: The command

  static func run(_ arguments: inout Arguments) throws {
    let mebibytes = arguments.numbers("--mib", or: [1, 16, 64])
    let joiners = arguments.number("--joiners", or: 100)
    let rounds = arguments.number("--rounds", or: 7)
    if arguments.flag("--memory") {
      try memoryFigures(mebibytes[0], joiners: joiners).printLine()
    } else {
      try figures(mebibytes, joiners: joiners, rounds: rounds).printLine()
    }
  }

  /// Returns the speeds for several sizes in turn, each with its ratio to that of the second size.
  static func figures(_ mebibytes: [Int], joiners: Int, rounds: Int) throws -> Figures {
    let benches = mebibytes.map { SnapshotBench(bytes: $0 << 20, joiners: joiners) }
    for bench in benches { _ = try bench.bytesPerSecond() }
    for bench in benches { bench.longest = 0 }
    var samples = benches.map { _ in Samples() }
    for _ in 0..<rounds {
      for (place, bench) in benches.enumerated() {
        samples[place].append(try bench.bytesPerSecond() / 1_048_576)
      }
    }
    var figures = Figures()
    figures.set("joiners", joiners)
    for (place, size) in mebibytes.enumerated() {
      figures.set("mib_s_\(size)", samples[place])
      figures.set("ratio_\(size)", samples[place] / samples[min(1, samples.count - 1)])
    }
    figures.set("most_ms", Double(benches.map(\.longest).max() ?? 0) / 1e6)
    return figures
  }

  /// Returns the peak of memory per joiner, beyond the capture: for a separate process.
  static func memoryFigures(_ mebibytes: Int, joiners: Int) throws -> Figures {
    let bench = SnapshotBench(bytes: mebibytes << 20, joiners: joiners)
    _ = try bench.bytesPerSecond(watchesMemory: true)
    var figures = Figures()
    figures.set("joiners", joiners)
    figures.set("capture_mib", Double(bench.bytes) / 1_048_576)
    figures.set("most_mib", Double(bench.mostMemory) / 1_048_576)
    let beyond = Double(max(0, bench.mostMemory - bench.bytes))
    figures.set("each_mib", beyond / Double(joiners) / 1_048_576)
    return figures
  }
}
