import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreProtocol
@testable import StoreServer

/// Connections of the publishing socket at the daemon: docs/PROTOCOL.md §6, §13.
@MainActor
@Suite struct SubscriberTests {
  private nonisolated static func topic(_ number: Int) -> [UInt8] {
    [0x12] + [UInt8](repeating: 0, count: 14) + [UInt8(number >> 8), UInt8(number & 255)]
  }

  @Test(
    "An invalid topic ends the connection that subscribes to it",
    arguments: [
      [], [0x12], Array(topic(1).dropLast()), topic(1) + [0], [0x13] + topic(1).dropFirst(),
    ] as [[UInt8]],
  )
  func noTopic(_ topic: [UInt8]) throws {
    let bench = ServerBench()
    bench.receive(upstream: [1] + topic)
    bench.receive(upstream: [1] + topic)
    try bench.endTurn()
    #expect(bench.cuts.map(\.peer) == [ServerBench.publisher(1)])
    #expect(bench.server.counters.cutSubscribers == 1)
  }

  @Test("A connection may subscribe to its limit of topics, and not to one more")
  func manyTopics() throws {
    let bench = ServerBench()
    for number in 0..<16 { bench.receive(upstream: [1] + Self.topic(number)) }
    bench.receive(upstream: [1] + Self.topic(0))
    // Leaving a topic without a subscription makes no room.
    bench.receive(upstream: [0] + Self.topic(2000))
    bench.receive(upstream: [0] + Self.topic(1))
    bench.receive(upstream: [1] + Self.topic(16))
    try bench.endTurn()
    #expect(bench.cuts.isEmpty)
    bench.receive(upstream: [1] + Self.topic(17))
    try bench.endTurn()
    #expect(bench.cuts.count == 1)
  }

