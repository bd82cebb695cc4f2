import Foundation
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

/// A daemon that listens over tcp, and requires keys there.
struct TCPDaemon {
  let process: ChildProcess
  let address: String
  let port: UInt16

  /// Starts one at an address of this machine, at two free ports.
  static func start(
    _ world: World,
    host: String = "127.0.0.1",
    _ options: [String] = [],
    environment: [String: String] = [:],
  ) async throws -> Self {
    let port = try freePorts()
    let address = "tcp://\(host):\(port)"
    let process = try await world.startDaemon(
      .stored,
      ["--listen", address] + options,
      environment: environment,
    )
    return Self(process: process, address: address, port: port)
  }

  /// Returns the first of two consecutive free ports.
  static func freePorts() throws -> UInt16 {
    let ports = (0..<100).map { _ in UInt16.random(in: 20_000..<32_000) }
    guard let port = ports.first(where: { isFree($0) && isFree($0 + 1) }) else {
      throw ProcessFailure("No two ports are free")
    }
    return port
  }

  private static func isFree(_ port: UInt16) -> Bool {
    guard let descriptor = try? RawPeer.connect(port: port) else { return true }
    close(descriptor)
    return false
  }
}

/// A user of another machine, represented by the directory of the keys.
struct Guest {
  let world: World
  let home: String
  let address: String

  init(_ world: World, _ name: String, at address: String) throws {
    self.world = world
    self.address = address
    home = "\(world.directory)/\(name)"
    try FileManager.default.createDirectory(
      atPath: home,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700],
    )
  }

  var environment: [String: String] { ["HOME": home, "XDG_CONFIG_HOME": "\(home)/config"] }

  /// The file of its key.
  var keyFile: String { "\(home)/config/storeactor/keys/\(address.dropFirst("tcp://".count))" }

  /// The daemon's public key and its own pair, once it has enrolled.
  func keys() throws -> (server: [UInt8], pair: CurvePair) {
    let text = try String(contentsOfFile: keyFile, encoding: .utf8)
    let keys = text.split(whereSeparator: \.isWhitespace).compactMap { KeyText.key($0) }
    try #require(keys.count == 2)
    return (keys[0], try CurvePair(secretKey: keys[1]))
  }

  func start(_ arguments: [String]) throws -> ChildProcess {
    try world.start(
      .storectl,
      ["--connect", address, "--json"] + arguments,
      environment: environment,
    )
  }

  func run(_ arguments: String...) async throws -> World.Run {
    try await world.finish(try start(arguments))
  }

  func enrol(_ line: String, _ more: [String: String] = [:]) async throws -> World.Run {
    let environment = environment.merging(more) { $1 }
    return try await world.finish(
      world.start(.storectl, ["enrol", line], environment: environment)
    )
  }
}

extension World {
  /// Returns an invitation line.
  func invite(_ name: String, _ arguments: String...) async throws -> String {
    let run = try await client(["invite", name] + arguments)
    guard run.isSuccess, run.output.count == 1 else {
      throw ProcessFailure("No invitation: \(run.output) \(run.errorText)")
    }
    return run.output[0]
  }
}

extension ProcessTests {
  @Suite("Keys of remote machines")
  struct KeyTests {
    private static let increment = #""incrementButtonTapped""#

