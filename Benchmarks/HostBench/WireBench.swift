import Foundation
import StoreActor
import StoreDaemon
import StoreHistory
import StoreProtocol
import StoreServer
import Synchronization
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Measures the cost of encryption for a message: the daemon's two sockets only answer and publish
/// each message.
///
/// One client on another thread connects over ipc and over tcp with a key, in turn.
@MainActor
enum WireBench {
  /// The approximate bytes of an action and a delta of a counter.
  private nonisolated static let bytes = 48

  /// Each way has its own topic, so that no message waits for a client that is not measured.
  private nonisolated static func topic(of way: UInt8) -> [UInt8] {
    [0x12] + [UInt8](repeating: way, count: 16)
  }

  static func run(_ arguments: inout Arguments) throws {
    guard let directory = arguments.text("--dir"), let address = arguments.text("--listen") else {
      throw BenchError("An option is missing: --dir DIR or --listen tcp://127.0.0.1:PORT.")
    }
    let client = WireClient(
      count: arguments.number("--count", or: 20_000),
      rounds: arguments.number("--rounds", or: 7),
      window: arguments.number("--window", or: 32),
    )
    let (daemon, own) = (try CurvePair(), try CurvePair())
    var configuration = HostConfiguration(directory: directory)
    configuration.listen = [address]
    let line = Grants.Line(
      grantee: .key("bench", own.publicKey),
      scopes: [ScopePattern("*")].compactMap(\.self),
      sees: true,
      sends: .everything,
    )
    let sockets = try HostSockets(
      configuration,
      limits: Limits(),
      welcome: Welcome(epoch: 1).encoded(),
      grants: Grants(owner: geteuid(), lines: [line]),
      key: daemon,
    )
    client.start([
      WireClient.Way(StoreLocation(directory: directory), nil),
      WireClient.Way(
        try StoreLocation(address: address),
        CurveClient(server: daemon.publicKey, pair: own),
      ),
    ])
    try serve(sockets, until: client)
    figures(try client.samples()).printLine()
  }

  private static func serve(_ sockets: HostSockets, until client: WireClient) throws {
    let poller = Poller([.socket(sockets.control), .socket(sockets.publishing)])
    while !client.isOver {
      _ = try poller.wait(timeout: .milliseconds(10))
      while try turn(sockets) {}
    }
  }

  /// Takes as many messages as a daemon takes in a turn, and updates the publishing socket's
  /// knowledge of its peers' positions.
  ///
  /// - Returns: Whether more messages may wait.
  private static func turn(_ sockets: HostSockets) throws -> Bool {
    while try sockets.nextUpstream() != nil {}
    for _ in 0..<64 {
      guard let frame = try sockets.nextControl() else { return false }
      let bytes = Array(frame.bytes ?? [])
      while try !sockets.send(bytes, to: frame.peer) {}
      try sockets.publish(topic: topic(of: bytes.first ?? 0), bytes)
    }
    return true
  }

  private static func figures(_ samples: [WireClient.Way.Found]) -> Figures {
    var figures = Figures()
    for (name, found) in zip(["ipc", "curve"], samples) {
      figures.set("\(name)_us", found.latency)
      figures.set("\(name)_per_s", found.throughput)
    }
    figures.set("latency_ratio", samples[1].latency / samples[0].latency)
    figures.set("throughput_ratio", samples[1].throughput / samples[0].throughput)
    return figures
  }

  /// The client, on a separate thread.
  private final class WireClient: Sendable {
    /// A way to the daemon.
    struct Way: Sendable {
      /// The p50 of a message and its delta in microseconds, and the messages per second, for
      /// each round.
      struct Found: Sendable {
        var latency = Samples()
        var throughput = Samples()
      }

      let location: StoreLocation
      let key: CurveClient?

      init(_ location: StoreLocation, _ key: CurveClient?) {
        self.location = location
        self.key = key
      }
    }

