import Testing

@testable import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Encrypted connections", .timeLimit(.minutes(1)))
struct CurveTests {
  /// A router that is bound to a file without encryption, and then to a port with it.
  private final class Door {
    let directory: TemporaryDirectory
    let context: Context
    let admission: Admission
    let pair: CurvePair
    let server: Socket
    let address: String
    private var clients: [Socket] = []

    init() throws {
      directory = try TemporaryDirectory()
      context = try Context()
      admission = try Admission(context)
      pair = try CurvePair()
      server = try Socket(
        context,
        kind: .router,
        options: .init {
          $0.admissionDomain = "tests"
          $0.maxMessageSize = 64
        },
      )
      try server.bind(directory.endpoint("ctl"))
      try server.encrypt(as: pair, maxMessageSize: Socket.curveHandshakeBytes)
      try server.bind("tcp://127.0.0.1:*")
      address = try server.lastEndpoint
    }

    func connect(_ endpoint: String, as client: CurveClient?) throws -> Socket {
      let socket = try Socket(context, kind: .dealer, options: .init { $0.curve = client })
      try socket.connect(endpoint)
      clients.append(socket)
      return socket
    }

    func request(within time: Duration = patience) throws -> Admission.Request? {
      _ = try Poller([.socket(admission.socket)]).wait(timeout: time)
      return try admission.next()
    }
  }

  @Test("A pair is completed by its secret key, and no two are alike")
  func pairs() throws {
    let pair = try CurvePair()
    #expect(try CurvePair(secretKey: pair.secretKey) == pair)
    #expect(pair.publicKey != pair.secretKey && pair.publicKey.count == CurvePair.keyBytes)
    #expect(try CurvePair() != pair)
    #expect(!"\(pair)".contains("\(pair.secretKey)"))
  }

  @Test func `A point of low order is known, also with its last bit set`() throws {
    let zeros = [UInt8](repeating: 0, count: 31)
    let prime = [UInt8](repeating: 0xff, count: 30)
    let points = [zeros + [0], [1] + zeros, [0xed] + prime + [0x7f], [0xee] + prime + [0x7f]]
    for point in points {
      #expect(CurvePair.isOfLowOrder(point))
      #expect(CurvePair.isOfLowOrder(point.dropLast() + [(point.last ?? 0) | 0x80]))
    }
    #expect(!CurvePair.isOfLowOrder([9] + zeros))
    #expect(try !CurvePair.isOfLowOrder(CurvePair().publicKey))
  }

  @Test("An admission request has the peer's public key, and each frame the peer's name")
  func admitted() throws {
    let door = try Door()
    let own = try CurvePair()
    let client = try door.connect(
      door.address,
      as: CurveClient(server: door.pair.publicKey, pair: own),
    )
    let request = try #require(try door.request())
    #expect(request.key == own.publicKey)
    #expect(request.domain == "tests" && request.address == "127.0.0.1")
    try door.admission.accept(request, as: "12 key:laptop=0f")
    try client.sendAll([1, 2, 3])
    _ = try Poller([.socket(door.server)]).wait(timeout: patience)
    var message = Message()
    while try door.server.receive(into: &message), message.more {}
    #expect(message.bytes == [1, 2, 3])
    let number = message.number("User-Id")
    let name = message.property("User-Id")
    #expect(number == 12 && name == "12 key:laptop=0f")
  }

  @Test("Addresses that were bound before encryption was enabled stay unencrypted")
  func plain() throws {
    let door = try Door()
    let client = try door.connect(door.directory.endpoint("ctl"), as: nil)
    let request = try #require(try door.request())
    #expect(request.key == nil)
    #expect(request.address.hasPrefix("localhost:\(getuid()):"))
    withExtendedLifetime(client) {}
  }

  @Test("A peer without a key, or with another daemon's, causes no request for admission")
  func strangers() throws {
    let door = try Door()
    let other = CurveClient(server: try CurvePair().publicKey, pair: try CurvePair())
    let clients = [
      try door.connect(door.address, as: nil), try door.connect(door.address, as: other),
    ]
    #expect(try door.request(within: shortWait) == nil)
    withExtendedLifetime(clients) {}
  }
}

@Suite struct SecretFileTests {
  private static let secret = Array("secret".utf8)

  private func withDirectory(_ body: (String) throws -> Void) throws {
    let directory = try TemporaryDirectory()
    defer { for name in ["key", "key.new"] { unlink("\(directory.path)/\(name)") } }
    try body("\(directory.path)/key")
  }

  @Test func `A secret is kept for its user alone, and not in the place of another`() throws {
    try withDirectory { path in
      #expect(throws: TrustedFile.Problem.missing(path)) { try SecretFile.read(path) }
      let mask = umask(0)
      defer { umask(mask) }
      try SecretFile.create(path, Self.secret)
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600)
      #expect(try SecretFile.read(path) == Self.secret)
      #expect(throws: TrustedFile.Problem.occupied(path)) { try SecretFile.create(path, [1]) }
    }
  }

  @Test func `Without links, too, of those who come at once one gets the name, and keeps it`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/key"
    let drafts = (0..<8).map { "\(path).\($0)" }
    defer { for name in drafts + [path] { unlink(name) } }
    for (number, draft) in drafts.enumerated() {
      try SecretFile.create(draft, [UInt8(number)])
    }
    let winners = await withTaskGroup(of: String?.self) { group in
      for draft in drafts {
        group.addTask { SecretFile.rename(draft, inTurnTo: path) ? draft : nil }
      }
      return await group.reduce(into: [String]()) { if let name = $1 { $0.append(name) } }
    }
    try #require(winners.count == 1)
    #expect(try SecretFile.read(path) == [UInt8(drafts.firstIndex(of: winners[0]) ?? -1)])
    #expect(!SecretFile.rename("\(path).absent", inTurnTo: "\(path).other") && errno == ENOENT)
    let isReplaced = SecretFile.rename(drafts.first { $0 != winners[0] } ?? "", inTurnTo: path)
    #expect(!isReplaced && errno == EEXIST)
  }

  @Test(arguments: [0o640, 0o604, 0o620, 0o601] as [mode_t])
  func `What others can get at is no secret any more`(mode: mode_t) throws {
    try withDirectory { path in
      try SecretFile.create(path, Self.secret)
      #expect(chmod(path, mode) == 0)
      let error = #expect(throws: TrustedFile.Problem.self) { try SecretFile.read(path) }
      #expect(error == .wide(path, mode: String(mode, radix: 8)))
      #expect(error?.description.contains("chmod 600") == true)
    }
  }

  @Test func `Another user's file, and what is no file, are refused`() throws {
    try withDirectory { path in
      #expect(throws: TrustedFile.Problem.irregular("/dev/null")) {
        try SecretFile.read("/dev/null")
      }
      guard geteuid() == 0 else { return }
      try SecretFile.create(path, Self.secret)
      #expect(chown(path, 4711, 4711) == 0)
      #expect(throws: TrustedFile.Problem.ownedBy(path, 4711)) { try SecretFile.read(path) }
    }
  }
}