    @Test func `An invited user enrols, and sees and sends the granted scopes`() async throws {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world)
        let line = try await world.invite(
          "laptop",
          "--grant",
          "counter:see,send=incrementButtonTapped",
          "--grant",
          "todos:see",
        )
        #expect(line.hasPrefix("\(daemon.address)#"))
        let guest = try Guest(world, "guest", at: daemon.address)
        let enrolment = try await guest.enrol(line)
        #expect(enrolment.isSuccess, "\(enrolment.errorText)")
        #expect(try mode(guest.keyFile) == 0o600)
        #expect(try mode("\(world.directory)/key") == 0o600)
        // Without grants to other users the sockets' files stay closed to them.
        #expect(try mode(world.directory) == 0o700)
        let scopes = try await guest.run("scopes")
        #expect(
          try scopes.output.map { try JSONValue(parsing: $0)["scope"]?.text } == [
            "counter", "todos",
          ],
          "\(scopes.errorText)",
        )
        let sent = try await guest.run(
          "send",
          "counter",
          Self.increment,
          #""decrementButtonTapped""#,
        )
        // The description has only the guest's permitted actions, so neither action is sent.
        #expect(sent.end == .status(77), "\(sent.errorText)")
        #expect(sent.errorText.contains("decrementButtonTapped"), "\(sent.errorText)")
        #expect(try await world.get("counter")["count"] == 0)
        #expect(try await !guest.run("get", "game").isSuccess)
        let watcher = try guest.start(["watch", "todos"])
        _ = try await watcher.output.lines(atLeast: 1)
        try await world.send("todos", #"{"addButtonTapped":{"title":"far"}}"#)
        _ = try await watcher.output.line("the added grant") { $0.contains("far") }
        let status = try await world.answer("--json", "status")
        #expect(status["sessions"]?.items?.contains { $0["key"]?.text == "laptop" } == true)
        // The log names the user who decided on it.
        #expect(try await world.client("revoke", "laptop").isSuccess)
        let user = "user \(geteuid()), "
        for (what, who) in [
          ("A key is invited.", user), ("A key was enrolled.", "key ticket:"),
          ("A key was revoked.", user),
        ] {
          _ = try await daemon.process.errors.line(what) {
            $0.contains(what) && $0.contains("key=laptop") && $0.contains("identity=\(who)")
          }
        }
      }
    }

    private func mode(_ path: String) throws -> mode_t {
      var status = stat()
      try #require(lstat(path, &status) == 0)
      return status.st_mode & 0o7777
    }

    @Test
    func `A ticket is used up at its first use, and a changed line is refused`() async throws {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world)
        let line = try await world.invite("laptop", "--grant", "counter:see")
        let listed = try await world.answer("--json", "keys")
        #expect(listed["name"]?.text == "laptop" && listed["key"] == .null)
        #expect(try await guest(world, "first", daemon).enrol(line).isSuccess)
        let second = try await guest(world, "second", daemon).enrol(line)
        #expect(second.end == .status(77) && second.errorText.contains("it was used"))
        let burnt = try guest(world, "second", daemon)
        for file in [burnt.keyFile, "\(burnt.keyFile).new"] {
          #expect(!FileManager.default.fileExists(atPath: file))
        }
        // The name is in use; and an enrolled guest does not enrol again by mistake.
        let again = try await world.client("invite", "laptop", "--grant", "counter:see")
        #expect(again.end == .status(65) && again.errorText.contains("already"))
        let other = try await world.invite("phone", "--grant", "counter:see")
        let occupied = try await guest(world, "first", daemon).enrol(other)
        #expect(occupied.end == .status(73) && occupied.errorText.contains("already"))
        for wrong in ["", "tcp://127.0.0.1:1", "\(other)0", "ssh://x/y"] {
          #expect(try await guest(world, "third", daemon).enrol(wrong).end == .status(65))
        }
        let keys = try await world.client("--json", "keys")
        let trees = try keys.output.map { try JSONValue(parsing: $0) }
        #expect(trees.map { $0["name"]?.text } == ["laptop", "phone"])
        #expect(trees.first?["grants"]?.items?.first?.text == "counter see")
      }
    }

    @Test func `The key of a ticket is not enrolled, and the ticket stays good`() async throws {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world)
        let line = try await world.invite("laptop", "--grant", "counter:see")
        let keys = try #require(line.split(separator: "#").last).split(separator: ".")
        let guest = try guest(world, "guest", daemon)
        let folder = "\(guest.home)/config/storeactor/keys"
        try FileManager.default.createDirectory(
          atPath: folder,
          withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700],
        )
        // The pair to enrol is that of the line, which others may have read.
        let file = "\(guest.keyFile).new"
        try "daemon \(keys[0])\nsecret \(keys[1])\n"
          .write(toFile: file, atomically: true, encoding: .utf8)
        try #require(chmod(file, 0o600) == 0)
        let refused = try await guest.enrol(line)
        #expect(refused.end == .status(77), "\(refused.errorText)")
        #expect(refused.errorText.contains("the key of an invitation"), "\(refused.errorText)")
        #expect(try await guest.enrol(line).isSuccess)
        #expect(try guest.keys().pair.secretKey != KeyText.key(keys[1]))
      }
    }

    @Test func `An enrolled user gets a list of the scopes, and keeps it`() async throws {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world)
        let guest = try guest(world, "guest", daemon)
        let line = try await world.invite("laptop", "--grant", "counter:see")
        #expect(try await guest.enrol(line).isSuccess)
        let key = try String(contentsOfFile: guest.keyFile, encoding: .utf8)
        let other = try await world.invite("phone", "--grant", "counter:see")
        let again = try await guest.enrol(other)
        #expect(again.end == .status(73) && again.output == [])
        for words in [
          guest.keyFile, "storectl --connect \(daemon.address) scopes", "rm \(guest.keyFile)",
        ] {
          #expect(again.errorText.contains(words), "\(again.errorText)")
        }
        #expect(!again.errorText.contains("another daemon"), "\(again.errorText)")
        #expect(try String(contentsOfFile: guest.keyFile, encoding: .utf8) == key)
        #expect(try await guest.run("get", "counter").isSuccess)
        // A daemon whose key has changed does not match the file.
        let address = other.prefix { $0 != "#" }
        let secret = try #require(other.split(separator: ".").last)
        let moved = "\(address)#\(KeyText.text(try CurvePair().publicKey)).\(secret)"
        let foreign = try await guest.enrol(moved)
        #expect(foreign.end == .status(73))
        #expect(foreign.errorText.contains("another daemon"), "\(foreign.errorText)")
        // The ticket was not used.
        #expect(try await self.guest(world, "second", daemon).enrol(other).isSuccess)
      }
    }

    @Test func `A client without a key learns that the daemon requires one, and the remedy`()
      async throws
    {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world)
        let stranger = try guest(world, "stranger", daemon)
        for arguments in [["scopes"], ["send", "counter", "x"], ["watch", "counter"]] {
          let run = try await world.finish(stranger.start(arguments))
          #expect(run.end == .status(77) && run.output == [], "\(arguments)")
          for words in ["asks for a key", "storectl invite", "storectl enrol LINE"] {
            #expect(run.errorText.contains(words), "\(run.errorText)")
          }
          #expect(!run.errorText.contains("Start one"), "\(run.errorText)")
        }
        // Without a daemon no key is required.
        daemon.process.send(signal: SIGTERM)
        #expect(try await daemon.process.ended() == .status(0))
        let run = try await stranger.run("scopes")
        #expect(run.end == .status(69) && run.errorText.contains("No daemon answers"))
      }
    }

    @Test func `A user with limited rights learns the users with full rights`() async throws {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world)
        let guest = try guest(world, "guest", daemon)
        let line = try await world.invite("laptop", "--grant", "counter:see", "--grant", "*:see")
        #expect(try await guest.enrol(line).isSuccess)
        let run = try await guest.run("verify")
        #expect(run.end == .status(77) && run.output == [], "\(run.errorText)")
        #expect(!run.errorText.contains("no such scope"), "\(run.errorText)")
        #expect(run.errorText.contains("the daemon's own user"), "\(run.errorText)")
        #expect(try await world.client("verify").isSuccess)
      }
    }

    @Test func `A ticket is refused after its time`() async throws {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world)
        let line = try await world.invite("laptop", "--grant", "counter:see", "--for", "1s")
        // Each query starts a process, so a limit of their count ends the wait.
        var questions = 0
        while try await world.client("keys").output != [] {
          questions += 1
          try #require(questions < 1_000)
        }
        let late = try await guest(world, "guest", daemon).enrol(line)
        #expect(late.end == .status(77) && late.output == [], "\(late.errorText)")
        #expect(try await world.client("--json", "keys").output == [])
        // Its name is free again.
        let next = try await world.invite("laptop", "--grant", "counter:see")
        #expect(try await guest(world, "next", daemon).enrol(next).isSuccess)
      }
    }

    #if os(Linux)
    @Test func `Keys are kept also where no file can have a second name`() async throws {
      try await World.run { world in
        let library = try await CutDisk.build(in: world)
        let linkless = ["LD_PRELOAD": library, "CUTDISK_LINKLESS": "1"]
        let daemon = try await TCPDaemon.start(world, environment: linkless)
        let line = try await world.invite("laptop", "--grant", "counter:see")
        let guest = try guest(world, "guest", daemon)
        let enrolment = try await guest.enrol(line, linkless)
        #expect(enrolment.isSuccess, "\(enrolment.errorText)")
        for file in [guest.keyFile, "\(world.directory)/key"] {
          #expect(try mode(file) == 0o600)
          let directory = URL(filePath: file).deletingLastPathComponent().path()
          let names = try FileManager.default.contentsOfDirectory(atPath: directory)
          #expect(!names.contains { $0.hasSuffix(".draft") }, "\(names)")
        }
        #expect(try await guest.run("get", "counter").isSuccess)
      }
    }
    #endif

    private func guest(_ world: World, _ name: String, _ daemon: TCPDaemon) throws -> Guest {
      try Guest(world, name, at: daemon.address)
    }

    @Test func `Another daemon in the place of the one that invited gets no key`() async throws {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world)
        let line = try await world.invite("laptop", "--grant", "counter:see")
        // Replaces the last digit of the daemon's key, which precedes the dot.
        let dot = try #require(line.lastIndex(of: "."))
        let before = line.index(before: dot)
        let digit = line[before] == "0" ? "1" : "0"
        let changed = line.replacingCharacters(in: before..<dot, with: digit)
        let run = try await guest(world, "guest", daemon).enrol(changed)
        #expect(run.end == .status(69))
        // The ticket is still valid.
        #expect(try await guest(world, "guest", daemon).enrol(line).isSuccess)
      }
    }

    @Test func `A stranger reads no byte, and cannot list or replace files`() async throws {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world)
        let guest = try guest(world, "guest", daemon)
        let line = try await world.invite("laptop", "--grant", "counter:see")
        #expect(try await guest.enrol(line).isSuccess)
        let watcher = try guest.start(["watch", "counter"])
        _ = try await watcher.output.lines(atLeast: 1)
        let key = try #require(line.split(separator: "#").last?.split(separator: ".").first)
        let server: [UInt8] = try #require(KeyText.key(key))
        let listener = try Listener(
          port: daemon.port,
          server: server,
          pair: CurvePair(),
        )
        let plain = try Listener(port: daemon.port, server: nil, pair: nil)
        // A web page, and old versions of the sockets' protocol.
        for bytes in [
          Array("POST / HTTP/1.1\r\n\r\n".utf8), [1, 0] + ZMTP.oldMessage([0x81, 0x0a]),
        ] {
          let peer = RawPeer(connected: try RawPeer.connect(port: daemon.port), sending: bytes)
          try await peer.closed()
        }
        for arguments in [["scopes"], ["status"], ["get", "counter"]] {
          let stranger = try self.guest(world, "stranger", daemon)
          let run = try await world.finish(try stranger.start(arguments))
          #expect(!run.isSuccess && run.output == [])
        }
        for _ in 0..<5 { try await world.send("counter", Self.increment) }
        _ = try await watcher.output.lines(atLeast: 6)
        #expect(try listener.stop() == [] && plain.stop() == [])
        // A peer with a key of its own is eventually refused.
        var refused = 0
        for _ in 0..<500 where refused == 0 {
          refused = try await world.counter("refusedConnections")
        }
        #expect(refused > 0)
        #expect(daemon.process.isRunning)
      }
    }

    @Test func `A key gets no byte of scopes without a grant`() async throws {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world, ["--lease-ms", "60000"])
        let guest = try guest(world, "guest", daemon)
        #expect(try await guest.enrol(world.invite("laptop", "--grant", "presence:see")).isSuccess)
        let owner = try RawSocket(world, .dealer, "ctl")
        let learnt = try owner.join("todos", as: 1).topic
        let (server, pair) = try guest.keys()
        let listener = try Eavesdropper(
          of: "presence",
          at: (daemon.address, "tcp://127.0.0.1:\(daemon.port + 1)"),
          as: CurveClient(server: server, pair: pair),
          listeningTo: [learnt],
        )
        let present = try guest.start(["watch", "presence"])
        _ = try await present.output.lines(atLeast: 1)
        var guests: [RawSocket] = []
        for number in 1...5 {
          try await world.send("todos", #"{"addButtonTapped":{"title":"secret \#(number)"}}"#)
          let guest = try RawSocket(world, .dealer, "ctl")
          try guest.send(.rawHello(100 + UInt64(number), name: "public \(number)"))
          guests.append(guest)
        }
        _ = try await present.output.line("the last guest") { $0.contains("public 5") }
        let frames =
          try listener.frames(until: "public 5") + Self.answers(to: guest, port: daemon.port)
        let told = frames.count { $0.contains(Array("secret".utf8)) }
        #expect(told == 0)
        #expect(!present.output.lines.joined().contains("secret"))
        withExtendedLifetime((guests, owner)) {}
      }
    }

    /// All answers of the control socket to a key's requests without a grant.
    private static func answers(to guest: Guest, port: UInt16) throws -> [[UInt8]] {
      let (server, pair) = try guest.keys()
      let key = CurveClient(server: server, pair: pair)
      let socket = try RawSocket(Context(), .dealer, to: "tcp://127.0.0.1:\(port)", as: key)
      let log = HistoryQuery.log(after: 0, count: 1_000, scope: nil, client: nil)
      for message in [
        .rawHello(2), .rawJoin(["todos"]), .rawJoin(nonce: 2, ["todos", "presence"]),
        .history(request: 1, log), .history(request: 2, .state(revision: 9, scope: "todos")),
        .status(request: 3), .describe(request: 4), .ping(number: 5, revision: 0),
      ] as [ClientMessage] { try socket.send(message) }
      var frames: [[UInt8]] = []
      var answers = 0
      // Queries of the past are answered last, in sequence.
      try socket.firstFrame { frame in
        frames.append(frame)
        if !frame.isEmpty, case .history = try DaemonMessage(frame: frame[...]) { answers += 1 }
        return answers == 2 ? true : nil
      }
      return frames
    }

    @Test func `A key that is revoked is cut off at once, and does not come back`() async throws {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world)
        let guest = try guest(world, "guest", daemon)
        #expect(try await guest.enrol(world.invite("laptop", "--grant", "counter:see")).isSuccess)
        let watcher = try guest.start(["watch", "counter"])
        _ = try await watcher.output.lines(atLeast: 1)
        let none = try await world.client("revoke", "lap")
        #expect(none.end == .status(65) && none.errorText.contains("no key \"lap\""))
        #expect(try await world.client("revoke", "laptop").isSuccess)
        try await world.send("counter", Self.increment)
        #expect(try await world.client("--json", "keys").output == [])
        let status = try await world.answer("--json", "status")
        #expect(status["sessions"]?.items?.contains { $0["key"]?.text == "laptop" } == false)
        #expect(watcher.output.lines.count == 1)
        // A client with a key can neither list nor revoke keys.
        let line = try await world.invite("phone", "--grant", "counter:see,send")
        let phone = try self.guest(world, "phone", daemon)
        #expect(try await phone.enrol(line).isSuccess)
        #expect(try await phone.run("keys").end == .status(77))
        #expect(try await phone.run("revoke", "phone").end == .status(77))
      }
    }

    private func grants(_ world: World) throws -> String {
      try String(contentsOfFile: "\(world.directory)/grants", encoding: .utf8)
    }

    @Test func `A key is revoked in spite of another invalid line, which is reported`() async throws
    {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world)
        let guests = try ["laptop", "phone", "pad"].map { try guest(world, $0, daemon) }
        for (guest, name) in zip(guests, ["laptop", "phone", "pad"]) {
          #expect(try await guest.enrol(world.invite(name, "--grant", "counter:see")).isSuccess)
        }
        let watchers = try guests.map { try $0.start(["watch", "counter"]) }
        for watcher in watchers { _ = try await watcher.output.lines(atLeast: 1) }
        try world.write(grants: "key:wrong=1 countr see\n\(grants(world))")
        _ = try await daemon.process.errors.line("the mistake") { $0.contains("line 1") }
        let revoked = try await world.client("revoke", "laptop")
        #expect(revoked.isSuccess && revoked.errorText.contains("line 1"), "\(revoked.errorText)")
        #expect(try !grants(world).contains("key:laptop=") && grants(world).contains("countr"))
        try await world.send("counter", Self.increment)
        for watcher in watchers[1...] { _ = try await watcher.output.lines(atLeast: 2) }
        #expect(watchers[0].output.lines.count == 1)
        // A revocation by hand works too; a key that is still named stays connected.
        let lines = try grants(world).split(separator: "\n").filter { !$0.hasPrefix("key:phone=") }
        try world.write(grants: lines.joined(separator: "\n"))
        _ = try await daemon.process.errors.line("the revoked key") {
          $0.contains("lose their grants") && $0.contains("lines=1")
        }
        try await world.send("counter", Self.increment)
        _ = try await watchers[2].output.lines(atLeast: 3)
        #expect(watchers[1].output.lines.count == 2)
      }
    }

    @Test func `A name that is given to another key is taken from the one that had it`()
      async throws
    {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world)
        let guest = try guest(world, "guest", daemon)
        #expect(try await guest.enrol(world.invite("laptop", "--grant", "counter:see")).isSuccess)
        let watcher = try guest.start(["watch", "counter"])
        _ = try await watcher.output.lines(atLeast: 1)
        let old = try grants(world).replacing("key:laptop=", with: "key:old=")
        let key = String(repeating: "5f", count: KeyText.keyBytes)
        try world.write(
          grants: "key:laptop=\(key) counter see\n\(old.replacing("counter", with: "todos"))"
        )
        #expect(try await watcher.ended() != .status(0))
        try await world.send("counter", Self.increment)
        #expect(watcher.output.lines.count == 1)
        #expect(try await !guest.run("get", "counter").isSuccess)
        #expect(try await guest.run("get", "todos").isSuccess)
      }
    }

    @Test func `A remote enrolment has more time than a local one`() async throws {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world)
        let relay = try Relay(to: daemon.port)
        let guest = try Guest(world, "guest", at: "tcp://127.0.0.1:\(relay.port)")
        let line = try await world.invite(
          "laptop",
          "--grant",
          "counter:see",
          "--at",
          guest.address,
        )
        let arguments = ["enrol", line]
        let enrolment = try world.start(.storectl, arguments, environment: guest.environment)
        try await relay.holds()
        // A later peer over ipc that does not send hello is closed before.
        let silent = try RawPeer("\(world.directory)/ctl", as: "DEALER", sending: [])
        try await silent.closed()
        relay.release()
        let run = try await world.finish(enrolment)
        #expect(run.isSuccess, "\(run.errorText)")
      }
    }

    @Test func `An enrolment whose answer was lost is finished by the same line`() async throws {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world)
        let guest = try guest(world, "guest", daemon)
        let line = try await world.invite("laptop", "--grant", "counter:see")
        #expect(try await guest.enrol(line).isSuccess)
        let key = try String(contentsOfFile: guest.keyFile, encoding: .utf8)
        /// Restores the state before the answer, as if its outcome were unknown.
        func lose() { #expect(rename(guest.keyFile, "\(guest.keyFile).new") == 0) }
        lose()
        let again = try await guest.enrol(line)
        #expect(again.isSuccess, "\(again.errorText)")
        #expect(again.output.first?.contains("laptop") == true)
        // A daemon that no longer has the ticket accepts it too.
        lose()
        daemon.process.send(signal: SIGTERM)
        _ = try await daemon.process.ended()
        let arguments = ["--dir", world.directory, "--listen", daemon.address]
        let next = try world.start(.stored, arguments)
        _ = try await next.output.line("the daemon to be ready") { $0.hasPrefix("ready ") }
        #expect(try await guest.enrol(line).isSuccess)
        #expect(try String(contentsOfFile: guest.keyFile, encoding: .utf8) == key)
        #expect(try await guest.run("get", "counter").isSuccess)
        // A key that the daemon does not have is not enrolled.
        lose()
        #expect(try await world.client("revoke", "laptop").isSuccess)
        #expect(try await guest.enrol(line).end == .status(77))
        for file in [guest.keyFile, "\(guest.keyFile).new"] {
          #expect(!FileManager.default.fileExists(atPath: file))
        }
      }
    }

    @Test func `An enrolment does not disclose the grants, and the line stays valid for its time`()
      async throws
    {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world)
        let guest = try guest(world, "guest", daemon)
        let line = try await world.invite("laptop", "--grant", "counter:see")
        try world.write(grants: "user:4711 countr see\n")
        let early = try await guest.enrol(line)
        #expect(early.end == .status(75))
        for word in ["countr", "4711", "line 1", world.directory] {
          #expect(!early.errorText.contains(word), "\(early.errorText)")
        }
        _ = try await daemon.process.errors.line("why") {
          $0.contains("could not be enrolled") && $0.contains("line 1")
        }
        let prepared = try String(contentsOfFile: "\(guest.keyFile).new", encoding: .utf8)
        try world.write(grants: "")
        #expect(try await guest.enrol(line).isSuccess)
        #expect(try String(contentsOfFile: guest.keyFile, encoding: .utf8) == prepared)
      }
    }

    @Test func `Keys outlast the daemon, and one that others can read is refused`() async throws {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world)
        let guest = try guest(world, "guest", daemon)
        #expect(try await guest.enrol(world.invite("laptop", "--grant", "counter:see")).isSuccess)
        let lost = try await world.invite("phone", "--grant", "counter:see")
        daemon.process.send(signal: SIGTERM)
        _ = try await daemon.process.ended()
        let arguments = ["--dir", world.directory, "--listen", daemon.address]
        let next = try world.start(.stored, arguments)
        _ = try await next.output.line("the daemon to be ready") { $0.hasPrefix("ready ") }
        #expect(try await guest.run("get", "counter").isSuccess)
        // A ticket ends with the daemon that issued it.
        #expect(try await self.guest(world, "phone", daemon).enrol(lost).end == .status(77))
        #expect(chmod(guest.keyFile, 0o644) == 0)
        let wide = try await guest.run("get", "counter")
        #expect(wide.end == .status(77) && wide.errorText.contains("chmod 600"))
        next.send(signal: SIGTERM)
        _ = try await next.ended()
        #expect(chmod("\(world.directory)/key", 0o640) == 0)
        let refused = try await world.finish(world.start(.stored, arguments))
        #expect(refused.end == .status(77) && refused.errorText.contains("chmod 600"))
      }
    }

    @Test func `An invitation without grants, or with too long ones, is refused`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let none = try await world.client("invite", "laptop", "--grant", "counter:see")
        #expect(none.end == .status(65) && none.errorText.contains("--listen"))
        daemon.send(signal: SIGTERM)
        _ = try await daemon.ended()
        _ = try await TCPDaemon.start(world)
        for (arguments, status) in [
          (["laptop"], 64), (["laptop", "--grant", "counter"], 64),
          (["a b", "--grant", "x:see"], 64),
          (["laptop", "--grant", "counter:look"], 64), (["laptop", "--grant", "countr:see"], 65),
          (["laptop", "--grant", "counter:see", "--for", "2d"], 64),
          (["laptop", "--grant", "counter:see", "--for", "25h"], 64),
          (["laptop", "--grant", "counter:see", "--at", "x:1"], 64),
        ] as [([String], Int32)] {
          let run = try await world.client(["invite"] + arguments)
          #expect(run.end == .status(status), "\(arguments): \(run.errorText)")
        }
        let line = try await world.invite(
          "laptop",
          "--grant",
          "counter:see",
          "--at",
          "tcp://far.example:99",
        )
        #expect(line.hasPrefix("tcp://far.example:99#"))
      }
    }

    @Test func `Without a key no frame is sent to addresses of others`() async throws {
      try await World.run { world in
        let guest = try Guest(world, "guest", at: "tcp://192.0.2.1:5555")
        let run = try await guest.run("get", "counter")
        #expect(run.end == .status(77) && run.errorText.contains("storectl enrol"))
      }
    }
  }
}

/// A peer that subscribes to everything; the library does so again after each disconnection.
private final class Listener: Sendable {
  private let frames = Watched<[[UInt8]]>([])
  private let isOver = Watched(false)

  init(port: UInt16, server: [UInt8]?, pair: CurvePair?) throws {
    let (frames, isOver) = (frames, isOver)
    var options = SocketOptions()
    options.linger = .zero
    if let server, let pair { options.curve = CurveClient(server: server, pair: pair) }
    let chosen = options
    Thread.detachNewThread {
      guard let context = try? Context(),
        let socket = try? Socket(context, kind: .xsub, options: chosen),
        (try? socket.connect("tcp://127.0.0.1:\(port + 1)")) != nil
      else { return }
      for kind: UInt8 in [0x11, 0x12, 0x13] { _ = try? socket.send([1, kind]) }
      while !isOver.value {
        _ = try? Poller([.socket(socket)]).wait(timeout: .milliseconds(20))
        while let message = try? socket.receive() {
          let bytes = message.bytes
          frames.update { $0.append(bytes) }
        }
      }
    }
  }

  /// Ends the listener.
  ///
  /// - Returns: The received frames.
  func stop() throws -> [[UInt8]] {
    isOver.update { $0 = true }
    return frames.value
  }
}
