import StoreActor
import Testing

@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// Sessions at the daemon: docs/PROTOCOL.md §8, §11, §12.
@MainActor
@Suite struct ServerSessionTests {
  @Test("§12: hello of the right version opens a session")
  func hello() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1, first: 5)
    #expect(hello.session == 1)
    #expect(hello.epoch == 7)
    #expect(hello.revision == 0)
    #expect(hello.lastSequence == 4)
    #expect(!hello.isResumed)
    #expect(hello.leaseMilliseconds == 10_000)
    #expect(hello.privateTopic.kind == .session)
  }

  @Test func `§11: a connection whose session is over opens another in time, or ends`() throws {
    let bench = ServerBench()
    for peer: UInt8 in 1...4 { try bench.hello(peer) }
    let resumed = try bench.hello(5)
    bench.receive(.bye, from: 1)
    bench.receive(.bye, from: 2)
    bench.receive(.bye, from: 3)
    // This connection ended by itself, and needs no deadline.
    bench.lose(ServerBench.peer(3))
    // The session of connection 5 continues on another connection.
    _ = try bench.hello(6, client: 5, token: resumed.token)
    try bench.advance(by: .milliseconds(2_900))
    bench.receive(.bye, from: 4)
    try bench.hello(2)
    #expect(bench.cuts.isEmpty)
    #expect(bench.server.nextDeadline == bench.now.instant.advanced(by: .milliseconds(100)))
    try bench.advance(by: .milliseconds(200))
    #expect(bench.cuts.map(\.peer) == [1, 5].map { ServerBench.peer($0) })
    try bench.advance(by: .milliseconds(2_800))
    #expect(bench.cuts.map(\.peer) == [1, 5, 4].map { ServerBench.peer($0) })
    #expect(bench.server.counters.byName.contains { $0 == ("cutSessionless", 3) })
  }

  @Test func `§11: whose lease has ended has as long, and no time is gained by going to and fro`()
    throws
  {
    let bench = ServerBench()
    try bench.hello(1)
    try bench.advance(by: .milliseconds(9_900))
    #expect(bench.cuts.isEmpty)
    try bench.advance(by: .milliseconds(200))
    try bench.advance(by: .milliseconds(2_800))
    #expect(bench.cuts.isEmpty)
    try bench.advance(by: .milliseconds(200))
    #expect(bench.cuts.map(\.peer) == [ServerBench.peer(1)])
    for _ in 0..<1_000 {
      try bench.hello(2)
      bench.receive(.bye, from: 2)
    }
    try bench.advance(by: .milliseconds(3_100))
    #expect(bench.cuts.map(\.peer) == [1, 2].map { ServerBench.peer($0) })
  }

  private func hello(
    _ versions: ClosedRange<UInt64>,
    features: ProtocolFeatures = [],
  ) -> ClientMessage {
    .hello(
      ClientMessage.Hello(
        version: versions.upperBound,
        lowestVersion: versions.lowerBound,
        clientID: ServerBench.clientID(1),
        token: nil,
        firstSequence: 1,
        name: "",
        isListed: true,
        features: features,
      )
    )
  }

  @Test(
    "§12: hello of other versions is refused with the versions of both",
    arguments: [0...0, 2...2, 2...9] as [ClosedRange<UInt64>],
  )
  func otherVersion(_ versions: ClosedRange<UInt64>) throws {
    let bench = ServerBench()
    bench.receive(hello(versions), from: 1)
    try bench.endTurn()
    guard case .refused(code: "version", let message)? = bench.take(1).first else {
      Issue.record("Not refused")
      return
    }
    #expect(message.contains("versions \(versions.lowerBound) to \(versions.upperBound)"))
    #expect(message.contains("1 to 1"))
    #expect(bench.root.state.sessions.isEmpty)
  }

  @Test("§8: the highest common version and the common features are chosen")
  func negotiation() throws {
    let bench = ServerBench()
    bench.receive(hello(0...7, features: ProtocolFeatures(rawValue: .max)), from: 1)
    try bench.endTurn()
    guard case .helloOK(let ok)? = bench.take(1).first else {
      Issue.record("No hello ok")
      return
    }
    #expect(ok.version == 1)
    #expect(ok.features == .known)
    #expect(try bench.hello(2).features == [])
  }

  @Test("§8: a message of an unknown kind is answered, and the session continues")
  func unknownKind() throws {
    let bench = ServerBench()
    try bench.hello(1)
    bench.receive(frame: [0x82, 0x18, 0x2a, 0x61, 0x78], from: 1)
    bench.receive(.ping(number: 5, revision: 0), from: 1)
    try bench.endTurn()
    let messages = bench.take(1)
    guard case .notUnderstood(kind: 42, let text) = messages[0], case .pong = messages[1] else {
      Issue.record("Not answered but \(messages)")
      return
    }
    #expect(text.contains("42"))
    #expect(bench.server.counters.malformed == 0)
    #expect(bench.takeNotices().isEmpty)
  }

  @Test(
    "§12: a peer without a hello is asked for one",
    arguments: [
      ClientMessage.join(nonce: 1, []), .ping(number: 1, revision: 0), .cancel(sequence: 1), .bye,
      .credit(nonce: 1, bytes: 1), .unknown(kind: 99),
    ],
  )
  func needHello(_ message: ClientMessage) throws {
    let bench = ServerBench()
    bench.receive(message, from: 1)
    try bench.endTurn()
    #expect(bench.take(1) == [.needHello])
  }

  @Test("§12: a client with its token continues its session on another connection")
  func resume() throws {
    let bench = ServerBench()
    let first = try bench.hello(1, isListed: true)
    let second = try bench.hello(2, client: 1, token: first.token, isListed: true)
    #expect(second.isResumed)
    #expect(second.session == first.session)
    #expect(second.token == first.token)
    #expect(bench.root.state.sessions == [1])
    bench.receive(.ping(number: 1, revision: 0), from: 1)
    try bench.endTurn()
    #expect(bench.take(1) == [.needHello])
  }

  @Test("§12: another client's token opens no session")
  func foreignToken() throws {
    let bench = ServerBench()
    let first = try bench.hello(1)
    let second = try bench.hello(2, token: first.token)
    #expect(!second.isResumed)
    #expect(second.session == 2)
  }

  @Test("§8: a newer connection of a client without the token replaces its session")
  func replaced() throws {
    let bench = ServerBench()
    let first = try bench.hello(1, isListed: true)
    let second = try bench.hello(2, client: 1, isListed: true)
    #expect(!second.isResumed)
    #expect(second.session != first.session)
    guard case .goodbye(code: "replaced", _)? = bench.take(1).first else {
      Issue.record("The old session was not told")
      return
    }
    #expect(bench.root.state.sessions == [2])
  }

  @Test("§12: a repeated hello on one connection is one session")
  func helloTwice() throws {
    let bench = ServerBench()
    let first = try bench.hello(1, isListed: true)
    let second = try bench.hello(1, isListed: true)
    #expect(second.session == first.session)
    #expect(second.isResumed)
    #expect(bench.root.state.sessions == [1])
  }

  @Test("§13: beyond the limit of sessions hello is refused")
  func tooManySessions() throws {
    var limits = Limits()
    limits.sessions = 1
    let bench = ServerBench(limits: limits)
    try bench.hello(1)
    bench.receive(
      .hello(
        ClientMessage.Hello(
          clientID: ServerBench.clientID(2),
          token: nil,
          firstSequence: 1,
          name: "",
          isListed: false,
        )
      ),
      from: 2,
    )
    try bench.endTurn()
    guard case .refused(code: "overloaded", _)? = bench.take(2).first else {
      Issue.record("Not refused")
      return
    }
  }

  @Test("§11: silence until the lease ends ends the session; any frame renews it")
  func lease() throws {
    let bench = ServerBench()
    try bench.hello(1, isListed: true)
    try bench.hello(2)
    try bench.advance(by: .seconds(9))
    bench.receive(.ping(number: 1, revision: 0), from: 2)
    try bench.endTurn()
    _ = bench.take(2)
    try bench.advance(by: .seconds(2))
    guard case .goodbye(code: "leaseEnded", _)? = bench.take(1).first else {
      Issue.record("The session was not ended")
      return
    }
    #expect(bench.take(2).isEmpty)
    #expect(bench.root.state.sessions.isEmpty)
    #expect(bench.server.counters.leasesEnded == 1)
    bench.receive(.ping(number: 2, revision: 0), from: 1)
    try bench.endTurn()
    #expect(bench.take(1) == [.needHello])
  }

  @Test("§11: the server requests a wake-up when a lease ends")
  func deadline() throws {
    let bench = ServerBench()
    #expect(bench.server.nextDeadline == nil)
    try bench.hello(1)
    #expect(bench.server.nextDeadline == bench.now.instant.advanced(by: .seconds(10)))
  }

  @Test("§11: after the loss of a connection the grace period remains", arguments: [true, false])
  func grace(isControl: Bool) throws {
    let bench = ServerBench()
    let hello = try bench.hello(1, isListed: true)
    bench.receive(upstream: Fence(token: hello.token, nonce: 1).encoded())
    bench.lose(isControl ? ServerBench.peer(1) : ServerBench.publisher(1))
    try bench.advance(by: .milliseconds(1_900))
    #expect(bench.root.state.sessions == [1])
    try bench.advance(by: .milliseconds(200))
    #expect(bench.root.state.sessions.isEmpty)
  }

  @Test("§11: a client that returns within the grace period continues its session")
  func backInTime() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1, isListed: true)
    bench.lose(ServerBench.peer(1))
    try bench.advance(by: .seconds(1))
    #expect(try bench.hello(2, client: 1, token: hello.token).isResumed)
    try bench.advance(by: .seconds(9))
    #expect(bench.root.state.sessions == [1])
  }

  @Test("§11: the late loss of an old connection does not affect a client that returned")
  func lateMiss() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1, isListed: true)
    bench.receive(upstream: Fence(token: hello.token, nonce: 1).encoded())
    #expect(try bench.hello(2, client: 1, token: hello.token, isListed: true).isResumed)
    bench.receive(upstream: Fence(token: hello.token, nonce: 2).encoded(), from: 2)
    bench.lose(ServerBench.peer(1))
    bench.lose(ServerBench.publisher(1))
    try bench.advance(by: .seconds(9))
    #expect(bench.root.state.sessions == [1])
  }

  @Test("§11: topics that others subscribe to, and leave, do not affect a session")
  func foreignUnsubscription() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1, isListed: true)
    bench.receive(upstream: [1] + hello.privateTopic.bytes)
    bench.receive(upstream: Fence(token: hello.token, nonce: 1).encoded())
    bench.receive(upstream: [1] + hello.privateTopic.bytes, from: 2)
    bench.receive(upstream: [0] + hello.privateTopic.bytes, from: 2)
    bench.lose(ServerBench.publisher(2))
    try bench.advance(by: .seconds(9))
    #expect(bench.root.state.sessions == [1])
  }

  @Test("§13: at the limit, sessions that lost a connection make room")
  func roomOfTheLost() throws {
    var limits = Limits()
    limits.sessions = 2
    let bench = ServerBench(limits: limits)
    try bench.hello(1, isListed: true)
    try bench.hello(2, isListed: true)
    bench.lose(ServerBench.peer(1))
    try bench.hello(3, isListed: true)
    #expect(bench.root.state.sessions == [2, 3])
  }

  @Test(
    "§13: a client whose name is too long, or could forge output, is refused",
    arguments: [String(repeating: "ä", count: 33), "a\nb", "a\u{9b}31m", "\u{202e}a"],
  )
  func names(_ name: String) throws {
    let bench = ServerBench()
    let hello = ClientMessage.Hello(
      clientID: ServerBench.clientID(1),
      token: nil,
      firstSequence: 1,
      name: name,
      isListed: true,
    )
    bench.receive(.hello(hello), from: 1)
    try bench.endTurn()
    guard case .refused(code: "badName", _)? = bench.take(1).first else {
      Issue.record("Not refused")
      return
    }
    #expect(bench.root.state.sessions.isEmpty)
  }

  @Test("§12: bye ends the session at once, without an answer")
  func bye() throws {
    let bench = ServerBench()
    try bench.hello(1, isListed: true)
    bench.receive(.bye, from: 1)
    try bench.endTurn()
    #expect(bench.take(1).isEmpty)
    #expect(bench.root.state.sessions.isEmpty)
  }

  @Test("§12: the list of sessions gains and loses each session once, each in one action")
  func presence() throws {
    let bench = ServerBench()
    try bench.hello(1, isListed: true)
    try bench.hello(2, isListed: false)
    try bench.hello(3, isListed: true)
    #expect(bench.root.state.sessions == [1, 3])
    #expect(bench.root.revision == 2)
    bench.receive(.bye, from: 1)
    bench.receive(.bye, from: 1)
    try bench.advance(by: .seconds(20))
    #expect(bench.root.state.sessions.isEmpty)
    #expect(bench.root.revision == 4)
  }

  @Test("§8: a daemon that stops sends goodbye to each session")
  func shutDown() throws {
    let bench = ServerBench()
    try bench.hello(1)
    try bench.hello(2)
    bench.turn.stop()
    try bench.endTurn()
    for peer: UInt8 in [1, 2] {
      guard case .goodbye(code: "goingDown", _)? = bench.take(peer).first else {
        Issue.record("\(peer) was not told")
        return
      }
    }
    let ends = bench.audit.filter { $0.text == "A session ends." }
    #expect(ends.map { $0.details["session"] } == ["1", "2"])
    #expect(ends.allSatisfy { $0.details["reason"] == "goingDown" })
  }

  @Test func `A session that has ended is not told to end again when the daemon stops`() throws {
    let bench = ServerBench()
    try bench.hello(1)
    bench.receive(.bye, from: 1)
    bench.turn.stop()
    try bench.endTurn()
    let ends = bench.audit.filter { $0.text == "A session ends." }
    #expect(ends.map { $0.details["reason"] } == ["left"])
  }

  @Test("The audit lists sessions and refusals in order")
  func audit() throws {
    var limits = Limits()
    limits.sessions = 1
    let bench = ServerBench(limits: limits)
    let hello = try bench.hello(1)
    try bench.hello(2, client: 1, token: hello.token)
    bench.receive(self.hello(9...9), from: 3)
    let other = ClientMessage.Hello(
      clientID: ServerBench.clientID(2),
      token: nil,
      firstSequence: 1,
      name: "",
      isListed: false,
    )
    bench.receive(.hello(other), from: 3)
    bench.receive(.bye, from: 2)
    try bench.endTurn()
    let words = bench.audit.map { "\($0.text) \($0.details["reason"] ?? "")" }
    #expect(
      words == [
        "A session begins. ", "A session resumes. ", "A client is refused. version",
        "A client is refused. overloaded", "A session ends. left",
      ]
    )
    #expect(bench.audit.first?.details["session"] == "1")
    #expect(bench.server.counters.byName.contains { $0 == ("refusedHellos", 2) })
    #expect(bench.server.counters.refusedSessions == 1)
  }
}

