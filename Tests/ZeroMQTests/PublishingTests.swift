import Testing

@testable import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("XPUB and XSUB over ipc", .timeLimit(.minutes(1)))
struct PublishingTests {
  private static let welcome: [UInt8] = [0x10, 0xAB, 0xCD]
  private static let topic: [UInt8] = [0x20, 1, 2, 3]

  private static func pair() throws -> Pair {
    try Pair(
      .xpub,
      .xsub,
      server: .init {
        $0.xpubVerboser = true
        $0.welcomeMessage = welcome
        $0.onlyFirstSubscribe = true
      },
      client: .init {
        $0.sendHighWater = 0
        $0.onlyFirstSubscribe = true
        $0.reconnectInterval = .milliseconds(10)
      },
    )
  }

  @Test("A subscriber gets its topic and no other")
  func subscription() throws {
    let pair = try Self.pair()
    try pair.client.subscribe(Self.topic)
    #expect(try pair.server.nextMessage() == [[1] + Self.topic])
    try pair.server.sendAll([0x21], [0])
    try pair.server.sendAll(Self.topic, [7, 8], [9])
    #expect(try pair.client.nextMessage() == [Self.welcome])
    #expect(try pair.client.nextMessage() == [Self.topic, [7, 8], [9]])
    #expect(try pair.client.readyMessage() == nil)
  }

  @Test("An upstream message arrives after earlier subscriptions, with its sender")
  func fence() throws {
    let pair = try Self.pair()
    let topics = (0..<2000).map { Self.topic + [UInt8($0 / 256), UInt8($0 % 256)] }
    for topic in topics { try pair.client.subscribe(topic) }
    let fence: [UInt8] = [2, 42]
    try pair.client.sendAll(fence)
    for topic in topics { try #require(try pair.server.nextMessage() == [[1] + topic]) }

    _ = try Poller([.socket(pair.server)]).wait(timeout: patience)
    var message = Message()
    #expect(try pair.server.receive(into: &message))
    #expect(message.bytes == fence)
    let sender = address(of: message)
    #expect(sender?.hasPrefix("localhost:") == true)
  }

  @Test("Each new connection begins with the welcome message")
  func welcomeOnReconnection() throws {
    let pair = try Self.pair()
    #expect(try pair.client.nextMessage(from: pair.server) == [Self.welcome])
    try pair.client.subscribe(Self.topic)
    #expect(try pair.server.nextMessage() == [[1] + Self.topic])

    pair.server.close()
    let next = try Socket(pair.context, kind: .xpub, options: .init { $0.welcomeMessage = [0x10] })
    try next.bind(pair.endpoint)
    #expect(try pair.client.nextMessage(from: next) == [[0x10]])
    // The library subscribes again by itself.
    #expect(try next.nextMessage() == [[1] + Self.topic])
  }

  @Test("When a subscriber closes, the publisher receives the topics that it leaves")
  func leaving() throws {
    let pair = try Self.pair()
    try pair.client.subscribe(Self.topic)
    #expect(try pair.server.nextMessage() == [[1] + Self.topic])
    pair.client.close()
    #expect(try pair.server.nextMessage() == [[0] + Self.topic])
  }

  @Test("Every subscriber of a topic is reported, not only the first and the last")
  func everySubscriber() throws {
    let pair = try Self.pair()
    let second = try Socket(pair.context, kind: .xsub)
    try second.connect(pair.endpoint)
    for subscriber in [pair.client, second] {
      try subscriber.subscribe(Self.topic)
      #expect(try pair.server.nextMessage() == [[1] + Self.topic])
    }
    for subscriber in [second, pair.client] {
      subscriber.close()
      #expect(try pair.server.nextMessage() == [[0] + Self.topic])
    }
  }

  @Test("The later frames of a message sent upstream do not subscribe")
  func hiddenSubscription() throws {
    let pair = try Self.pair()
    try pair.client.subscribe(Self.topic)
    try pair.client.sendAll([2, 42], [1, 0x21])
    #expect(try pair.server.nextMessage() == [[1] + Self.topic])
    #expect(try pair.server.nextMessage() == [[2, 42], [1, 0x21]])
    try pair.server.sendAll([0x21])
    try pair.server.sendAll(Self.topic)
    #expect(try pair.client.nextMessage() == [Self.welcome])
    #expect(try pair.client.nextMessage() == [Self.topic])
  }

  @Test("One payload reaches many subscribers")
  func fanOut() throws {
    let pair = try Self.pair()
    let second = try Socket(pair.context, kind: .xsub)
    try second.connect(pair.endpoint)
    for subscriber in [pair.client, second] {
      try subscriber.subscribe(Self.topic)
      _ = try pair.server.nextMessage()
      #expect(try subscriber.nextMessage() == [Self.welcome])
    }
    let payload = [UInt8](repeating: 5, count: 10_000)
    #expect(try pair.server.send(Self.topic, more: true) == .sent)
    #expect(try pair.server.send(Message(adopting: payload)) == .sent)
    for subscriber in [pair.client, second] {
      #expect(try subscriber.nextMessage() == [Self.topic, payload])
    }
  }
}
