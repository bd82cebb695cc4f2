import Foundation
import Testing

@testable import StoreProtocol

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// The exit statuses of commands, as in the table of `docs/guides/Running.md`.
  @Suite(.timeLimit(.minutes(3))) struct EndingTests {
    /// A command, and whether it runs until it is stopped.
    struct Command: CustomStringConvertible, Sendable {
      var arguments: [String]
      var isEndless = true

      /// Its end after a signal.
      func end(by signal: Int32) -> ChildProcess.End { isEndless ? .status(0) : .signal(signal) }

      var description: String { arguments.joined(separator: " ") }
    }

    private static let commands = [
      Command(arguments: ["watch", "counter"]),
      Command(arguments: ["watch", "counter", "--deltas"]),
      Command(arguments: ["watch", "counter", "todos", "--count", "1000"]),
      Command(arguments: ["status", "--watch"]),
      Command(arguments: ["log", "--follow"]),
      Command(arguments: ["log", "--follow", "--count", "1000"]),
      Command(arguments: ["send", "counter", "-"], isEndless: false),
      Command(arguments: ["send", "counter", "-", "--finish"], isEndless: false),
    ]

    @Test(arguments: commands, [SIGTERM, SIGINT])
    func `A signal ends continuous commands with 0, and others by itself`(
      command: Command,
      signal: Int32,
    ) async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        try await world.send("counter", "incrementButtonTapped")
        let process = try world.startClient(command.arguments)
        process.write(lines: ["incrementButtonTapped"])
        _ = try await process.output.lines(atLeast: 1)
        process.send(signal: signal)
        #expect(try await process.ended() == command.end(by: signal))
        #expect(process.output.unfinished == "")
        if command.isEndless { #expect(process.errors.lines == []) }
      }
    }

    #if os(Linux)
    @Test(arguments: [Program.stored, .strangerDaemon])
    func `Programs that a daemon starts inherit no blocked signal`(program: Program) async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(program)
        let status = try String(contentsOfFile: "/proc/\(daemon.pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") })
        let mask = try #require(UInt64(line.split(separator: "\t")[1], radix: 16))
        for number in [SIGTERM, SIGINT, SIGHUP] {
          #expect(mask & 1 << UInt64(number - 1) == 0, "\(number) is blocked: \(line)")
        }
        // However many reloads come before the request to stop.
        for _ in 0..<5_000 { daemon.send(signal: SIGHUP) }
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
      }
    }
    #endif

    @Test(arguments: commands, [SIGTERM, SIGINT])
    func `It ends so before the daemon has answered as well`(
      command: Command,
      signal: Int32,
    ) async throws {
      try await World.run { world in
        let greeted = Watched(false)
        let says: @Sendable (ClientMessage) -> [DaemonMessage]? = { message in
          if case .hello = message { greeted.update { $0 = true } }
          return []
        }
        let daemon = try await FalseDaemon(in: world.directory, says: says)
        let process = try world.startClient(command.arguments)
        try await greeted.wait(within: .seconds(20), for: "a hello") { $0 ? true : nil }
        process.send(signal: signal)
        #expect(try await process.ended() == command.end(by: signal))
        #expect(process.output.lines == [] && process.errors.lines == [])
        withExtendedLifetime(daemon) {}
      }
    }

    @Test(arguments: [["watch", "counter"], ["status", "--watch"]], [SIGTERM, SIGINT])
    func `A signal ends a screen, which is ended with q, by itself`(
      arguments: [String],
      signal: Int32,
    ) async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let screen = try TerminalProcess(world, arguments, term: "vt52")
        try await screen.shows("q quit")
        kill(try await screen.pid(), signal)
        #expect(
          try await screen.ended() == TerminalProcess.End(isRestored: true, status: 128 + signal)
        )
      }
    }

    @Test(arguments: commands.filter(\.isEndless).map(\.arguments) + [["log"], ["scopes"]])
    func `Where the reader closes a command ends with 0, at once`(arguments: [String]) async throws
    {
      try await World.run { world in
        _ = try await world.startDaemon()
        try await world.send("counter", "incrementButtonTapped", "incrementButtonTapped")
        let script = #"{ "$0" "$@"; echo "$?" >&2; } | head -1"#
        let process = try world.start(
          .storectl,
          ["--dir", world.directory] + arguments,
          script: script,
        )
        #expect(try await process.ended(within: .seconds(10)) == .status(0))
        #expect(process.output.lines.count == 1)
        #expect(process.errors.lines == ["0"])
      }
    }

    @Test(arguments: [["log"], ["log", "--follow"], ["at", "0", "get", "counter"], ["verify"]])
    func `Without a kept state there is no past, now or later`(arguments: [String]) async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let run = try await world.client(arguments)
        #expect(run.end == .status(69), "\(run.errorText)")
        #expect(run.errorText.contains("in memory only"))
        #expect(run.errorText.contains("if it has a data directory"), "the remedy")
      }
    }

    @Test func `A missing history is no empty list`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        try await world.send("counter", "incrementButtonTapped")
        let (data, future) = ("\(world.directory)/data", ["log", "--after", "99"])
        let live = try await world.client(future)
        #expect(live.end == .status(65) && live.errorText.contains("99 is still to come"))
        #expect(try await world.client("log", "--after", "1").isSuccess)
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
        for (arguments, words) in [
          (future, "99 is still to come"), (["log", "--scope", "countr"], "\"counter\""),
          (["log", "--scope", "todos/itms"], "\"items\""),
        ] {
          let run = try await world.client(arguments + ["--data", data])
          #expect(run.end == .status(65), "\(arguments)")
          #expect(run.errorText.contains(words), "\(run.errorText)")
          #expect(run.output == [])
        }
        // An unknown row is valid, since it could have existed.
        let row = try await world.client("log", "--scope", "todos/items/1", "--data", data)
        #expect(row.isSuccess && row.output == [], "\(row.errorText)")
      }
    }
  }
}
