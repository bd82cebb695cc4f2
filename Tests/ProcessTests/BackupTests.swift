import Foundation
import GenericState
import StoreHistory
import StoreState
import Testing

@testable import StoreJournal

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// Copies of a daemon's state, made with the commands of the guide to durability.
  @Suite(.timeLimit(.minutes(4))) struct BackupTests {
    private static let increment = #""incrementButtonTapped""#

    /// The commands of the guide, in its order.
    private enum Command: Int, CaseIterable {
      case backUp, restore, nightly, carry, repair, salvage
    }

    private static func text(of command: Command) throws -> String {
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
      let guide = try String(
        contentsOf: root.appendingPathComponent("docs/guides/Durability.md"),
        encoding: .utf8,
      )
      let blocks = guide.components(separatedBy: "```sh\n").dropFirst()
        .map { $0.components(separatedBy: "```")[0] }
      try #require(blocks.count == Command.allCases.count, "\(blocks)")
      return blocks[command.rawValue]
    }

    /// The directories of a test, by their names in the guide.
    private struct Places {
      var data: String
      var copy: String
      var new: String
      var revision = "0"

      init(_ world: World) {
        data = "\(world.directory)/data"
        copy = "\(world.directory)/copy"
        new = "\(world.directory)/new"
      }
    }

    /// Runs the commands of a block of the guide, until one fails.
    @discardableResult
    private func run(
      _ command: Command,
      _ places: Places,
      _ world: World,
    ) async throws -> World.Run {
      let names = "DATA=$1 COPY=$2 NEW=$3 REVISION=$4 FILE=$3.jsonl"
      let process = try world.start(
        .storectl,
        [places.data, places.copy, places.new, places.revision],
        script: "set -e; storectl() { \"$0\" \"$@\"; }; \(names)\n\(try Self.text(of: command))",
      )
      let run = try await world.finish(process)
      #expect(run.isSuccess, "\(command): \(run.errorText)")
      return run
    }

    private func stop(_ daemon: ChildProcess) async throws {
      daemon.send(signal: SIGTERM)
      #expect(try await daemon.ended() == .status(0))
    }

    private func count(_ world: World) async throws -> Int? {
      try await world.get("counter")["count"]?.int
    }

    @Test(arguments: ["data/copy", "data/more/copy", "link/copy", "data/../data/copy"])
    func `No copy is written into its source`(place: String) async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        try await world.send("counter", Self.increment)
        let data = "\(world.directory)/data"
        try FileManager.default.createSymbolicLink(
          atPath: "\(world.directory)/link",
          withDestinationPath: data,
        )
        let names = try FileManager.default.contentsOfDirectory(atPath: data)
        let copy = "\(world.directory)/\(place)"
        try await stop(daemon)
        for arguments in [["backup", "--data", data, copy], ["restore", data, "--data", copy]] {
          let run = try await world.client(arguments)
          #expect(run.end == .status(64) && run.output == [], "\(run.errorText)")
          #expect(run.errorText.contains("inside"), "\(run.errorText)")
        }
        #expect(
          Set(try FileManager.default.contentsOfDirectory(atPath: data)).isSubset(of: names)
        )
        // A directory beside it is accepted, also if its name has the same prefix.
        #expect(try await world.client("backup", "--data", data, "\(data)2").isSuccess)
      }
    }

    @Test func `A backup of a running daemon is restored, carried on, and begins another epoch`()
      async throws
    {
      try await World.run { world in
        var places = Places(world)
        var daemon = try await world.startDaemon()
        let epoch = try await world.answer("--json", "status")["epoch"]
        let watcher = try await world.watch("counter")
        try await world.send("counter", Self.increment, Self.increment)
        let backup = try await run(.backUp, places, world)
        let revision = try #require(backup.output.first.map { try JSONValue(parsing: $0) })
        // The backup does not contain later actions.
        try await world.send("counter", Self.increment)
        try await watcher.output.state("the third step") { $0["count"]?.int == 3 }
        try await stop(daemon)
        // The nightly test leaves nothing behind.
        let nightly = try await run(.nightly, places, world)
        #expect(try nightly.output.first.map { try JSONValue(parsing: $0) } == revision)
        let restored = try await run(.restore, places, world)
        #expect(try restored.output.last.map { try JSONValue(parsing: $0) } == revision)
        daemon = try await world.startDaemon(.stored, ["--data", places.new])
        #expect(try await count(world) == 2)
        #expect(try await world.answer("--json", "status")["epoch"] != epoch)
        try await watcher.output.state("the restored state") { $0["count"]?.int == 2 }
        _ = try await watcher.errors.line("that the epoch is new") { $0.contains("epoch") }
        let live = try await world.client(["log"])
        #expect(live.output.contains { $0.contains("incrementButtonTapped") }, "History is there")
        try await world.send("counter", Self.increment)
        try await stop(daemon)

        places.data = places.new
        places.new = "\(world.directory)/carried"
        try await run(.carry, places, world)
        daemon = try await world.startDaemon(.stored, ["--data", places.new])
        #expect(try await count(world) == 3)
        try await stop(daemon)
        let first = try await world.client(["log", "--data", places.data])
        let second = try await world.client(["log", "--data", places.new])
        #expect(second.output.starts(with: first.output) && first.output.count > 4)
      }
    }

    @Test func `The history before a damaged record can be copied, with the daemon's advice`()
      async throws
    {
      try await World.run { world in
        var places = Places(world)
        let daemon = try await world.startDaemon()
        try await world.send("counter", Self.increment, Self.increment)
        try await world.send("todos", #"{"addButtonTapped":{"title":"needle"}}"#)
        try await world.send("counter", Self.increment)
        // A clean end would keep a snapshot after the record.
        daemon.send(signal: SIGKILL)
        _ = try await daemon.ended()
        try LogSegments(in: places.data).replace("needle", with: "NEEDLE")
        let refused = try world.start(.stored, ["--dir", world.directory])
        #expect(try await refused.ended() == .status(73))
        let words = refused.errors.lines.joined(separator: " ").split(separator: " ")
        let place = try #require(words.firstIndex(of: "--through"))
        places.revision = String(words[place + 1])
        try await run(.repair, places, world)
        _ = try await world.startDaemon(.stored, ["--data", places.new])
        #expect(try await count(world) == 2)
        #expect(try await world.get("todos")["items"]?.items?.isEmpty == true)
        places.new += "2"
        let salvaged = try await run(.salvage, places, world)
        let revision = try JSONValue(parsing: salvaged.output[0])["revision"]?.int
        #expect(revision.map(String.init) == places.revision)
      }
    }

    @Test func `The history before a damaged end can be copied, with the daemon's advice`()
      async throws
    {
      try await World.run { world in
        var places = Places(world)
        let daemon = try await world.startDaemon()
        let epoch = try await world.answer("--json", "status")["epoch"]
        for _ in 0..<8 { try await world.send("counter", Self.increment) }
        daemon.send(signal: SIGKILL)
        _ = try await daemon.ended()
        // Each action was a commit.
        let log = try LogSegments(in: places.data)
        try log.damage(entryFromEnd: 4)
        let before = try log.paths.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        let refused = try world.start(.stored, ["--dir", world.directory])
        #expect(try await refused.ended() == .status(73))
        let words = refused.errors.lines.joined(separator: " ").split(separator: " ")
        let place = try #require(words.firstIndex(of: "--through"), "\(words)")
        places.revision = String(words[place + 1].prefix { $0.isNumber })
        #expect(try await world.client(["verify", "--data", places.data]).end == .status(65))
        #expect(
          try await world.client(["backup", "--data", places.data, places.copy]).end == .status(65)
        )
        let read = try await world.client(["log", "--data", places.data])
        #expect(read.end == .status(65) && read.errorText.contains("--through \(places.revision)"))
        try await run(.repair, places, world)
        let after = try log.paths.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        #expect(after == before, "The damaged files stay unchanged")
        _ = try await world.startDaemon(.stored, ["--data", places.new])
        #expect(try await count(world) == 4)
        #expect(try await world.answer("--json", "status")["epoch"] != epoch)
      }
    }

    @Test func `A copied, restored or imported directory is another, independent history`()
      async throws
    {
      try await World.run { world in
        func number(_ directory: String) throws -> UInt64 {
          let newest = try #require(LogSegment.all(in: directory).last)
          return try LogHeader(of: newest, in: directory).history
        }
        let places = Places(world)
        let imported = "\(world.directory)/imported"
        var daemon = try await world.startDaemon()
        try await world.send("counter", Self.increment)
        try await run(.backUp, places, world)
        try await stop(daemon)
        try await run(.restore, places, world)
        let lines = try await world.client("export", "--data", places.data).output
        let file = "\(world.directory)/lines"
        try Data(lines.map { "\($0)\n" }.joined().utf8).write(to: URL(fileURLWithPath: file))
        #expect(try await world.client("import", file, "--data", imported).isSuccess)
        let directories = [places.data, places.copy, places.new, imported]
        let numbers = try directories.map(number)
        #expect(Set(numbers).count == 4 && !numbers.contains(0), "\(numbers)")
        // The epoch of a restored history is another one, and the history is the same.
        for directory in directories {
          daemon = try await world.startDaemon(.stored, ["--data", directory])
          try await world.send("counter", Self.increment)
          try await stop(daemon)
        }
        #expect(try directories.map(number) == numbers)
      }
    }

    /// Copies a journal's newest snapshot as one of another root.
    private func rename(_ journal: String, to root: String, in directory: String) throws {
      let reader = try JournalReader(directory: journal)
      var heading = try reader.heading()
      heading.root = root
      let copy = try JournalCopy(heading, to: directory)
      let snapshot = try #require(try reader.snapshot(upTo: .max))
      try copy.add(snapshot: snapshot, of: try snapshot.snapshotRevision())
      _ = try copy.finish()
    }

    /// The number of backups of a running daemon; `COPIES` sets it.
    private static let copies =
      ProcessInfo.processInfo.environment["COPIES"].flatMap { Int($0) } ?? 4

    @Test(.timeLimit(.minutes(copies > 4 ? 30 : 4)))
    func `Each of the backups that are made while others send is whole, up to a revision`()
      async throws
    {
      try await World.run { world in
        _ = try await world.startDaemon()
        let client = try world.startClient("--json", "send", "todos", "-")
        let count = (Self.copies + 2) * 100
        client.write(lines: (0..<count).map { #"{"addButtonTapped":{"title":"\#($0)"}}"# })
        var places = Places(world)
        for round in 1...Self.copies {
          _ = try await client.output.lines(atLeast: round * 100)
          places.copy = "\(world.directory)/copy\(round)"
          let backup = try await run(.backUp, places, world)
          let revision = try JSONValue(parsing: backup.output[0])["revision"]?.int ?? 0
          #expect(revision >= round * 100)
          let verified = try await world.answer("--json", "verify", "--data", places.copy)
          #expect(verified["last"]?.int == revision)
          let titles = try await world.titles(at: revision, in: places.copy)
          #expect(titles.compactMap(Int.init).sorted() == Array(0..<titles.count))
          #expect(titles.count >= round * 100)
        }
        let run = try await world.finish(client)
        #expect(run.isSuccess && run.output.count == count)
      }
    }

    @Test func `An invalid backup, or one without a free target, is refused with the reason`()
      async throws
    {
      try await World.run { world in
        var places = Places(world)
        let daemon = try await world.startDaemon()
        try await world.send("counter", Self.increment)
        try await run(.backUp, places, world)
        func refused(_ status: Int32, _ words: String, _ arguments: String...) async throws {
          let run = try await world.client(arguments)
          #expect(run.end == .status(status), "\(arguments): \(run.end) \(run.errorText)")
          #expect(run.errorText.contains(words), "\(arguments): \(run.errorText)")
          #expect(!FileManager.default.fileExists(atPath: "\(places.new)/log"))
        }
        try await refused(73, "not empty", "backup", "--data", places.data, places.copy)
        try await refused(75, "pid \(daemon.pid)", "restore", places.copy, "--data", places.data)
        try await refused(65, "no journal", "restore", world.directory, "--data", places.new)
        try await refused(
          65,
          "to come",
          "restore",
          places.copy,
          "--data",
          places.new,
          "--through",
          "99",
        )
        let log = try LogSegments(in: places.copy)
        let path = URL(fileURLWithPath: try #require(log.paths.last))
        let whole = try Data(contentsOf: path)
        for (count, words) in [(whole.count - 8, "breaks off"), (200, "the header of")] {
          try log.changeNewest { $0 = $0.prefix(count) }
          try await refused(65, words, "restore", places.copy, "--data", places.new)
          try whole.write(to: path)
        }
        try log.changeNewest { $0[16] = 9 }
        // Without a valid checksum that is damage, and not another format.
        try await refused(65, "the header of", "restore", places.copy, "--data", places.new)
        try whole.write(to: path)
        try await stop(daemon)
        try await refusedImports(world, places)
        // State of another program is restored, and refused by the daemon.
        try rename(places.copy, to: "Werkspace", in: "\(world.directory)/renamed")
        places.copy = "\(world.directory)/renamed"
        try await run(.restore, places, world)
        let other = try world.start(.stored, ["--dir", world.directory, "--data", places.new])
        #expect(try await other.ended() == .status(73))
        let reason = other.errors.lines.joined()
        #expect(reason.contains("Werkspace") && reason.contains("Workspace"), "\(reason)")
      }
    }

    private func refusedImports(_ world: World, _ places: Places) async throws {
      let export = try await world.client(["export", "--data", places.copy]).output
      let file = "\(world.directory)/lines"
      for (lines, words) in [
        (Array(export.dropLast()), "breaks off"), ([], "empty"), (["{}"], "Line 1"),
        ([export[0].replacing("false", with: "true")] + export.dropFirst(), "changed"),
        ([export[0].replacing(#""format":4"#, with: #""format":9"#)], "format 9,"),
      ] {
        let text = lines.map { "\($0)\n" }.joined()
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let run = try await world.client(["import", file, "--data", places.new])
        #expect(run.end == .status(65), "\(words): \(run.end)")
        #expect(run.errorText.contains(words), "\(run.errorText)")
      }
      let run = try await world.client(["import", "\(file).not", "--data", places.new])
      #expect(run.end == .status(74))
    }
  }
}
