import Testing

@testable import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Router and dealer over ipc", .timeLimit(.minutes(1)))
struct RouterDealerTests {
  @Test("A request reaches the router and the reply returns, frame by frame")
  func roundTrip() throws {
    let pair = try Pair(.router, .dealer)
    try pair.client.sendAll([1, 2, 3], [], [4])
    let request = try pair.server.nextMessage()
    #expect(request.count == 4)
    #expect(Array(request.dropFirst()) == [[1, 2, 3], [], [4]])

    try pair.server.sendAll(request[0], [5], [6, 7])
    #expect(try pair.client.nextMessage() == [[5], [6, 7]])
  }

  @Test("All forms of sending arrive alike")
  func formsOfSending() throws {
    let pair = try Pair(.pair, .pair)
    let bytes: [UInt8] = [9, 8, 7]
    var kept = Message(copying: bytes)
    #expect(try pair.client.send(bytes) == .sent)
    #expect(try bytes.withUnsafeBytes { try pair.client.send($0) } == .sent)
    #expect(try pair.client.send(Message(copying: bytes)) == .sent)
    #expect(try pair.client.send(from: &kept) == .sent)
    #expect(kept.isEmpty == true)
    for _ in 0..<4 { #expect(try pair.server.nextMessage() == [bytes]) }
  }

  @Test("Receiving from an empty socket returns false")
  func nothingToReceive() throws {
    let pair = try Pair(.router, .dealer)
    var message = Message(copying: [1])
    #expect(try pair.client.receive(into: &message) == false)
    let isNil = try pair.client.receive() == nil
    #expect(isNil)
  }

  @Test("The payload frame has the sender's identity from the kernel")
  func peerAddress() throws {
    let pair = try Pair(.router, .dealer)
    try pair.client.sendAll([1])
    _ = try Poller([.socket(pair.server)]).wait(timeout: patience)
    var message = Message()
    #expect(try pair.server.receive(into: &message))
    #expect(message.more == true)
    #expect(try pair.server.receive(into: &message))
    #expect(message.more == false)
    #expect(address(of: message) == "localhost:\(getuid()):\(getgid()):\(getpid())")
    #expect(message.property("Socket-Type") == "DEALER")
    #expect(message.property("No-Such-Property") == nil)
  }

  @Test("A mandatory router reports an unknown routing id, and keeps the frame")
  func unroutable() throws {
    let pair = try Pair(.router, .dealer, server: .init { $0.routerMandatory = true })
    #expect(try pair.server.send([0, 1, 2, 3, 4], more: true) == .unroutable)
    var message = Message(copying: [0, 1, 2, 3, 4])
    #expect(try pair.server.send(from: &message, more: true) == .unroutable)
    #expect(message.bytes == [0, 1, 2, 3, 4])

    // The refused frames have no effect on a later message.
    try pair.client.sendAll([1])
    let request = try pair.server.nextMessage()
    try pair.server.sendAll(request[0], [2])
    #expect(try pair.client.nextMessage() == [[2]])
  }

  @Test("A mandatory router reports a peer that does not keep up")
  func slowPeer() throws {
    let pair = try Pair(
      .router,
      .dealer,
      server: .init {
        $0.routerMandatory = true
        $0.sendHighWater = 2
      },
      client: .init { $0.receiveHighWater = 2 },
    )
    try pair.client.sendAll([1])
    let identity = try pair.server.nextMessage()[0]
    let payload = [UInt8](repeating: 1, count: 100_000)
    var results: Set<SendResult> = []
    for _ in 0..<1000 where !results.contains(.wouldBlock) {
      let result = try pair.server.send(identity, more: true)
      results.insert(result)
      if result == .sent { _ = try pair.server.send(payload) }
    }
    #expect(results == [.sent, .wouldBlock])
  }

  @Test("With immediate, a message for an absent daemon stays with the sender")
  func immediate() throws {
    let directory = try TemporaryDirectory()
    let context = try Context()
    let endpoint = directory.endpoint("ctl")
    let client = try Socket(
      context,
      kind: .dealer,
      options: .init {
        $0.immediate = true
        $0.reconnectInterval = .milliseconds(10)
      },
    )
    try client.connect(endpoint)
    var message = Message(copying: [1, 2, 3])
    #expect(try client.send(from: &message) == .wouldBlock)
    #expect(message.bytes == [1, 2, 3])
    #expect(!(try client.events.contains(.writable)))

    let server = try Socket(context, kind: .router)
    try server.bind(endpoint)
    let ready = try Poller([.socket(client, .writable)]).wait(timeout: patience)
    try #require(ready == 1)
    #expect(try client.send(from: &message) == .sent)
    #expect(try server.nextMessage().last == [1, 2, 3])
  }

  @Test("A probing router greets each new connection with an empty message")
  func probe() throws {
    let pair = try Pair(.router, .dealer, server: .init { $0.probeRouter = true })
    #expect(try pair.client.nextMessage(from: pair.server) == [[]])
  }

  @Test("A frame longer than the limit cuts its sender off")
  func tooLongFrame() throws {
    let pair = try Pair(
      .router,
      .dealer,
      server: .init { $0.maxMessageSize = 1000 },
      client: .init { $0.reconnectInterval = .seconds(60) },
    )
    try pair.client.sendAll([UInt8](repeating: 0, count: 1000))
    #expect(try pair.server.nextMessage().last?.count == 1000)
    try pair.client.sendAll([UInt8](repeating: 0, count: 1001))
    try pair.client.sendAll([1])
    #expect(try Poller([.socket(pair.server)]).wait(timeout: shortWait) == 0)
  }
}
