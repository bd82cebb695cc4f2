import Testing
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Admission and monitoring", .timeLimit(.minutes(1)))
struct AdmissionTests {
  @Test("Each frame of an admitted peer has the name of its admission")
  func admitted() throws {
    let door = try Door(.router)
    let client = try door.connect(.dealer)
    let request = try #require(try door.request())
    #expect(request.address == "localhost:\(getuid()):\(getgid()):\(getpid())")
    try door.admission.accept(request, as: "4711")
    try client.sendAll([1])
    try client.sendAll([2])
    for _ in 0..<2 {
      _ = try Poller([.socket(door.server)]).wait(timeout: patience)
      var message = Message()
      while try door.server.receive(into: &message), message.more {}
      let number = message.number("User-Id")
      #expect(number == 4711)
      let descriptor = message.descriptor()
      #expect(descriptor == door.accepted)
    }
  }

  @Test("A refused peer's messages do not arrive")
  func refused() throws {
    let door = try Door(.router)
    let client = try door.connect(.dealer)
    try client.sendAll([1])
    try door.admission.refuse(try #require(try door.request()))
    #expect(try Poller([.socket(door.server)]).wait(timeout: shortWait) == 0)
  }

  @Test("A subscriber's upstream messages have its name")
  func upstream() throws {
    let door = try Door(.xpub)
    let client = try door.connect(.xsub)
    try door.admission.accept(try #require(try door.request()), as: "12")
    try client.subscribe([7])
    try client.sendAll([2, 3])
    for bytes: [UInt8] in [[1, 7], [2, 3]] {
      _ = try Poller([.socket(door.server)]).wait(timeout: patience)
      var message = Message()
      #expect(try door.server.receive(into: &message))
      #expect(message.bytes == bytes)
      let number = message.number("User-Id")
      #expect(number == 12)
    }
  }

  @Test("A connecting socket reports the acceptance and the end of its connection")
  func connecting() throws {
    let directory = try TemporaryDirectory()
    let (context, other) = (try Context(), try Context())
    let server = try Socket(other, kind: .router)
    try server.bind(directory.endpoint("ctl"))
    let client = try Socket(context, kind: .dealer)
    let monitor = try SocketMonitor(context, of: client, name: "client", connects: true)
    defer { client.stopMonitoring() }
    try client.connect(directory.endpoint("ctl"))
    func event() throws -> SocketMonitor.Event? {
      _ = try Poller([.socket(monitor.socket)]).wait(timeout: patience)
      return try monitor.next()
    }
    #expect(try event() == .connected)
    server.close()
    guard case .disconnected? = try event() else {
      Issue.record("Nothing is told of the end")
      return
    }
  }

  @Test("Without an admission socket no peer is admitted")
  func closed() throws {
    let directory = try TemporaryDirectory()
    let context = try Context()
    let server = try Socket(
      context,
      kind: .router,
      options: .init { $0.admissionDomain = "tests" },
    )
    try server.bind(directory.endpoint("ctl"))
    let client = try Socket(context, kind: .dealer)
    try client.connect(directory.endpoint("ctl"))
    try client.sendAll([1])
    #expect(try Poller([.socket(server)]).wait(timeout: shortWait) == 0)
  }

  @Test("A monitor reports accepted and ended connections, and its own end")
  func monitor() throws {
    let door = try Door(.router)
    let client = try door.connect(.dealer)
    let descriptor = try #require(try door.acceptedNext())
    #expect(Connection.user(descriptor) == getuid())
    #expect(PeerProgram(descriptor) == PeerProgram(number: UInt64(getpid())))
    try door.admission.accept(try #require(try door.request()), as: "1")
    client.close()
    #expect(try door.event() == .disconnected(descriptor))
    door.server.stopMonitoring()
    #expect(try door.event() == .stopped)
  }

  @Test("A connection ends when it is shut down by its descriptor")
  func shutDown() throws {
    let door = try Door(.router)
    let client = try door.connect(.dealer)
    let descriptor = try #require(try door.acceptedNext())
    Connection.shutDown(descriptor, try #require(Connection.Identity(descriptor)))
    #expect(try door.event() == .disconnected(descriptor))
    #expect(Connection.user(-1) == nil)
    #expect(PeerProgram(-1) == PeerProgram(number: 0))
    withExtendedLifetime(client) {}
  }

  @Test("Only whole numbers in digits are numbers")
  func numbers() throws {
    let door = try Door(.router)
    let client = try door.connect(.dealer)
    try door.admission.accept(try #require(try door.request()), as: "12x")
    try client.sendAll([1])
    _ = try Poller([.socket(door.server)]).wait(timeout: patience)
    var message = Message()
    while try door.server.receive(into: &message), message.more {}
    let number = message.number("User-Id")
    #expect(number == nil)
    let address = message.number("Peer-Address")
    #expect(address == nil)
    let none = Message().number("User-Id")
    #expect(none == nil)
  }
}

/// A monitored socket that asks before it admits a peer.
private final class Door {
  let directory: TemporaryDirectory
  let context: Context
  let admission: Admission
  let server: Socket
  let monitor: SocketMonitor
  /// The descriptor that the monitor reported last.
  private(set) var accepted: Int32?
  private var clients: [Socket] = []

  init(_ kind: Socket.Kind) throws {
    directory = try TemporaryDirectory()
    context = try Context()
    admission = try Admission(context)
    server = try Socket(context, kind: kind, options: .init { $0.admissionDomain = "tests" })
    monitor = try SocketMonitor(context, of: server, name: "server")
    try server.bind(directory.endpoint("ctl"))
  }

  deinit {
    if !server.isClosed { server.stopMonitoring() }
  }

  func connect(_ kind: Socket.Kind) throws -> Socket {
    let client = try Socket(
      context,
      kind: kind,
      options: .init { $0.reconnectInterval = .seconds(60) },
    )
    try client.connect(directory.endpoint("ctl"))
    clients.append(client)
    return client
  }

  /// The next request for admission.
  func request() throws -> Admission.Request? {
    _ = try acceptedNext()
    _ = try Poller([.socket(admission.socket)]).wait(timeout: patience)
    return try admission.next()
  }

  func acceptedNext() throws -> Int32? {
    if accepted == nil, case .accepted(let descriptor)? = try event() { accepted = descriptor }
    return accepted
  }

  func event() throws -> SocketMonitor.Event? {
    _ = try Poller([.socket(monitor.socket)]).wait(timeout: patience)
    return try monitor.next()
  }
}