/// Queues of peers that are full: docs/PROTOCOL.md §11, §13.
@MainActor
@Suite struct FullQueueTests {
  private static let peer = ServerBench.peer(1)

  private func pongs(_ messages: [DaemonMessage]) -> [UInt64] {
    messages.compactMap { if case .pong(let number, _, _) = $0 { number } else { nil } }
  }

  @Test(
    "Messages that exceed a peer's queue are sent when there is room, in order, and only those"
  )
  func held() throws {
    let bench = ServerBench()
    try bench.hello(1)
    try bench.hello(2)
    bench.full = [Self.peer]
    for number: UInt64 in 1...3 {
      bench.receive(.ping(number: number, revision: 0), from: 1)
      bench.receive(.ping(number: number, revision: 0), from: 2)
      try bench.endTurn()
    }
    #expect(bench.take(1).isEmpty)
    #expect(pongs(bench.take(2)) == [1, 2, 3])
    #expect(bench.server.nextDeadline == bench.now.instant.advanced(by: .milliseconds(5)))
    bench.full = []
    // A message that arrives before the next attempt is queued after the held ones.
    bench.receive(.ping(number: 4, revision: 0), from: 1)
    try bench.endTurn()
    #expect(bench.take(1).isEmpty)
    try bench.advance(by: .milliseconds(5))
    #expect(pongs(bench.take(1)) == [1, 2, 3, 4])
    bench.receive(.ping(number: 5, revision: 0), from: 1)
    try bench.endTurn()
    #expect(pongs(bench.take(1)) == [5])
    #expect(bench.cuts.isEmpty)
  }

