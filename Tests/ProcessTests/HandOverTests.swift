import Foundation
import GenericState
import StoreState
import Testing

@testable import StoreJournal

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// Daemons that are replaced by another process of their program.
  @Suite struct HandOverTests {
    /// How often a daemon is replaced, and how often the new process fails; `HANDOVERS` sets both.
    private static let rounds =
      ProcessInfo.processInfo.environment["HANDOVERS"].flatMap { Int($0) } ?? 6

    private static let (senders, watchers) = (4, rounds > 6 ? 46 : 8)

    private static func add(_ sender: Int, _ number: Int) -> String {
      #"{"addButtonTapped":{"title":"\#(sender)-\#(number)"}}"#
    }

    /// Runs a test with a daemon whose program is a link that the test may change.
    private func run(
      _ options: [String] = [],
      _ body: (World, _ daemon: ChildProcess, _ program: String) async throws -> Void,
    ) async throws {
      try await World.run { world in
        let program = "\(world.directory)/program"
        try FileManager.default.createSymbolicLink(
          atPath: program,
          withDestinationPath: try Program.stored.path,
        )
        let daemon = try world.start(path: program, ["--dir", world.directory] + options)
        _ = try await daemon.output.line("the daemon to be ready") { $0.hasPrefix("ready ") }
        do {
          try await body(world, daemon, program)
        } catch {
          try await end(world)
          throw error
        }
        try await end(world)
        // Its output ends with the last process that has it.
        let end = try await daemon.ended()
        #expect(end == .status(0) || end == .signal(SIGKILL))
      }
    }

    /// Ends the process that serves, which may be no child of the test.
    private func end(_ world: World) async throws {
      guard let pid = holder(world) else { return }
      kill(pid, SIGTERM)
      try await poll("an end of process \(pid)") { kill(pid, 0) != 0 }
    }

    private func holder(_ world: World) -> pid_t? {
      DirectoryLock.holder(of: world.directory).flatMap { pid_t($0) }
    }

    private func poll(_ what: String, _ isSo: () async throws -> Bool) async throws {
      let clock = ContinuousClock()
      let end = clock.now + .seconds(30 * TestPatience.factor)
      while try await !isSo() {
        guard clock.now < end else { throw ProcessFailure("There is not \(what)") }
        await Task.yield()
      }
    }

    private func upgrade(_ world: World, _ options: String...) async throws -> World.Run {
      try await world.finish(
        world.start(.stored, ["upgrade", "--dir", world.directory] + options),
        within: .seconds(60),
      )
    }

    /// Clients that send, each its own todos.
    private struct Senders {
      let clients: [ChildProcess]
      var sent = 0

      init(_ world: World) throws {
        clients = try (0..<HandOverTests.senders).map { _ in
          try world.startClient("--json", "send", "todos", "-")
        }
      }

      mutating func send(_ count: Int) {
        for (sender, client) in clients.enumerated() {
          client.write(lines: (sent..<sent + count).map { HandOverTests.add(sender, $0) })
        }
        sent += count
      }

      /// Waits for outcomes of all but a number of the actions of each client.
      func wait(besides count: Int = 0) async throws {
        for client in clients {
          _ = try await client.output.lines(atLeast: sent - count, within: .seconds(60))
        }
      }

      /// Expects that each action was acknowledged as applied, and was applied once, in its order.
      func check(_ world: World) async throws {
        try await wait()
        for client in clients {
          #expect(client.output.lines.allSatisfy { $0.contains(#""applied""#) })
        }
        let items = try #require(try await world.get("todos")["items"]?.items)
        let titles = items.compactMap { $0["title"]?.text }
        for sender in clients.indices {
          let own = titles.filter { $0.hasPrefix("\(sender)-") }
          #expect(own == (0..<sent).map { "\(sender)-\($0)" })
        }
        #expect(titles.count == clients.count * sent)
      }
    }

    @Test(.timeLimit(.minutes(rounds > 6 ? 60 : 4)))
    func `A daemon is replaced under load: each action runs once, and no client starts over`()
      async throws
    {
      try await run { world, first, _ in
        var senders = try Senders(world)
        senders.send(1)
        try await senders.wait()
        let epoch = try await world.answer("--json", "status")["epoch"]
        var watchers: [ChildProcess] = []
        for number in 0..<Self.watchers {
          watchers.append(try await world.watch(number.isMultiple(of: 2) ? "todos" : "counter"))
        }
        var pids: Set<pid_t> = [first.pid]
        for round in 1...Self.rounds {
          senders.send(100)
          try await senders.wait(besides: 50)
          let run = try await upgrade(world)
          let pid = try #require(
            run.output.first.flatMap { try? JSONValue(parsing: $0)["pid"]?.int },
            "\(run.errorText)",
          )
          #expect(pids.insert(pid_t(pid)).inserted, "round \(round)")
          senders.send(20)
          try await senders.wait()
          try await poll("the watchers at the new process") {
            let status = try await world.answer("--json", "status")
            return status["sessions"]?.items?.count ?? 0 >= Self.watchers + Self.senders
          }
          #expect(try await world.counter("snapshots") == 0, "round \(round)")
        }
        try await senders.check(world)
        #expect(try await world.answer("--json", "status")["epoch"] == epoch)
        for watcher in watchers { #expect(watcher.isRunning) }
      }
    }

    /// New processes that fail, as scripts.
    private static let failures = [
      "exit 3",
      // It reports that it has read the history, and ends, or does nothing.
      #"printf '\001' >&3; exit 0"#,
      #"printf '\001' >&3; exec 3>&-; exec sleep 60"#,
      #"printf '\001' >&3; exec sleep 60"#,
      // It sends something else.
      #"printf '\003' >&3; exec sleep 60"#,
      #"printf 'x' >&3; exec sleep 60"#,
      "exec 3>&-; exec sleep 60",
    ]

    @Test(.timeLimit(.minutes(rounds > 6 ? 60 : 4)))
    func `If the new process fails, the former build goes on`() async throws {
      try await run { world, daemon, program in
        var senders = try Senders(world)
        senders.send(1)
        try await senders.wait()
        let epoch = try await world.answer("--json", "status")["epoch"]
        let stored = try Program.stored.path
        for round in 0..<Self.rounds {
          let script = Self.failures[round % Self.failures.count]
          try FileManager.default.removeItem(atPath: program)
          try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: program))
          try #require(chmod(program, 0o700) == 0)
          senders.send(100)
          try await senders.wait(besides: 50)
          let run = try await upgrade(world, "--wait", "3")
          #expect(run.end == .status(75) && run.output == [], "\(script): \(run.errorText)")
          try await senders.wait()
          #expect(holder(world) == daemon.pid, "\(script)")
          // The former build may still be starting again.
          try await poll("an answer after \(script)") {
            let run = try await world.client("--json", "status")
            guard run.isSuccess, let line = run.output.first else { return false }
            #expect(try JSONValue(parsing: line)["epoch"] == epoch, "\(script)")
            return true
          }
        }
        try await senders.check(world)
        // A process that does start takes over after all of these.
        try FileManager.default.removeItem(atPath: program)
        try FileManager.default.createSymbolicLink(atPath: program, withDestinationPath: stored)
        let run = try await upgrade(world)
        #expect(run.isSuccess, "\(run.errorText)")
        try await senders.check(world)
      }
    }

    @Test func `A request to stop that arrives when the new process is to serve ends both`()
      async throws
    {
      try await run { world, daemon, program in
        try FileManager.default.removeItem(atPath: program)
        let script =
          "#!/bin/sh\necho $$ > \(world.directory)/pid\nprintf '\\001' >&3\nexec sleep 60\n"
        try Data(script.utf8).write(to: URL(filePath: program))
        try #require(chmod(program, 0o700) == 0)
        kill(daemon.pid, SIGUSR2)
        // The directory is free: the daemon waits for the new process.
        try await poll("the release") { self.holder(world) == nil }
        kill(daemon.pid, SIGTERM)
        #expect(try await daemon.ended() == .status(0))
        #expect(holder(world) == nil)
        let text = try String(contentsOfFile: "\(world.directory)/pid", encoding: .utf8)
        let pid = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
        #expect(kill(pid, 0) != 0)
      }
    }

    @Test func `Another request replaces a new process that still reads`() async throws {
      try await run { world, daemon, program in
        let stored = try Program.stored.path
        try FileManager.default.removeItem(atPath: program)
        let script = "#!/bin/sh\n: > '\(world.directory)/started'\nexec sleep 60\n"
        try Data(script.utf8).write(to: URL(filePath: program))
        try #require(chmod(program, 0o700) == 0)
        kill(daemon.pid, SIGUSR2)
        // The shell has read the script by then.
        try await poll("the start") {
          FileManager.default.fileExists(atPath: "\(world.directory)/started")
        }
        try FileManager.default.removeItem(atPath: program)
        try FileManager.default.createSymbolicLink(atPath: program, withDestinationPath: stored)
        let run = try await upgrade(world)
        #expect(run.isSuccess, "\(run.errorText)")
      }
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `A daemon that ends while the new process reads leaves no second daemon unasked`(
      signal: Int32
    ) async throws {
      try await run { world, daemon, program in
        // The new process is slow.
        try FileManager.default.removeItem(atPath: program)
        let stored = try Program.stored.path
        let script = """
          #!/bin/sh
          echo $$ > \(world.directory)/pid
          sleep 1
          exec '\(stored)' "$@"

          """
        try Data(script.utf8).write(to: URL(filePath: program))
        try #require(chmod(program, 0o700) == 0)
        kill(daemon.pid, SIGUSR2)
        try await poll("the new process") {
          (try? String(contentsOfFile: "\(world.directory)/pid", encoding: .utf8))?
            .hasSuffix("\n") == true
        }
        let text = try String(contentsOfFile: "\(world.directory)/pid", encoding: .utf8)
        let pid = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
        kill(daemon.pid, signal)
        if signal == SIGTERM {
          try await poll("an end of the new process") { kill(pid, 0) != 0 }
          try await poll("an end of the daemon") { self.holder(world) == nil }
        } else {
          // A daemon that is killed is replaced by the process that was to replace it.
          try await poll("the new daemon") { self.holder(world) == pid }
          try await world.send("counter", #""incrementButtonTapped""#)
        }
      }
    }

    @Test func `A process of a build that does not know the request is not ended by it`()
      async throws
    {
      try await World.run { world in
        // This process does not handle the signal.
        let lock = try DirectoryLock(world.directory)
        let run = try await upgrade(world, "--wait", "1")
        #expect(run.end == .status(75) && run.errorText.contains("build"), "\(run.errorText)")
        withExtendedLifetime(lock) {}
      }
    }

    @Test func `A daemon that cannot be replaced says why`() async throws {
      try await run(["--in-memory"]) { world, daemon, _ in
        let run = try await upgrade(world, "--wait", "1")
        #expect(run.end == .status(75) && run.output == [], "\(run.errorText)")
        _ = try await daemon.errors.line("the reason") { $0.contains("in memory") }
        #expect(daemon.isRunning)
      }
      try await World.run { world in
        let run = try await upgrade(world, "--wait", "1")
        #expect(run.end == .status(75) && run.errorText.contains("No daemon"), "\(run.errorText)")
      }
    }
  }
}
