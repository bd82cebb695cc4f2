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
  /// Copies that `storectl backup --follow` keeps up to date.
  @Suite struct FollowTests {
    /// How often the daemon or the follower is killed; `FOLLOW_KILLS` sets it.
    private static let kills =
      ProcessInfo.processInfo.environment["FOLLOW_KILLS"].flatMap { Int($0) } ?? 8

    private static let increment = #""incrementButtonTapped""#

    private static func add(_ number: Int) -> String {
      #"{"addButtonTapped":{"title":"\#(number)"}}"#
    }

    private func data(_ world: World) -> String { "\(world.directory)/data" }

    private func follow(
      _ world: World,
      _ target: String,
      environment: [String: String] = [:],
    ) throws -> ChildProcess {
      try world.start(
        .storectl,
        ["backup", "--data", data(world), "--follow", target],
        environment: environment,
      )
    }

    /// Waits until the copy is reported to have a revision.
    private func wait(for revision: Int, _ world: World, _ target: String) async throws {
      try await poll("revision \(revision) in the copy") {
        let status = try await world.answer("--json", "status")
        let copy = status["copies"]?.items?.first { $0["target"]?.text == target }
        return copy?["revision"]?.int ?? 0 >= revision
      }
    }

    private func poll(_ what: String, _ isSo: () async throws -> Bool) async throws {
      let clock = ContinuousClock()
      let end = clock.now + .seconds(30 * TestPatience.factor)
      while try await !isSo() {
        guard clock.now < end else { throw ProcessFailure("There is not \(what)") }
      }
    }

    /// Restores a copy, and returns the titles of its todos.
    private func titles(in copy: String, _ world: World) async throws -> [Int] {
      let new = "\(world.directory)/new-\(UUID())"
      let restored = try await world.answer("restore", copy, "--data", new)
      let revision = try #require(restored["revision"]?.int)
      let titles = try await world.titles(at: revision, in: new)
      try FileManager.default.removeItem(atPath: new)
      return titles.compactMap { Int($0) }
    }

    @Test(.timeLimit(.minutes(kills > 8 ? 30 : 4)))
    func `Whenever the daemon or its follower is killed, the copy restores to an earlier state`()
      async throws
    {
      try await World.run { world in
        var random = Numbers(state: 7)
        let copy = "\(world.directory)/copy"
        let options = ["--retain-bytes", "100000"]
        var daemon = try await world.startDaemon(.stored, options)
        let client = try world.startClient("--json", "send", "todos", "-")
        client.write(lines: [Self.add(0)])
        _ = try await client.output.lines(atLeast: 1)
        var follower = try follow(world, copy)
        _ = try await follower.output.lines(atLeast: 1, within: .seconds(60))
        var (sent, seen) = (1, 1)
        for round in 0..<Self.kills {
          let count = 20 + Int(random.next() % 200)
          client.write(lines: (sent..<sent + count).map(Self.add))
          sent += count
          _ = try await client.output.lines(
            atLeast: sent - Int(random.next() % UInt64(count)),
            within: .seconds(60),
          )
          if round.isMultiple(of: 2) {
            follower.send(signal: SIGKILL)
            _ = try await follower.ended()
          } else {
            daemon.send(signal: SIGKILL)
            _ = try await daemon.ended()
          }
          let titles = try await titles(in: copy, world)
          #expect(titles == Array(0..<titles.count), "round \(round)")
          #expect((seen...sent).contains(titles.count), "round \(round)")
          seen = titles.count
          if round.isMultiple(of: 2) {
            follower = try follow(world, copy)
          } else {
            daemon = try await world.startDaemon(.stored, options)
          }
        }
        _ = try await client.output.lines(atLeast: sent, within: .seconds(60))
        try await end(follower, copy, Array(0..<sent), world)
      }
    }

    /// Waits until a copy has everything, ends its follower, and verifies it.
    private func end(
      _ follower: ChildProcess,
      _ copy: String,
      _ titles: [Int],
      _ world: World,
    ) async throws {
      let status = try await world.answer("--json", "status")
      try await wait(for: try #require(status["durableRevision"]?.int), world, copy)
      #expect(try await self.titles(in: copy, world) == titles)
      follower.send(signal: SIGTERM)
      #expect(try await follower.ended() == .status(0))
      let verified = try await world.client("verify", "--data", copy)
      #expect(verified.isSuccess, "\(verified.output) \(verified.errorText)")
    }

    @Test(.timeLimit(.minutes(2)))
    func `The status and the metrics of the daemon show how much a copy lacks`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        try await world.send("counter", Self.increment)
        let copy = "\(world.directory)/copy"
        let follower = try follow(world, copy)
        try await wait(for: 1, world, copy)
        let whole = try await world.client("status", "--prometheus")
        let label = #"{target="\#(copy)"}"#
        #expect(whole.output.contains("storeactor_copy_missing_revisions\(label) 0.0"))
        #expect(whole.output.contains("storeactor_copy_behind_seconds\(label) 0.0"))
        follower.send(signal: SIGKILL)
        _ = try await follower.ended()
        try await world.send("counter", Self.increment, Self.increment)
        let late = try await world.client("status", "--prometheus")
        #expect(late.output.contains("storeactor_copy_missing_revisions\(label) 2.0"))
        let copies = try await world.answer("--json", "status")["copies"]
        let report = try #require(copies?.items?.first)
        #expect(report["missing"]?.int == 2 && report["behindMs"]?.int ?? 0 > 0)
        #expect(report["fault"]?.text?.contains("has ended") == true)
      }
    }

    private static let refused: [([String], Int32)] = [
      (["backup", "--data", "data", "ssh://far/copy"], 64),
      (["backup", "--data", "data", "--retain-bytes", "5", "copy"], 64),
      (["backup", "--data", "data", "--follow", "ssh://far"], 64),
      (["backup", "--data", "data", "--follow", "data/copy"], 64),
      (["backup", "--data", "nothing", "--follow", "copy"], 65),
      (["backup", "--data", "data", "--follow", "full"], 73),
    ]

    @Test(arguments: refused)
    func `A copy that cannot be kept is refused with the reason`(
      arguments: [String],
      status: Int32,
    ) async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        try await world.send("counter", Self.increment)
        let full = "\(world.directory)/full"
        try FileManager.default.createDirectory(atPath: full, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: "\(full)/mine"))
        let process = try world.start(
          .storectl,
          arguments,
          script: "cd \(world.directory); exec \"$0\" \"$@\"",
        )
        let run = try await world.finish(process)
        #expect(run.end == .status(status) && run.output == [], "\(run.errorText)")
        #expect(!run.errors.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: full) == ["mine"])
      }
    }

    // MARK: Another machine

    /// Acts as `ssh` to this machine: one process is the connection, and others run commands by it.
    private static let ssh = #"""
      #!/bin/sh
      folder=$(dirname "$0")
      echo "$*" >> "$folder/calls"
      for word; do
        case $before in -S) path=$word;; esac
        case $word in ControlPath=*) path=${word#ControlPath=};; esac
        before=$word
      done
      case " $* " in
      *" ControlMaster=yes "*)
        [ -e "$folder/down" ] && exit 255
        : > "$path"
        echo $$ > "$folder/pid"
        exec sleep 1000;;
      esac
      [ -e "$path" ] || exit 255
      exec sh -c "$word"
      """#

    @Test(.timeLimit(.minutes(4)))
    func `A copy on another machine goes on after its connection was lost`() async throws {
      try await World.run { world in
        let folder = "\(world.directory)/bin"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(Self.ssh.utf8).write(to: URL(filePath: "\(folder)/ssh"))
        try #require(chmod("\(folder)/ssh", 0o700) == 0)
        let environment = [
          "PATH": "\(folder):/usr/bin:/bin", "XDG_RUNTIME_DIR": "", "TMPDIR": world.directory,
        ]
        _ = try await world.startDaemon()
        try await world.send("todos", Self.add(0))
        let copy = "\(world.directory)/a copy of ann's"
        let target = "ssh://ann@far:2222\(copy)"
        let follower = try follow(world, target, environment: environment)
        _ = try await follower.output.lines(atLeast: 1)
        #expect(try await titles(in: copy, world) == [0])
        // The connection is lost, and the machine is away for a while.
        try Data().write(to: URL(filePath: "\(folder)/down"))
        let pid = try #require(
          pid_t(
            try String(contentsOfFile: "\(folder)/pid", encoding: .utf8)
              .trimmingCharacters(in: .newlines)
          )
        )
        kill(pid, SIGKILL)
        try await world.send("todos", Self.add(1))
        _ = try await follower.errors.line("that it is tried again") { $0.contains("tried again") }
        try await poll("the fault in the status") {
          let copies = try await world.answer("--json", "status")["copies"]
          return copies?.items?.first?["fault"]?.text?.contains("cannot be reached") == true
        }
        unlink("\(folder)/down")
        _ = try await follower.output.lines(atLeast: 2, within: .seconds(60))
        #expect(try await titles(in: copy, world) == [0, 1])
        let calls = try String(contentsOfFile: "\(folder)/calls", encoding: .utf8)
        #expect(calls.contains("-p 2222 -- ann@far") && calls.contains("ControlMaster=no"))
        // Nothing is left of a killed follower.
        follower.send(signal: SIGKILL)
        _ = try await follower.ended()
        #expect(
          try FileManager.default.contentsOfDirectory(atPath: world.directory)
            .filter { $0.hasPrefix("storectl-") } == []
        )
      }
    }
  }
}
