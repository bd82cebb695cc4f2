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
  /// Replays of a past by `stored replay` and `stored make-test`.
  @Suite(.timeLimit(.minutes(2))) struct ReplayTests {
    @Test func `Kept actions are run again, beside the daemon and after its end`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let watcher = try await world.watch("counter")
        try await world.send("counter", #""incrementButtonTapped""#)
        try await world.send("todos", #"{"addButtonTapped":{"title":"Milk"}}"#)
        try await world.send("game", #"{"counter":"playNextButtonTapped"}"#)
        watcher.send(signal: SIGTERM)
        _ = try await watcher.ended()
        daemon.send(signal: SIGKILL)
        _ = try await daemon.ended()
        let next = try await world.startDaemon()
        let beside = try await world.replay()
        #expect(beside["difference"] == nil)
        #expect(beside["unchecked"] == [:], "\(beside.text())")
        #expect(beside["first"]?.int == 1)
        // The replay does not affect the daemon.
        try await world.send("counter", #""incrementButtonTapped""#)
        next.send(signal: SIGTERM)
        #expect(try await next.ended() == .status(0))
        let last = try #require(beside["last"]?.int)
        let later = try await world.replay("--from", "\(last + 1)")
        // Only the action: the sender's goodbye reduces no action.
        #expect(later["checked"]?.int == 1)
        let again = try await world.replay("--to", "\(last)")
        #expect(again == beside)
      }
    }

    @Test func `Missing revisions and invalid directories are refused`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        daemon.send(signal: SIGTERM)
        _ = try await daemon.ended()
        for (arguments, status, words) in [
          (["--from", "9"], 65, "still to come"), (["--from", "3", "--to", "2"], 64, "earlier"),
          (["--data", "\(world.directory)/none"], 65, "no journal"),
          (["--in-memory"], 64, "in memory only"),
        ] as [([String], Int32, String)] {
          let run = try await world.stored(["replay"] + arguments)
          #expect(run.end == .status(status), "\(arguments): \(run.end)")
          #expect(run.errorText.contains(words), "\(arguments): \(run.errorText)")
        }
        let missing = "\(world.directory)/missing"
        let run = try await world.stored(["make-test", "--output", missing])
        #expect(run.end == .status(73))
        #expect(
          run.errorText.hasPrefix("stored: There is no directory \(missing) to write the test")
        )
      }
    }

    @Test func `A daemon whose reducer does something else shows where`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(.strangerDaemon, ["--keep"])
        try await world.send(
          "laboratory",
          #"{"experimentStarted":{"title":"melting"}}"#,
          #"{"experiment":{"readingTaken":4}}"#,
          #"{"experiment":{"readingTaken":5}}"#,
        )
        daemon.send(signal: SIGTERM)
        _ = try await daemon.ended()
        let same = try await world.stranger("--replay")
        #expect(same.output.joined().contains("3 run again"), "\(same.output)")
        let other = try await world.stranger("--replay", "--doubled")
        let lines = other.output
        #expect(lines.contains("Revision 2 differs at $.experiment.readings[0]:"), "\(lines)")
        #expect(lines.contains("  cause     experiment to laboratory"))
        #expect(lines.contains("  recorded  4"))
        #expect(lines.contains("  now       8"))
      }
    }

    @Test func `A part of the history becomes a test, which is written once`() async throws {
      try await World.run { world in
        let folder = Corpus.tests
        let arguments = [
          "make-test", "--data", "\(folder)/PlayedGame.journal", "--name", "PlayedGame",
          "--output", world.directory,
        ]
        let run = try await world.stored(arguments)
        #expect(run.isSuccess, "\(run.errorText)")
        for name in ["PlayedGame.journal", "PlayedGameTests.swift"] {
          let made = try Data(contentsOf: URL(filePath: "\(world.directory)/\(name)"))
          let kept = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
          #expect(made == kept, "\(name) differs from make-test's output")
        }
        let again = try await world.stored(arguments)
        #expect(again.end == .status(73))
        // A failed command leaves no files.
        try FileManager.default.removeItem(atPath: "\(world.directory)/PlayedGame.journal")
        #expect(try await world.stored(arguments).end == .status(73))
        #expect(!FileManager.default.fileExists(atPath: "\(world.directory)/PlayedGame.journal"))
        let badName = try await world.stored(arguments + ["--name", "1 game"])
        #expect(badName.end == .status(64))
      }
    }

    // REWRITE_DIGESTS=1 replaces the kept digests by the computed ones.
    @Test func `The corpus of journals replays to the digests that are kept with it`()
      async throws
    {
      try await World.run { world in
        var found: [String] = []
        for name in try Corpus.names {
          let run = try await world.stored(["replay", "--data", "\(Corpus.journals)/\(name)"])
          #expect(run.isSuccess, "\(name): \(run.output) \(run.errorText)")
          let report = try JSONValue(parsing: run.output.joined())
          let digest = report["digest"]?.text ?? ""
          found.append("\(name) \(report["checked"]?.int ?? 0) \(digest)")
        }
        if ProcessInfo.processInfo.environment["REWRITE_DIGESTS"] != nil {
          try (found.joined(separator: "\n") + "\n")
            .write(toFile: Corpus.digests, atomically: true, encoding: .utf8)
        }
        let kept = try String(contentsOfFile: Corpus.digests, encoding: .utf8)
        #expect(kept.split(separator: "\n").map(String.init) == found)
        #expect(found.count >= 5)
      }
    }
  }
}

/// Journals that are kept with the tests.
private enum Corpus {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent()
    .deletingLastPathComponent()

  static let journals = root.appending(path: "Fixtures/Journals").path
  static let digests = "\(journals)/digests.txt"
  static let tests = root.appending(path: "WorkspaceTests/Replays").path

  static var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: journals)
        .filter { $0.hasSuffix(".journal") }
        .sorted()
    }
  }
}

extension World {
  /// Runs a command of `stored` to its end.
  fileprivate func stored(_ arguments: [String]) async throws -> Run {
    try await finish(start(.stored, ["--dir", directory] + arguments))
  }

  /// Runs the user's own daemon on the world's directory until it ends.
  func stranger(_ options: String..., within time: Duration = .seconds(30)) async throws -> Run {
    try await finish(start(.strangerDaemon, [directory] + options), within: time)
  }

  /// Replays the kept actions of the world's daemon.
  func replay(_ arguments: String...) async throws -> JSONValue {
    let run = try await stored(["replay"] + arguments)
    guard run.isSuccess else { throw ProcessFailure("\(run.end): \(run.output) \(run.errorText)") }
    return try JSONValue(parsing: run.output.joined())
  }
}