  @Test("A client whose lease ends while messages are held for it is shut down")
  func silent() throws {
    let bench = ServerBench()
    try bench.hello(1)
    bench.full = [Self.peer]
    bench.receive(.ping(number: 1, revision: 0), from: 1)
    try bench.endTurn()
    try bench.advance(by: bench.server.timing.lease)
    #expect(bench.cuts.map(\.peer) == [Self.peer])
    #expect(bench.server.counters.leasesEnded == 1)
    #expect(!bench.server.outbox.holds(for: Self.peer))
    bench.lose(Self.peer)
    #expect(bench.server.nextDeadline == nil)
  }

  @Test("Captures also wait for room, and their pieces stay in order")
  func captures() throws {
    var limits = Limits()
    limits.chunkBytes = 100
    let bench = ServerBench(limits: limits)
    let wire = try BenchClient(bench)
    bench.full = [wire.peer]
    let opened = try wire.follow("cards", IdentifiedArrayOf<Deck.Card>.self)
    bench.root.send(.counter(.filled(bytes: 3_000)))
    let counter = try wire.follow("counter", Deck.Counter.self)
    #expect(opened.replica.shown == nil)
    bench.full = []
    try wire.advance(by: .milliseconds(5))
    #expect(opened.replica.shown == bench.root.state.cards)
    #expect(counter.replica.shown == bench.root.state.counter)
    #expect(wire.client.malformed == 0 && wire.client.resyncs == 0)
  }

