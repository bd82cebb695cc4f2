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

    /// Runs a client whose reader takes only some lines.
    ///
    /// - Returns: The lines, and the client's errors, with its status last.
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
    func `A follower of constant changes ends when its reader ends`(
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

    @Test func `Lines that are counted and cannot be written are a failure`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let arguments = ["--dir", world.directory, "watch", "counter", "--count", "1"]
        let script = #"exec "$0" "$@" > /dev/full"#
        let run = try await world.finish(world.start(.storectl, arguments, script: script))
        #expect(run.end == .status(74), "\(run.errorText)")
        #expect(run.errorText.contains("Standard output could not be written"))
      }
    }

    @Test(arguments: [
      (">&-", "Standard output is closed"),
      ("> /dev/full", "Standard output could not be written"),
    ])
    func `Failed printing is a failure in each command`(
      output: String,
      words: String,
    ) async throws {
      try await World.run { world in
        let calls: [(Program, [String])] = [
          (.storectl, ["--help"]), (.storectl, ["--version"]), (.stored, ["config"]),
          (.storectl, ["--generate-completion-script", "bash"]),
        ]
        for (program, arguments) in calls {
          let script = #"exec "$0" "$@" \#(output)"#
          let run = try await world.finish(world.start(program, arguments, script: script))
          #expect(run.end == .status(74), "\(arguments): \(run.errorText)")
          #expect(run.errorText.contains(words))
        }
      }
    }

    @Test func `Input that is closed is a failure, and no end of it`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let arguments = ["--dir", world.directory, "send", "counter", "-"]
        let script = #"exec "$0" "$@" <&-"#
        let run = try await world.finish(world.start(.storectl, arguments, script: script))
        #expect(run.end == .status(74), "\(run.errorText)")
      }
    }

    @Test func `SIGQUIT ends a follower silently`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let watch = try world.start(.storectl, ["--dir", world.directory, "watch", "counter"])
        _ = try await watch.output.lines(atLeast: 1)
        watch.send(signal: SIGQUIT)
        #expect(try await watch.ended() == .signal(SIGQUIT))
        #expect(watch.errors.lines.isEmpty)
      }
    }

    @Test func `A sender of a file ends when its reader ends, too`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let path = try actions(world)
        let run = try await head(1, of: world, ["send", "counter", "-"], input: path)
        #expect(run.output == ["applied at revision 1"] && run.errors == ["0"], "\(run.errorText)")
        #expect(try await world.client("status").isSuccess)
      }
    }

    @Test func `A follower of a quiet log ends with its reader`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        try await world.send("counter", "incrementButtonTapped")
        let run = try await head(1, of: world, ["log", "--follow"])
        #expect(run.output.count == 1 && run.errors == ["0"], "\(run.errorText)")
      }
    }

    @Test(arguments: [["log"], ["log", "--data"], ["log", "--follow"]])
    func `A signal ends the log also where its reader stands still`(
      arguments: [String]
    ) async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(.stored, ["--durability", "none"])
        let path = "\(world.directory)/some"
        // More than the capacity of a pipe plus one write.
        try String(repeating: "incrementButtonTapped\n", count: 3_000)
          .write(toFile: path, atomically: false, encoding: .utf8)
        let script = #"exec "$0" "$@" < \#(path) > /dev/null"#
        let sending = ["--dir", world.directory, "send", "counter", "-"]
        let sent = try await world.finish(world.start(.storectl, sending, script: script))
        #expect(sent.isSuccess, "\(sent.errorText)")
        var arguments = ["--dir", world.directory] + arguments
        if arguments.last == "--data" {
          daemon.send(signal: SIGTERM)
          #expect(try await daemon.ended() == .status(0))
          arguments.append("\(world.directory)/data")
        }
        let reader = try StandingReader("\(world.directory)/pipe")
        let log = try world.start(
          .storectl,
          arguments,
          script: #"exec "$0" "$@" > \#(world.directory)/pipe"#,
        )
        try await reader.begun()
        guard arguments.contains("--follow") else {
          // The list is incomplete, and the status must show that.
          log.send(signal: SIGTERM)
          return #expect(try await log.ended() == .signal(SIGTERM))
        }
        // The first signal is a request; the second one takes effect without a reader.
        for _ in 0..<1_000 where log.isRunning {
          log.send(signal: SIGTERM)
          _ = try? await log.ended(within: .milliseconds(20))
        }
        #expect([.status(0), .signal(SIGTERM)].contains(try await log.ended(within: .seconds(1))))
      }
    }

    @Test(arguments: [
      ["watch", "counter"], ["watch", "--deltas", "counter"], ["status", "--watch"],
      ["log", "--follow"], ["get", "counter"],
      ["bench", "throughput", "--count", "1000000", "--yes"],
    ])
    func `A signal ends a command at any moment, silently`(
      arguments: [String]
    ) async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        try await world.send("counter", "incrementButtonTapped")
        for signal in [SIGINT, SIGTERM] {
          // At an arbitrary point of its start.
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

/// A pipe of which only the first byte is read.
private final class StandingReader: Sendable {
  private let descriptor: Int32

  init(_ path: String) throws {
    guard mkfifo(path, 0o600) == 0 else { throw ProcessFailure("No pipe at \(path)") }
    // Open for writing too, so that no `open` blocks.
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw ProcessFailure("The pipe \(path) cannot be opened") }
  }

  deinit { close(descriptor) }

  /// Waits for the first byte.
  func begun() async throws {
    let count = await withCheckedContinuation { continuation in
      Thread.detachNewThread { [descriptor] in
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        continuation.resume(returning: poll(&item, 1, 30_000))
      }
    }
    guard count == 1 else { throw ProcessFailure("No byte was written to the pipe") }
  }
}
