import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// Readers that leave, and Ctrl-C at any moment.
  @Suite(.timeLimit(.minutes(2))) struct PipeTests {
    private static let count = 100_000

    /// A file of actions for the counter.
    private func actions(_ world: World) throws -> String {
      let path = "\(world.directory)/actions"
      try String(repeating: "incrementButtonTapped\n", count: Self.count)
        .write(toFile: path, atomically: false, encoding: .utf8)
      return path
    }

    /// Runs a client whose output only so many lines are read of.
    ///
    /// - Returns: The lines, and what the client has said beside them, its status last.
    private func head(
      _ lines: Int,
      of world: World,
      _ arguments: [String],
      input: String = "/dev/null",
    ) async throws -> World.Run {
      let script = #"{ "$0" "$@" < \#(input); echo "$?" >&2; } | head -\#(lines)"#
      let arguments = ["--dir", world.directory] + arguments
      return try await world.finish(world.start(.storectl, arguments, script: script))
    }

    @Test(arguments: [["watch", "counter"], ["watch", "--deltas", "counter"]])
    func `Who follows what changes all the time ends when its reader has seen enough`(
      arguments: [String]
    ) async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let path = try actions(world)
        let script = #"exec "$0" "$@" < \#(path)"#
        let sender = try world.start(
          .storectl,
          ["--dir", world.directory, "send", "counter", "-"],
          script: script,
        )
        _ = try await sender.output.lines(atLeast: 1)
        let run = try await head(3, of: world, arguments)
        #expect(run.output.count == 3 && run.errors == ["0"], "\(run.errorText)")
      }
    }

    @Test func `Who sends a file to a reader that leaves ends, too`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let path = try actions(world)
        let run = try await head(1, of: world, ["send", "counter", "-"], input: path)
        #expect(run.output == ["applied at revision 1"] && run.errors == ["0"], "\(run.errorText)")
        #expect(try await world.client("status").isSuccess)
      }
    }

    @Test(arguments: [
      ["watch", "counter"], ["watch", "--deltas", "counter"], ["status", "--watch"],
      ["log", "--follow"], ["get", "counter"], ["bench", "throughput", "--count", "1000000"],
    ])
    func `A signal ends a command at any moment, and it says nothing of that`(
      arguments: [String]
    ) async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        try await world.send("counter", "incrementButtonTapped")
        for signal in [SIGINT, SIGTERM] {
          // As it begins, wherever that is.
          for _ in 0..<3 {
            let command = try world.startClient(arguments)
            command.send(signal: signal)
            #expect([.signal(signal), .status(0)].contains(try await command.ended()))
            #expect(command.errors.lines == [])
          }
          guard !["get", "bench"].contains(arguments[0]) else { continue }
          let command = try world.startClient(arguments)
          _ = try await command.output.lines(atLeast: 1)
          command.send(signal: signal)
          #expect([.signal(signal), .status(0)].contains(try await command.ended()))
          #expect(command.errors.lines == [])
        }
      }
    }
  }
}