  @Test("A peer whose held messages would exceed the limit is ended without a goodbye")
  func blocked() throws {
    var limits = Limits()
    limits.heldBytes = 500
    let bench = ServerBench(limits: limits)
    try bench.hello(1, isListed: true)
    bench.full = [Self.peer]
    var sent: UInt64 = 0
    while bench.cuts.isEmpty, sent < 100 {
      sent += 1
      bench.receive(.ping(number: sent, revision: 0), from: 1)
      try bench.endTurn()
    }
    #expect((5...8).contains(sent))
    #expect(bench.cuts.map(\.peer) == [Self.peer])
    #expect(bench.server.counters.blockedPeers == 1)
    #expect(bench.root.state.sessions.isEmpty)
    #expect(bench.takeNotices().count == 1)
    // No message of it is held.
    bench.full = []
    try bench.advance(by: .seconds(1))
    #expect(bench.take(1).isEmpty)
    #expect(!bench.server.outbox.holds(for: Self.peer))
  }

  @Test("At the limit of all held bytes the peer with the largest backlog is ended")
  func together() throws {
    var limits = Limits()
    limits.allHeldBytes = 2_000
    let bench = ServerBench(limits: limits)
    for peer in 1...3 as ClosedRange<UInt8> { try bench.hello(peer) }
    bench.full = Set((1...3).map { ServerBench.peer($0) })
    for number: UInt64 in 1...6 {
      bench.receive(.ping(number: number, revision: 0), from: 1)
      bench.receive(.ping(number: number, revision: 0), from: 2)
      for _ in 0..<3 { bench.receive(.ping(number: number, revision: 0), from: 3) }
      try bench.endTurn()
    }
    #expect(bench.cuts.map(\.peer) == [ServerBench.peer(3)])
    bench.full = []
    try bench.advance(by: .milliseconds(5))
    #expect(pongs(bench.take(1)) == [1, 2, 3, 4, 5, 6])
    #expect(pongs(bench.take(2)) == [1, 2, 3, 4, 5, 6])
  }

