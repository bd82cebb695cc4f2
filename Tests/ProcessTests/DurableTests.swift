import Foundation
import GenericState
import StoreHistory
import StoreServer
import StoreState
import Testing

@testable import StoreJournal

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The workspace of another program: its counter is a text.
private struct OtherWorkspace: DurableState, ReplicatedRecord, Equatable {
  var counter = "none"

  static let layout = RecordLayout<Self>("WorkspaceFeature", [.field("counter", \.counter)])
}

extension ProcessTests {
  /// A daemon that keeps its state: every acknowledged action survives any end.
  @Suite(.timeLimit(.minutes(4))) struct DurableTests {
    /// An action that adds a todo whose title contains its sender and its number.
    private static func add(_ sender: Int, _ number: Int) -> String {
      #"{"addButtonTapped":{"title":"\#(sender)-\#(number)"}}"#
    }

    private static let increment = #""incrementButtonTapped""#

    /// A daemon that keeps little history, so that it removes some in each round.
    private func loop(_ world: World) -> CrashLoop {
      CrashLoop(
        world: world,
        program: .stored,
        arguments: ["--dir", world.directory, "--retain-bytes", "20000"],
        reachesAll: true,
      )
    }

    @Test(.timeLimit(.minutes(CrashLoop.rounds > 21 ? 60 : 4)))
    func `Through kills anywhere every acknowledged action is there exactly once`() async throws {
      try await World.run { world in
        let loop = loop(world)
        let (senders, rounds, each) = (4, CrashLoop.rounds, 25)
        var daemon = try await loop.startDaemon(0)
        let epoch = try await world.answer("--json", "status")["epoch"]
        let watcher = try await world.watch("todos", "--deltas", "--digest")
        let clients = try (0..<senders).map { _ in
          try world.startClient("--json", "send", "todos", "-")
        }
        for round in 0..<rounds {
          for (sender, client) in clients.enumerated() {
            client.write(
              lines: (0..<each).map { Self.add(sender, round * each + $0) }
            )
          }
          if round == 0 {
            // A client that finds no daemon at all ends instead of waiting.
            for client in clients { _ = try await client.output.lines(atLeast: 1) }
          }
          let seen = round * each + Int.random(in: 0..<each)
          try await loop.end(daemon, round, when: clients[round % senders], hasSeen: seen)
          daemon = try await loop.startDaemon(round + 1 < rounds ? round + 1 : 0)
        }
        try loop.checkPlaces()
        for client in clients { client.closeInput() }
        for client in clients {
          let run = try await world.finish(client)
          #expect(run.isSuccess, "\(run.errorText)")
          #expect(!run.errorText.contains("new epoch"))
          let outcomes = try run.output.map { try JSONValue(parsing: $0)["outcome"]?.text }
          #expect(outcomes == Array(repeating: "applied", count: rounds * each))
        }
        #expect(try await world.answer("--json", "status")["epoch"] == epoch)
        try await checkTitles(world, (0..<senders).map { ($0, rounds * each) })
        try await checkWatcher(world, watcher)
        daemon.send(signal: SIGTERM)
        _ = try await daemon.ended()
        try await checkHistory(world)
      }
    }

    /// Expects each title exactly once, and those of a sender in the order of sending.
    private func checkTitles(_ world: World, _ senders: [(sender: Int, count: Int)]) async throws {
      let items = try #require(try await world.get("todos")["items"]?.items)
      let titles = items.compactMap { $0["title"]?.text }
      #expect(titles.count == senders.map(\.count).reduce(0, +))
      for (sender, count) in senders {
        let own = titles.filter { $0.hasPrefix("\(sender)-") }
        #expect(own == (0..<count).map { "\(sender)-\($0)" })
      }
    }

    /// Expects that a permanent watcher has seen increasing revisions, and has the current state.
    private func checkWatcher(_ world: World, _ watcher: ChildProcess) async throws {
      let final = try await world.snapshot("todos")
      _ = try await watcher.output.line("the daemon's digest") { $0.contains(final.digest) }
      let revisions = try watcher.output.watched().map(\.revision)
      #expect(zip(revisions, revisions.dropFirst()).allSatisfy(<=))
      #expect(!watcher.errors.lines.contains { $0.contains("new epoch") })
      watcher.send(signal: SIGTERM)
      _ = try await watcher.ended()
    }

    /// Expects that all records are intact, and that a replay gives the same states.
    private func checkHistory(_ world: World) async throws {
      // The time grows with the number of actions.
      let verify = try await world.client(
        ["--json", "verify", "--data", "\(world.directory)/data"],
        within: .seconds(max(30, CrashLoop.rounds)),
      )
      #expect(verify.isSuccess, "\(verify.errorText)")
      let replay = try await world.replay()
      #expect(replay["difference"] == nil, "\(replay.text())")
      #expect(replay["unchecked"] == [:], "\(replay.text())")
    }

    @Test func `Watchers continue in the same epoch, by deltas, when the daemon was killed`()
      async throws
    {
      try await World.run { world in
        let first = try await world.startDaemon()
        let watcher = try await world.watch("counter", "--digest")
        try await world.send("counter", Self.increment, Self.increment)
        try await watcher.output.state("the second step") { $0["count"]?.int == 2 }
        first.send(signal: SIGKILL)
        _ = try await first.ended()
        let second = try await world.startDaemon()
        #expect(second.output.lines[0].contains("revision="))
        #expect(try await world.get("counter")["count"]?.int == 2)
        let snapshots = try await world.counter("snapshots")
        try await world.send("counter", Self.increment)
        try await watcher.output.state("the third step") { $0["count"]?.int == 3 }
        #expect(!watcher.errors.lines.contains { $0.contains("new epoch") })
        // The watcher needed only the changes.
        #expect(try await world.counter("snapshots") == snapshots)
        #expect(try await world.counter("replays") >= 1)
        let final = try await world.snapshot("counter")
        _ = try await watcher.output.line("the daemon's digest") { $0.contains(final.digest) }
      }
    }

    @Test func `State that no client sees is kept as well`() async throws {
      try await World.run { world in
        let first = try await world.startDaemon()
        // The verdict compares a guess with the secret, which never travels.
        let before = try await verdicts(world)
        first.send(signal: SIGKILL)
        _ = try await first.ended()
        _ = try await world.startDaemon()
        #expect(try await verdicts(world) == before)
      }
    }

    /// The verdicts of some guesses.
    private func verdicts(_ world: World) async throws -> [String?] {
      var verdicts: [String?] = []
      for guess in stride(from: -100, through: 100, by: 10) {
        try await world.send("game", #"{"counter":{"guessChanged":{"guess":\#(guess)}}}"#)
        verdicts.append(try await world.get("game")["counter"]?["verdict"]?.text)
      }
      return verdicts
    }

    @Test func `Sessions at the time of a kill do not exist any more`() async throws {
      try await World.run { world in
        let first = try await world.startDaemon()
        let watcher = try await world.watch("presence")
        try await watcher.output.state("itself") { $0["sessions"]?.items?.count == 1 }
        first.send(signal: SIGKILL)
        watcher.send(signal: SIGKILL)
        _ = try await first.ended()
        _ = try await watcher.ended()
        _ = try await world.startDaemon()
        #expect(try await world.get("presence")["sessions"]?.items?.isEmpty == true)
      }
    }

    @Test func `A save that a kill interrupts is made when the daemon starts again`()
      async throws
    {
      try await World.run { world in
        let first = try await world.startDaemon()
        let player = try world.startClient("--json", "send", "game", "-")
        player.write(lines: [#"{"counter":"playNextButtonTapped"}"#, #""resultsButtonTapped""#])
        _ = try await player.output.lines(atLeast: 2)
        let rows = try await world.get("game")["resultList"]?["rows"]?.items
        let id = try #require(rows?.first?["id"]?.text)
        player.write(lines: [
          #"{"resultList":{"removed":{"id":"\#(id)"}}}"#, #""resultsDismissed""#,
          #"{"alert":{"presented":"saveButtonTapped"}}"#,
        ])
        let watcher = try await world.watch("game")
        try await watcher.output.state("the save") { $0["isSaving"] == .bool(true) }
        first.send(signal: SIGKILL)
        _ = try await first.ended()
        _ = try await world.startDaemon()
        try await watcher.output.state("the saved state") {
          $0["isSaving"] == .bool(false) && $0["results"]?.items?.isEmpty == true
        }
        #expect(try await world.get("game")["resultList"] == .null)
      }
    }

    @Test func `In memory no state is kept, and the directory has no data`() async throws {
      try await World.run { world in
        let first = try await world.startDaemon(.stored, ["--in-memory"])
        try await world.send("counter", Self.increment)
        first.send(signal: SIGTERM)
        #expect(try await first.ended() == .status(0))
        #expect(!FileManager.default.fileExists(atPath: "\(world.directory)/data"))
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        #expect(try await world.get("counter")["count"]?.int == 0)
      }
    }

    private static let python = "/usr/bin/python3"

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: python)))
    func `A signal during the reading of history ends the daemon in order`() async throws {
      try await World.run { world in
        let first = try await world.startDaemon()
        try await world.send("counter", Self.increment, Self.increment)
        first.send(signal: SIGTERM)
        _ = try await first.ended()
        // A signal that is already pending when the program begins.
        let script = """
          import os, signal, sys
          signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
          os.kill(os.getpid(), signal.SIGTERM)
          os.execv(sys.argv[1], sys.argv[1:])
          """
        let arguments = ["-c", script, try Program.stored.path, "--dir", world.directory]
        let second = try world.start(path: Self.python, arguments)
        #expect(try await second.ended() == .status(0))
        #expect(second.output.lines == [], "It has read everything first")
        _ = try await world.startDaemon()
        #expect(try await world.get("counter")["count"] == 2)
      }
    }

    @Test
    func `A signal ends a daemon that searches a segment of format 3 for entries in text`()
      async throws
    {
      try await World.run { world in
        let first = try await world.startDaemon()
        first.send(signal: SIGKILL)
        _ = try await first.ended()
        let segments = try LogSegments(in: "\(world.directory)/data")
        let path = try #require(segments.paths.last)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var segment = EarlierSegment(try LogHeader(bytes, path: path))
        var head = LogEntry.Head(
          length: LogEntry.Head.earlierBytes,
          kind: .records,
          count: 2 << 20,
          first: 1,
          last: 1,
          sessionNumbers: 1,
          before: 0,
        )
        let rest = [UInt8](repeating: 1, count: 2 << 20)
        let like = LogEntry.encode(&head, rest, key: 0).prefix(LogEntry.Head.earlierBytes)
        // Each of these is examined with its whole declared length.
        segment.append(1...1, (0..<20_000).flatMap { _ in like } + rest)
        try segment.write(to: path)
        try segments.changeNewest { $0[$0.count - 9] ^= 1 }
        let second = try world.start(.stored, ["--dir", world.directory])
        _ = try await second.errors.line("how far it is") { $0.contains("search for later") }
        second.send(signal: SIGTERM)
        #expect(try await second.ended() == .status(0))
        #expect(second.output.lines == [], "It has not read it to its end")
      }
    }

    /// A daemon with data to write notices the other one at the write, else by its lock.
    @Test(arguments: [false, true])
    func `A daemon that wakes after a takeover of its history sends no more messages`(
      hasToWrite: Bool
    ) async throws {
      try await World.run { world in
        let first = try await world.startDaemon()
        let watcher = try await world.watch("counter")
        // The sender has also left, which would be written as well.
        if hasToWrite { try await world.send("counter", Self.increment) }
        first.send(signal: SIGSTOP)
        let action = ["send", "counter", Self.increment]
        // It reaches a stopped daemon.
        let late = hasToWrite ? try world.startClient(action + ["--timeout", "5"]) : nil
        // The same happens if locks have no effect, as on some network file systems.
        let data = "\(world.directory)/data"
        try FileManager.default.removeItem(atPath: "\(data)/lock")
        let other = "\(world.directory)/other"
        let second = try world.start(.stored, ["--dir", other, "--data", data])
        _ = try await second.output.line("the daemon to be ready") { $0.hasPrefix("ready ") }
        let sent = try await world.finish(world.start(.storectl, ["--dir", other] + action))
        #expect(sent.isSuccess, "\(sent.errorText)")
        first.send(signal: SIGCONT)
        #expect(try await first.ended() == .status(71))
        let words = first.errors.lines.joined(separator: " ")
        // With data to write either is noticed first.
        #expect(
          words.contains("\(data)/lock is gone") || hasToWrite && words.contains("taken over"),
          "\(words)",
        )
        #expect(words.contains("once no other one has the journal") && !words.contains("the disk"))
        if let late { #expect(try await !world.finish(late).isSuccess) }
        second.send(signal: SIGTERM)
        #expect(try await second.ended() == .status(0))
        let run = try await world.client("--json", "verify", "--data", data)
        #expect(run.isSuccess, "\(run.errorText)")
        _ = try await world.startDaemon()
        let count = hasToWrite ? 2 : 1
        _ = try await watcher.output.line("the other daemon's records") {
          $0.contains(#""count":\#(count)"#)
        }
        // A goodbye of the first one would have arrived before that.
        #expect(!watcher.errors.lines.contains { $0.contains("goingDown") })
      }
    }

    @Test func `A second daemon on the same data is refused by the pid of the first`()
      async throws
    {
      try await World.run { world in
        let data = "\(world.directory)/kept"
        let first = try await world.startDaemon(.stored, ["--data", data])
        let second = try world.start(
          .stored,
          ["--dir", "\(world.directory)/other", "--data", data],
        )
        #expect(try await second.ended() == .status(73))
        let words = second.errors.lines.joined()
        #expect(words.contains("pid \(first.pid)") && words.contains("with --data"), "\(words)")
      }
    }

    @Test func `Sockets and data may have one directory, however it is written`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--data", "\(world.directory)/./"])
        try await world.send("counter", Self.increment)
      }
    }

