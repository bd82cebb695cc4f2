import GenericState
import StoreProtocol
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  @Suite("Connections")
  struct ConnectionTests {
    private static let hello = ClientMessage.hello(
      ClientMessage.Hello(
        clientID: Identifier(high: 1, low: 2),
        token: nil,
        firstSequence: 1,
        name: "raw",
        isListed: false,
      )
    )

    private static let join = ClientMessage.join(
      nonce: 1,
      [
        ClientMessage.JoinRequest(
          scope: "counter",
          mode: .sendOnly,
          stateHash: nil,
          actionHash: nil,
          position: nil,
        )
      ],
    )

    /// An increment of the counter, as the session's first scope.
    private static func increment(_ sequence: UInt64) -> ClientMessage {
      .rawActions("incrementButtonTapped", first: sequence)
    }

    /// Bytes that are no message; the daemon counts them.
    private static let garbage: [UInt8] = [0xff]

    @Test(
      "A peer with another peer's routing id is not mistaken for it",
      arguments: [false, true],
    )
    func takeover(isOverTCP: Bool) async throws {
      try await World.run { world in
        let port = try TCPDaemon.freePorts()
        let address = "tcp://127.0.0.1:\(port)"
        _ = try await world.startDaemon(.stored, ["--insecure-loopback", "--listen", address])
        let messages = [.rawHello(1), Self.join, Self.increment(1)]
        func peer(
          _ messages: [ClientMessage],
          _ frames: [UInt8]...,
          routingID: String = "mine",
        ) throws -> RawPeer {
          let path = "\(world.directory)/ctl"
          return RawPeer(
            connected: isOverTCP ? try RawPeer.connect(port: port) : try RawPeer.connect(path),
            as: "DEALER",
            routingID: Array(routingID.utf8),
            sending: (messages.map { $0.encoded() } + frames).flatMap { ZMTP.message($0) },
          )
        }
        let honest = try peer(messages)
        let token = try await honest.hearsMessages("its token", \.token)
        try await count(1, world)
        honest.hangUp()
        try await honest.closed()
        // The daemon accepts the same id again only after it has noticed the end of the honest
        // peer.
        var impostors: [RawPeer] = []
        while try await world.counter("malformed") == 0 {
          try #require(impostors.count < 100, "no impostor was heard")
          let impostor = try peer([Self.increment(2)], Self.garbage)
          try await impostor.ready()
          impostors.append(impostor)
        }
        #expect(try await world.get("counter")["count"] == 1)
        // The honest peer returns with another id, as libraries choose them, and its action runs.
        // Its session has had a join, so this join is the next one.
        let join = ClientMessage.rawJoin(nonce: 2, ["counter"], mode: .sendOnly)
        let next = [.rawHello(1, token: token), join, Self.increment(2)]
        let back = try peer(next, routingID: "")
        try await count(2, world)
        #expect(!back.isOver)
      }
    }

    @Test("Claims of the routing ids that the library would assign next harm no peer")
    func claimedIDs() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        // The first numbers of `rand()` when it is not seeded.
        let claims = try (0..<64 as Range<UInt32>).map { offset in
          let number = 0x6b8b_4567 + offset
          let id = [0] + withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
          return try RawPeer("\(world.directory)/ctl", as: "DEALER", routingID: id, sending: [])
        }
        for claim in claims { try await claim.ready() }
        #expect(try await world.get("counter")["count"] == 0)
        #expect(daemon.isRunning)
      }
    }

    @Test("A peer with a too long routing id is closed, and its messages are not read")
    func longRoutingID() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let messages = [Self.hello, Self.join, Self.increment(1)]
        let long = try peer(world, messages, routingID: String(repeating: "x", count: 65))
        try await long.closed()
        _ = try await daemon.errors.line("why") { $0.contains("has a routing id of 65 bytes") }
        #expect(try await world.get("counter")["count"] == 0)
        let short = try peer(world, messages, routingID: String(repeating: "x", count: 64))
        try await count(1, world)
        #expect(!short.isOver)
      }
    }

    @Test("A control connection without a hello is closed; others stay open")
    func silence() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let watcher = try await world.watch("counter", "--deltas")
        let subscriber = try RawPeer("\(world.directory)/pub", as: "XSUB", sending: [])
        let polite = try peer(world, [Self.hello])
        let status = ClientMessage.status(request: 1)
        for peer in [try peer(world, []), try peer(world, [status])] {
          try await peer.closed()
        }
        #expect(!polite.isOver)
        #expect(!subscriber.isOver)
        try await world.send("counter", #""incrementButtonTapped""#)
        _ = try await watcher.output.lines(atLeast: 2)
        #expect(watcher.errors.lines == [])
      }
    }

    @Test func `On the publishing socket as many may be silent as were welcomed on the other`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        // It follows no scope, so it never sends on that socket.
        let sender = try world.startClient("--json", "send", "counter", "-")
        sender.write(lines: [#""incrementButtonTapped""#])
        _ = try await sender.output.lines(atLeast: 1)
        let polite = try peer(world, [Self.hello])
        try await polite.ready()
        let silent = try (0..<4).map { _ in
          try RawPeer("\(world.directory)/pub", as: "XSUB", sending: [])
        }
        // Two of five may stay. The process with the most silent connections loses its oldest ones
        // first.
        for peer in silent.prefix(3) { try await peer.closed() }
        #expect(try await world.counter("cutSilent") == 3)
        #expect(!silent[3].isOver && !polite.isOver)
        sender.write(lines: [#""incrementButtonTapped""#])
        let run = try await world.finish(sender)
        #expect(run.isSuccess && run.output.count == 2 && run.errors == [])
        #expect(daemon.isRunning)
      }
    }

    @Test func `A control connection whose session is over is ended, unless it opens another`()
      async throws
    {
      try await World.run { world in
        _ = try await world.startDaemon()
        let left = try (0..<2).map { try peer(world, [.rawHello($0), .bye]) }
        let back = try peer(world, [.rawHello(2), .bye, .rawHello(3)])
        // Another connection of the same client takes its session's place.
        let replaced = try peer(world, [.rawHello(4)])
        try await replaced.ready()
        let other = try peer(world, [.rawHello(4)])
        for peer in left + [replaced] { try await peer.closed() }
        #expect(!back.isOver && !other.isOver)
        #expect(try await world.counter("cutSessionless") == 3)
      }
    }

    @Test("A web page that posts to the socket, and old versions of its protocol, have no effect")
    func oldProtocol() async throws {
      try await World.run { world in
        let port = UInt16.random(in: 20_000..<30_000)
        let address = "tcp://127.0.0.1:\(port)"
        _ = try await world.startDaemon(.stored, ["--insecure-loopback", "--listen", address])
        let messages = [Self.hello, Self.join, Self.increment(1)]
        let old: [UInt8] = [1, 0] + messages.flatMap { ZMTP.oldMessage($0.encoded()) }
        let request = Array("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        for bytes in [old, request + old] {
          try await RawPeer("\(world.directory)/ctl", sending: bytes).closed()
          try await RawPeer(connected: try RawPeer.connect(port: port), sending: bytes).closed()
        }
        #expect(try await world.get("counter")["count"] == 0)
      }
    }

    @Test("A busy main thread keeps no peer out, and admits no more than its limit")
    func flood() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(.serialProbe, limitingDescriptorsTo: 4096)
        let sender = try world.startClient(
          "--json",
          "send",
          "probe",
          #"{"threadBlocked":{"milliseconds":3000}}"#,
        )
        _ = try await daemon.output.line("the main thread to be busy") { $0 == "blocked" }
        let peer = try RawPeer("\(world.directory)/ctl", as: "DEALER", sending: [])
        try await peer.ready()
        let flood = try ConnectionFlood("\(world.directory)/ctl", count: 6000)
        #expect(
          !daemon.output.lines.contains("unblocked"),
          "the machine is too slow for this test",
        )
        #expect(try await world.finish(sender).isSuccess)
        #expect(daemon.isRunning)
        flood.end()
        #expect(try await world.get("probe")["reduced"] == 1)
        #expect(
          daemon.errors.lines.contains { $0.contains("exceeded the number or rate") }
        )
        #expect(try await world.counter("refusedConnections") > 2_000)
      }
    }

    private func peer(
      _ world: World,
      _ messages: [ClientMessage],
      _ frames: [UInt8]...,
      routingID: String = "",
    ) throws -> RawPeer {
      try RawPeer(
        "\(world.directory)/ctl",
        as: "DEALER",
        routingID: Array(routingID.utf8),
        sending: (messages.map { $0.encoded() } + frames).flatMap { ZMTP.message($0) },
      )
    }

    /// Waits until the counter has reached a count.
    private func count(_ count: Int, _ world: World) async throws {
      let watcher = try await world.watch("counter")
      try await watcher.output.state("the count \(count)") { $0["count"]?.int == count }
    }
  }
}

/// Silent connections.
struct ConnectionFlood {
  private let descriptors: [Int32]

  /// Opens `count` connections.
  init(_ path: String, count: Int) throws {
    try Self.makeRoom(for: count)
    descriptors = try (0..<count).map { _ in try RawPeer.connect(path) }
  }

  static func makeRoom(for count: Int) throws {
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { throw ProcessFailure("no limit is known") }
    limit.rlim_cur = max(limit.rlim_cur, rlim_t(count + 512))
    guard setrlimit(resource, &limit) == 0 else {
      throw ProcessFailure("this test needs \(count + 512) open files; raise the limit: ulimit -n")
    }
  }

  func end() { for descriptor in descriptors { close(descriptor) } }
}
