import FoundationEssentials
import StoreProtocol
import ZeroMQ

/// Measures the cost of a delta on the main thread of a daemon with one client and of one with
/// many, and the cost of publishing alone for the floor with as many subscribers and messages of
/// the same size.
///
/// One action at a time is sent to each of the three in turn; the next one follows when all clients
/// have the last one's delta. Each turn of a daemon thus has one delta and idle connections, and
/// all three have the same pace and the same cold caches: the work of a hundred clients between two
/// deltas makes the daemon's own code several times as slow as in continuous operation.
@MainActor
enum FanBench {
  static func run(_ arguments: inout Arguments) throws {
    let clients = arguments.number("--clients", or: 100)
    let actions = arguments.number("--actions", or: 400)
    let rounds = arguments.number("--rounds", or: 9)
    let isCounted = arguments.flag("--counted")
    let context = try Context()
    let one = try FanDaemon(try process("one", &arguments, isCounted), clients: 1, context)
    let many = try FanDaemon(
      try process("many", &arguments, isCounted),
      clients: clients,
      context,
    )
    let floor = try FanFloor(
      try process("floor", &arguments, isCounted),
      clients: clients,
      shape: many.shape,
      context,
    )
    try figures([one, many, floor], actions: actions, rounds: rounds).printLine()
  }

  /// Measures the cost of a delta to many clients for a whole daemon, by ipc and by tcp with a key.
  static func runEncrypted(_ arguments: inout Arguments) throws {
    let clients = arguments.number("--clients", or: 100)
    let actions = arguments.number("--actions", or: 400)
    let rounds = arguments.number("--rounds", or: 9)
    guard let address = arguments.text("--address"), let file = arguments.text("--key") else {
      throw BenchError("An option is missing: --key FILE or --address tcp://HOST:PORT.")
    }
    var (ipc, curve) = (
      try process("ipc", &arguments, false), try process("curve", &arguments, false),
    )
    (ipc.isWhole, curve.isWhole) = (true, true)
    let keys = try String(contentsOfFile: file, encoding: .utf8).split { $0 == " " || $0 == "\n" }
      .compactMap { KeyText.key($0) }
    guard keys.count == 2 else { throw BenchError("\(file): expected two keys") }
    var location = try StoreLocation(address: address)
    location.key = StoreKey(daemon: keys[0], secret: keys[1])
    curve.address = location
    let context = try Context()
    let daemons = [
      try FanDaemon(ipc, clients: clients, context),
      try FanDaemon(curve, clients: clients, context),
    ]
    let samples = try spent(daemons, actions: actions, rounds: rounds)
    var figures = Figures()
    let each = samples.map { samples in Samples(values: samples.values.map { $0 / Double(clients) })
    }
    for (daemon, samples) in zip(daemons, each) {
      figures.set("\(daemon.process.name)_us", samples)
    }
    figures.set("ratio", each[1] / each[0])
    figures.printLine()
  }

  private static func process(
    _ name: String,
    _ arguments: inout Arguments,
    _ isCounted: Bool,
  ) throws -> FanProcess {
    guard let directory = arguments.text("--\(name)") else {
      throw BenchError("Where? --\(name) DIR --\(name)-pid PID")
    }
    return FanProcess(
      name: name,
      directory: directory,
      id: arguments.number("--\(name)-pid", or: 0),
      isCounted: isCounted,
    )
  }

  private static func figures(
    _ peers: [any FanPeer],
    actions: Int,
    rounds: Int,
  ) throws -> Figures {
    let samples = try spent(peers, actions: actions, rounds: rounds)
    var figures = Figures()
    for (peer, samples) in zip(peers, samples) { figures.set("\(peer.process.name)_us", samples) }
    figures.set("ratio", samples[1] / (samples[0] + samples[2]))
    return figures
  }

  /// Returns the CPU time of each peer for an action in microseconds, for each round.
  private static func spent(
    _ peers: [any FanPeer],
    actions: Int,
    rounds: Int,
  ) throws -> [Samples] {
    var samples = peers.map { _ in Samples() }
    for _ in 0..<rounds {
      let before = try peers.map { try $0.spent() }
      for _ in 0..<actions { for peer in peers { try peer.step() } }
      for (place, peer) in peers.enumerated() {
        samples[place].append((try peer.spent() - before[place]) / Double(actions) / 1000)
      }
    }
    return samples
  }
}

/// A process of a publisher.
struct FanProcess {
  var name: String
  /// The directory of its sockets.
  var directory: String
  var id: Int
  /// The address for its clients; nil for the directory.
  var address: StoreLocation?
  /// Whether the CPU time of all its threads counts, instead of that of the main thread alone.
  var isWhole = false
  /// Whether callgrind runs it, and dumps its counts before and after a round.
  var isCounted: Bool

  var location: StoreLocation { address ?? StoreLocation(directory: directory) }

  func countIfWanted() throws { if isCounted { try Callgrind.dump(id) } }
}

/// A publisher that publishes a delta for each action.
@MainActor
protocol FanPeer {
  var process: FanProcess { get }

  /// Returns the CPU time up to now in nanoseconds.
  func spent() throws -> Double

  /// Sends one action, and waits until all clients have its delta.
  func step() throws
}

/// The sizes of the published messages without the topic, and the number of deltas for
/// each bookmark.
struct FanShape {
  var delta: Int
  var bookmark: Int
  var deltasPerBookmark = Limits().deltasPerBookmark
}
