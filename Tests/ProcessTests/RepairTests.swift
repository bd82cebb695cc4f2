import Foundation
import GenericState
import StoreJournal
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// Real programs with damaged directories: they continue, or name a remedy, which works.
  @Suite(.timeLimit(.minutes(4))) struct RepairTests {
    private static let increment = #""incrementButtonTapped""#

    private func kill(_ daemon: ChildProcess) async throws {
      daemon.send(signal: SIGKILL)
      _ = try await daemon.ended()
    }

    private func count(_ world: World) async throws -> Int? {
      try await world.get("counter")["count"]?.int
    }

    private func snapshots(_ world: World) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "\(world.directory)/data/snapshots")
        .sorted()
    }

    /// Changes a byte of each snapshot.
    private func damageSnapshots(_ world: World) throws {
      for name in try snapshots(world) {
        let url = URL(fileURLWithPath: "\(world.directory)/data/snapshots/\(name)")
        var bytes = try Data(contentsOf: url)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: url)
      }
    }

    private func verify(_ world: World, _ status: Int32) async throws -> JSONValue {
      let run = try await world.client(["--json", "verify", "--data", "\(world.directory)/data"])
      #expect(run.end == .status(status), "\(run.errorText)")
      return try JSONValue(parsing: try #require(run.output.first, "\(run.errorText)"))
    }

    @Test func `A daemon keeps a second snapshot when it ends, and then one file of each`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        #expect(try snapshots(world) == ["0.copy", "0.snapshot"])
        try await world.send("counter", Self.increment)
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
        let names = try snapshots(world)
        #expect(names.count == 2 && names.allSatisfy { $0.hasSuffix(".snapshot") }, "\(names)")
        let verified = try await verify(world, 0)
        #expect(verified["snapshots"]?.int == 2)
        #expect(verified["segments"]?.items?.last?["end"]?.text == "clean")
        #expect(verified["problems"]?.items?.isEmpty == true)
        _ = try await world.startDaemon()
        #expect(try await count(world) == 1)
      }
    }

    @Test func `A daemon keeps a second snapshot after a thousand records`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let client = try world.startClient("send", "counter", "-")
        client.write(lines: (0..<1_200).map { _ in Self.increment })
        let sent = try await world.finish(client)
        #expect(sent.isSuccess, "\(sent.errorText)")
        // Encoding and writing it takes a moment.
        let end = ContinuousClock.now.advanced(by: .seconds(12 * TestPatience.factor))
        func isKept() throws -> Bool {
          try snapshots(world).contains { $0.hasSuffix(".snapshot") && $0 != "0.snapshot" }
        }
        while try !isKept(), .now < end { _ = try await world.get("counter") }
        try await kill(daemon)
        let kept = try snapshots(world).filter { $0.hasSuffix(".snapshot") }
        #expect(kept.count == 2, "\(kept)")
        try FileManager.default.removeItem(atPath: "\(world.directory)/data/snapshots/0.snapshot")
        _ = try await world.startDaemon()
        #expect(try await count(world) == 1_200)
      }
    }

    @Test func `Without a snapshot a daemon prints the remedy, and records are listed`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let data = "\(world.directory)/data"
        for _ in 0..<3 { try await world.send("counter", Self.increment) }
        try await kill(daemon)
        try damageSnapshots(world)
        let refused = try world.start(.stored, ["--dir", world.directory])
        #expect(try await refused.ended() == .status(73))
        #expect(refused.errors.lines.joined().contains("--from-initial-state"))
        _ = try await verify(world, 65)
        let log = try await world.client(["log", "--data", data])
        #expect(log.isSuccess && log.output.count >= 3, "\(log.errorText)")
        let export = try await world.client(["export", "--data", data])
        #expect(export.isSuccess && export.errorText.contains("records alone"))
        let file = "\(world.directory)/lines"
        try Data(export.output.map { "\($0)\n" }.joined().utf8)
          .write(to: URL(fileURLWithPath: file))
        let imported = try await world.client(["import", file, "--data", "\(data)2"])
        #expect(imported.end == .status(65), "\(imported.errorText)")
        #expect(imported.errorText.contains("--from-initial-state"), "\(imported.errorText)")
        // This daemon's initial state has a random secret number.
        let begun = try world.start(.stored, ["--dir", world.directory, "--from-initial-state"])
        #expect(try await begun.ended() == .status(73))
        #expect(begun.errors.lines.joined().contains("random"), "\(begun.errors.lines)")
      }
    }

    @Test func `Records salvaged without a snapshot are reported as useful to their program alone`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let (data, new) = ("\(world.directory)/data", "\(world.directory)/new")
        for _ in 0..<3 { try await world.send("counter", Self.increment) }
        try await kill(daemon)
        try damageSnapshots(world)
        let run = try await world.client(["--json", "salvage", data, new])
        #expect(run.end == .status(1), "\(run.errorText)")
        let report = try JSONValue(parsing: try #require(run.output.first))
        #expect(report["oldestState"] == .null && (report["revision"]?.int ?? 0) >= 3)
        #expect(run.errorText.contains("no state") && run.errorText.contains("Otherwise restore"))
        // The result matches the message.
        let log = try await world.client(["log", "--data", new])
        #expect(log.isSuccess && log.output.count >= 3, "\(log.errorText)")
        #expect(try await world.client(["export", "--data", new]).isSuccess)
        for arguments in [[], ["--from-initial-state"]] {
          let refused = try world.start(
            .stored,
            ["--dir", world.directory, "--data", new] + arguments,
          )
          #expect(try await refused.ended() == .status(73))
        }
      }
    }

    @Test
    func `A log that ends before its newest snapshot is listed, without a request to repeat`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let data = "\(world.directory)/data"
        for _ in 0..<3 { try await world.send("counter", Self.increment) }
        // A clean end keeps a snapshot.
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
        let count = try await world.client(["log", "--data", data]).output.count
        try LogSegments(in: data).changeNewest { bytes in
          // The last record's entry, and that of the end.
          let start = Data("ntry\u{1}\0\0\0".utf8)
          let last = try #require(bytes.range(of: start, options: .backwards)).lowerBound
          bytes.replaceSubrange(last..., with: Data(repeating: 0, count: bytes.count - last))
        }
        for arguments in [["log"], ["log", "--tail", "100"]] {
          let run = try await world.client(arguments + ["--data", data])
          #expect(run.isSuccess && (1..<count).contains(run.output.count), "\(run.errorText)")
          #expect(run.errorText.contains("snapshot of revision"), "\(run.errorText)")
        }
        _ = try await verify(world, 1)
        _ = try await world.startDaemon()
        #expect(try await self.count(world) == 3)
      }
    }

    @Test func `A directory that has lost its snapshots is not called new`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        try await world.send("counter", Self.increment)
        try await kill(daemon)
        try FileManager.default.removeItem(atPath: "\(world.directory)/data/snapshots")
        _ = try await verify(world, 65)
        let run = try await world.client(["verify", "--data", "\(world.directory)/data"])
        #expect(run.errorText.contains("salvage") && run.errorText.contains("--from-initial-state"))
      }
    }

    @Test func `A snapshot of another history is passed over, and named by its readers`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let data = "\(world.directory)/data"
        for _ in 0..<3 { try await world.send("counter", Self.increment) }
        try await kill(daemon)
        let backup = try await world.client(["backup", "--data", data, "\(data)2"])
        #expect(backup.isSuccess, "\(backup.errorText)")
        let other = try await world.startDaemon(.stored, ["--data", "\(data)2"])
        for _ in 0..<9 { try await world.send("counter", Self.increment) }
        other.send(signal: SIGTERM)
        _ = try await other.ended()
        let newest = try #require(
          FileManager.default.contentsOfDirectory(atPath: "\(data)2/snapshots")
            .filter { $0.hasSuffix(".snapshot") && $0 != "0.snapshot" }.first
        )
        let foreign = "\(data)/snapshots/\(newest)"
        try FileManager.default.copyItem(atPath: "\(data)2/snapshots/\(newest)", toPath: foreign)
        let verified = try await verify(world, 1)
        #expect(verified["problems"]?.items?.first?.text?.contains(foreign) == true)
        let again = try await world.startDaemon()
        #expect(try await count(world) == 3)
        #expect(again.errors.lines.contains { $0.contains(newest) }, "\(again.errors.lines)")
        try await kill(again)
        for name in ["0.snapshot", "0.copy"] {
          try FileManager.default.removeItem(atPath: "\(data)/snapshots/\(name)")
        }
        let refused = try world.start(.stored, ["--dir", world.directory])
        #expect(try await refused.ended() == .status(73))
        #expect(refused.errors.lines.joined().contains(newest), "\(refused.errors.lines)")
        #expect(FileManager.default.fileExists(atPath: foreign))
      }
    }

    @Test func `The history after damage is salvaged, and a daemon starts from it`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let (data, new) = ("\(world.directory)/data", "\(world.directory)/new")
        try await world.send("counter", Self.increment, Self.increment)
        try await world.send("todos", #"{"addButtonTapped":{"title":"needle"}}"#)
        let busy = try await world.client(["salvage", data, new])
        #expect(busy.end == .status(75) && busy.errorText.contains("pid \(daemon.pid)"))
        daemon.send(signal: SIGTERM)
        _ = try await daemon.ended()
        try LogSegments(in: data).replace("needle", with: "NEEDLE")
        _ = try await verify(world, 65)
        let run = try await world.client(["--json", "salvage", data, new])
        #expect(run.isSuccess, "\(run.errorText)")
        let report = try JSONValue(parsing: try #require(run.output.first))
        #expect(report["missing"]?.items?.isEmpty == false)
        let file = try #require(report["files"]?.items?.first?.text)
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("incrementButton"))
        #expect(try await world.client(["verify", "--data", new]).isSuccess)
        _ = try await world.startDaemon(.stored, ["--data", new])
        #expect(try await count(world) == 2)
        #expect(try await world.get("todos")["items"]?.items?.count == 1)
        // Without its log it has the state of its newest snapshot.
        try FileManager.default.removeItem(atPath: "\(data)/log")
        let rest = try await world.client(["--json", "salvage", data, "\(new)2"])
        #expect(rest.isSuccess && rest.output.first?.contains("log is missing") == true)
        let there = try await world.client(["salvage", data, new])
        #expect([.status(73), .status(75)].contains(there.end), "\(there.errorText)")
      }
    }
  }
}
