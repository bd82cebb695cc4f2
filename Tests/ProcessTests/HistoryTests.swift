import Foundation
import GenericState
import StoreProtocol
import StoreState
import Testing
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// A daemon's past, as `storectl` shows it.
  @Suite(.timeLimit(.minutes(2))) struct HistoryTests {
    private static let increment = #""incrementButtonTapped""#

    @Test func `The past is read from a running daemon, and from a stopped daemon's directory`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        try await world.send("counter", Self.increment, Self.increment)
        try await world.send("todos", #"{"addButtonTapped":{"title":"a\u001b[31mb"}}"#)
        let live = try await world.client(["log"])
        #expect(live.isSuccess, "\(live.errorText)")
        let lines = try live.output.map { try JSONValue(parsing: $0) }
        #expect(lines.map { $0["revision"]?.int } == [1, 2, 3])
        #expect(lines.map { $0["by"]?.text } == ["client", "client", "client"])
        #expect(lines[0]["action"]?.text == "incrementButtonTapped")
        #expect(lines[0]["changed"]?.items?.map(\.text) == ["counter"])
        #expect(lines[0]["us"]?.int != nil)
        #expect(lines[0]["time"]?.text?.hasSuffix("Z") == true)
        #expect(!live.output.joined().utf8.contains(0x1b))
        let todos = try await world.client(["log", "--scope", "todos"])
        #expect(todos.output.count == 1)
        // A row counts as a scope as well.
        let changed = lines[2]["changed"]?.items?.compactMap(\.text)
        #expect(changed?.count == 2 && changed?.last?.hasPrefix("todos/items/") == true)
        let row = try await world.client(["log", "--scope", changed?.last ?? ""])
        #expect(row.output == todos.output)
        let early = try await world.answer("--json", "at", "1", "get", "counter")
        #expect(early["count"]?.int == 1)
        let verified = try await world.answer("--json", "verify")
        #expect(verified["last"]?.int == 3)
        try await refusals(world)

        let data = "\(world.directory)/data"
        let busy = try await world.client(["log", "--data", data])
        #expect(busy.end == .status(75))
        #expect(busy.errorText.contains("pid \(daemon.pid)"))
        daemon.send(signal: SIGTERM)
        _ = try await daemon.ended()
        let still = try await world.client(["log", "--data", data])
        // The last revision records a client's goodbye.
        #expect(still.output.count == 4, "\(still.errorText)")
        #expect(still.output.last?.contains("forgot") == true)
        let own = try await world.client(["log", "--data", data, "--scope", changed?.last ?? ""])
        #expect(own.output.count == 1 && own.output[0].contains(#""revision":3"#))
        let offline = try await world.answer("--json", "at", "1", "get", "counter", "--data", data)
        #expect(offline["count"]?.int == 1)
        let export = try await world.client(["export", "--data", data])
        #expect(export.output.count == 3 + 4 + 1, "\(export.errorText)")
        #expect(export.output[2].contains("secret"))
        #expect(try await world.answer("--json", "verify", "--data", data)["records"]?.int == 4)
      }
    }

    @Test(
      .enabled(
        if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare"),
        "only root can mount a directory, on Linux",
      )
    )
    func `A history is read without the right to write, also of a daemon that was killed`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        try await world.send("counter", Self.increment, Self.increment)
        let data = "\(world.directory)/data"
        let killed = "\(world.directory)/killed"
        try FileManager.default.copyItem(atPath: data, toPath: killed)
        daemon.send(signal: SIGTERM)
        _ = try await daemon.ended()

        func read(_ directory: String, _ command: String) async throws -> World.Run {
          let script = """
            mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"
            exec "$0" --json \(command) --data "$1"
            """
          let arguments = ["-m", "/bin/sh", "-c", script, try Program.storectl.path, directory]
          return try await world.finish(world.start(path: "/usr/bin/unshare", arguments))
        }
        let verified = try await read(data, "verify")
        #expect(verified.isSuccess, "\(verified.errorText)")
        #expect(try await read(data, "log").output.count == 3)
        let state = try await read(data, "at 1 get counter")
        #expect(state.output.joined().contains(#""count":1"#), "\(state.errorText)")
        let left = try await read(killed, "verify")
        #expect(left.isSuccess, "\(left.errorText)")
        #expect(try await read(killed, "log").output.count == 2)
      }
    }

    private func refusals(_ world: World) async throws {
      for (arguments, words) in [
        (["at", "99", "get", "counter"], "to come"), (["at", "1", "get", "countr"], "counter"),
        (["log", "--scope", "countr"], "scope"),
        (["log", "--data", world.directory], "no journal"),
      ] {
        let run = try await world.client(arguments)
        #expect(run.end == .status(65), "\(arguments): \(run.end)")
        #expect(run.errorText.contains(words), "\(arguments): \(run.errorText)")
      }
    }

    @Test func `The log continues with new revisions, until a signal`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let log = try world.startClient(["log", "--follow"])
        for count in 1...3 {
          try await world.send("counter", Self.increment)
          _ = try await log.output.lines(atLeast: count)
        }
        log.send(signal: SIGTERM)
        #expect(try await log.ended() == .status(0))
      }
    }

    @Test func `The newest revisions are listed, and then new ones`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        try await world.send("counter", Self.increment, Self.increment)
        try await world.send("todos", #"{"addButtonTapped":{"title":"Milk"}}"#)
        try await world.send("counter", Self.increment)
        func revisions(_ arguments: [String]) async throws -> [Int?] {
          let run = try await world.client(["log"] + arguments)
          #expect(run.isSuccess, "\(run.errorText)")
          return try run.output.map { try JSONValue(parsing: $0)["revision"]?.int }
        }
        #expect(try await revisions(["--tail", "2"]) == [3, 4])
        #expect(try await revisions(["-n", "2", "--scope", "counter"]) == [2, 4])
        #expect(try await revisions(["-n", "9", "--after", "1", "--scope", "counter"]) == [2, 4])
        let (log, news) = (
          try world.startClient(["log", "-n", "1", "--follow"]),
          try world.startClient(["log", "-n", "0", "--follow"]),
        )
        _ = try await log.output.lines(atLeast: 1)
        // After the log has requested the newest revision.
        while news.output.lines.isEmpty { try await world.send("counter", Self.increment) }
        let lines = try await log.output.lines(atLeast: 2)
        #expect(try lines.prefix(2).map { try JSONValue(parsing: $0)["revision"]?.int } == [4, 5])
        #expect(try JSONValue(parsing: news.output.lines[0])["revision"]?.int ?? 0 > 4)
        for follower in [log, news] { follower.send(signal: SIGTERM) }
        #expect(try await log.ended() == .status(0))
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
        let data = "\(world.directory)/data"
        #expect(try await revisions(["-n", "1", "--scope", "todos", "--data", data]) == [3])
        for arguments in [["-n", "1", "--count", "1"], ["--tail=-1"]] {
          #expect(try await world.client(["log"] + arguments).end == .status(64))
        }
      }
    }

    @Test func `A follower continues with a daemon that starts again`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        try await world.send("counter", Self.increment, Self.increment)
        let log = try world.startClient(["log", "--follow"])
        let status = try world.startClient(["status", "--watch"])
        _ = try await log.output.lines(atLeast: 2)
        _ = try await status.output.lines(atLeast: 1)
        daemon.send(signal: SIGKILL)
        _ = try await daemon.ended()
        try FileManager.default.removeItem(atPath: "\(world.directory)/data")
        let next = try await world.startDaemon()
        for follower in [log, status] {
          _ = try await follower.errors.line("the new epoch") { $0.contains("new epoch") }
        }
        try await world.send("counter", Self.increment)
        let lines = try await log.output.lines(atLeast: 3)
        #expect(try JSONValue(parsing: lines[2])["revision"]?.int == 1)
        let count = status.output.lines.count
        _ = try await status.output.line(from: count, "the new daemon") {
          $0.contains(#""pid":\#(next.pid),"#) && $0.contains(#""revision":1,"#)
        }
        for follower in [log, status] { follower.send(signal: SIGTERM) }
        #expect(try await log.ended() == .status(0))
      }
    }

    @Test func `A follower continues where a rolled-back history leaves the one before`()
      async throws
    {
      try await World.run { world in
        let (data, copy) = ("\(world.directory)/data", "\(world.directory)/copy")
        let first = try await world.startDaemon()
        try await world.send("counter", Self.increment, Self.increment, Self.increment)
        first.send(signal: SIGTERM)
        #expect(try await first.ended() == .status(0))
        try FileManager.default.copyItem(atPath: data, toPath: copy)
        let second = try await world.startDaemon()
        let log = try world.startClient(["log", "--follow", "--after", "1"])
        try await world.send("counter", Self.increment, Self.increment)
        let newest = try await world.answer("--json", "status")["revision"]?.int
        _ = try await log.output.line("the newest") {
          $0.hasPrefix("{\"revision\":\(newest ?? 0),")
        }
        let told = log.output.lines.count
        second.send(signal: SIGKILL)
        _ = try await second.ended()
        try FileManager.default.removeItem(atPath: data)
        try FileManager.default.moveItem(atPath: copy, toPath: data)
        let kept = try await world.answer("--json", "verify", "--data", data)["last"]?.int
        _ = try await world.startDaemon()
        _ = try await log.errors.line("the new epoch") { $0.contains("new epoch") }
        try await world.send("counter", Self.increment)
        let lines = try await log.output.lines(atLeast: told + 1)
        let revisions = try lines.map { try JSONValue(parsing: $0)["revision"]?.int }
        // The revisions after the copy's end are rolled back, and the current ones are listed.
        #expect(revisions[..<told].map { $0 ?? 0 } == (2..<2 + told).map { .init($0) })
        #expect(revisions[told].map { $0 - 1 } == kept)
        log.send(signal: SIGTERM)
        #expect(try await log.ended() == .status(0))
      }
    }

    @Test func `A continuous status reports the reason of a daemon's refusal`() async throws {
      try await World.run { world in
        let daemon = try await FalseDaemon(
          in: world.directory,
          status: .refused(code: "unauthorised", message: "Nothing is granted to you here."),
        )
        let run = try await world.client("status", "--watch")
        withExtendedLifetime(daemon) {}
        #expect(run.end == .status(77), "\(run.errorText)")
        #expect(run.errors.count == 1 && run.errorText.hasSuffix("Nothing is granted to you here."))
      }
    }

    /// Malicious answers of a daemon.
    enum Lie: CaseIterable, Sendable {
      case repeats, goesBack, tellsMore, neverEnds, neverGetsOn

      func answer(after: UInt64, count: UInt64) -> HistoryAnswer {
        func entry(_ revision: UInt64) -> GenericValue {
          .map([.init(.text("revision"), .unsigned(revision))])
        }
        switch self {
        case .repeats: return .log(entries: [entry(1)], next: after + 1, end: .max)
        case .goesBack: return .log(entries: [], next: after == 0 ? 5 : 1, end: .max)
        case .tellsMore:
          let entries = (1...count + 1).map { entry(after + $0) }
          return .log(entries: entries, next: after + count + 1, end: .max)
        case .neverEnds:
          return .log(entries: [entry(after + 1)], next: after + 1, end: after + 10)
        case .neverGetsOn: return .log(entries: [], next: after, end: .max)
        }
      }

      /// The exit status of the log.
      var status: Int32 {
        switch self {
        case .repeats, .goesBack, .tellsMore: 76
        case .neverEnds: 0
        case .neverGetsOn: 75
        }
      }
    }

    @Test(arguments: Lie.allCases)
    func `The log of a false daemon ends`(lie: Lie) async throws {
      try await World.run { world in
        let daemon = try await FalseDaemon(in: world.directory) { query in
          guard case .log(let after, let count, _, _) = query else {
            return .failed(HistoryError(.unavailable, "Only the log is played."))
          }
          return lie.answer(after: after, count: count)
        }
        let run = try await world.client("log")
        #expect(run.end == .status(lie.status), "\(run.errorText)")
        #expect(run.output.count <= 10)
        #expect(run.errors.allSatisfy { $0.hasPrefix("storectl: ") }, "\(run.errorText)")
        #expect((1...10).contains(daemon.questionCount))
      }
    }

    @Test func `An invalid state is refused, and disturbs no terminal`() async throws {
      try await World.run { world in
        let document = try SchemaDocument(root: .bool, definitions: [:])
        let scope = ScopeDescription(name: "lamp", state: document, action: document, id: nil)
        var encoder = CBOREncoder()
        encoder.encode(text: "\u{1b}[31m")
        let daemon = try await FalseDaemon(in: world.directory, scopes: [scope]) { [encoder] _ in
          .state(encoder.bytes[...])
        }
        let run = try await world.client("at", "1", "get", "lamp")
        withExtendedLifetime(daemon) {}
        #expect(run.end == .status(76), "\(run.errorText)")
        #expect(run.errors.allSatisfy { $0.hasPrefix("storectl: ") }, "\(run.errorText)")
        #expect(!run.errorText.utf8.contains(0x1b) && run.output == [])
      }
    }

    @Test func `A client without a session gets no past, even if its session ended later`()
      async throws
    {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        try await world.send("counter", Self.increment)
        let peer = try RawSocket(world, .dealer, "ctl")
        let log = HistoryQuery.log(after: 0, count: 10, scope: nil, client: nil)
        func answer() throws -> DaemonMessage? {
          try peer.firstMessage { message in
            switch message {
            case .needHello, .history, .description: message
            default: nil
            }
          }
        }
        try peer.send(.history(request: 1, log))
        #expect(try answer() == .needHello)
        // All messages arrive before the daemon reads the first.
        daemon.send(signal: SIGSTOP)
        for message in [.rawHello(1), .history(request: 2, log), .bye] as [ClientMessage] {
          try peer.send(message)
        }
        daemon.send(signal: SIGCONT)
        // Queries are answered in sequence.
        let run = try await world.client(["log"])
        #expect(run.isSuccess, "\(run.errorText)")
        try peer.send(.describe(request: 3))
        guard case .description(3, _) = try answer() else {
          Issue.record("The past is sent to a connection without a session")
          return
        }
      }
    }
  }
}