  @Test("No message is held for a connection that has ended")
  func lost() throws {
    let bench = ServerBench()
    try bench.hello(1)
    bench.full = [Self.peer]
    bench.receive(.ping(number: 1, revision: 0), from: 1)
    try bench.endTurn()
    bench.lose(Self.peer)
    try bench.endTurn()
    #expect(!bench.server.outbox.holds(for: Self.peer))
  }

  @Test("Goodbye follows the held messages, if there is room in time")
  func goodbye() throws {
    let bench = ServerBench()
    try bench.hello(1)
    bench.full = [Self.peer]
    bench.receive(.ping(number: 1, revision: 0), from: 1)
    try bench.endTurn()
    bench.turn.stop()
    bench.turn.end()
    #expect(bench.take(1).isEmpty)
    #expect(bench.turn.nextDeadline == bench.now.instant.advanced(by: .milliseconds(5)))
    bench.full = []
    bench.clock.advance(by: .milliseconds(5))
    bench.turn.end()
    let messages = bench.take(1)
    #expect(messages.count == 2)
    guard case .goodbye(code: "goingDown", _)? = messages.last else {
      Issue.record("\(messages)")
      return
    }
  }

  @Test("After a peer is marked for shutdown no further message of it is processed")
  func cut() throws {
    var limits = Limits()
    limits.questionsPerSecond = 1
    let bench = ServerBench(limits: limits)
    for request in 1...4 as ClosedRange<UInt64> {
      bench.receive(.describe(request: request), from: 1)
    }
    bench.receive(
      .hello(
        ClientMessage.Hello(
          clientID: ServerBench.clientID(1),
          token: nil,
          firstSequence: 1,
          name: "late",
          isListed: true,
        )
      ),
      from: 1,
    )
    try bench.endTurn()
    #expect(bench.take(1).count == 1)
    #expect(bench.cuts.count == 1)
    #expect(bench.server.sessions.all.isEmpty)
  }
}