  @Test("A connection that subscribes has to be a session's within three seconds")
  func stranger() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    bench.receive(upstream: [1] + hello.privateTopic.bytes)
    bench.receive(upstream: [1] + hello.privateTopic.bytes, from: 2)
    try bench.advance(by: .milliseconds(2_900))
    bench.receive(upstream: Fence(token: hello.token, nonce: 1).encoded())
    #expect(bench.server.nextDeadline == bench.now.instant.advanced(by: .milliseconds(100)))
    try bench.advance(by: .milliseconds(200))
    #expect(bench.cuts.map(\.peer) == [ServerBench.publisher(2)])
    // After the end of its session it has the same time to join another session.
    bench.receive(.bye, from: 1)
    try bench.advance(by: .seconds(2))
    #expect(bench.cuts.count == 1)
    try bench.advance(by: .seconds(2))
    #expect(bench.cuts.map(\.peer).last == ServerBench.publisher(1))
  }

  @Test func `A connection without a session ends in time, with any subscriptions`() throws {
    let bench = ServerBench()
    for peer: UInt8 in [1, 2] { bench.receive(upstream: [1] + Self.topic(1), from: peer) }
    bench.receive(upstream: [0] + Self.topic(1), from: 2)
    try bench.advance(by: .milliseconds(2_900))
    bench.receive(upstream: [0] + Self.topic(1))
    bench.receive(upstream: [1] + Self.topic(1))
    #expect(bench.cuts.isEmpty)
    #expect(bench.server.nextDeadline == bench.now.instant.advanced(by: .milliseconds(100)))
    try bench.advance(by: .milliseconds(200))
    #expect(bench.cuts.map(\.peer) == [ServerBench.publisher(1), ServerBench.publisher(2)])
  }

  @Test(
    "§6: a connection that sends other frames and never subscribes ends as well",
    arguments: [
      [], [7], [0], [0] + topic(1), [2, 0xff],
      Fence(token: MessageSamples.identifier(9), nonce: 1).encoded(),
    ] as [[UInt8]],
  )
  func anything(_ frame: [UInt8]) throws {
    let bench = ServerBench()
    bench.receive(upstream: frame)
    try bench.advance(by: .milliseconds(2_900))
    #expect(bench.cuts.isEmpty)
    #expect(bench.server.nextDeadline == bench.now.instant.advanced(by: .milliseconds(100)))
    // A repetition gains no time.
    bench.receive(upstream: frame)
    try bench.advance(by: .milliseconds(200))
    #expect(bench.cuts.map(\.peer) == [ServerBench.publisher(1)])
  }

  @Test("A subscriber that does not read is cut off; one whose pings report progress is not")
  func lag() throws {
    var limits = Limits()
    limits.lagBytes = 100
    let bench = ServerBench(limits: limits)
    for client: UInt8 in [1, 2] {
      let hello = try bench.hello(client)
      let joined = try bench.join(client, hello, nonce: 1, [.follow("counter")])
      bench.receive(upstream: [1] + joined.topic.bytes, from: client)
    }
    for sequence: UInt64 in 1...30 {
      _ = try bench.act(1, sequence: sequence, .incrementButtonTapped)
      bench.receive(.ping(number: sequence, revision: bench.root.revision), from: 1)
      try bench.endTurn()
      _ = bench.take(1)
    }
    #expect(bench.cuts.isEmpty)
    try bench.advance(by: .seconds(1))
    #expect(bench.cuts.map(\.peer) == [ServerBench.publisher(2)])
  }

  @Test("A subscriber with a very large backlog is cut off at once")
  func greatLag() throws {
    var limits = Limits()
    limits.lagBytes = 100
    limits.mostLagBytes = 500
    let bench = ServerBench(limits: limits)
    let hello = try bench.hello(1)
    let joined = try bench.join(1, hello, nonce: 1, [.follow("counter")])
    bench.receive(upstream: [1] + joined.topic.bytes)
    for sequence: UInt64 in 1...100 {
      _ = try bench.act(1, sequence: sequence, .incrementButtonTapped)
    }
    #expect(bench.cuts.map(\.peer) == [ServerBench.publisher(1)])
  }

  @Test("A subscriber with a large backlog that makes progress is not cut off")
  func slowReader() throws {
    var limits = Limits()
    limits.lagBytes = 100
    let bench = ServerBench(limits: limits)
    let hello = try bench.hello(1)
    let joined = try bench.join(1, hello, nonce: 1, [.follow("counter")])
    bench.receive(upstream: [1] + joined.topic.bytes)
    // The server publishes pieces of 64 KiB, whose progress it distinguishes.
    for revision: UInt64 in 1...9 {
      let text = String(repeating: "\(revision)", count: 100_000)
      bench.root.send(.counter(.numberFactResponse(text)))
      bench.receive(.ping(number: revision, revision: revision - 1), from: 1)
      try bench.advance(by: .milliseconds(900))
    }
    #expect(bench.cuts.isEmpty)
  }

  @Test("A subscriber with a short backlog is not cut off")
  func shortLag() throws {
    var limits = Limits()
    limits.lagBytes = 100
    let bench = ServerBench(limits: limits)
    let hello = try bench.hello(1)
    let joined = try bench.join(1, hello, nonce: 1, [.follow("counter")])
    bench.receive(upstream: [1] + joined.topic.bytes)
    for sequence: UInt64 in 1...30 {
      _ = try bench.act(1, sequence: sequence, .incrementButtonTapped)
    }
    bench.receive(.ping(number: 1, revision: bench.root.revision), from: 1)
    try bench.advance(by: .seconds(2))
    #expect(bench.cuts.isEmpty)
  }

  @Test("A follower of one view is cut off if it leaves another subscribed view unread")
  func otherView() throws {
    var limits = Limits()
    limits.lagBytes = 100
    let bench = ServerBench(limits: limits)
    let first = try bench.hello(1)
    let joined = try bench.join(1, first, nonce: 1, [.follow("counter")])
    let second = try bench.hello(2)
    try bench.join(2, second, nonce: 1, [.follow("cards")])
    bench.receive(upstream: [1] + joined.topic.bytes, from: 2)
    for sequence: UInt64 in 1...30 {
      _ = try bench.act(1, sequence: sequence, .incrementButtonTapped)
      for client: UInt8 in [1, 2] {
        bench.receive(.ping(number: sequence, revision: bench.root.revision), from: client)
      }
      try bench.endTurn()
    }
    try bench.advance(by: .seconds(1))
    #expect(bench.cuts.map(\.peer) == [ServerBench.publisher(2)])
  }

  @Test("A join with the greatest nonce leaves no state")
  func lastNonce() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: .max, [.follow("counter")])
    _ = try bench.hello(2)
    _ = try bench.ask(2, nonce: .max, [.follow("counter"), .follow("cards")])
    for client: UInt8 in [1, 2] { bench.receive(.bye, from: client) }
    try bench.endTurn()
    #expect(bench.server.root.exposed.allSatisfy { $0.followedCount == 0 })
  }
}
