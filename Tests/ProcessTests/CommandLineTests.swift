import Foundation
import GenericState
import StoreProtocol
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// The parsing of both programs' arguments.
  @Suite(.timeLimit(.minutes(2))) struct CommandLineTests {
    /// Runs a program with an argument that is not UTF-8; `$bad` stands for it in the command line.
    private func run(
      _ world: World,
      _ program: Program,
      _ arguments: String,
    ) async throws -> World.Run {
      let script = #"bad=$(printf 'a\377b'); exec "$0" --dir "$1" \#(arguments)"#
      return try await world.finish(
        world.start(path: "/bin/sh", ["-c", script, program.path, world.directory])
      )
    }

    @Test(arguments: [
      #"send todos "{\"addButtonTapped\":{\"title\":\"$bad\"}}""#, #"get "$bad""#,
      #"watch "$bad""#,
      #"log --scope "$bad""#, #"at 0 get "$bad""#, #"bench latency --action "$bad""#,
      #"invite "$bad" --grant counter:see"#, #"send counter incrementButtonTapped --trace "$bad""#,
      #"help "$bad""#,
    ])
    func `An argument that is not UTF-8 is refused, and not made something else`(
      arguments: String
    ) async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let run = try await run(world, .storectl, arguments)
        #expect(run.end == .status(64), "\(run.output) \(run.errorText)")
        #expect(run.errorText.contains("is not UTF-8: \""), "\(run.errorText)")
        #expect(try await world.counter("actionsApplied") == 0)
      }
    }

    @Test func `A daemon refuses it as well`() async throws {
      try await World.run { world in
        let run = try await run(world, .stored, #"--data "$bad""#)
        #expect(run.end == .status(64) && run.errorText.contains("Argument 4 is not UTF-8"))
        let names = try FileManager.default.contentsOfDirectory(atPath: world.directory)
        #expect(names == [])
      }
    }

    @Test(arguments: [Program.stored, .storectl])
    func `Programs print their version, and their formats that others have to understand`(
      program: Program
    ) async throws {
      try await World.run { world in
        let run = try await world.finish(world.start(program, ["--version"]))
        #expect(run.isSuccess && run.output.count == 1 && run.errors == [])
        let line = try #require(run.output.first)
        let parts = try #require(
          line.wholeMatch(of: /(\w+) \d+\.\d+\.\d+ \(protocol (\d+), journal format \d+\)/)
        )
        #expect(parts.1 == program.rawValue && parts.2 == "\(protocolVersion)")
        let help = try await world.finish(world.start(program, ["--help"]))
        #expect(help.output.contains { $0.contains("--version") })
      }
    }

    @Test(
      arguments: [
        (.storectl, ["at", "-1", "get", "counter"], "-1 is negative"),
        (.storectl, ["watch", "counter", "--count", "-1"], "--count takes no negative number"),
        (.storectl, ["log", "--after", "-1"], "--after takes no negative number"),
        (.storectl, ["log", "-n", "-3"], "-n takes no negative number"),
        (.storectl, ["send", "counter", "x", "--timeout", "-0.5"], "--timeout takes no negative"),
        (.storectl, ["bench", "throughput", "--window", "-1"], "--window takes no negative"),
        (.storectl, ["log", "--count=-1"], "--count needs at least 1"),
        (.stored, ["--lease-ms", "-1"], "--lease-ms takes no negative number"),
        (.stored, ["replay", "--from", "-1"], "--from takes no negative number"),
        (.storectl, ["help", "nope"], "There is no command \"nope\""),
        (.storectl, ["help", "wach"], "did you mean \"watch\"?"),
        (.storectl, ["help", "bench", "latncy"], "did you mean \"latency\"?"),
        (.stored, ["help", "nope"], "There is no command \"nope\""),
        (.storectl, ["--connect", "foo://x", "status"], "ssh://[USER@]HOST[:PORT]/DIRECTORY"),
        (.storectl, ["--dir", "", "status"], "The path is empty"),
        (.storectl, ["log", "--data", ""], "The path is empty"),
        (.stored, ["--dir", ""], "--dir is empty"), (.stored, ["--data", ""], "--data is empty"),
      ] as [(Program, [String], String)]
    )
    func `Invalid arguments are refused, with the expectation`(
      program: Program,
      arguments: [String],
      words: String,
    ) async throws {
      try await World.run { world in
        let run = try await world.finish(world.start(program, arguments))
        #expect(run.end == .status(64), "\(run.output)")
        #expect(run.errorText.contains(words), "\(run.errorText)")
        #expect(run.output == [])
      }
    }

    @Test(arguments: [
      ["help", "bench"], ["help", "bench", "latency"], ["help"], ["help", "help"],
    ])
    func `Help there is for every command`(arguments: [String]) async throws {
      try await World.run { world in
        let run = try await world.finish(world.start(.storectl, arguments))
        #expect(run.isSuccess && run.output.contains { $0.hasPrefix("USAGE:") })
      }
    }

    @Test func `A file of actions may begin with a byte order mark`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let sender = try world.startClient("send", "counter", "-")
        sender.write(lines: ["\u{FEFF}incrementButtonTapped", "incrementButtonTapped"])
        let run = try await world.finish(sender)
        #expect(run.isSuccess && run.output.count == 2, "\(run.output)")
      }
    }

    @Test func `A bench describes its work, and changes kept data with consent only`() async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let bench = ["bench", "throughput", "--count", "3"]
        let refused = try await world.client(bench)
        #expect(refused.end == .status(64), "\(refused.errorText)")
        #expect(refused.output == [] && refused.errorText.contains("--yes"))
        #expect(refused.errorText.contains(#"sends 3 times "incrementButtonTapped" to counter"#))
        #expect(refused.errorText.contains("pid \(daemon.pid) at \(world.directory)"))
        #expect(try await world.get("counter")["count"] == 0)
        for (answer, count) in [("n", 0), ("", 0), ("y", 3)] {
          let terminal = try TerminalProcess(world, bench, term: "dumb", redirection: "2>&1")
          try await terminal.wrote("Continue? [y/N]")
          terminal.type("\(answer)\r")
          #expect(try await terminal.ended().status == (count == 0 ? 64 : 0))
          #expect(try await world.get("counter")["count"]?.int == count)
        }
        let agreed = try await world.client(bench + ["--yes"])
        #expect(agreed.isSuccess && agreed.errors == [], "\(agreed.errorText)")
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))

        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let inMemory = try await world.client(bench)
        #expect(inMemory.isSuccess && inMemory.errors == [], "\(inMemory.errorText)")
        let terminal = try TerminalProcess(world, bench, term: "dumb", redirection: "2>&1")
        try await terminal.wrote("in memory only")
        #expect(try await terminal.ended().status == 0)
      }
    }
  }
}
