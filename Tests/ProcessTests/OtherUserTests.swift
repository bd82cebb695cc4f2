import GenericState
import StoreProtocol
import StoreState
import Testing
import ZeroMQ

#if os(Linux)
extension ProcessTests {
  /// Other users of the machine that speak the protocol directly.
  @Suite(
    "Other users with sockets of their own",
    .enabled(if: OtherUsers.canBeActed, "only root can be several users, on Linux"),
  )
  struct OtherUserTests {
    private static let grants = """
      user:\(OtherUsers.ann)  counter  see send
      user:\(OtherUsers.bob)  counter  see send
      """
    private static let garbage: [UInt8] = [0xff]

    private func run(_ body: (World) async throws -> Void) async throws {
      try await World.run(in: "/tmp/") { world in
        try world.write(grants: Self.grants)
        try await body(world)
      }
    }

    /// A peer of a user that sends frames and records the answers.
    private func peer(
      _ world: World,
      as user: UInt32,
      _ frames: [[UInt8]],
      file: String = "ctl",
      routingID: String = "",
      afterwards: RawPeer.Manner = .listens,
    ) async throws -> RawPeer {
      RawPeer(
        connected: try await RawPeer.connect("\(world.directory)/\(file)", as: user),
        as: file == "ctl" ? "DEALER" : "XSUB",
        routingID: Array(routingID.utf8),
        sending: frames.flatMap { ZMTP.longMessage($0) },
        afterwards: afterwards,
      )
    }

    private func increments(_ count: Int, first: UInt64 = 1) -> ClientMessage {
      .rawActions("incrementButtonTapped", first: first, count: count)
    }

    /// Every kind of request of a client.
    private var questions: [ClientMessage] {
      [
        .rawHello(1), .rawJoin(["todos"]), .rawJoin(nonce: 2, ["todos", "game"]),
        .rawJoin(nonce: 3, ["counter"]), .describe(request: 1), .status(request: 2),
        .history(request: 3, .log(after: 0, count: 1_000, scope: nil, client: nil)),
        .history(request: 4, .log(after: 0, count: 1_000, scope: "todos", client: nil)),
        .history(request: 5, .state(revision: 5, scope: "todos")),
        .ping(number: 1, revision: 0),
      ]
    }