    @Test func `A damaged journal is refused with the place, and all its bytes stay`() async throws
    {
      try await World.run { world in
        let first = try await world.startDaemon()
        try await world.send("todos", #"{"addButtonTapped":{"title":"needle"}}"#)
        try await world.send("counter", Self.increment)
        // A clean end would keep a snapshot after the record.
        first.send(signal: SIGKILL)
        _ = try await first.ended()
        let segments = try LogSegments(in: "\(world.directory)/data")
        try segments.replace("needle", with: "NEEDLE")
        let second = try world.start(.stored, ["--dir", world.directory])
        #expect(try await second.ended() == .status(73))
        let words = second.errors.lines.joined()
        #expect(words.contains("damaged") && words.contains("revision"), "\(words)")
        try segments.replace("NEEDLE", with: "needle")
        _ = try await world.startDaemon()
        #expect(try await world.get("counter")["count"]?.int == 1)
      }
    }

    @Test func `A last write that the disk has lost is reported, and its observers join again`()
      async throws
    {
      try await World.run { world in
        let first = try await world.startDaemon()
        let watcher = try await world.watch("counter")
        try await world.send("counter", Self.increment)
        try await world.send("counter", Self.increment)
        try await watcher.output.state("the second step") { $0["count"]?.int == 2 }
        first.send(signal: SIGKILL)
        _ = try await first.ended()
        let segments = try LogSegments(in: "\(world.directory)/data")
        try segments.damage(entryFromEnd: 1)
        // A kill does not cause such damage.
        let refused = try world.start(.stored, ["--dir", world.directory])
        #expect(try await refused.ended() == .status(73))
        #expect(refused.errors.lines.contains { $0.contains("storectl restore") })
        try segments.changeBoot()
        let second = try await world.startDaemon()
        #expect(second.errors.lines.contains { $0.contains("torn") }, "\(second.errors.lines)")
        let names = try FileManager.default.contentsOfDirectory(
          atPath: "\(world.directory)/data/log"
        )
        #expect(names.contains { $0.hasSuffix(".torn") }, "\(names)")
        _ = try await watcher.errors.line("that the epoch is new") { $0.contains("epoch") }
        #expect(try await world.get("counter")["count"]?.int == 1)
      }
    }

    @Test func `A journal whose log was emptied is refused, and works again with its log`()
      async throws
    {
      try await World.run { world in
        let first = try await world.startDaemon()
        try await world.send("counter", Self.increment)
        first.send(signal: SIGTERM)
        _ = try await first.ended()
        let log = "\(world.directory)/data/log"
        try FileManager.default.moveItem(atPath: log, toPath: "\(log).away")
        try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: false)
        let second = try world.start(.stored, ["--dir", world.directory])
        #expect(try await second.ended() == .status(73))
        let words = second.errors.lines.joined()
        #expect(words.contains("is empty") && words.contains("snapshot"), "\(words)")
        try FileManager.default.removeItem(atPath: log)
        try FileManager.default.moveItem(atPath: "\(log).away", toPath: log)
        _ = try await world.startDaemon()
        #expect(try await world.get("counter")["count"]?.int == 1)
      }
    }

