import Foundation
import GenericState
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// Custom daemons and clients, which use `host.main()` and `StoreConnection.main()`.
  @Suite("Custom programs")
  struct OwnProgramTests {
    private static let name = "StrangerDaemon"

    @Test func `A daemon that cannot run prints the reason in one line and exits with its status`()
      async throws
    {
      try await World.run { world in
        try #require(chmod(world.directory, 0o777) == 0)
        let open = try await world.finish(world.start(.strangerDaemon, [world.directory]))
        #expect(open.end == .status(77), "\(open.errorText)")
        #expect(
          open.errors.count == 1 && open.errorText.hasPrefix("\(Self.name): Others can write")
        )
        #expect(open.output == [])
        let long = "\(world.directory)/\(String(repeating: "d", count: 110))"
        let run = try await world.finish(world.start(.strangerDaemon, [long]))
        #expect(run.end == .status(64) && run.errors.count == 1, "\(run.errorText)")
      }
    }

    @Test func `A replay without revisions prints the reason, too`() async throws {
      try await World.run { world in
        let arguments = [world.directory, "--replay"]
        let run = try await world.finish(world.start(.strangerDaemon, arguments))
        #expect(run.end != .status(0) && run.output == [])
        guard case .status(65...78) = run.end else {
          Issue.record("It ended with \(run.end)")
          return
        }
        #expect(run.errors.count == 1 && run.errorText.hasPrefix("\(Self.name): "))
      }
    }

    @Test func `A second daemon names the first one's program, and no option that it lacks`()
      async throws
    {
      try await World.run { world in
        let first = try await world.startDaemon(.strangerDaemon)
        let second = try await world.finish(world.start(.strangerDaemon, [world.directory]))
        #expect(second.end == .status(73))
        #expect(
          second.errors.last?.hasPrefix("\(Self.name): \(Self.name) uses the directory ") == true,
          "\(second.errorText)",
        )
        #expect(second.errorText.contains("pid \(first.pid)"))
        #expect(!second.errorText.contains("--"), "\(second.errorText)")
        // The daemon that ships has the options, and names them.
        let stored = try await world.finish(world.start(.stored, ["--dir", world.directory]))
        #expect(stored.end == .status(73))
        #expect(stored.errorText.contains(Self.name) && stored.errorText.contains("with --dir"))
      }
    }

    @Test func `Its line is read while it runs, also through a pipe, and SIGTERM ends it with 0`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon(.strangerDaemon)
        let line = try #require(daemon.output.lines.first)
        let match = try #require(line.wholeMatch(of: /ready dir=(\S+) epoch=[0-9a-f]+ revision=0/))
        #expect(match.1 == world.directory)
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
        #expect(daemon.output.lines.count == 1)
      }
    }

    @Test func `A reader that closes a daemon's output does not end it`() async throws {
      try await World.run { world in
        let script = #""$0" "$@" | true"#
        let shell = try world.start(.strangerDaemon, [world.directory], script: script)
        var status = try await world.client("--json", "status")
        for _ in 0..<200 where !status.isSuccess {
          status = try await world.client("--json", "status")
        }
        let line = try #require(status.output.first, "\(status.errorText)")
        let pid = try #require(try JSONValue(parsing: line)["pid"]?.int)
        #expect(kill(pid_t(pid), SIGTERM) == 0)
        #expect(try await shell.ended() == .status(0))
      }
    }

    @Test func `The status names the daemon's program`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.strangerDaemon)
        #expect(try await world.answer("--json", "status")["program"]?.text == Self.name)
      }
    }

    @Test func `Without a daemon the remedy names the program that was there last`() async throws {
      try await World.run { world in
        for (program, remedy) in [
          (Program.strangerDaemon, "Start \(Self.name), which served the directory last."),
          (.stored, "Start it with: stored --dir \(world.directory)"),
        ] {
          let daemon = try await world.startDaemon(program)
          daemon.send(signal: SIGKILL)
          _ = try await daemon.ended()
          let run = try await world.client("status")
          #expect(run.end == .status(69) && run.errorText.hasSuffix(remedy), "\(run.errorText)")
        }
      }
    }

    @Test func `A remedy for an address names neither a program nor a directory`() async throws {
      try await World.run { world in
        let arguments = ["--connect", "tcp://127.0.0.1:1", "status"]
        let run = try await world.finish(world.start(.storectl, arguments))
        #expect(run.end == .status(69))
        #expect(!run.errorText.contains("stored"), "\(run.errorText)")
        #expect(run.errorText.contains("Check the address"), "\(run.errorText)")
      }
    }

    @Test func `A path that is no directory is not offered to a daemon`() async throws {
      try await World.run { world in
        let file = "\(world.directory)/file"
        close(open(file, O_CREAT | O_WRONLY, 0o600))
        let run = try await world.finish(world.start(.storectl, ["--dir", file, "status"]))
        #expect(run.end == .status(69))
        #expect(!run.errorText.contains("stored"), "\(run.errorText)")
        #expect(run.errorText.contains("is not a directory"), "\(run.errorText)")
      }
    }

    @Test func `A daemon that does not answer is called by its program's name`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(.strangerDaemon)
        daemon.send(signal: SIGSTOP)
        let run = try await world.client("status")
        daemon.send(signal: SIGCONT)
        #expect(run.end == .status(70))
        #expect(
          run.errorText.hasPrefix(
            "storectl: \(Self.name) with pid \(daemon.pid) takes connections"
          ),
          "\(run.errorText)",
        )
        #expect(run.errorText.hasSuffix("kill -9 \(daemon.pid)"))
      }
    }

    @Test func `No process is to be killed that has not got the lock`() async throws {
      try await World.run { world in
        let silent = try await FalseDaemon(in: world.directory, says: { _ in [] })
        try "1 0123456789abcdef init\n"
          .write(toFile: "\(world.directory)/lock", atomically: true, encoding: .utf8)
        let run = try await world.client("status")
        #expect(run.end == .status(70))
        #expect(run.errorText.contains("A process takes connections"), "\(run.errorText)")
        #expect(!run.errorText.contains("kill"), "\(run.errorText)")
        withExtendedLifetime(silent) {}
      }
    }

    @Test func `A lock with arbitrary contents is harmless`() async throws {
      try await World.run { world in
        for text in ["", "\n", "x", "7 t \u{1B}[2J", "7 t \(String(repeating: "n", count: 9_999))"]
        {
          try text.write(toFile: "\(world.directory)/lock", atomically: true, encoding: .utf8)
          let run = try await world.client("status")
          #expect(run.end == .status(69), "\(run.errorText)")
          #expect(!run.errorText.contains("\u{1B}") && run.errorText.utf8.count < 500)
        }
      }
    }

    @Test func `A client without its daemon prints the reason in a line and exits with its status`()
      async throws
    {
      try await World.run { world in
        let run = try await world.finish(world.start(.closingClient, [world.directory, "0"]))
        #expect(run.end == .status(69))
        #expect(
          run.errors == ["ClosingClient: No daemon answers at \(world.directory)."],
          "\(run.errorText)",
        )
      }
    }
  }
}
