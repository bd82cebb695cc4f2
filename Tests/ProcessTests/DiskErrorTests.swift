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
  /// Programs whose calls on the files of a history fail, or that the system ends: they report the
  /// reason and lose no data.
  @Suite(.timeLimit(.minutes(4))) struct DiskErrorTests {
    private static let increment = #""incrementButtonTapped""#

    private func names(_ world: World) throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: "\(world.directory)/data")
        .filter { $0 != "lock" }.sorted()
    }

    /// A history with some snapshots, of a daemon that was killed.
    private func history(_ world: World) async throws {
      let daemon = try await world.startDaemon(
        environment: ["STOREACTOR_SNAPSHOT_BYTES": "600", "STOREACTOR_SEGMENT_BYTES": "8000"]
      )
      for _ in 0..<4 {
        try await world.send("counter", Self.increment, Self.increment, Self.increment)
      }
      daemon.send(signal: SIGKILL)
      _ = try await daemon.ended()
    }

    /// A call that fails once while a daemon starts, and the suffix of its path.
    private static let refusals: [(call: String, end: String, error: Int32)] = [
      ("open", "newest.snapshot", EIO), ("open", "newest.snapshot", EMFILE),
      ("open", "newest.snapshot", EACCES), ("read", "newest.snapshot", EIO),
      ("open", "newest.log", EACCES), ("read", "newest.log", EIO),
      ("opendir", "/data/snapshots", EMFILE), ("opendir", "/data/log", EACCES),
      ("readdir", "/data/snapshots", EIO), ("readdir", "/data/log", EIO),
    ]

    @Test(arguments: refusals)
    func `An error during the reading of a history is named, and all files stay`(
      call: String,
      end: String,
      error: Int32,
    ) async throws {
      try await World.run { world in
        try await history(world)
        let data = "\(world.directory)/data"
        let newest = try #require(
          FileManager.default.contentsOfDirectory(atPath: "\(data)/snapshots")
            .compactMap { UInt64($0.prefix { $0 != "." }) }.max()
        )
        var end = end
        if end == "newest.snapshot" { end = "/\(newest).snapshot" }
        if end == "newest.log" { end = try #require(LogSegments(in: data).paths.last) }
        let before = try names(world)
        let daemon = try world.start(
          .stored,
          ["--dir", world.directory],
          environment: [
            "LD_PRELOAD": try await CutDisk.build(in: world),
            "CUTDISK_REFUSE": "\(call) \(end) \(error)",
          ],
        )
        #expect(try await daemon.ended() == .status(error == EMFILE ? 75 : 71))
        let reason = daemon.errors.lines.joined()
        #expect(reason.contains(String(cString: strerror(error))), "\(reason)")
        #expect(!reason.contains("damaged"), "\(reason)")
        #expect(try names(world) == before)
        _ = try await world.startDaemon()
        #expect(try await world.get("counter")["count"]?.int == 12)
      }
    }

    /// A substitute for a file: no regular file, or one that exceeds the memory.
    private enum Obstacle: CaseIterable {
      case fifo, sparse

      func put(at path: String) throws {
        try FileManager.default.moveItem(atPath: path, toPath: "\(path).aside")
        switch self {
        case .fifo: try #require(mkfifo(path, 0o600) == 0)
        case .sparse:
          try FileManager.default.copyItem(atPath: "\(path).aside", toPath: path)
          try #require(truncate(path, 1 << 40) == 0)
        }
      }
    }

    @Test(arguments: [Obstacle.fifo, .sparse], ["log", "snapshot"])
    private func
      `A fifo, or a file of 1 TiB, is told by its name, and neither hangs nor ends a program`(
        obstacle: Obstacle,
        kind: String,
      ) async throws
    {
      try await World.run { world in
        try await history(world)
        let data = "\(world.directory)/data"
        let newest = try #require(
          FileManager.default.contentsOfDirectory(atPath: "\(data)/snapshots")
            .compactMap { UInt64($0.prefix { $0 != "." }) }.max()
        )
        let segment = try #require(LogSegments(in: data).paths.last)
        let path = kind == "log" ? segment : "\(data)/snapshots/\(newest).snapshot"
        try obstacle.put(at: path)
        // A snapshot with a wrong checksum is skipped.
        let isPassedOver = kind == "snapshot" && obstacle == .sparse
        let commands: [[String]] = [
          ["log", "--data", data], ["verify", "--data", data], ["export", "--data", data],
          ["at", "1", "get", "counter", "--data", data],
          ["restore", data, "--data", "\(data)-restored"],
          ["backup", "--data", data, "\(data)-copy"],
          ["salvage", data, "\(data)-saved"],
        ]
        for command in commands {
          let run = try await world.client(command)
          let words = (run.output + run.errors).joined(separator: "\n")
          let status: Int32 =
            switch (obstacle, command[0]) {
            // The path may lead to another file later, so a retry is useful.
            case (.fifo, _): 75
            case (.sparse, "verify"): 65
            // All other readable data is saved.
            case (.sparse, "salvage"): 0
            case (.sparse, _): isPassedOver ? 0 : 65
            }
          #expect(run.end == .status(status), "\(command): \(words)")
          #expect(status == 0 || words.contains(path), "\(command): \(words)")
        }
        let daemon = try world.start(.stored, ["--dir", world.directory])
        if isPassedOver {
          _ = try await daemon.output.line("the daemon to be ready") { $0.hasPrefix("ready ") }
          #expect(try await world.get("counter")["count"]?.int == 12)
        } else {
          let status: Int32 = obstacle == .fifo ? 71 : 73
          #expect(try await daemon.ended() == .status(status))
          #expect(daemon.errors.lines.joined().contains(path), "\(daemon.errors.lines)")
        }
      }
    }

    @Test(arguments: [[0], [1], [0, 1]])
    func `A start of the machine that cannot be known is another one, as after a power cut`(
      unknown: [Int]
    ) async throws {
      try await World.run { world in
        let library = try await CutDisk.build(in: world)
        func environment(_ number: Int) -> [String: String] {
          guard unknown.contains(number) else { return [:] }
          return ["LD_PRELOAD": library, "CUTDISK_REFUSE": "open /boot_id \(EACCES) 1 0"]
        }
        for durability in ["full", "batched"] {
          let options = [
            "--durability", durability, "--data", "\(world.directory)/\(durability)",
          ]
          let first = try await world.startDaemon(.stored, options, environment: environment(0))
          let epoch = try await world.answer("--json", "status")["epoch"]
          let sender = try world.startClient("--json", "send", "counter", "-")
          for count in 1...2 {
            sender.write(lines: [Self.increment])
            _ = try await sender.output.lines(atLeast: count)
          }
          first.send(signal: SIGKILL)
          _ = try await first.ended()
          sender.send(signal: SIGKILL)
          _ = try await sender.ended()
          // A killed program does not cause such damage, so a daemon refuses it.
          try LogSegments(in: "\(world.directory)/\(durability)").damage(entryFromEnd: 1)
          let second = try await world.startDaemon(.stored, options, environment: environment(1))
          let words = second.errors.lines.joined(separator: "\n")
          #expect(words.contains("torn"), "\(durability): \(words)")
          #expect(try await world.get("counter")["count"]?.int == 1, "\(durability)")
          let isSame = try await world.answer("--json", "status")["epoch"] == epoch
          #expect(isSame == (durability == "full"), "\(durability): \(words)")
          second.send(signal: SIGTERM)
          _ = try await second.ended()
        }
      }
    }

    @Test func `A limit of files' sizes is named, and no signal ends the daemon`() async throws {
      try await World.run { world in
        // In the shell's units of 512 or 1,024 bytes.
        let daemon = try world.start(
          .stored,
          ["--dir", world.directory],
          script: "ulimit -f 1024; exec \"$0\" \"$@\"",
        )
        #expect(try await daemon.ended() == .status(71))
        let reason = daemon.errors.lines.joined()
        #expect(reason.contains("ulimit -f") && reason.contains("\(4 << 20)"), "\(reason)")
        _ = try await world.startDaemon()
        try await world.send("counter", Self.increment)
        // A copy whose first snapshot already exceeds the limit.
        let copy = "\(world.directory)/copy"
        let backup = try await world.finish(
          world.start(
            .storectl,
            ["backup", "--data", "\(world.directory)/data", copy],
            script: "ulimit -f 1; exec \"$0\" \"$@\"",
          )
        )
        #expect(backup.end == .status(75), "\(backup.end) \(backup.errorText)")
        #expect(backup.errorText.contains("ulimit -f"), "\(backup.errorText)")
      }
    }

    @Test func `An empty mount point begins no history where one has to be there`() async throws {
      try await World.run { world in
        let options = ["--dir", world.directory, "--existing"]
        let daemon = try world.start(.stored, options)
        #expect(try await daemon.ended() == .status(73))
        #expect(daemon.errors.lines.joined().contains("--existing"), "\(daemon.errors.lines)")
        let first = try await world.startDaemon()
        try await world.send("counter", Self.increment)
        first.send(signal: SIGTERM)
        _ = try await first.ended()
        _ = try await world.startDaemon(.stored, ["--existing"])
        #expect(try await world.get("counter")["count"]?.int == 1)
        let none = try world.start(.stored, options + ["--in-memory"])
        #expect(try await none.ended() == .status(64))
      }
    }

    @Test func `A data directory in memory causes a warning, unless durability is off`()
      async throws
    {
      guard FileManager.default.isWritableFile(atPath: "/dev/shm") else { return }
      for (durability, isWarned) in [("full", true), ("none", false)] {
        try await World.run(in: "/dev/shm/") { world in
          let daemon = try await world.startDaemon(.stored, ["--durability", durability])
          let isTold = daemon.errors.lines.contains { $0.contains("is in memory") }
          #expect(isTold == isWarned, "\(daemon.errors.lines)")
        }
      }
    }

    @Test(arguments: [("open", "/new/lock"), ("mkdir", "/new/snapshots")])
    func `No daemon begins a history where an import was killed, however early`(
      call: String,
      end: String,
    ) async throws {
      try await World.run { world in
        try await history(world)
        let (data, new) = ("\(world.directory)/data", "\(world.directory)/new")
        let export = try await world.client("export", "--data", data)
        let file = "\(world.directory)/lines"
        try Data(export.output.map { "\($0)\n" }.joined().utf8).write(to: URL(filePath: file))
        let killed = try world.start(
          .storectl,
          ["import", file, "--data", new],
          environment: [
            "LD_PRELOAD": try await CutDisk.build(in: world),
            "CUTDISK_REFUSE": "\(call) \(end) -\(SIGKILL)",
          ],
        )
        #expect(try await killed.ended() == .signal(SIGKILL))
        let daemon = try world.start(.stored, ["--dir", world.directory, "--data", new])
        #expect(try await daemon.ended() == .status(73))
        #expect(daemon.errors.lines.joined().contains("not finished"), "\(daemon.errors.lines)")
      }
    }

    @Test func `Directories that are made for a history are on the disk, with their names`()
      async throws
    {
      try await World.run { world in
        let root = "\(world.directory)/cut"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let environment = [
          "LD_PRELOAD": try await CutDisk.build(in: world), "CUTDISK_ROOT": root,
          "CUTDISK_LOG": "\(world.directory)/cut.log",
        ]
        func synced() throws -> Set<String> {
          let disk = try CutDisk("\(world.directory)/cut.log")
          return Set(disk.steps.filter { $0.kind == "D" }.map(\.text))
        }
        let daemon = try await world.startDaemon(
          .stored,
          ["--data", "\(root)/a/b"],
          environment: environment,
        )
        #expect(try synced().isSuperset(of: [root, "\(root)/a", "\(root)/a/b"]))
        try await world.send("counter", Self.increment)
        daemon.send(signal: SIGTERM)
        _ = try await daemon.ended()
        let backup = try world.start(
          .storectl,
          ["backup", "--data", "\(root)/a/b", "\(root)/c/d"],
          environment: environment,
        )
        #expect(try await backup.ended() == .status(0))
        #expect(try synced().isSuperset(of: [root, "\(root)/c", "\(root)/c/d"]))
      }
    }
  }
}
