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
  @Suite("Directories")
  struct DirectoryTests {
    private static let increment = #""incrementButtonTapped""#
    /// A user who is neither this one nor root.
    private static let stranger: uid_t = 54_321

    @Test("A directory that others can write to is refused")
    func openDirectory() async throws {
      try await World.run { world in
        let directory = "\(world.directory)/open"
        #expect(mkdir(directory, 0o700) == 0)
        #expect(chmod(directory, 0o720) == 0)
        let run = try await world.finish(world.start(.stored, ["--dir", directory]))
        #expect(run.end == .status(77))
        #expect(run.errorText.contains("chmod 700 \(directory)"))
      }
    }

    @Test("A directory that others can read is closed to them")
    func readableDirectory() async throws {
      try await World.run { world in
        let directory = "\(world.directory)/readable"
        #expect(mkdir(directory, 0o700) == 0)
        #expect(chmod(directory, 0o755) == 0)
        let daemon = try world.start(.stored, ["--dir", directory])
        _ = try await daemon.output.lines(atLeast: 1)
        var status = stat()
        #expect(stat(directory, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
      }
    }

    @Test("A directory below one that others can write to is refused, by daemon and client")
    func openParent() async throws {
      try await World.run { world in
        let parent = "\(world.directory)/open"
        let directory = "\(parent)/store"
        #expect(mkdir(parent, 0o700) == 0)
        let daemon = try world.start(.stored, ["--dir", directory])
        _ = try await daemon.output.lines(atLeast: 1)
        #expect(chmod(parent, 0o777) == 0)
        for program in [Program.stored, .storectl] {
          let arguments = program == .stored ? [] : ["send", "counter", Self.increment]
          let run = try await world.finish(world.start(program, ["--dir", directory] + arguments))
          #expect(run.end == .status(77))
          #expect(run.errorText.contains("chmod go-w \(parent)"), "\(run.errorText)")
        }
        #expect(chmod(parent, 0o700) == 0)
        let state = try await world.finish(
          world.start(.storectl, ["--dir", directory, "--json", "get", "counter"])
        )
        #expect(try JSONValue(parsing: state.output.joined())["count"] == 0)
      }
    }

    @Test("A directory or a link of another user is refused", .enabled(if: geteuid() == 0))
    func foreign() async throws {
      try await World.run { world in
        let shared = "\(world.directory)/shared"
        let (real, link) = ("\(world.directory)/real", "\(shared)/link")
        #expect(mkdir(shared, 0o700) == 0 && chmod(shared, 0o1777) == 0)
        #expect(mkdir(real, 0o700) == 0)
        #expect(symlink(real, link) == 0)
        let daemon = try world.start(.stored, ["--dir", link])
        _ = try await daemon.output.lines(atLeast: 1)
        let own = try await world.finish(world.start(.storectl, ["--dir", link, "status"]))
        #expect(own.isSuccess, "\(own.errorText)")
        // A link of another user, who can redirect it at any time.
        #expect(lchown(link, Self.stranger, Self.stranger) == 0)
        // A directory of another user, who can run any daemon in it.
        #expect(mkdir("\(shared)/theirs", 0o700) == 0)
        #expect(chown("\(shared)/theirs", Self.stranger, Self.stranger) == 0)
        for directory in [link, "\(shared)/theirs"] {
          for arguments in [[], ["send", "counter", Self.increment]] {
            let run = try await world.finish(
              world.start(arguments == [] ? .stored : .storectl, ["--dir", directory] + arguments)
            )
            #expect(run.end == .status(77), "\(directory): \(run.errorText)")
            #expect(run.errorText.contains("user \(Self.stranger)"), "\(run.errorText)")
          }
        }
      }
    }

    @Test("An object with the lock's name that is no file is reported, with the remedy")
    func irregularLock() async throws {
      try await World.run { world in
        let data = "\(world.directory)/data"
        #expect(mkdir(data, 0o700) == 0)
        let lock = "\(data)/lock"
        for makes in [{ mkfifo(lock, 0o600) }, { mkdir(lock, 0o700) }] {
          #expect(makes() == 0)
          let run = try await world.finish(world.start(.stored, ["--dir", world.directory]))
          #expect(run.end == .status(73))
          #expect(run.errorText.contains("\(lock) is not a regular file. Remove it"))
          #expect(unlink(lock) == 0 || rmdir(lock) == 0)
        }
        _ = try await world.startDaemon()
      }
    }

    @Test("A client does not wait for a directory that any user could create")
    func nobodysDirectory() async throws {
      try await World.run { world in
        #expect(chmod(world.directory, 0o1777) == 0)
        let missing = "\(world.directory)/later"
        let run = try await world.finish(world.start(.storectl, ["--dir", missing, "status"]))
        #expect(run.end == .status(69))
        #expect(run.errorText.contains("There is no directory \(missing)"), "\(run.errorText)")
      }
    }

    @Test("A further directory to listen in is checked and locked as the first one is")
    func furtherDirectory() async throws {
      try await World.run { world in
        let further = "\(world.directory)/further"
        let arguments = ["--listen", "ipc://\(further)"]
        #expect(mkdir(further, 0o700) == 0 && chmod(further, 0o777) == 0)
        let open = try world.start(.stored, ["--dir", world.directory] + arguments)
        #expect(try await world.finish(open).end == .status(77))
        #expect(chmod(further, 0o700) == 0)
        let daemon = try await world.startDaemon(.stored, arguments)
        let status = try await world.finish(
          world.start(.storectl, ["--connect", "ipc://\(further)", "status"])
        )
        #expect(status.isSuccess, "\(status.errorText)")
        let second = try await world.finish(world.start(.stored, ["--dir", further]))
        #expect(second.end == .status(73))
        #expect(second.errorText.contains("\(daemon.pid)"))
      }
    }

    @Test(
      "A daemon whose lock, sockets, journal or directory are removed reports that and stops",
      arguments: ["lock", "ctl", "pub", "data/log", "data/log/00000000000000000001-1.log", ""],
    )
    func lost(file: String) async throws {
      try await World.run { world in
        let directory = "\(world.directory)/store"
        let daemon = try world.start(.stored, ["--dir", directory])
        _ = try await daemon.output.lines(atLeast: 1)
        let watcher = try world.start(.storectl, ["--dir", directory, "watch", "counter"])
        _ = try await watcher.output.lines(atLeast: 1)
        try FileManager.default.removeItem(atPath: "\(directory)/\(file)")
        #expect(try await daemon.ended() == .status(71))
        #expect(daemon.errors.lines.contains { $0.hasPrefix("stored: \(directory)/") })
        _ = try await watcher.errors.line("the daemon's goodbye") { $0.contains("goingDown") }
      }
    }

    @Test(
      "A daemon whose lock names another one reports that and stops",
      arguments: ["", "data/"],
    )
    func lockOfAnother(place: String) async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        // The same happens if a file system grants a lock to every process, and containers have
        // their own pids.
        let lock = "\(world.directory)/\(place)lock"
        let file = try FileHandle(forWritingTo: URL(filePath: lock))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data("\(daemon.pid) 0123456789abcdef\n".utf8))
        try file.close()
        #expect(try await daemon.ended() == .status(71))
        #expect(daemon.errors.lines.contains { $0.hasPrefix("stored: \(lock) is gone") })
      }
    }

    @Test(
      "An unwritable data directory is reported at the start, with the remedy",
      .enabled(if: OtherUsers.canBeActed),
    )
    func readOnlyData() async throws {
      try await World.run(in: "/tmp/") { world in
        #expect(chmod(world.directory, 0o711) == 0)
        let own = "\(world.directory)/ann"
        let data = "\(own)/data"
        for (directory, mode) in [(own, 0o700), (data, 0o500)] as [(String, mode_t)] {
          #expect(mkdir(directory, mode) == 0)
          #expect(chown(directory, OtherUsers.ann, OtherUsers.ann) == 0)
        }
        let daemon = try world.start(.stored, as: OtherUsers.ann, ["--dir", own, "--data", data])
        #expect(try await daemon.ended() == .status(73))
        let words = daemon.errors.lines.joined(separator: " ")
        #expect(words.contains("\(data)/lock") && words.contains("Permission denied"), "\(words)")
        #expect(daemon.output.lines == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: data) == [])
      }
    }

    @Test("A directory without a name is refused", arguments: ["--dir", "--data"])
    func nameless(option: String) async throws {
      try await World.run { world in
        let daemon = try world.start(.stored, ["--dir", world.directory, option, ""])
        #expect(try await daemon.ended() == .status(64))
        #expect(daemon.errors.lines.joined().contains("\(option) is empty"))
      }
    }

    @Test("A lock that is a link is not followed")
    func linkedLock() async throws {
      try await World.run { world in
        let target = "\(world.directory)/precious"
        #expect(FileManager.default.createFile(atPath: target, contents: Data("text".utf8)))
        #expect(symlink(target, "\(world.directory)/lock") == 0)
        let run = try await world.finish(world.start(.stored, ["--dir", world.directory]))
        #expect(run.end == .status(73))
        let text = try String(contentsOfFile: target, encoding: .utf8)
        #expect(text == "text")
      }
    }
  }
}