    @Test func `Data of another program is refused with the difference, and left unchanged`()
      async throws
    {
      try await World.run { world in
        let data = "\(world.directory)/data"
        let form = DurableForm(OtherWorkspace.self)
        func open() throws -> JournalDirectory {
          try JournalDirectory(
            directory: data,
            root: form.name,
            schema: form.schema,
            durability: .full,
            epoch: 7,
          )
        }
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        let file = try open()
        try file.begin()
        let bytes = await Recovery(form, initial: OtherWorkspace()).finish().snapshot(form)
        try file.write(bytes, of: 0)
        try file.close()
        let daemon = try world.start(.stored, ["--dir", world.directory])
        #expect(try await daemon.ended() == .status(73))
        let words = daemon.errors.lines.joined(separator: " ")
        #expect(words.contains("a program with other types"), "\(words)")
        #expect(words.contains("counter"), "It names the difference: \(words)")
        // No program has opened it for writing since.
        let opening = try open().opening
        #expect(opening.isSameBuild && opening.isClean && opening.epoch == 7)
      }
    }

    @Test func `An option for memory and one for a directory exclude each other`() async throws {
      try await World.run { world in
        let daemon = try world.start(.stored, ["--in-memory", "--data", "/tmp"])
        #expect(try await daemon.ended() == .status(64))
        #expect(daemon.errors.lines.joined().contains("--in-memory"))
      }
    }
  }
}
