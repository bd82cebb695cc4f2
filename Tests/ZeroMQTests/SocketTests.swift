import Testing

@testable import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("A socket's life and options", .timeLimit(.minutes(1)))
struct SocketTests {
  @Test("Closing and terminating can be repeated and do not wait")
  func closingTwice() throws {
    let pair = try Pair(.router, .dealer)
    pair.client.close()
    pair.client.close()
    #expect(pair.client.isClosed)
    pair.server.close()
    pair.context.terminate()
    pair.context.terminate()
  }

  @Test("Untaken messages do not keep a context from terminating")
  func terminatingWithUnsent() throws {
    let context = try Context()
    let directory = try TemporaryDirectory()
    let client = try Socket(context, kind: .dealer)
    try client.connect(directory.endpoint("ctl"))
    try client.sendAll([1, 2, 3])
    client.close()
    let spent = ContinuousClock().measure { context.terminate() }
    #expect(spent < patience)
  }

  @Test("Within its linger a closed socket still delivers")
  func linger() throws {
    let pair = try Pair(.router, .dealer, client: .init { $0.linger = patience })
    try pair.client.sendAll([1])
    pair.client.close()
    #expect(try pair.server.nextMessage().last == [1])
  }

  @Test("A socket is closed at the end of its scope, and then its context is terminated")
  func goingOutOfScope() throws {
    weak var context: Context?
    weak var socket: Socket?
    do {
      let pair = try Pair(.router, .dealer)
      context = pair.context
      socket = pair.server
      #expect(socket != nil)
    }
    #expect(socket == nil)
    #expect(context == nil)
  }

  @Test("A context without a free place for a socket reports an error")
  func tooManySockets() throws {
    let context = try Context(maxSockets: 1)
    let first = try Socket(context, kind: .pair)
    let error = #expect(throws: ZeroMQError.self) { try Socket(context, kind: .pair) }
    #expect(error?.code == EMFILE)
    #expect(error?.subject == "a pair socket")
    first.close()
    context.terminate()
  }

  @Test("A context refuses values that the library refuses")
  func badContext() {
    let error = #expect(throws: ZeroMQError.self) { try Context(ioThreads: -1) }
    #expect(error?.description.contains("ioThreads of a ZeroMQ context to -1") == true)
  }

  @Test("The last endpoint has its wildcards resolved")
  func lastEndpoint() throws {
    let socket = try Socket(Context(), kind: .router)
    #expect(try socket.lastEndpoint == "")
    try socket.bind("tcp://127.0.0.1:*")
    let endpoint = try socket.lastEndpoint
    #expect(endpoint.hasPrefix("tcp://127.0.0.1:"))
    #expect(!endpoint.hasSuffix("*"))

    let second = try Socket(socket.context, kind: .router)
    let error = #expect(throws: ZeroMQError.self) { try second.bind(endpoint) }
    #expect(error?.code == EADDRINUSE)
  }

  @Test("A connection can be ended and reopened")
  func disconnecting() throws {
    let pair = try Pair(.router, .dealer)
    try pair.client.disconnect(pair.endpoint)
    #expect(try pair.client.send([1]) == .wouldBlock)
    try pair.client.connect(pair.endpoint)
    #expect(try pair.client.send([2]) == .sent)
    #expect(try pair.server.nextMessage().last == [2])
  }

  @Test("Every option is accepted by a kind of socket that has it")
  func allOptions() throws {
    let context = try Context()
    var common = SocketOptions()
    common.linger = .milliseconds(200)
    common.sendHighWater = 10
    common.receiveHighWater = 20
    common.maxMessageSize = 1 << 20
    common.immediate = true
    common.handshakeInterval = .seconds(3)
    common.reconnectInterval = .milliseconds(50)
    common.reconnectIntervalMaximum = .seconds(5)
    common.backlog = 1024
    common.admissionDomain = "tests"
    common.tcpKeepalive = true
    for kind in [Socket.Kind.router, .dealer, .xpub, .xsub, .pair, .reply] {
      var options = common
      options.routerMandatory = kind == .router ? true : nil
      options.probeRouter = kind == .router || kind == .dealer ? true : nil
      options.xpubVerboser = kind == .xpub ? true : nil
      options.welcomeMessage = kind == .xpub ? [1] : nil
      options.onlyFirstSubscribe = kind == .xpub || kind == .xsub ? true : nil
      let socket = try Socket(context, kind: kind, options: options)
      #expect(!socket.isClosed)
    }
  }

  @Test("An option that the kind of socket does not have is an error that names both")
  func wrongOption() throws {
    let context = try Context()
    let error = #expect(throws: ZeroMQError.self) {
      try Socket(context, kind: .dealer, options: .init { $0.routerMandatory = true })
    }
    #expect(error?.code == EINVAL)
    #expect(error?.subject == "routerMandatory of a dealer socket to 1")
    // The socket that was opened for it has been closed: otherwise this call would trap.
    context.terminate()
  }

  @Test("An option that only some builds know is ignored if it is unknown")
  func optionalOption() throws {
    // A pair socket has no subscriptions and answers EINVAL on every build.
    let socket = try Socket(
      Context(),
      kind: .pair,
      options: .init { $0.onlyFirstSubscribe = true },
    )
    #expect(!socket.isClosed)
  }

  @Test("Terminating a context with open sockets is a programmer's error, not a hang")
  func terminatingTooEarly() async {
    let exit = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent],
    ) {
      let context = try Context()
      let socket = try Socket(context, kind: .pair)
      context.terminate()
      socket.close()
    }
    expectMessage("terminate() with 1 sockets open would wait for ever", of: exit)
  }

  @Test("Using a closed socket is a programmer's error")
  func usingClosed() async {
    let exit = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent],
    ) {
      let socket = try Socket(Context(), kind: .pair)
      socket.close()
      _ = try socket.send([1])
    }
    expectMessage("the pair socket is closed", of: exit)
  }

  @Test(
    "Durations are rounded up to milliseconds that the library can take",
    arguments: [
      (Duration.zero, 0 as Int32), (.nanoseconds(1), 1), (.microseconds(1000), 1),
      (.microseconds(1001), 2),
      (.seconds(3), 3000), (.seconds(-1), 0), (.nanoseconds(-1), 0),
      (.seconds(10_000_000_000), Int32.max),
    ],
  )
  func milliseconds(duration: Duration, expected: Int32) {
    #expect(duration.millisecondsRoundedUp == expected)
  }
}
