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
  /// Long operations: they report their progress, and can be stopped at any moment.
  @Suite struct LongWorkTests {
    private func lines(_ world: World, count: Int) throws -> String {
      let path = "\(world.directory)/lines"
      let text = String(repeating: "incrementButtonTapped\n", count: count)
      try text.write(toFile: path, atomically: false, encoding: .utf8)
      return path
    }

    private func send(_ world: World, _ path: String) throws -> ChildProcess {
      let arguments = ["--dir", world.directory, "send", "counter", "-"]
      return try world.start(.storectl, arguments, script: #"exec "$0" "$@" < \#(path)"#)
    }

    @Test func `A hundred thousand lines are all sent`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let sender = try send(world, lines(world, count: 100_000))
        let run = try await world.finish(sender, within: .seconds(120))
        #expect(run.isSuccess && run.output.count == 100_000, "\(run.end) \(run.errorText)")
        #expect(try await world.get("counter")["count"] == 100_000)
      }
    }

    @Test(arguments: [SIGINT, SIGTERM], [0, 1, 5_000, 40_000])
    func `A signal ends it at any moment, as it ends any program`(
      signal: Int32,
      after count: Int,
    ) async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let sender = try send(world, lines(world, count: 100_000))
        _ = try await sender.output.lines(atLeast: count)
        sender.send(signal: signal)
        #expect(try await sender.ended() == .signal(signal))
        let errors = sender.errors.lines
        #expect(errors.allSatisfy { $0.hasPrefix("storectl: ") }, "\(errors)")
        if count > 0 {
          #expect(errors.contains { $0.contains("Interrupted") }, "\(errors)")
        }
        // Each line of the output is complete.
        #expect(sender.output.lines.allSatisfy { $0.hasPrefix("applied at revision ") })
        #expect(try await world.client("status").isSuccess)
      }
    }

    @Test func `A terminal shows the progress of long work`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let bench = try TerminalProcess(
          world,
          ["bench", "throughput", "--count", "50000"],
          term: "vt100",
          redirection: "2>&1 >/dev/null",
        )
        try await bench.wrote(" of 50000 actions")
        #expect(try await bench.ended() == TerminalProcess.End(isRestored: true, status: 0))
        #expect(bench.text.hasSuffix("\r\u{1B}[K"))
      }
    }

    @Test func `Only a terminal shows progress`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let run = try await world.client("bench", "throughput", "--count", "20000")
        #expect(run.isSuccess && run.errors == [])
      }
    }
  }
}
