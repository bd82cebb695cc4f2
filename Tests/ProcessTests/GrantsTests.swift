import Foundation
import GenericState
import StoreReplication
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
    "Users to whom something is granted",
    .enabled(if: OtherUsers.canBeActed, "only root can be several users, on Linux"),
  )
  struct GrantsTests {
    /// Runs a body in a directory that others can get to.
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
      # Who may see and send what.
      user:\(OtherUsers.ann)  counter,todos,todos/items/*  see
      user:\(OtherUsers.ann)  counter,todos  send=incrementButtonTapped,addButtonTapped
      user:\(OtherUsers.bob)  counter,presence  see
      \(more)
      """
    }

    @Test
    func `Without a file of grants nobody else gets to the sockets`() async throws {
      try await World.run(in: "/tmp/") { world in
        _ = try await world.startDaemon()
        let run = try await world.client(as: OtherUsers.ann, "get", "counter")
        #expect(!run.isSuccess)
        #expect(run.output == [])
        #expect(try mode(world.directory) == 0o700)
        #expect(try mode("\(world.directory)/ctl") & 0o077 == 0)
      }
    }

    private func mode(_ path: String) throws -> mode_t {
      var status = stat()
      try #require(lstat(path, &status) == 0)
      return status.st_mode & 0o7777
    }

    @Test
    func `A stranger reads no byte, lists nothing and replaces nothing`() async throws {
      try await run(grants()) { world in
        let daemon = try await world.startDaemon(.stored, ["--log-level", "info"])
        for arguments in [["scopes"], ["status"], ["get", "counter"]] {
          let process = try world.startClient(as: OtherUsers.stranger, arguments)
          let run = try await world.finish(process)
          #expect(!run.isSuccess)
          #expect(run.output == [])
        }
        _ = try await daemon.errors.line("the refusal") {
          $0.contains("nothing is granted") && $0.contains("peer=localhost:\(OtherUsers.stranger):")
        }
        // Neither the lock nor the sockets nor what else is there can be read or taken away.
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
    func `One who is granted something sees and sends what the line says`() async throws {
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
        try await watcher.output.state("what was added") {
          $0["items"]?.items?.first?["title"]?.text == "mine"
        }
        let remove = try await world.client(
          as: OtherUsers.ann,
          "send",
          "counter",
          #""incrementButtonTapped""#,
          #""decrementButtonTapped""#,
        )
        #expect(!remove.isSuccess)
        #expect(remove.output.joined().contains("unauthorised"))
        #expect(try await world.get("counter")["count"] == 1)
        let other = try await world.client(as: OtherUsers.ann, "get", "game")
        #expect(!other.isSuccess)
        let sent = try await world.client(
          as: OtherUsers.bob,
          "send",
          "counter",
          #""incrementButtonTapped""#,
        )
        #expect(sent.output.joined().contains("unauthorised"))
        // Those present are known by the kernel's word.
        let present = try world.startClient(as: OtherUsers.bob, ["watch", "presence"])
        try await present.output.state("who watches") { state in
          let users = state["sessions"]?.items?.compactMap { $0["user"]?.int }
          return users == [Int(OtherUsers.ann), Int(OtherUsers.bob)]
        }
      }
    }

    @Test
    func `What not everybody may see is in no frame that is published`() async throws {
      try await run(grants()) { world in
        _ = try await world.startDaemon()
        let recorder = Recorder(world)
        let watchers = try [0, OtherUsers.ann].map {
          try world.startClient(as: $0, ["watch", "todos", "--deltas"])
        }
        let counter = try world.startClient(as: OtherUsers.bob, ["watch", "counter", "--deltas"])
        for watcher in watchers + [counter] { _ = try await watcher.output.lines(atLeast: 1) }
        for number in 1...20 {
          try await world.send("todos", #"{"addButtonTapped":{"title":"secret \#(number)"}}"#)
          try await world.send("counter", #""incrementButtonTapped""#)
        }
        for watcher in watchers {
          _ = try await watcher.output.line("the last title") { $0.contains("secret 20") }
        }
        _ = try await counter.output.lines(atLeast: 21)
        let frames = try recorder.stop()
        #expect(!frames.isEmpty)
        for frame in frames {
          #expect(!String(decoding: frame, as: UTF8.self).contains("secret"))
        }
        #expect(!counter.output.lines.joined().contains("secret"))
      }
    }

    @Test
    func `The file is read again, a mistake changes nothing, and who may do less is ended`()
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
    func `Another user's daemon is trusted by those who name him`() async throws {
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
    func `A daemon does not begin with grants that make no sense`() async throws {
      try await run("user:\(OtherUsers.ann) counter look") { world in
        let daemon = try world.start(.stored, ["--dir", world.directory])
        let run = try await world.finish(daemon)
        #expect(run.end == .status(64))
        #expect(run.errorText.contains("line 1") && run.errorText.contains("look"))
      }
    }
  }
}

/// Records what is published: whoever is let in may subscribe to anything, for a moment.
private final class Recorder: Sendable {
  private let frames = Watched<[[UInt8]]>([])
  private let isOver = Watched(false)
  private let hasStopped = Watched(false)

  init(_ world: World) {
    let (frames, isOver, hasStopped) = (frames, isOver, hasStopped)
    Thread.detachNewThread {
      // Connects again and again, as it is cut off each time that it is noticed.
      if let context = try? Context() {
        while !isOver.value {
          var options = SocketOptions()
          options.linger = .zero
          guard let socket = try? Socket(context, kind: .xsub, options: options),
            (try? socket.connect("ipc://\(world.directory)/pub")) != nil
          else { break }
          for kind: UInt8 in [0x11, 0x12, 0x13] { _ = try? socket.send([1, kind]) }
          _ = try? Poller([.socket(socket)]).wait(timeout: .milliseconds(20))
          while let message = try? socket.receive() {
            let bytes = message.bytes
            frames.update { $0.append(bytes) }
          }
        }
      }
      hasStopped.update { $0 = true }
    }
  }

  func stop() throws -> [[UInt8]] {
    isOver.update { $0 = true }
    return frames.value
  }
}
