import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file system in user space that shows a directory once more.
private enum Bindfs {
  static let program = "/usr/bin/bindfs"

  static let isPossible =
    access(program, X_OK) == 0 && access("/dev/fuse", R_OK | W_OK) == 0 && geteuid() == 0
}

extension ProcessTests {
  /// Daemons on two machines that share a directory, and neither a page cache nor a lock.
  ///
  /// Two mounts of one directory are such machines: each has a cache and locks of its own.
  @Suite(
    .timeLimit(.minutes(4)),
    .enabled(if: Bindfs.isPossible, "It takes bindfs and /dev/fuse"),
  )
  struct TwoMachinesTests {
    private static let increment = #""incrementButtonTapped""#

    /// Runs a body with two mounts of one directory, which go with it.
    private func withMounts(_ body: (World, [String]) async throws -> Void) async throws {
      try await World.run { world in
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
            // It goes on in the background once the directory is there.
            #expect(try await world.run(Bindfs.program, shared, mount).end == .status(0))
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
    private func startDaemon(
      _ world: World,
      _ number: Int,
      _ mount: String,
      _ durability: String,
    ) async throws -> ChildProcess {
      let daemon = try world.start(
        .stored,
        [
          "--dir", "\(world.directory)/\(number)", "--data", "\(mount)/data", "--durability",
          durability,
        ],
      )
      _ = try await daemon.output.line("the daemon to be ready") { $0.hasPrefix("ready ") }
      return daemon
    }

    /// A client of one of the daemons that sends some actions.
    private func startSender(_ world: World, _ number: Int) throws -> ChildProcess {
      try world.start(
        .storectl,
        ["--dir", "\(world.directory)/\(number)", "send", "counter", "--json"]
          + Array(repeating: Self.increment, count: 5),
      )
    }

    @Test(arguments: ["full", "batched"])
    func `A daemon that another machine has taken over acknowledges nothing more`(
      durability: String
    ) async throws {
      try await withMounts { world, mounts in
        let first = try await startDaemon(world, 1, mounts[0], durability)
        let sender = try startSender(world, 1)
        #expect(try await sender.ended() == .status(0))
        let before = try #require(try await sender.output.lines(atLeast: 5).last)
        #expect(before.contains("applied"))
        let second = try await startDaemon(world, 2, mounts[1], durability)
        let late = try startSender(world, 1)
        #expect(try await first.ended() == .status(71))
        late.send(signal: SIGKILL)
        _ = try await late.ended()
        let acknowledged = try await late.output.lines(atLeast: 0)
        #expect(!acknowledged.contains { $0.contains("applied") }, "\(acknowledged)")
        // All that was acknowledged is there, and goes on.
        let again = try startSender(world, 2)
        #expect(try await again.ended() == .status(0))
        let get = try world.start(
          .storectl,
          ["--dir", "\(world.directory)/2", "get", "counter"],
        )
        #expect(try await get.ended() == .status(0))
        let counter = try await get.output.lines(atLeast: 1).joined()
        #expect(counter.contains("10"), "\(counter)")
        second.send(signal: SIGTERM)
        #expect(try await second.ended() == .status(0))
      }
    }
  }
}