    @Test
    func `A user without grants is not admitted, and reads no byte of the state`() async throws {
      try await run { world in
        let daemon = try await world.startDaemon()
        let watcher = try await world.watch("counter")
        let upstream: [[UInt8]] = [0x11, 0x12, 0x13].map { [1, $0] }
        let increment = increments(1)
        let asks = (questions + [increment]).map { $0.encoded() }
        let peers = [
          try await peer(world, as: OtherUsers.stranger, asks),
          try await peer(world, as: OtherUsers.stranger, upstream, file: "pub"),
        ]
        for peer in peers { try await peer.closed() }
        try await world.send("counter", #""incrementButtonTapped""#)
        try await watcher.output.state("the owner's action") { $0["count"] == 1 }
        for peer in peers { #expect(peer.received == []) }
        #expect(try await world.counter("refusedConnections") == 2)
        #expect(daemon.isRunning)
      }
    }

    @Test
    func `Without any grants other users do not reach the sockets`() async throws {
      try await World.run(in: "/tmp/") { world in
        _ = try await world.startDaemon()
        for file in ["ctl", "pub"] {
          await #expect(throws: ProcessFailure.self) {
            _ = try await RawPeer.connect("\(world.directory)/\(file)", as: OtherUsers.ann)
          }
        }
      }
    }

    @Test
    func `No request gets a byte without a grant on the control socket`() async throws {
      try await run { world in
        _ = try await world.startDaemon()
        let add = #"{"addButtonTapped":{"title":"secret"}}"#
        try await world.send("todos", add)
        let asks = questions.map { $0.encoded() }
        let peer = try await peer(world, as: OtherUsers.bob, asks)
        try await peer.hears("incrementButtonTapped")
        try await world.send("todos", add, add)
        // The answer to this message follows all other answers.
        let name = String(repeating: "x", count: Limits().nameBytes + 1)
        let last = ClientMessage.rawHello(2, name: name).encoded()
        #expect(peer.send(ZMTP.message(last)))
        try await peer.hears("badName")
        // The owner, who may see it, receives it, also in the join.
        let owner = try RawSocket(world, .dealer, "ctl")
        for message in [.rawHello(3)] + questions.dropFirst() { try owner.send(message) }
        try owner.firstFrame { $0.contains(Array("secret".utf8)) ? true : nil }
        #expect(try await world.get("todos").text().contains("secret"))
        #expect(!peer.received.contains(Array("secret".utf8)))
        #expect(!peer.received.contains(Array("addButtonTapped".utf8)))
      }
    }

    @Test
    func `Another user with a client's routing id does not act as that client`() async throws {
      try await run { world in
        _ = try await world.startDaemon()
        let watcher = try await world.watch("counter")
        let hello = ClientMessage.rawHello(1)
        let join = ClientMessage.rawJoin(["counter"], mode: .sendOnly)
        let honest = try await peer(
          world,
          as: OtherUsers.ann,
          [hello, join, increments(1)].map { $0.encoded() },
          routingID: "mine",
        )
        try await watcher.output.state("the client's action") { $0["count"] == 1 }
        honest.hangUp()
        try await honest.closed()
        // The daemon accepts the same id again only after it has noticed the end of the honest
        // peer.
        let second = increments(1, first: 2)
        var impostors: [RawPeer] = []
        while try await world.counter("malformed") == 0 {
          try #require(impostors.count < 100, "no impostor was heard")
          let frames = [second.encoded(), Self.garbage]
          impostors.append(
            try await peer(world, as: OtherUsers.bob, frames, routingID: "mine")
          )
          try await impostors.last?.ready()
        }
        #expect(try await world.get("counter")["count"] == 1)
        // The client id of another user does not help either.
        let frames = [hello, join, second].map { $0.encoded() }
        let thief = try await peer(world, as: OtherUsers.bob, frames)
        try await thief.hears("unauthorised")
        #expect(try await world.get("counter")["count"] == 1)
        // The honest peer returns with another id, as libraries choose them, and its action runs.
        let back = try await peer(world, as: OtherUsers.ann, frames)
        try await watcher.output.state("its next action") { $0["count"] == 2 }
        #expect(!back.isOver)
      }
    }

    @Test
    func `More actions and hellos a second than a user may send are refused, and others' are not`()
      async throws
    {
      try await run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let limits = Limits()
        let per = limits.actionsPerFrame
        let frames = stride(from: 1, through: 4 * limits.actionsPerSecond, by: per).map {
          increments(per, first: UInt64($0)).encoded()
        }
        let join = ClientMessage.rawJoin(["counter"], mode: .sendOnly)
        let greedy = try await peer(
          world,
          as: OtherUsers.ann,
          [ClientMessage.rawHello(1).encoded(), join.encoded()] + frames,
        )
        try await greedy.hears(Outcome.overloaded)
        let action = #""incrementButtonTapped""#
        let sent = try await world.client(as: OtherUsers.bob, "send", "counter", action, action)
        #expect(sent.isSuccess && sent.output.count == 2)
        #expect(try await world.counter("actionsThrottled") > 0)
        // A peer that sends hello repeatedly gets no answer; another user does.
        let hellos = (0..<UInt64(4 * limits.hellosPerSecond)).map {
          ClientMessage.rawHello(100 + $0, isListed: false).encoded()
        }
        let pushing = try await peer(world, as: OtherUsers.ann, hellos)
        try await pushing.ready()
        var looks = 0
        while try await world.counter("hellosThrottled") == 0 {
          looks += 1
          try #require(looks < 500)
        }
        withExtendedLifetime(pushing) {}
        #expect(try await world.client(as: OtherUsers.bob, "get", "counter").isSuccess)
        #expect(try await world.get("counter")["count"] != 0)
      }
    }

