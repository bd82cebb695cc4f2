import GenericState
import StoreProtocol
import StoreState
import Testing
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  @Suite("Hostile peers")
  struct HostileTests {
    /// Frames on the control socket that are no messages.
    private static let garbage: [[UInt8]] = [
      [], [0xff], [0x00], [0x80], [0x81, 0x18, 0x01], Array("GET / HTTP/1.1\r\n\r\n".utf8),
      [UInt8](repeating: 0x81, count: 200),
      // An array that declares 2^64 - 1 elements, a text of 2^63 bytes, and a truncated hello.
      [0x9b] + [UInt8](repeating: 0xff, count: 8), [0x82, 0x01, 0x7b, 0x7f, 0xff, 0xff, 0xff],
      Array(hello.encoded().dropLast(3)),
      // Actions with a truncated last one, and a join that declares more scopes than bytes.
      [0x85, 0x04, 0x01, 0x01, 0xa1], [0x83, 0x02, 0x01, 0x9a, 0xff, 0xff, 0xff, 0xff],
    ]

    private static let hello = ClientMessage.hello(
      ClientMessage.Hello(
        clientID: Identifier(high: 1, low: 2),
        token: nil,
        firstSequence: 1,
        name: "raw",
        isListed: true,
      )
    )

    @Test(
      "Garbage on the control socket is counted, logged once per holder, and disturbs no client"
    )
    func control() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let witness = try await Witness(world)
        let context = try Context()
        let peer = try socket(context, .dealer, world, "ctl")
        for frame in Self.garbage { #expect(try peer.send(frame) == .sent) }
        // No client sends a message of two frames.
        #expect(try peer.send([0x81, 0x0a], more: true) == .sent)
        #expect(try peer.send([0x81, 0x0a]) == .sent)
        try await counter("malformed", reaches: Self.garbage.count + 1, world)
        let other = try socket(context, .dealer, world, "ctl")
        #expect(try other.send([0xff]) == .sent)
        try await counter("malformed", reaches: Self.garbage.count + 2, world)
        #expect(daemon.errors.lines.count == 1, "\(daemon.errors.lines)")
        try await witness.check(daemon)
      }
    }

    @Test("A session that sends garbage is ended with a reason")
    func session() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let presence = try await world.watch("presence")
        let context = try Context()
        let peer = try socket(context, .dealer, world, "ctl")
        #expect(try peer.send(Self.hello.encoded()) == .sent)
        try await presence.output.state("the raw peer") { $0["sessions"]?.items?.count == 2 }
        #expect(try peer.send([0x81, 0x63]) == .sent)
        try await presence.output.state("one less") { $0["sessions"]?.items?.count == 1 }
        guard case .goodbye("protocolError", let message)? = try await last(peer, world) else {
          Issue.record("the peer got no answer")
          return
        }
        #expect(message != "")
        #expect(daemon.isRunning)
      }
    }

    @Test("Garbage on the publishing socket is counted and disturbs no client")
    func publishing() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let witness = try await Witness(world)
        let context = try Context()
        let peer = try socket(context, .xsub, world, "pub")
        let frames: [[UInt8]] = [[7], [2], [2, 0xff], [2, 0x82, 0x40], [0xff, 0xff]]
        for frame in frames { #expect(try peer.send(frame) == .sent) }
        try await counter("malformed", reaches: frames.count, world)
        // Unrequested fences, and subscriptions to absent topics, are harmless.
        let fence = Fence(token: Identifier(high: 3, low: 4), nonce: 5)
        #expect(try peer.send(fence.encoded()) == .sent)
        for kind: UInt8 in [1, 0] {
          #expect(try peer.send([kind] + [UInt8](repeating: 0x12, count: 17)) == .sent)
        }
        try await counter("strayFences", reaches: 1, world)
        try await witness.check(daemon)
      }
    }

    @Test("Frames that are too large end the connection, not the daemon")
    func oversized() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let witness = try await Witness(world)
        let before = try daemon.residentBytes()
        let context = try Context()
        let control = try socket(context, .dealer, world, "ctl")
        #expect(try control.send([UInt8](repeating: 0x81, count: 1 << 21)) == .sent)
        let publishing = try socket(context, .xsub, world, "pub")
        #expect(try publishing.send([UInt8](repeating: 7, count: 65)) == .sent)
        // A peer announces a frame of a terabyte, and begins to send it.
        let flood = [UInt8](repeating: 0x41, count: 1 << 16)
        let peers = try ["ctl": "DEALER", "pub": "XSUB"].map { file, type in
          try RawPeer(
            "\(world.directory)/\(file)",
            as: type,
            sending: ZMTP.longFrame(1 << 40),
            flood: flood,
          )
        }
        for peer in peers { try await peer.closed() }
        try await witness.check(daemon)
        #expect(try await world.counter("malformed") == 0)
        #expect(try daemon.residentBytes() - before < 64 << 20)
      }
    }

    @Test("Peers with another protocol, without one, or with endless input are closed")
    func strangers() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let witness = try await Witness(world)
        var random = SystemRandomNumberGenerator()
        let noise = (0..<65_536).map { _ in UInt8.random(in: 0...255, using: &random) }
        let request = Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        var peers: [RawPeer] = []
        for file in ["\(world.directory)/ctl", "\(world.directory)/pub"] {
          peers.append(try RawPeer(file, sending: noise, flood: noise))
          peers.append(try RawPeer(file, sending: request, flood: request))
          // Sends no byte, or half of the greeting: the handshake has a time limit.
          peers.append(try RawPeer(file, sending: []))
          peers.append(try RawPeer(file, sending: Array(ZMTP.opening("DEALER").prefix(30))))
          // The wrong kind of socket.
          peers.append(try RawPeer(file, sending: ZMTP.opening("REP")))
        }
        for peer in peers { try await peer.closed() }
        try await witness.check(daemon)
      }
    }

    @Test("The daemon does not wait for a peer that does not read, and its memory stays bounded")
    func deaf() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let witness = try await Witness(world)
        let before = try daemon.residentBytes()
        let ping = ZMTP.message(ClientMessage.ping(number: 1, revision: 0).encoded())
        let requests = [[UInt8]](repeating: ping, count: 2000).flatMap { $0 }
        let peer = try RawPeer(
          "\(world.directory)/ctl",
          as: "DEALER",
          sending: ZMTP.message(Self.hello.encoded()),
          afterwards: .ignores,
        )
        try await peer.ready()
        var heard = try await world.counter("controlFrames")
        while peer.send(requests) {
          heard = try await counterOfFrames(atLeast: heard + 2000, orCut: "blockedPeers", world)
        }
        #expect(try await world.counter("blockedPeers") == 1)
        #expect(try await world.counter("cutSenders") == 0)
        try await witness.check(daemon)
        #expect(daemon.errors.lines.count == 2, "\(daemon.errors.lines)")
        #expect(try daemon.residentBytes() - before < 128 << 20)
      }
    }

    @Test("A peer that requests reports without end is closed")
    func curious() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let witness = try await Witness(world)
        let before = try daemon.residentBytes()
        let describe = ZMTP.message(ClientMessage.describe(request: 1).encoded())
        let peer = try RawPeer(
          "\(world.directory)/ctl",
          as: "DEALER",
          sending: [[UInt8]](repeating: describe, count: 5000).flatMap { $0 },
        )
        try await peer.closed()
        #expect(try await world.counter("reportsRefused") == 1)
        try await witness.check(daemon)
        #expect(try daemon.residentBytes() - before < 64 << 20)
      }
    }

    @Test("A peer that sends faster than the daemon reads is closed, and its messages are dropped")
    func talkative() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(.serialProbe)
        let watcher = try await world.watch("probe")
        let sender = try world.startClient(
          "--json",
          "send",
          "probe",
          #"{"threadBlocked":{"milliseconds":500}}"#,
        )
        _ = try await daemon.output.line("the main thread to be busy") { $0 == "blocked" }
        let peers = try [("ctl", "DEALER", 200), ("pub", "XSUB", 60)].map { file, type, size in
          let frame = ZMTP.message([UInt8](repeating: 7, count: size))
          return try RawPeer(
            "\(world.directory)/\(file)",
            as: type,
            sending: [[UInt8]](repeating: frame, count: 20_000).flatMap { $0 },
          )
        }
        for peer in peers { try await peer.closed() }
        #expect(try await world.finish(sender).isSuccess)
        #expect(daemon.errors.lines.contains { $0.contains("faster than it can be heard") })
        #expect(try await world.counter("cutSenders") == 2)
        #expect(try await world.get("probe")["reduced"] == 1)
        #expect(watcher.errors.lines == [])
      }
    }

    @Test func `A flood during a long turn is cut off before the main thread continues`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon(.serialProbe)
        let before = try daemon.residentBytes()
        let block = #"{"threadBlocked":{"milliseconds":4000}}"#
        let sender = try world.startClient("--json", "send", "probe", block)
        _ = try await daemon.output.line("the main thread to be busy") { $0 == "blocked" }
        let ping = ZMTP.message(ClientMessage.ping(number: 1, revision: 0).encoded())
        let flood = [[UInt8]](repeating: ping, count: 500).flatMap { $0 }
        let peers = try (0..<3).map { _ in
          try RawPeer("\(world.directory)/ctl", as: "DEALER", sending: [], flood: flood)
        }
        for peer in peers { try await peer.closed() }
        #expect(sender.output.lines == [], "the main thread continues already")
        #expect(try await world.finish(sender).isSuccess)
        #expect(try await world.counter("cutFloods") == 3)
        #expect(try await world.get("probe")["reduced"] == 1)
        #expect(daemon.errors.lines.count { $0.contains("while the daemon received") } == 1)
        #expect(try daemon.residentBytes() - before < 256 << 20)
      }
    }

    @Test func `During a long turn a few messages are too many on the publishing socket`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon(.serialProbe)
        let block = #"{"threadBlocked":{"milliseconds":500}}"#
        let sender = try world.startClient("--json", "send", "probe", block)
        _ = try await daemon.output.line("the main thread to be busy") { $0 == "blocked" }
        let topics = (0..<1_000 as Range<UInt32>).flatMap { ZMTP.message([1] + Self.topic($0)) }
        let peer = try RawPeer("\(world.directory)/pub", as: "XSUB", sending: topics)
        try await peer.closed()
        #expect(try await world.finish(sender).isSuccess)
        #expect(try await world.counter("cutSenders") == 1)
        #expect(try await world.counter("cutSubscribers") == 0)
      }
    }

    @Test("Peers that fill their queue, request heartbeats and hang up do no harm")
    func hangingUp() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let witness = try await Witness(world)
        let describe = ZMTP.message(ClientMessage.describe(request: 1).encoded())
        let unknown = ZMTP.message([7])
        for _ in 0..<3 {
          let peers = try [("ctl", "DEALER", describe), ("pub", "XSUB", unknown)].map {
            let part = [[UInt8]](repeating: $2, count: 50).flatMap { $0 } + ZMTP.ping
            return try RawPeer(
              "\(world.directory)/\($0)",
              as: $1,
              sending: [[UInt8]](repeating: part, count: 1000).flatMap { $0 },
              afterwards: .hangsUp,
            )
          }
          for peer in peers { try await peer.closed() }
        }
        try await witness.check(daemon)
      }
    }

    @Test(
      "Subscriptions to everything, to part of a topic, to too many or without a client are closed",
      arguments: [
        [[]], [[0x11]], (0..<5_000 as Range<UInt32>).map { Self.topic($0) }, [Self.topic(0)],
      ],
    )
    func subscriptions(topics: [[UInt8]]) async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let witness = try await Witness(world)
        let before = try daemon.residentBytes()
        let peer = try RawPeer(
          "\(world.directory)/pub",
          as: "XSUB",
          sending: topics.flatMap { ZMTP.message([1] + $0) },
        )
        try await peer.closed()
        #expect(try await world.counter("cutSubscribers") == 1)
        try await witness.check(daemon)
        #expect(try daemon.residentBytes() - before < 64 << 20)
      }
    }

    @Test func `Repeated cuts do not fill the log, which names the peer`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        for _ in 0..<12 {
          let everything = ZMTP.message([1])
          let peer = try RawPeer("\(world.directory)/pub", as: "XSUB", sending: everything)
          try await peer.closed()
        }
        #expect(try await world.counter("cutSubscribers") == 12)
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
        let lines = daemon.errors.lines.filter { $0.contains("closed") }
        #expect((2...3).contains(lines.count), "\(lines)")
        #expect(lines[0].contains("A connection was closed: it subscribes to an invalid topic."))
        let own = "user \(geteuid()), pid \(getpid())"
        #expect(lines.allSatisfy { $0.contains(own) }, "\(lines)")
        #expect(lines.count > 2 || lines[1].contains("11 connections were closed."), "\(lines)")
      }
    }

    @Test(
      "A peer whose messages on the publishing socket belong to no session is closed",
      arguments: [
        [7], [0] + topic(0), Fence(token: Identifier(high: 3, low: 4), nonce: 5).encoded(),
      ],
    )
    func nobody(frame: [UInt8]) async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let witness = try await Witness(world)
        let peer = try RawPeer(
          "\(world.directory)/pub",
          as: "XSUB",
          sending: ZMTP.message(frame),
        )
        try await peer.closed()
        #expect(try await world.counter("cutSubscribers") == 1)
        try await witness.check(daemon)
      }
    }

    private static func topic(_ number: UInt32) -> [UInt8] {
      [0x12] + [UInt8](repeating: 0, count: 12)
        + withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }

    @Test("A subscriber that does not read its scopes is closed, and memory stays bounded")
    func unread() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let watcher = try await world.watch("todos", "--deltas")
        let context = try Context()
        let control = try socket(context, .dealer, world, "ctl")
        let follow = ClientMessage.JoinRequest(
          scope: "todos",
          mode: .follow,
          stateHash: nil,
          actionHash: nil,
          position: nil,
        )
        for message in [Self.hello, .join(nonce: 1, [follow])] {
          #expect(try control.send(message.encoded()) == .sent)
        }
        let (token, topic) = try await answers(control)
        let upstream = [[1] + topic.bytes, Fence(token: token, nonce: 1).encoded()]
        let subscriber = try RawPeer(
          "\(world.directory)/pub",
          as: "XSUB",
          sending: upstream.flatMap { ZMTP.message($0) },
          afterwards: .ignores,
        )
        try await subscriber.ready()
        let before = try daemon.residentBytes()
        // Each action is published, since it is too small to be fetched.
        let title = String(repeating: "x", count: 50_000)
        let add = #"{"addButtonTapped":{"title":"\#(title)"}}"#
        let sender = try world.startClient("--json", "send", "todos", "-")
        // In two parts: each fits into the room for data that waits for a slow disk.
        for part in 1...2 {
          sender.write(lines: Array(repeating: add, count: 120))
          _ = try await sender.output.lines(atLeast: 120 * part, within: .seconds(60))
        }
        #expect(try await world.finish(sender).isSuccess)
        _ = try await daemon.errors.line("the subscriber's end") { $0.contains("does not read") }
        _ = try await watcher.output.lines(atLeast: 241)
        #expect(watcher.errors.lines == [])
        #expect(daemon.errors.lines.count == 1)
        #expect(try daemon.residentBytes() - before < 100 << 20)
      }
    }

    /// The token and the topic in a daemon's answers to a hello and a join.
    private func answers(_ control: Socket) async throws -> (token: Identifier, topic: Topic) {
      var token: Identifier?
      while try Poller([.socket(control)]).wait(timeout: .seconds(10) * TestPatience.factor) > 0 {
        while let message = try control.receive() {
          guard !message.isEmpty else { continue }
          switch try DaemonMessage(frame: message.bytes[...]) {
          case .helloOK(let ok): token = ok.token
          case .joined(_, let topic?, _): if let token { return (token, topic) }
          default: break
          }
        }
      }
      throw ProcessFailure("the daemon does not answer")
    }

    @Test("A message with more actions than the limit ends the session")
    func manyActions() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let witness = try await Witness(world)
        let context = try Context()
        let peer = try socket(context, .dealer, world, "ctl")
        let request = ClientMessage.ActionRequest(handle: 1, action: [0xf6], deadline: nil)
        let actions = Array(repeating: request, count: 100_000)
        #expect(try peer.send(Self.hello.encoded()) == .sent)
        #expect(try peer.send(ClientMessage.actions(first: 1, actions).encoded()) == .sent)
        guard case .goodbye("protocolError", let message)? = try await last(peer, world) else {
          Issue.record("the peer got no answer")
          return
        }
        #expect(message.contains("100000"))
        try await witness.check(daemon)
      }
    }

    @Test func `A message of five million empty parts keeps honest clients waiting, and no more`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let witness = try await Witness(world)
        let before = try daemon.residentBytes()
        let part: [UInt8] = [1, 0]
        let parts = [[UInt8]](repeating: part, count: 5_000_000).flatMap { $0 }
        let peer = try RawPeer(
          "\(world.directory)/ctl",
          as: "DEALER",
          sending: ZMTP.message(Self.hello.encoded()) + parts + [0, 0],
        )
        // The daemon reads it to its end, or closes it as a flood, if no other peer sends
        // meanwhile.
        _ = try await daemon.errors.line(within: .seconds(40), "the message's end") {
          $0.contains("several frames") || $0.contains("while the daemon received")
        }
        withExtendedLifetime(peer) {}
        // No client has waited for a lease, or has lost its session.
        try await witness.check(daemon)
        #expect(try daemon.residentBytes() - before < 512 << 20)
      }
    }

    @Test("A client that sends hello and closes is removed after the grace period, not the lease")
    func comeAndGo() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--lease-ms", "60000", "--grace-ms", "1000"])
        let presence = try await world.watch("presence")
        for number in 0..<50 {
          let hello = ClientMessage.Hello(
            clientID: Identifier(high: 9, low: UInt64(number)),
            token: nil,
            firstSequence: 1,
            name: "guest",
            isListed: true,
          )
          let peer = try RawPeer(
            "\(world.directory)/ctl",
            as: "DEALER",
            sending: ZMTP.message(ClientMessage.hello(hello).encoded()),
            afterwards: .hangsUp,
          )
          try await peer.closed()
        }
        let came = try await presence.output.line("a guest") { $0.contains("guest") }
        try await presence.output.state(from: came.index, "the guests' end") {
          $0["sessions"]?.items?.count == 1
        }
      }
    }

    @Test func `A program that never ends its sessions keeps no other program out`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(.stored, ["--lease-ms", "60000"])
        var peers: [RawPeer] = []
        while try await world.counter("refusedSessions") == 0 {
          try #require(peers.count < 2 * Limits().sessionsPerProcess)
          for _ in 0..<64 {
            let hello = ClientMessage.rawHello(UInt64(peers.count), isListed: false).encoded()
            let path = "\(world.directory)/ctl"
            let bytes = ZMTP.message(hello)
            peers.append(try RawPeer(path, as: "DEALER", sending: bytes, afterwards: .listens))
            try await peers.last?.ready()
          }
        }
        #expect(peers.count > Limits().sessionsPerProcess)
        #expect(try await world.get("counter")["count"] == 0)
        #expect(daemon.isRunning)
        for peer in peers { peer.hangUp() }
      }
    }

    // MARK: Helpers

    private func socket(
      _ context: Context,
      _ kind: Socket.Kind,
      _ world: World,
      _ file: String,
    ) throws -> Socket {
      var options = SocketOptions()
      options.linger = .zero
      let socket = try Socket(context, kind: kind, options: options)
      try socket.connect("ipc://\(world.directory)/\(file)")
      return socket
    }

    /// Returns the last message to a peer, after all messages so far have arrived.
    private func last(_ peer: Socket, _ world: World) async throws -> DaemonMessage? {
      var last: DaemonMessage?
      while try Poller([.socket(peer)]).wait(timeout: .milliseconds(500)) > 0 {
        while let message = try peer.receive() {
          if !message.bytes.isEmpty { last = try DaemonMessage(frame: message.bytes[...]) }
        }
      }
      return last
    }

    /// Polls until `count` control frames were taken, or a connection was closed.
    ///
    /// A peer that sends no faster than the daemon reads fills the queue of its unread answers, not
    /// that of its messages.
    private func counterOfFrames(
      atLeast count: Int,
      orCut cut: String,
      _ world: World,
    ) async throws -> Int {
      let clock = ContinuousClock()
      let end = clock.now + .seconds(20) * TestPatience.factor
      while true {
        let heard = try await world.counter("controlFrames")
        if heard >= count { return heard }
        if try await world.counter(cut) > 0 { return heard }
        try #require(clock.now < end, "\(heard) of \(count) control frames were taken")
      }
    }

    /// Polls until a counter has reached a count.
    private func counter(
      _ name: String,
      reaches count: Int,
      orMore: Bool = false,
      _ world: World,
    ) async throws {
      let clock = ContinuousClock()
      let end = clock.now + .seconds(20) * TestPatience.factor
      while true {
        let reached = try await world.counter(name)
        #expect(orMore || reached <= count)
        if reached >= count { return }
        guard clock.now < end else {
          throw ProcessFailure("\(name) has come to \(reached), not \(count)")
        }
      }
    }
  }
}

/// A client that works while others misbehave.
private struct Witness {
  let world: World
  let watcher: ChildProcess
  let sender: ChildProcess

  init(_ world: World) async throws {
    self.world = world
    watcher = try await world.watch("counter", "--deltas")
    sender = try world.startClient("--json", "send", "counter", "-")
    sender.write(lines: Array(repeating: #""incrementButtonTapped""#, count: 100))
  }

  /// Expects that the witness has seen no disturbance.
  func check(_ daemon: ChildProcess) async throws {
    sender.write(lines: Array(repeating: #""incrementButtonTapped""#, count: 100))
    let run = try await world.finish(sender)
    #expect(run.isSuccess)
    #expect(run.output.count == 200)
    let lines = try await watcher.output.lines(atLeast: 201).map { try WatchLine($0) }
    #expect(lines.dropFirst().map { $0.delta?["changed"]?["count"]?.int } == Array(1...200))
    #expect(watcher.errors.lines == [])
    #expect(run.errors == [])
    #expect(daemon.isRunning)
  }
}
