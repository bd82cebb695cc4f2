import Foundation
import GenericState
import StoreProtocol
import StoreState
import Testing
import ZeroMQ

extension ProcessTests {
  /// The effects of one client on the others.
  @Suite("Clients beside each other")
  struct NeighborTests {
    private static let increment = #""incrementButtonTapped""#

    @Test("No client ends another's session by subscribing to a topic, or leaving it")
    func leftTopics() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--lease-ms", "60000", "--grace-ms", "1000"])
        let presence = try await world.watch("presence")
        let follower = try Follower(world)
        let rude = [follower.privateTopic, follower.topic].flatMap { topic in
          ([1, 0, 0] as [UInt8]).map { [$0] + topic.bytes }
        }
        let peer = try RawPeer(
          "\(world.directory)/pub",
          as: "XSUB",
          sending: (rude + [Self.garbage]).flatMap { ZMTP.message($0) },
        )
        try await peer.ready()
        while try await world.counter("malformed") == 0 {}
        // A client that leaves then is removed after the grace period.
        try await Self.peers(world, .rawHello(1), count: 1)
        let came = try await presence.output.line("the guest") { $0.contains("guest") }
        try await presence.output.state(from: came.index, "the guest's end") {
          !$0.text().contains("guest")
        }
        #expect(try await world.get("presence").text().contains("follower"))
        try await world.send("counter", Self.increment)
        try follower.awaitMessage(on: follower.topic)
      }
    }

    @Test("A client that only sends hello takes no place from clients that are away")
    func manyClients() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let messages = [
          ClientMessage.rawHello(0), .rawJoin(["counter"], mode: .sendOnly),
          .rawActions("incrementButtonTapped"),
        ]
        let away = try Self.peer(world, messages)
        try await world.watch("counter").output.state("its action") { $0["count"] == 1 }
        away.hangUp()
        try await away.closed()
        // More than the daemon remembers, all on one connection.
        let stranger = try RawSocket(world, .dealer, "ctl")
        for round: UInt64 in 1...170 {
          for number in 1...100 {
            try stranger.send(.rawHello(round << 8 + UInt64(number), isListed: false))
          }
          try stranger.send(.ping(number: round, revision: 0))
          try stranger.firstMessage { message in
            if case .pong(round, _, _) = message { true } else { nil }
          }
        }
        let back = try Self.peer(world, messages + [.bye])
        try await back.ready()
        while try await world.counter("duplicates") == 0 {}
        #expect(try await world.get("counter")["count"] == 1)
      }
    }

    @Test("A join with the greatest nonce leaves no state")
    func lastNonce() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let peer = try RawSocket(world, .dealer, "ctl")
        for message in [.rawHello(1), .rawJoin(nonce: .max, ["counter"])] as [ClientMessage] {
          try peer.send(message)
        }
        try peer.firstMessage { message in
          if case .joined(.max, _, _) = message { true } else { nil }
        }
        try await world.send("counter", Self.increment)
        #expect(try await world.counter("deltas") == 1)
        for message in [.rawJoin(nonce: .max, ["counter", "todos"]), .bye] as [ClientMessage] {
          try peer.send(message)
        }
        try peer.send(.ping(number: 1, revision: 0))
        try peer.firstMessage { if case .needHello = $0 { true } else { nil } }
        try await world.send("counter", Self.increment)
        #expect(try await world.counter("deltas") == 1)
      }
    }

    @Test("Absent rows, and a thousand spellings of one, delay no client")
    func absentRows() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(.stored, ["--lease-ms", "5000"])
        let watcher = try await world.watch("counter", "--deltas")
        let row = UUID().uuidString
        let spellings = (0..<1_000).map { number in
          String(
            row.enumerated().map { place, letter in
              number >> (place % 10) & 1 == 0 ? letter : Character(letter.lowercased())
            }
          )
        }
        let peers = try (0..<8 as Range<UInt64>).map { number in
          let rows = number < 4 ? spellings : spellings.map { _ in UUID().uuidString }
          let join = ClientMessage.rawJoin(nonce: .max - number, rows.map { "todos/items/\($0)" })
          return try Self.peer(world, [.rawHello(number), join])
        }
        for peer in peers { try await peer.ready() }
        let actions = Array(repeating: Self.increment, count: 200)
        let run = try await world.client(["--json", "send", "counter"] + actions)
        #expect(run.isSuccess && run.errors == [])
        _ = try await watcher.output.lines(atLeast: 201)
        #expect(watcher.errors.lines == [])
        #expect(daemon.errors.lines == [])
      }
    }

    @Test("Names that are too long are refused, and take no memory")
    func longNames() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let before = try daemon.residentBytes()
        let name = String(repeating: "x", count: 1_000_000)
        try await Self.peers(world, .rawHello(1, name: name), count: 40)
        #expect(try await world.get("presence")["sessions"]?.items == [])
        #expect(try daemon.residentBytes() - before < 100 << 20)
      }
    }

    // MARK: Helpers

    /// Bytes that are no message on either socket; the daemon counts them.
    private static let garbage: [UInt8] = [0xff]

    private static func peer(_ world: World, _ messages: [ClientMessage]) throws -> RawPeer {
      try RawPeer(
        "\(world.directory)/ctl",
        as: "DEALER",
        sending: messages.flatMap { ZMTP.longMessage($0.encoded()) },
      )
    }

    /// Connects peers that send a message and close.
    private static func peers(_ world: World, _ message: ClientMessage, count: Int) async throws {
      let peers = try (0..<count).map { _ in
        try RawPeer(
          "\(world.directory)/ctl",
          as: "DEALER",
          sending: ZMTP.longMessage(message.encoded()),
          afterwards: .hangsUp,
        )
      }
      for peer in peers { try await peer.closed() }
    }
  }
}

/// A client that follows the counter, as PROTOCOL.md §9 specifies.
private struct Follower {
  let privateTopic: Topic
  let topic: Topic
  private let control: RawSocket
  private let publishing: RawSocket

  init(_ world: World) throws {
    control = try RawSocket(world, .dealer, "ctl")
    publishing = try RawSocket(world, .xsub, "pub")
    for message in [ClientMessage.rawHello(9, name: "follower"), .rawJoin(["counter"])] {
      try control.send(message)
    }
    let ok = try control.firstMessage { if case .helloOK(let ok) = $0 { ok } else { nil } }
    privateTopic = ok.privateTopic
    topic = try control.firstMessage {
      if case .joined(_, let topic, _) = $0 { topic } else { nil }
    }
    for topic in [privateTopic, topic] { try publishing.send([1] + topic.bytes) }
    try publishing.send(Fence(token: ok.token, nonce: 1).encoded())
    try awaitMessage(on: privateTopic)
  }

  /// Waits for a message on a topic.
  func awaitMessage(on topic: Topic) throws {
    try publishing.firstFrame { $0 == topic.bytes ? true : nil }
  }
}
