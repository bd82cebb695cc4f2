import GenericState
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  @Suite("Sessions")
  struct SessionTests {
    private static let increment = #""incrementButtonTapped""#

    @Test func `A client that shows no state does not lag`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        try await world.send("counter", "incrementButtonTapped", "incrementButtonTapped")
        let status = try await world.answer("--json", "status")
        #expect(status["sessions"]?.items?.count == 1)
        #expect(status["sessions"]?.items?.first?["unreadBytes"]?.int == 0)
      }
    }

    @Test func `A stopped watcher leaves more and more unread, and so does one that never reads`()
      async throws
    {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory", "--lease-ms", "16000"])
        let reader = try await world.watch("counter")
        let sleeper = try await world.watch("counter")
        let sender = try world.startClient(["send", "counter", "-"])
        sleeper.send(signal: SIGSTOP)
        /// The unread bytes of a watcher, and their age; nil when its session is over.
        func unread(_ watcher: ChildProcess, _ status: JSONValue) -> (bytes: Int, time: Int)? {
          let session = status["sessions"]?.items?.first {
            $0["peer"]?.text?.hasSuffix(":\(watcher.pid)") ?? false
          }
          guard let bytes = session?["unreadBytes"]?.int, let time = session?["unreadMs"]?.int
          else { return nil }
          return (bytes, time)
        }
        var (oldest, isReaderUpToDate) = (0, false)
        // The stopped watcher's session ends with its lease; the delay is visible before.
        while oldest < 2_000 {
          sender.write(lines: Array(repeating: "incrementButtonTapped", count: 500))
          let status = try await world.answer("--json", "status")
          let late = try #require(unread(sleeper, status), "It ended without having been late")
          #expect(late.bytes > 0 || late.time == 0)
          oldest = late.time
          let other = try #require(unread(reader, status))
          if other.bytes == 0, other.time == 0 { isReaderUpToDate = true }
          if oldest >= 2_000 { #expect(other.time < oldest) }
        }
        #expect(isReaderUpToDate)
        sleeper.send(signal: SIGCONT)
        sender.closeInput()
        #expect(try await world.finish(sender).isSuccess)
      }
    }

    @Test("A client that is stopped for longer than its lease is notified and resumes")
    func stopped() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--lease-ms", "1000", "--grace-ms", "500"])
        let sleeper = try await world.watch("counter")
        let presence = try await world.watch("presence")
        try await presence.output.state("two present clients") {
          $0["sessions"]?.items?.count == 2
        }
        sleeper.send(signal: SIGSTOP)
        let seen = presence.output.lines.count
        try await presence.output.state(from: seen, "the remaining client") {
          $0["sessions"]?.items?.count == 1
        }
        try await world.send("counter", Self.increment, Self.increment)
        sleeper.send(signal: SIGCONT)
        _ = try await sleeper.errors.line("the note of the lost session") {
          $0.contains("leaseEnded")
        }
        try await sleeper.output.state("the state that it slept through") { $0["count"] == 2 }
        try await presence.output.state("both again") { $0["sessions"]?.items?.count == 2 }
        #expect(try await world.counter("leasesEnded") == 1)
      }
    }

    @Test(arguments: [["watch", "counter"], ["status", "--watch"], ["log", "--follow"]])
    func `A follower in a pipe is notified at once, and once, of the daemon's loss and return`(
      arguments: [String]
    ) async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        try await world.send("counter", Self.increment)
        let follower = try world.startClient(arguments)
        _ = try await follower.output.lines(atLeast: 1)
        daemon.send(signal: SIGKILL)
        _ = try await daemon.ended()
        // Far less than a lease.
        _ = try await follower.errors.line(within: .seconds(3), "the silence") {
          $0.contains("nothing is heard of the daemon")
        }
        _ = try await world.startDaemon()
        _ = try await follower.errors.line("that it is back") { $0.contains("session") }
        #expect(follower.errors.lines.count == 2, "\(follower.errors.lines)")
      }
    }

    @Test(
      "A restarted daemon's clients notice, join again and report it, and actions continue",
      arguments: [SIGTERM, SIGKILL],
    )
    func restart(signal: Int32) async throws {
      try await World.run { world in
        let first = try await world.startDaemon(.stored, ["--in-memory"])
        let watchers = [
          try await world.watch("counter"), try await world.watch("counter", "--deltas"),
        ]
        let sender = try world.startClient("--json", "send", "counter", "-")
        sender.write(lines: Array(repeating: Self.increment, count: 300))
        _ = try await sender.output.lines(atLeast: 100)
        first.send(signal: signal)
        #expect(try await first.ended() == (signal == SIGTERM ? .status(0) : .signal(SIGKILL)))
        sender.write(lines: Array(repeating: Self.increment, count: 300))
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let run = try await world.finish(sender)
        #expect(run.isSuccess)
        let outcomes = try run.output.map { try JSONValue(parsing: $0)["outcome"]?.text }
        #expect(outcomes == Array(repeating: "applied", count: 600))
        #expect(run.errorText.contains("new epoch"))
        try await checkAfterRestart(watchers, world)
      }
    }

    private func checkAfterRestart(_ watchers: [ChildProcess], _ world: World) async throws {
      let count = try #require(try await world.get("counter")["count"]?.int)
      // At least the second half, and no action of the first twice.
      #expect(count >= 300 && count <= 600)
      for watcher in watchers {
        _ = try await watcher.errors.line("the note of the new epoch") { $0.contains("new epoch") }
        _ = try await watcher.output.line("the final count") { line in
          guard let line = try? WatchLine(line) else { return false }
          return (line.state?["count"] ?? line.delta?["changed"]?["count"])?.int == count
        }
      }
    }

    @Test("The ready line names directory, epoch and revision")
    func ready() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let line = try #require(daemon.output.lines.first)
        let directory = world.directory
        let match = try #require(
          line.wholeMatch(of: /ready dir=(\S+) epoch=([0-9a-f]+) revision=0/)
        )
        #expect(String(match.1) == directory)
        let status = try await world.answer("--json", "status")
        #expect(status["epoch"]?.text == String(match.2))
        #expect(status["pid"]?.int == Int(daemon.pid))
      }
    }

    @Test(
      "A daemon that is stopped by a signal sends goodbye and exits with 0",
      arguments: [SIGTERM, SIGINT],
    )
    func goodbye(signal: Int32) async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let watcher = try await world.watch("counter")
        try await world.send("counter", Self.increment)
        daemon.send(signal: signal)
        #expect(try await daemon.ended() == .status(0))
        #expect(daemon.output.lines.count == 1)
        _ = try await watcher.errors.line("the goodbye") { $0.contains("goingDown") }
        #expect(watcher.isRunning)
      }
    }

    @Test("A watch that a signal stops ends after a whole line", arguments: [SIGTERM, SIGINT])
    func watchEnds(signal: Int32) async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let watcher = try await world.watch("counter", "--deltas")
        let sender = try world.startClient("--json", "send", "counter", "-")
        sender.write(lines: Array(repeating: Self.increment, count: 1000))
        _ = try await watcher.output.lines(atLeast: 50)
        watcher.send(signal: signal)
        #expect(try await watcher.ended() == .status(0))
        #expect(watcher.output.unfinished == "")
        #expect(try watcher.output.watched().count >= 50)
        let run = try await world.finish(sender)
        #expect(run.isSuccess)
      }
    }

    @Test("A watch ends after the requested number of lines")
    func count() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let run = try await world.client("--json", "watch", "counter", "--count", "1")
        #expect(run.isSuccess)
        #expect(run.output.count == 1)
      }
    }

    @Test("Short commands do not appear in the presence list")
    func presence() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let presence = try await world.watch("presence")
        try await presence.output.state("itself") { $0["sessions"]?.items?.count == 1 }
        let joined = presence.output.lines.count
        _ = try await world.get("counter")
        _ = try await world.answer("--json", "status")
        _ = try await world.client("scopes")
        try await world.send("counter", Self.increment)
        let sender = try world.startClient("--json", "send", "counter", "-")
        sender.write(lines: [Self.increment])
        _ = try await sender.output.lines(atLeast: 1)
        #expect(try await world.get("presence")["sessions"]?.items?.count == 1)
        // A command in the list would have caused a line before this one.
        let other = try await world.watch("counter")
        let lines = try await presence.output.lines(atLeast: joined + 1)
        #expect(lines.count == joined + 1)
        #expect(lines[joined].contains(":\(other.pid)"))
      }
    }

    @Test("The log contains arrivals and departures, if that is requested")
    func audit() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(.stored, ["--log-level", "info"])
        try await world.send("counter", Self.increment)
        let came = try await daemon.errors.line("the session's begin") {
          $0.contains("A session begins.") && $0.contains(#"name="storectl send""#)
        }
        let went = try await daemon.errors.line("the session's end") {
          $0.contains("A session ends.") && $0.contains("reason=left")
        }
        #expect(came.index < went.index)
        #expect(came.line.contains("peer=localhost:\(geteuid()):"))
        // Sessions that are open when the daemon ends have an end in the log as well.
        _ = try await world.watch("counter")
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
        let lines = daemon.errors.lines
        #expect(lines.contains { $0.contains("A session ends.") && $0.contains("goingDown") })
        for word in ["begins", "ends"] {
          #expect(lines.count { $0.contains("A session \(word).") } == 2, "\(lines)")
        }
      }
    }

    @Test("A daemon also listens on the loopback interface, if that is requested")
    func loopback() async throws {
      try await World.run { world in
        // Another program may have one of the ports; then another pair will do.
        for _ in 0..<5 {
          let port = Int.random(in: 20_000...60_000)
          let address = "tcp://127.0.0.1:\(port)"
          let options = ["--listen", address, "--insecure-loopback"]
          let daemon = try world.start(.stored, ["--dir", world.directory] + options)
          let start = try? await daemon.output.line(within: .seconds(5), "readiness") { _ in true }
          guard start != nil else { continue }
          let watcher = try world.start(
            .storectl,
            ["--json", "--connect", address, "watch", "counter", "--deltas"],
          )
          _ = try await watcher.output.lines(atLeast: 1)
          try await world.send("counter", Self.increment)
          let line = try WatchLine(try await watcher.output.lines(atLeast: 2)[1])
          #expect(line.delta?["changed"]?["count"] == 1)
          return
        }
        Issue.record("No daemon could listen on any of five ports")
      }
    }
  }
}