    private let count: Int
    private let rounds: Int
    private let window: Int
    private let result = Mutex<Result<[Way.Found], any Error>?>(nil)

    init(count: Int, rounds: Int, window: Int) {
      self.count = count
      self.rounds = rounds
      self.window = window
    }

    var isOver: Bool { result.withLock { $0 != nil } }

    func samples() throws -> [Way.Found] { try result.withLock { try $0?.get() ?? [] } }

    func start(_ ways: [Way]) {
      Thread.detachNewThread { [self] in
        let outcome = Result { try measure(ways) }
        result.withLock { $0 = outcome }
      }
    }

    private func measure(_ ways: [Way]) throws -> [Way.Found] {
      let context = try Context()
      let peers = try ways.enumerated().map { place, way in
        try WirePeer(way, UInt8(place), context)
      }
      var found = ways.map { _ in Way.Found() }
      for peer in peers { _ = try peer.throughput(max(1, count / 10), window: window) }
      for _ in 0..<rounds {
        for (place, peer) in peers.enumerated() {
          found[place].latency.append(try peer.latency(max(1, count / 10)))
          found[place].throughput.append(try peer.throughput(count, window: window))
        }
      }
      for peer in peers { peer.close() }
      return found
    }
  }

  /// One connection of the client.
  private final class WirePeer {
    private let control: Socket
    private let publishing: Socket
    private let poller: Poller
    private let bytes: [UInt8]
    private var message = Message()
    private var acks = 0
    private var deltas = 0

    init(_ way: WireClient.Way, _ place: UInt8, _ context: Context) throws {
      bytes = [UInt8](repeating: place, count: WireBench.bytes)
      let location = way.location
      var options = Follower.options()
      options.curve = way.key
      control = try Socket(context, kind: .dealer, options: options)
      options.sendHighWater = 0
      publishing = try Socket(context, kind: .xsub, options: options)
      poller = Poller([.socket(control), .socket(publishing)])
      try control.connect(location.control)
      try publishing.connect(location.publishing)
      _ = try publishing.send([1] + WireBench.topic(of: place))
      // Takes the greeting and the welcome, then sends until the first publication arrives.
      _ = try poller.wait(timeout: .seconds(10))
      for _ in 0..<1000 where deltas == 0 {
        _ = try control.send(bytes)
        _ = try poller.wait(timeout: .milliseconds(20))
        try take()
      }
      while try poller.wait(timeout: .milliseconds(50)) > 0 { try take() }
      guard deltas > 0 else { throw BenchError("No publication arrived from \(location)") }
    }

    private func take() throws {
      while try control.receive(into: &message) { if message.count > 0 { acks += 1 } }
      while try publishing.receive(into: &message) {
        guard message.more else { continue }
        while message.more { _ = try publishing.receive(into: &message) }
        deltas += 1
      }
    }

    /// Returns the p50 in microseconds until a message is answered and published.
    func latency(_ count: Int) throws -> Double {
      var samples = Samples()
      for _ in 0..<count {
        let start = Machine.nanoseconds
        try exchange(1, window: 1)
        samples.append(Double(Machine.nanoseconds - start) / 1000)
      }
      return samples.median
    }

    /// Returns the messages per second.
    func throughput(_ count: Int, window: Int) throws -> Double {
      let start = Machine.nanoseconds
      try exchange(count, window: window)
      return Double(count) / (Double(Machine.nanoseconds - start) / 1e9)
    }

    private func exchange(_ count: Int, window: Int) throws {
      (acks, deltas) = (0, 0)
      var sent = 0
      while min(acks, deltas) < count {
        while sent < count, sent - min(acks, deltas) < window {
          _ = try control.send(bytes)
          sent += 1
        }
        guard try poller.wait(timeout: .seconds(10)) > 0 else {
          throw BenchError("Of \(sent) messages \(acks) were answered and \(deltas) published")
        }
        try take()
      }
    }

    func close() {
      control.close()
      publishing.close()
    }
  }
}
