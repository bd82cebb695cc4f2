import GenericState
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension ProcessTests {
  @Suite("Actions that crash a user's own daemon")
  struct CrashTests {
    private let fatal = #"{"technicianCame":{"name":""}}"#
    private let harmless = #"{"technicianCame":{"name":"ada"}}"#
    /// A backtrace takes seconds.
    private let environment = ["SWIFT_BACKTRACE": "enable=no"]

    private func start(_ world: World, _ options: [String]) async throws -> ChildProcess {
      try await world.startDaemon(.strangerDaemon, options, environment: environment)
    }

    /// Starts the daemon each time it ends, as a service manager does, until a client has ended.
    ///
    /// - Returns: The daemons, the given one first.
    private func supervise(
      _ first: ChildProcess,
      _ world: World,
      _ options: [String],
      until client: ChildProcess,
    ) async throws -> [ChildProcess] {
      var daemons = [first]
      while daemons.count < 8 {
        let daemon = daemons[daemons.count - 1]
        try await waitForFirst(
          [daemon, client].map { process in { _ = try await process.ended(within: .seconds(60)) } }
        )
        guard client.isRunning else { break }
        daemons.append(try await start(world, options))
      }
      return daemons
    }

    @Test("The third start refuses it, with and without a journal", arguments: [["--keep"], []])
    func third(options: [String]) async throws {
      try await World.run { world in
        let daemon = try await start(world, options)
        let first = try world.startClient(["--json", "send", "laboratory", harmless, fatal])
        let daemons = try await supervise(daemon, world, options, until: first)
        #expect(daemons.count == 3)
        #expect(try await first.ended() == .status(65))
        let lines = try await first.output.lines(atLeast: 2)
        #expect(lines.last?.contains(#""crashed""#) == true)
        // The action before it in the frame is applied; each daemon without a journal does so.
        #expect(try await world.get("laboratory")["technician"] == "Ada")
        let status = try await world.answer("--json", "status")
        guard case .array(let crashes)? = status["crashes"] else {
          Issue.record("No crashes in \(status.text())")
          return
        }
        #expect(crashes.map { $0["name"]?.text } == ["laboratory", "laboratory"])
        #expect(
          daemons[2].errors.lines.contains {
            $0.contains("ended during action 2 of client")
          }
        )

        // Another client's equal action ends it once more, and is then refused at once.
        let second = try world.startClient(["send", "laboratory", fatal])
        let next = try await supervise(daemons[2], world, options, until: second)
        #expect(next.count == 2)
        #expect(try await second.ended() == .status(65))
        let third = try await world.client("send", "laboratory", fatal)
        #expect(third.output.contains { $0.contains("storectl forgive") })
        try await world.send("laboratory", harmless)
        let forgiven = try await world.client("forgive")
        #expect(forgiven.output.count == 3)
        #expect(forgiven.output.allSatisfy { $0.contains("to laboratory") })
        #expect(try await world.client("forgive").output == ["There is nothing to forgive."])
      }
    }

    @Test("A safe start holds interrupted work back for the next start")
    func safe() async throws {
      try await World.run { world in
        let first = try await world.startDaemon(.strangerDaemon, ["--keep"])
        try await world.send("laboratory", #"{"ovenTimed":{"milliseconds":1000000}}"#)
        first.send(signal: SIGKILL)
        _ = try await first.ended()
        let safe = try await world.startDaemon(.strangerDaemon, ["--keep", "--safe"])
        #expect(try await world.get("laboratory")["oven"]?["heating"] != nil)
        #expect(safe.errors.lines.contains { $0.contains("oven") })
        safe.send(signal: SIGTERM)
        _ = try await safe.ended()
        _ = try await world.startDaemon(.strangerDaemon, ["--keep"])
        #expect(try await world.get("laboratory")["oven"]?["broken"]?["_0"] == "interrupted")
      }
    }

    @Test("A feature learns of the first start and of later ones, and a replay agrees")
    func starts() async throws {
      try await World.run { world in
        let options = ["--keep", "--opening"]
        let first = try await world.startDaemon(.strangerDaemon, options)
        #expect(first.output.lines.contains { $0.hasSuffix("revision=1") })
        #expect(try await world.get("laboratory")["technician"] == "Opener")
        try await world.send("laboratory", harmless)
        let log = try await world.client("--json", "log")
        #expect(log.output.first?.contains(#""by":"start""#) == true)
        first.send(signal: SIGTERM)
        _ = try await first.ended()
        let second = try await world.startDaemon(.strangerDaemon, options)
        #expect(try await world.get("laboratory")["technician"] == "Ada")
        second.send(signal: SIGTERM)
        _ = try await second.ended()
        let run = try await world.stranger("--replay", "--opening")
        #expect(run.isSuccess, "\(run.output) \(run.errorText)")
        #expect(
          !run.output.contains { $0.contains("differs at") || $0 == "Not checked:" },
          "\(run.output)",
        )
      }
    }

    @Test("Without a daemon's directory there is nothing to forgive")
    func elsewhere() async throws {
      try await World.run { world in
        let run = try await world.client("forgive")
        #expect(run.end == .status(69))
        #expect(run.errorText.contains("Name the daemon's directory"))
      }
    }
  }
}
