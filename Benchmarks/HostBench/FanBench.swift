import FoundationEssentials
import StoreProtocol
import ZeroMQ

/// What a delta costs the main thread of a daemon with one client and of one with many, and what
/// publishing alone costs the floor with as many subscribers, with messages of the same size.
///
/// One action at a time, to each of the three in turn: the next one goes out when everybody has the
/// last one's delta. So each turn of a daemon has one delta and finds its connections idle, and all
/// have the same pace and the same, cold, caches: what a hundred clients do between two deltas
/// makes the daemon's own code several times as slow as it is when it runs all the time.
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

  /// What a delta to many clients costs a whole daemon by ipc, and by tcp with a key.
  static func runEncrypted(_ arguments: inout Arguments) throws {
    let clients = arguments.number("--clients", or: 100)
    let actions = arguments.number("--actions", or: 400)
    let rounds = arguments.number("--rounds", or: 9)
    guard let address = arguments.text("--address"), let file = arguments.text("--key") else {
      throw BenchError("With which key, and where? --key FILE --address tcp://HOST:PORT")
    }
    var (ipc, curve) = (
      try process("ipc", &arguments, false), try process("curve", &arguments, false),
    )
    (ipc.isWhole, curve.isWhole) = (true, true)
    let keys = try String(contentsOfFile: file, encoding: .utf8).split { $0 == " " || $0 == "\n" }
      .compactMap { KeyText.key($0) }
    guard keys.count == 2 else { throw BenchError("\(file) has not two keys") }
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

  /// Microseconds of CPU time that each spends on an action, of each round.
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

/// A process that publishes.
struct FanProcess {
  var name: String
  /// Where its sockets are.
  var directory: String
  var id: Int
  /// Where else clients connect; nil for the directory.
  var address: StoreLocation?
  /// Whether the CPU time of all its threads counts, and not the main one's alone.
  var isWhole = false
  /// Whether callgrind runs it, which then writes down what it counted before and after a round.
  var isCounted: Bool

  var location: StoreLocation { address ?? StoreLocation(directory: directory) }

  func countIfWanted() throws { if isCounted { try Callgrind.dump(id) } }
}

/// Someone who publishes something for each action.
@MainActor
protocol FanPeer {
  var process: FanProcess { get }

  /// Nanoseconds of CPU time up to now.
  func spent() throws -> Double

  /// One action, until everybody has what it changed.
  func step() throws
}

/// What is published: bytes without the topic, and every how many deltas there is a bookmark.
struct FanShape {
  var delta: Int
  var bookmark: Int
  var deltasPerBookmark = Limits().deltasPerBookmark
}
