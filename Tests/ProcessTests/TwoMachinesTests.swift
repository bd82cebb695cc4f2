import Foundation
import GenericState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// File systems in user space that mount a directory a second time.
private enum Mount: String, CaseIterable {
  /// Writes through, and does not support direct I/O.
  case bindfs
  /// Keeps written data in the kernel's cache until a sync.
  case writeback

  private static let bindfsProgram = "/usr/bin/bindfs"

  var isPossible: Bool {
    guard access("/dev/fuse", R_OK | W_OK) == 0, geteuid() == 0 else { return false }
    return switch self {
    case .bindfs: access(Self.bindfsProgram, X_OK) == 0
    case .writeback: access("/usr/include/fuse3/fuse.h", R_OK) == 0
    }
  }

  static let possible = allCases.filter(\.isPossible)

  /// The program that mounts one directory as another; it is built if the system does not have it.
  func program(in world: World) async throws -> String {
    guard self == .writeback else { return Self.bindfsProgram }
    let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Programs/WritebackMount/writeback.c").path()
    let program = "\(world.directory)/writeback"
    let script = "cc -Wall -O1 -o \(program) \(source) $(pkg-config --cflags --libs fuse3)"
    let run = try await world.run("/bin/sh", "-c", script)
    guard run.isSuccess else {
      throw ProcessFailure("writeback.c does not build: \(run.errorText)")
    }
    return program
  }
}

extension ProcessTests {
  /// Daemons on two machines that share a directory, but neither a page cache nor locks.
  ///
  /// Two mounts of one directory simulate the machines: each has its own cache and locks.
  @Suite(
    .timeLimit(.minutes(4)),
    .enabled(if: !Mount.possible.isEmpty, "It takes root, /dev/fuse, and bindfs or libfuse 3"),
  )
  struct TwoMachinesTests {
    private static let increment = #""incrementButtonTapped""#

    /// Runs a body with two mounts of one directory, and unmounts them at the end.
    private func withMounts(
      _ kind: Mount,
      _ body: (World, [String]) async throws -> Void,
    ) async throws {
      try await World.run { world in
        let program = try await kind.program(in: world)
        let shared = "\(world.directory)/shared"
        let mounts = (1...2).map { "\(world.directory)/mount\($0)" }
        for path in mounts + [shared] {
          try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700],
          )
        }
        var mounted: [String] = []
        do {
          for mount in mounts {
            // The program continues in the background after the mount.
            #expect(try await world.run(program, shared, mount).end == .status(0))
            mounted.append(mount)
          }
          try await body(world, mounts)
        } catch {
          try await unmount(mounted, world)
          throw error
        }
        try await unmount(mounted, world)
      }
    }

    private func unmount(_ mounts: [String], _ world: World) async throws {
      for mount in mounts {
        let run = try await world.run("/bin/umount", "--lazy", mount)
        #expect(run.end == .status(0), "\(run.errors)")
      }
    }

    /// Starts a daemon that uses a mount.
    private func start(
      _ world: World,
      _ number: Int,
      _ mount: String,
      _ durability: String,
    ) throws -> ChildProcess {
      try world.start(
        .stored,
        [
          "--dir", "\(world.directory)/\(number)", "--data", "\(mount)/data", "--durability",
          durability,
        ],
      )
    }

    /// Starts a daemon on a mount, and waits until it is ready.
    private func startDaemon(
      _ world: World,
      _ number: Int,
      _ mount: String,
      _ durability: String,
    ) async throws -> ChildProcess {
      let daemon = try start(world, number, mount, durability)
      _ = try await daemon.output.line("the daemon to be ready") { $0.hasPrefix("ready ") }
      return daemon
    }

    /// Starts a client of one of the daemons that sends some actions.
    private func startSender(_ world: World, _ number: Int) throws -> ChildProcess {
      try world.start(
        .storectl,
        ["--dir", "\(world.directory)/\(number)", "send", "counter", "--json"]
          + Array(repeating: Self.increment, count: 5),
      )
    }

    /// Stops a daemon that is taken over, and returns the number of actions acknowledged since.
    private func fenced(_ daemon: ChildProcess, _ number: Int, _ world: World) async throws -> Int {
      let late = try startSender(world, number)
      let end = try await daemon.ended()
      #expect(end == .status(71), "\(end) \(daemon.errors.lines)")
      late.send(signal: SIGKILL)
      _ = try await late.ended()
      return late.output.lines.count { $0.contains("applied") }
    }

    private func count(_ world: World, _ number: Int) async throws -> Int {
      let get = try world.start(
        .storectl,
        ["--dir", "\(world.directory)/\(number)", "get", "counter", "--json"],
      )
      #expect(try await get.ended() == .status(0))
      let counter = try JSONValue(parsing: try await get.output.lines(atLeast: 1)[0])
      return try #require(counter["count"]?.int)
    }

    private static let runs = Mount.possible.flatMap { mount in
      // With a write-back cache, unsynced data is on one machine only.
      (mount == .writeback ? ["full"] : ["full", "batched"]).map { (mount, $0) }
    }

    @Test(arguments: runs)
    private func `A daemon acknowledges no more actions after a takeover by another machine`(
      mount: Mount,
      durability: String,
    ) async throws {
      try await withMounts(mount) { world, mounts in
        let first = try await startDaemon(world, 1, mounts[0], durability)
        let sender = try startSender(world, 1)
        #expect(try await sender.ended() == .status(0))
        let before = try #require(try await sender.output.lines(atLeast: 5).last)
        #expect(before.contains("applied"))
        let second = try await startDaemon(world, 2, mounts[1], durability)
        #expect(try await fenced(first, 1, world) == 0)
        // All acknowledged actions exist, and the history continues.
        let again = try startSender(world, 2)
        #expect(try await again.ended() == .status(0))
        #expect(try await count(world, 2) == 10)
        second.send(signal: SIGTERM)
        #expect(try await second.ended() == .status(0))
      }
    }

    @Test(arguments: runs)
    private func `What is acknowledged while another machine takes over is there`(
      mount: Mount,
      durability: String,
    ) async throws {
      try await withMounts(mount) { world, mounts in
        let first = try await startDaemon(world, 1, mounts[0], durability)
        let sender = try world.start(
          .storectl,
          ["--dir", "\(world.directory)/1", "send", "counter", "--json", "-"],
        )
        let most = 20_000
        sender.write(lines: Array(repeating: Self.increment, count: most))
        _ = try await sender.output.lines(atLeast: 20)
        // A daemon that finds the history growing meanwhile does not start.
        var second: ChildProcess?
        for _ in 0..<100 where second == nil {
          let daemon = try start(world, 2, mounts[1], durability)
          try await waitForFirst([
            { _ = try await daemon.output.lines(atLeast: 1) }, { _ = try await daemon.ended() },
          ])
          if daemon.isRunning {
            second = daemon
          } else {
            #expect(try await daemon.ended() == .status(75), "\(daemon.errors.lines)")
          }
        }
        try #require(second != nil)
        #expect(try await fenced(first, 1, world) == 0)
        sender.send(signal: SIGKILL)
        _ = try await sender.ended()
        let acknowledged = sender.output.lines.count { $0.contains("applied") }
        let count = try await count(world, 2)
        #expect(acknowledged >= 20 && count >= acknowledged && count <= most + 5)
      }
    }
  }
}