    @Test
    func `Peers that connect, greet and leave as fast as possible keep no other peer out`()
      async throws
    {
      try await run { world in
        let long = ["--lease-ms", "60000", "--grace-ms", "2000"]
        let daemon = try await world.startDaemon(.stored, long)
        // More than the limit of one user; those without an answer are closed.
        var peers: [RawPeer] = []
        while try await world.counter("refusedSessions") == 0 {
          try #require(peers.count < 16 * Limits().sessionsPerUser)
          for _ in 0..<32 {
            let number = UInt64(peers.count)
            let hello = ClientMessage.rawHello(number, isListed: false).encoded()
            peers.append(try await peer(world, as: OtherUsers.ann, [hello]))
            try await peers.last?.ready()
          }
          // No faster than her hellos are admitted: her connections are limited, too.
          let time = 1_000 * peers.count / Limits().hellosPerSecond
          while try await world.answer("--json", "status")["uptimeMs"]?.int ?? 0 < time {}
        }
        #expect(try await world.get("counter")["count"] == 0)
        #expect(try await world.client(as: OtherUsers.bob, "get", "counter").isSuccess)
        // She is admitted again after they have gone, long before the lease ends.
        for peer in peers { peer.hangUp() }
        let clock = ContinuousClock()
        let end = clock.now + .seconds(30) * TestPatience.factor
        while try await !world.client(as: OtherUsers.ann, "get", "counter").isSuccess {
          #expect(clock.now < end)
        }
        #expect(daemon.isRunning)
      }
    }

    @Test
    func `The owner reads the past beside another user's 64 questions for it`() async throws {
      try await run { world in
        _ = try await world.startDaemon()
        let bench = ["--json", "bench", "latency", "--yes", "--count", "3000"]
        #expect(try await world.client(bench, within: .seconds(120)).isSuccess)
        let query = HistoryQuery.log(after: 0, count: 1_000, scope: "counter", client: nil)
        let questions = (1...4 as ClosedRange<UInt64>).flatMap { request in
          ZMTP.longMessage(ClientMessage.history(request: request, query).encoded())
        }
        var peers: [RawPeer] = []
        for number in 0..<16 as Range<UInt64> {
          let hello = ClientMessage.rawHello(number, isListed: false).encoded()
          peers.append(try await peer(world, as: OtherUsers.ann, [hello]))
          _ = try await peers.last?.hearsMessages("a greeting") { $0.token }
        }
        let commands = [["log", "-n", "5"], ["at", "1", "get", "counter"], ["verify"]]
        let clock = ContinuousClock()
        var asked: ContinuousClock.Instant?
        for _ in 0..<8 {
          for command in commands {
            // At a rate at which the connections stay open.
            if asked.map({ $0.duration(to: clock.now) > .milliseconds(500) }) ?? true {
              #expect(peers.allSatisfy { $0.send(questions) })
              asked = clock.now
            }
            let run = try await world.client(command)
            #expect(run.isSuccess, "\(command): \(run.errorText)")
          }
        }
        // They exceeded the limit.
        #expect(peers.contains { $0.received.contains(Array("unavailable".utf8)) })
      }
    }

    @Test
    func `A grant to a group holds for all programs that run in it`() async throws {
      try await World.run(in: "/tmp/") { world in
        let group = OtherUsers.bob
        try world.write(grants: "group:\(group) counter see\nuser:\(OtherUsers.ann) todos see\n")
        _ = try await world.startDaemon()
        let user = OtherUsers.stranger
        let scopes = try await world.client(as: user, group: group, "scopes")
        #expect(scopes.output.count == 1 && scopes.output[0].contains("counter"))
        #expect(try await world.client(as: user, group: group, "get", "counter").isSuccess)
        #expect(try await !world.client(as: user, group: group, "get", "todos").isSuccess)
        let send = try await world.client(
          as: user,
          group: group,
          "send",
          "counter",
          #""incrementButtonTapped""#,
        )
        #expect(!send.isSuccess && send.errorText.contains("counter"), "\(send.errorText)")
        #expect(try await world.get("counter")["count"] == 0)
        #expect(try await !world.client(as: user, "get", "counter").isSuccess)
        // Lines add up.
        let both = try await world.client(as: OtherUsers.ann, group: group, "scopes")
        #expect(both.output.count == 2)
      }
    }
  }
}
#endif
