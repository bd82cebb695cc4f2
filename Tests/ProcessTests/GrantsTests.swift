import Foundation
import GenericState
import StoreHistory
import StoreProtocol
import StoreState
import Testing
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  @Suite(
    "Users with grants",
    .enabled(if: OtherUsers.canBeActed, "only root can be several users, on Linux"),
  )
  struct GrantsTests {
    /// Runs a body in a directory that other users can reach.
    private func run(
      _ grants: String,
      _ body: (World) async throws -> Void,
    ) async throws {
      try await World.run(in: "/tmp/") { world in
        try world.write(grants: grants)
        try await body(world)
      }
    }

    private func grants(_ more: String = "") -> String {
      """
      # The rights of each user.
      user:\(OtherUsers.ann)  counter,todos,todos/items/*  see
      user:\(OtherUsers.ann)  counter,todos  send=incrementButtonTapped,addButtonTapped
      user:\(OtherUsers.bob)  counter,presence  see
      \(more)
      """
    }

    @Test
    func `Without a file of grants other users cannot reach the sockets`() async throws {
      try await World.run(in: "/tmp/") { world in
        _ = try await world.startDaemon()
        let run = try await world.client(as: OtherUsers.ann, "get", "counter")
        expectNotAdmitted(run, OtherUsers.ann)
        #expect(try mode(world.directory) == 0o700)
        #expect(try mode("\(world.directory)/ctl") & 0o077 == 0)
      }
    }

    @Test
    func `A pipe in the place of the grants delays no start, no signal and no revocation`()
      async throws
    {
      try await World.run(in: "/tmp/") { world in
        let file = "\(world.directory)/grants"
        try #require(mkfifo(file, 0o600) == 0)
        let refused = try await world.finish(world.start(.stored, ["--dir", world.directory]))
        #expect(refused.end == .status(66), "\(refused.errorText)")
        #expect(refused.errorText.contains("\(file) is not a regular file"))
        unlink(file)
        try world.write(grants: grants())
        let daemon = try await world.startDaemon()
        #expect(try await world.client(as: OtherUsers.ann, "get", "counter").isSuccess)
        unlink(file)
        try #require(mkfifo(file, 0o600) == 0)
        _ = try await daemon.errors.line("that it is a pipe") {
          $0.contains("stay as they were") && $0.contains("is not a regular file")
        }
        let count = daemon.errors.lines.count
        daemon.send(signal: SIGHUP)
        _ = try await daemon.errors.line(from: count, "the same") { $0.contains("regular file") }
        #expect(try await world.client(as: OtherUsers.ann, "get", "counter").isSuccess)
        // The old grants are in force until the file exists again; the new file revokes one.
        try world.write(grants: "user:\(OtherUsers.bob) counter see\n")
        _ = try await daemon.errors.line(from: count, "the grants") {
          $0.contains("grants are read again")
        }
        #expect(try await !world.client(as: OtherUsers.ann, "get", "counter").isSuccess)
        unlink(file)
        try #require(mkfifo(file, 0o600) == 0)
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
      }
    }

    #if os(Linux)
    @Test
    func `A file of grants on a silent file system delays no signal, and is reported`() async throws
    {
      try await run(grants()) { world in
        let flag = "\(world.directory)/slow"
        let file = "\(world.directory)/grants"
        let daemon = try await world.startDaemon(
          environment: [
            "LD_PRELOAD": CutDisk.build(in: world, "SlowFile/slowfile.c"),
            "SLOWFILE_END": "/grants", "SLOWFILE_FLAG": flag,
          ]
        )
        func hang(_ grants: String, from count: Int) async throws {
          try Data().write(to: URL(filePath: flag))
          try world.write(grants: grants)
          let line = try await daemon.errors.line(from: count, "the delay") {
            $0.contains("A check of \(file) has taken")
          }.line
          let seconds = line.components(separatedBy: " seconds so far").first?.split(separator: " ")
          #expect(seconds?.last.flatMap { Int($0) } ?? 0 >= 5, "\(line)")
          #expect(line.contains("the grants stay as they were"), "\(line)")
        }
        try await hang("user:\(OtherUsers.bob) counter see\n", from: 0)
        let obstacle = try await world.answer("--json", "status")["obstacle"]?.text
        #expect(obstacle?.contains("A check of \(file) has taken") ?? false, "\(obstacle ?? "")")
        // A reload waits for the file, and delays no client.
        daemon.send(signal: SIGHUP)
        #expect(try await world.client("get", "counter").isSuccess)
        #expect(try await world.client(as: OtherUsers.ann, "get", "counter").isSuccess)
        unlink(flag)
        _ = try await daemon.errors.line("the end of the delay") { $0.contains("checked again") }
        _ = try await daemon.errors.line("the grants") { $0.contains("grants are read again") }
        expectNotAdmitted(
          try await world.client(as: OtherUsers.ann, "get", "counter"),
          OtherUsers.ann,
        )
        #expect(try await world.answer("--json", "status")["obstacle"]?.text == nil)
        try await hang(grants(), from: daemon.errors.lines.count)
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
      }
    }
    #endif

    @Test
    func `Grants that another user could replace are refused, unless that user is trusted`()
      async throws
    {
      try await World.run(in: "/tmp/") { world in
        let folder = "\(world.directory)/theirs"
        let file = "\(folder)/grants"
        try #require(mkdir(folder, 0o755) == 0)
        try Data("user:\(OtherUsers.ann) counter see\n".utf8).write(to: URL(filePath: file))
        try #require(chmod(file, 0o600) == 0 && chown(folder, OtherUsers.bob, 0) == 0)
        let arguments = ["--dir", world.directory, "--grants", file]
        let refused = try await world.finish(world.start(.stored, arguments))
        #expect(refused.end == .status(77), "\(refused.errorText)")
        #expect(refused.errorText.contains("\(folder) belongs to user \(OtherUsers.bob)"))
        #expect(refused.errorText.contains("--trust-owner \(OtherUsers.bob)"))
        let daemon = try await world.startDaemon(
          .stored,
          ["--grants", file, "--trust-owner", "\(OtherUsers.bob)"],
        )
        #expect(try await world.client(as: OtherUsers.ann, "get", "counter").isSuccess)
        #expect(daemon.isRunning)
      }
    }

    @Test func `Settings that another user could change are not obeyed`() async throws {
      try await World.run(in: "/tmp/") { world in
        let path = "\(world.directory)/settings.json"
        try #"{"insecureLoopback": true}"#.write(toFile: path, atomically: true, encoding: .utf8)
        func run(_ more: String...) async throws -> World.Run {
          try await world.finish(world.start(.stored, ["config", "--config", path] + more))
        }
        try #require(chmod(path, 0o666) == 0)
        let writable = try await run()
        #expect(writable.end == .status(77), "\(writable.errorText)")
        #expect(writable.errorText.contains("chmod go-w \(path)"), "\(writable.errorText)")
        try #require(chmod(path, 0o644) == 0 && chown(path, OtherUsers.bob, 0) == 0)
        let foreign = try await run()
        #expect(foreign.end == .status(77), "\(foreign.errorText)")
        #expect(foreign.errorText.contains("--trust-owner \(OtherUsers.bob)"))
        #expect(try await run("--trust-owner", "\(OtherUsers.bob)").isSuccess)
        unlink(path)
        try #require(mkfifo(path, 0o600) == 0)
        let pipe = try await run()
        #expect(pipe.end == .status(66) && pipe.errorText.contains("is not a regular file"))
      }
    }

    /// Expects that a client reports that its user has no grants.
    private func expectNotAdmitted(_ run: World.Run, _ user: UInt32) {
      #expect(run.end == .status(77), "\(run.errorText)")
      #expect(run.output == [])
      #expect(run.errorText.contains("does not admit user \(user)"), "\(run.errorText)")
      #expect(run.errorText.contains("file of grants"), "\(run.errorText)")
    }

    private func mode(_ path: String) throws -> mode_t {
      var status = stat()
      try #require(lstat(path, &status) == 0)
      return status.st_mode & 0o7777
    }

    @Test
    func `A stranger reads no byte, and cannot list or replace files`() async throws {
      try await run(grants()) { world in
        let daemon = try await world.startDaemon(.stored, ["--log-level", "info"])
        for arguments in [["scopes"], ["status"], ["get", "counter"]] {
          let process = try world.startClient(as: OtherUsers.stranger, arguments)
          expectNotAdmitted(try await world.finish(process), OtherUsers.stranger)
        }
        _ = try await daemon.errors.line("the refusal") {
          $0.contains("without a grant") && $0.contains("peer=localhost:\(OtherUsers.stranger):")
        }
        // Neither the lock nor the sockets nor any other file can be read or removed.
        let script = """
          cd \(world.directory) && { ls; cat lock grants; rm -f ctl pub lock; mv ctl other; \
          touch new; echo 1 >grants; } 2>/dev/null
          """
        let identity = "--reuid=\(OtherUsers.stranger)"
        let shell = try world.start(
          .storectl,
          [script],
          script: "exec setpriv \(identity) --regid=9 --clear-groups /bin/sh -c \"$1\"",
        )
        #expect(try await world.finish(shell).output == [])
        #expect(daemon.isRunning)
        #expect(try await world.get("counter")["count"] == 0)
        #expect(!FileManager.default.fileExists(atPath: "\(world.directory)/new"))
      }
    }

    @Test
    func `A user with grants sees and sends exactly the granted scopes`() async throws {
      try await run(grants()) { world in
        _ = try await world.startDaemon()
        let seen = try await world.client(as: OtherUsers.ann, "scopes")
        #expect(
          try seen.output.map { try JSONValue(parsing: $0)["scope"]?.text }
            == ["counter", "todos", "todos/items/<id>"]
        )
        let watcher = try world.startClient(as: OtherUsers.ann, ["watch", "todos"])
        _ = try await watcher.output.lines(atLeast: 1)
        let add = try await world.client(
          as: OtherUsers.ann,
          "send",
          "todos",
          #"{"addButtonTapped":{"title":"mine"}}"#,
        )
        #expect(add.isSuccess, "\(add.errorText)")
        try await watcher.output.state("the added grant") {
          $0["items"]?.items?.first?["title"]?.text == "mine"
        }
        let remove = try await world.client(
          as: OtherUsers.ann,
          "send",
          "counter",
          #""incrementButtonTapped""#,
          #""decrementButtonTapped""#,
        )
        // The description has only the actions that she may send, so neither action is sent.
        #expect(remove.end == .status(77), "\(remove.errorText)")
        #expect(remove.errorText.contains("decrementButtonTapped"), "\(remove.errorText)")
        #expect(try await world.get("counter")["count"] == 0)
        let other = try await world.client(as: OtherUsers.ann, "get", "game")
        #expect(!other.isSuccess)
        let sent = try await world.client(
          as: OtherUsers.bob,
          "send",
          "counter",
          #""incrementButtonTapped""#,
        )
        #expect(sent.end == .status(77), "\(sent.errorText)")
        #expect(sent.errorText.contains("You may not send to the scope \"counter\""))
        // The list of present sessions has the users as the kernel vouches for them.
        let present = try world.startClient(as: OtherUsers.bob, ["watch", "presence"])
        try await present.output.state("who watches") { state in
          let users = state["sessions"]?.items?.compactMap { $0["user"]?.int }
          return users == [Int(OtherUsers.ann), Int(OtherUsers.bob)]
        }
      }
    }

    @Test
    func `A user with some actions does not learn of others, and exits with 77`() async throws {
      try await run(grants()) { world in
        _ = try await world.startDaemon()
        // Actions that exist and ones that do not: the answers differ only in the names.
        for (names, count) in [
          (["decrementButtonTapped", "excrementButtonTapped"], 1),
          (["factAlertDismissed", "unknownTapped"], 0),
        ] {
          var texts: Set<String> = []
          for name in names {
            let run = try await world.client(as: OtherUsers.ann, "send", "counter", name)
            #expect(run.end == .status(77) && run.output == [], "\(run.errorText)")
            #expect(run.errorText.contains("or there is no such action"), "\(run.errorText)")
            texts.insert(run.errorText.replacingOccurrences(of: name, with: "NAME"))
          }
          let hints = texts.count { $0.contains("did you mean") }
          #expect(texts.count == 1 && hints == count, "\(texts)")
        }
        // A malformed form of a permitted action is invalid, and so is a value that is no action.
        for bad in [#"{"addButtonTapped":{"titel":"x"}}"#, "{", "[1]"] {
          let run = try await world.client(as: OtherUsers.ann, "send", "todos", bad)
          #expect(run.end == .status(65), "\(run.errorText)")
          let both = try await world.client(as: OtherUsers.ann, "send", "todos", "x", bad)
          #expect(both.end == .status(65), "\(both.errorText)")
        }
        // With input line by line, the other lines are still sent.
        let lines = try world.startClient(as: OtherUsers.ann, ["send", "counter", "-"])
        lines.write(
          lines: ["incrementButtonTapped", "decrementButtonTapped", "incrementButtonTapped"]
        )
        lines.closeInput()
        #expect(try await lines.ended(within: .seconds(30)) == .status(77))
        let outcomes = try lines.output.lines.map { try JSONValue(parsing: $0)["outcome"]?.text }
        #expect(outcomes == ["applied", "unauthorised", "applied"])
        // For the owner an action that does not exist is a bad one.
        let owners = try await world.client("send", "counter", "unknownTapped")
        #expect(owners.end == .status(65), "\(owners.errorText)")
        #expect(try await world.get("counter")["count"] == 2)
      }
    }

    #if os(Linux)
    /// The states with restricted visibility contain the first word, the public states the second.
    private static let (secret, known) = ("secret", "public")
    private static let shared = """
      user:\(OtherUsers.ann)  presence,todos  see
      user:\(OtherUsers.bob)  presence  see
      """

    @Test
    func `Restricted state is in no frame to others, also with other rights`() async throws {
      try await run(Self.shared) { world in
        _ = try await world.startDaemon(.stored, ["--lease-ms", "60000"])
        let relay = try RecordingRelay(world, as: OtherUsers.bob)
        let ann = try world.startClient(as: OtherUsers.ann, ["watch", "todos", "--deltas"])
        _ = try await ann.output.lines(atLeast: 1)
        let owner = try RawSocket(world, .dealer, "ctl")
        let learnt = try owner.join("todos", as: 1).topic
        // He follows with `storectl`, and with his own client, which subscribes to more topics.
        let arguments = ["--dir", relay.directory, "--json", "watch", "presence", "--deltas"]
        let bob = try world.start(as: OtherUsers.bob, arguments)
        _ = try await bob.output.lines(atLeast: 1)
        let listener = try Eavesdropper(
          of: "presence",
          at: ("ipc://\(relay.directory)/ctl", "ipc://\(relay.directory)/pub"),
          listeningTo: [learnt],
        )
        let guests = try await changeBoth(in: world)
        _ = try await ann.output.line("the last title") { $0.contains("\(Self.secret) 20") }
        _ = try await bob.output.line("the last guest") { $0.contains("\(Self.known) 20") }
        #expect(try !listener.frames(until: "\(Self.known) 20").isEmpty)
        try await relay.hasDeltas(on: listener.topic, with: "\(Self.known) 20", connections: 2)
        for record in relay.all {
          let isTold = record.bytes.contains(Array(Self.secret.utf8))
          #expect(!isTold, "on \(record.file)")
        }
        #expect(!bob.output.lines.joined().contains(Self.secret))
        withExtendedLifetime((guests, owner)) {}
      }
    }

    /// Changes the restricted and the public states in turn.
    ///
    /// - Returns: The sessions that all clients see.
    private func changeBoth(in world: World) async throws -> [RawSocket] {
      var guests: [RawSocket] = []
      for number in 1...20 {
        let title = "\(Self.secret) \(number)"
        try await world.send("todos", #"{"addButtonTapped":{"title":"\#(title)"}}"#)
        let guest = try RawSocket(world, .dealer, "ctl")
        try guest.send(.rawHello(100 + UInt64(number), name: "\(Self.known) \(number)"))
        guests.append(guest)
      }
      return guests
    }

    @Test
    func `A subscriber to the name of a restricted view is cut off`() async throws {
      try await run(Self.shared) { world in
        _ = try await world.startDaemon(.stored, ["--lease-ms", "60000"])
        let relay = try RecordingRelay(world, as: OtherUsers.bob)
        let owner = try RawSocket(world, .dealer, "ctl")
        let learnt = try owner.join("todos", as: 1).topic
        let peer = try RawPeer(
          "\(relay.directory)/pub",
          as: "XSUB",
          sending: ZMTP.message([1] + learnt.bytes),
        )
        try await peer.closed()
        #expect(try await world.counter("cutSubscribers") == 1)
        withExtendedLifetime(owner) {}
      }
    }
    #endif

    @Test
    func `The file is read again, a mistake has no effect, and narrower rights end sessions`()
      async throws
    {
      try await run(grants()) { world in
        let daemon = try await world.startDaemon()
        let watcher = try world.startClient(as: OtherUsers.ann, ["watch", "todos"])
        _ = try await watcher.output.lines(atLeast: 1)
        try world.write(grants: "user:\(OtherUsers.ann) todoes see\n")
        _ = try await daemon.errors.line("the mistake") {
          $0.contains("line 1") && $0.contains("todoes") && $0.contains("did you mean")
        }
        try await world.send("todos", #"{"addButtonTapped":{"title":"one"}}"#)
        _ = try await watcher.output.line("the first") { $0.contains("one") }
        try world.write(grants: "user:\(OtherUsers.ann) counter see\n")
        _ = try await daemon.errors.line("the new grants") { $0.contains("read again") }
        let end = try await watcher.ended(within: .seconds(20))
        #expect(end != .status(0))
        try await world.send("todos", #"{"addButtonTapped":{"title":"two"}}"#)
        #expect(!watcher.output.lines.joined().contains("two"))
        #expect(try await world.client(as: OtherUsers.ann, "get", "counter").isSuccess)
        try world.write(grants: "")
        _ = try await daemon.errors.line("nobody's grants") {
          $0.contains("read again") && $0.contains("lines=0")
        }
        #expect(try await !world.client(as: OtherUsers.ann, "get", "counter").isSuccess)
        #expect(try await world.get("counter")["count"] == 0)
      }
    }

    @Test
    func `Another user's daemon is trusted by those that name its user`() async throws {
      try await run("") { world in
        try #require(chmod(world.directory, 0o711) == 0)
        let directory = "\(world.directory)/own"
        try #require(mkdir(directory, 0o700) == 0)
        let grants = Data("user:\(OtherUsers.ann) counter see".utf8)
        try grants.write(to: URL(filePath: "\(directory)/grants"))
        for path in [directory, "\(directory)/grants"] {
          try #require(chown(path, OtherUsers.bob, OtherUsers.bob) == 0)
        }
        try #require(chmod("\(directory)/grants", 0o600) == 0)
        let daemon = try world.start(.stored, as: OtherUsers.bob, ["--dir", directory])
        _ = try await daemon.output.line("the daemon to be ready") { $0.hasPrefix("ready ") }
        for (owner, isTrusted) in [(OtherUsers.stranger, false), (OtherUsers.bob, true)] {
          let arguments = ["--dir", directory, "--owner", "\(owner)", "--json", "get", "counter"]
          let client = try world.start(as: OtherUsers.ann, arguments)
          #expect(try await world.finish(client).isSuccess == isTrusted)
        }
      }
    }

    @Test
    func `A daemon does not start with invalid grants`() async throws {
      try await run("user:\(OtherUsers.ann) counter look") { world in
        let daemon = try world.start(.stored, ["--dir", world.directory])
        let run = try await world.finish(daemon)
        #expect(run.end == .status(78))
        #expect(run.errorText.contains("line 1") && run.errorText.contains("look"))
      }
    }

    @Test
    func `Nor with grants that cannot be read, or that others may write`() async throws {
      try await run("user:\(OtherUsers.ann) counter see") { world in
        let grants = "\(world.directory)/grants"
        for (path, status, words) in [
          (world.directory, 66, "is not a regular file"), (grants, 77, "chmod go-w"),
        ] as [(String, Int32, String)] {
          try #require(chmod(grants, 0o622) == 0)
          let arguments = ["--dir", world.directory, "--grants", path]
          let run = try await world.finish(world.start(.stored, arguments))
          #expect(run.end == .status(status), "\(run.errorText)")
          #expect(run.errorText.contains(words), "\(run.errorText)")
        }
      }
    }

    @Test
    func `The log names actions of seen scopes to a user, without sender and contents`()
      async throws
    {
      let grants = """
        user:\(OtherUsers.ann)  laboratory  see
        user:\(OtherUsers.bob)  samples/*  see
        """
      try await run(grants) { world in
        _ = try await world.startDaemon(.strangerDaemon, ["--keep"])
        try await world.send("laboratory", #"{"sampleTaken":{"id":7,"label":"ore"}}"#)
        try await world.send("samples/7", #"{"relabelled":"gold"}"#)
        try await world.send("laboratory", #"{"ovenTimed":{"milliseconds":1}}"#)
        let watcher = try await world.watch("laboratory")
        _ = try await watcher.output.line("the oven") { $0.contains("off") }
        func log(_ user: UInt32) async throws -> [JSONValue] {
          try await world.client(as: user, "log").output.map { try JSONValue(parsing: $0) }
        }
        let ann = try await log(OtherUsers.ann)
        #expect(ann.map { $0["name"]?.text } == ["sampleTaken", nil, "ovenTimed", "ovenSet"])
        #expect(ann.map { $0["by"]?.text } == ["client", nil, "client", "internal"])
        #expect(ann.last?["cause"]?.int == 3)
        for entry in ann {
          for hidden in ["action", "session", "user", "pid", "effect", "began", "bytes"] {
            #expect(entry[hidden] == nil, "\(entry.text())")
          }
        }
        let bob = try await log(OtherUsers.bob)
        #expect(bob.map { $0["revision"]?.int } == [1, 2])
        #expect(bob.map { $0["name"]?.text } == [nil, "relabelled"])
        let why = try await world.finish(
          world.start(as: OtherUsers.ann, ["--dir", world.directory, "why", "4"])
        )
        #expect(why.output.contains { $0.contains("ovenTimed") }, "\(why.output)")
      }
    }
  }
}
