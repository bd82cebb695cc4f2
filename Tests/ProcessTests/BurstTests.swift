import GenericState
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  @Suite("Bursts")
  struct BurstTests {
    private static let count = 2000

    @Test("After three senders of two thousand actions each every watcher has the daemon's state")
    func burst() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        try await world.send("todos", #"{"addButtonTapped":{"title":"0"}}"#)
        try await world.send("todos", #"{"addButtonTapped":{"title":"0"}}"#)
        let items = try #require(try await world.get("todos")["items"]?.items)
        let ids = items.compactMap { $0["id"]?.text }
        let watchers = try await watchers(world)
        let senders = try [
          sender("todos", (1...Self.count).map { Self.title("\($0)", of: ids[0]) }, world),
          sender("todos/items/\(ids[1])", (1...Self.count).map { Self.title("\($0)") }, world),
          sender("counter", Array(repeating: Self.increment, count: Self.count), world),
        ]
        for sender in senders {
          let run = try await world.finish(sender, within: .seconds(60))
          #expect(run.isSuccess, "\(run.errorText)")
          #expect(run.output.count == Self.count)
          try checkOutcomes(run.output)
        }
        let counter = try await world.get("counter")
        #expect(counter["count"]?.int == Self.count)
        for watcher in watchers { try await check(watcher, ids, world) }
      }
    }

    private static let increment = #""incrementButtonTapped""#

    private static func title(_ title: String) -> String {
      #"{"titleChanged":{"title":"\#(title)"}}"#
    }

    private static func title(_ title: String, of id: String) -> String {
      #"{"items":{"element":{"id":"\#(id)","action":\#(Self.title(title))}}}"#
    }

    private func sender(
      _ scope: String,
      _ actions: [String],
      _ world: World,
    ) throws -> ChildProcess {
      let sender = try world.startClient("--json", "send", scope, "-")
      sender.write(lines: actions)
      return sender
    }

    private struct Watcher {
      let process: ChildProcess
      let scopes: [String]
    }

    private func watchers(_ world: World) async throws -> [Watcher] {
      var watchers: [Watcher] = []
      for scopes in [
        ["todos"], ["todos"], ["counter"], ["counter", "todos"], ["todos", "counter"],
      ] {
        let process = try world.startClient(
          ["--json", "watch"] + scopes + ["--deltas", "--digest"]
        )
        _ = try await process.output.lines(atLeast: scopes.count)
        watchers.append(Watcher(process: process, scopes: scopes))
      }
      return watchers
    }

    /// All are applied at increasing revisions: outcomes arrive in the order of the actions.
    private func checkOutcomes(_ lines: [String]) throws {
      let outcomes = try lines.map { try JSONValue(parsing: $0) }
      #expect(outcomes.allSatisfy { $0["outcome"]?.text == "applied" })
      #expect(Self.isGrowing(outcomes.compactMap { $0["revision"]?.int }))
    }

    private static func isGrowing(_ numbers: [Int]) -> Bool {
      zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
    }

    private func check(_ watcher: Watcher, _ ids: [String], _ world: World) async throws {
      for scope in watcher.scopes {
        let final = try await world.snapshot(scope)
        _ = try await watcher.process.output.line("the daemon's digest of \(scope)") {
          $0.contains(#""scope":"\#(scope)""#) && $0.contains(#""digest":"\#(final.digest)""#)
        }
        let lines = try watcher.process.output.watched().filter { $0.scope == scope }
        // One state, and then each change.
        #expect(lines.filter { $0.state != nil }.count == 1)
        #expect(Self.isGrowing(lines.map(\.revision)))
        if scope == "counter" {
          let counts = lines.dropFirst().map { $0.delta?["changed"]?["count"]?.int }
          #expect(counts == Array(1...Self.count))
        } else {
          for id in ids { checkTitles(lines, of: id) }
        }
      }
      // Two scopes are shown at the same revision, so the revisions of both together never
      // decrease.
      let revisions = try watcher.process.output.watched().map(\.revision)
      #expect(revisions == revisions.sorted())
    }

    /// A sender's titles arrived in its order, each once.
    private func checkTitles(_ lines: [WatchLine], of id: String) {
      let titles = lines.flatMap { line in
        let rows = line.delta?["changed"]?["items"]?["changed"]?.items ?? []
        return rows.filter { $0["id"]?.text == id }.compactMap { $0["changed"]?["title"]?.text }
      }
      #expect(titles == (1...Self.count).map { "\($0)" })
    }

    @Test("Clients killed in a burst disturb no other client and leave the presence list")
    func killed() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(.stored, ["--grace-ms", "200"])
        let presence = try await world.watch("presence")
        let victim = try await world.watch("counter", "--deltas")
        let witness = try await world.watch("counter", "--deltas", "--digest")
        try await presence.output.state("three present clients") {
          $0["sessions"]?.items?.count == 3
        }
        let doomed = try world.startClient("--json", "send", "counter", "-")
        let sender = try world.startClient("--json", "send", "counter", "-")
        let actions = Array(repeating: Self.increment, count: Self.count)
        doomed.write(lines: actions)
        sender.write(lines: actions)
        _ = try await doomed.output.lines(atLeast: 100)
        victim.send(signal: SIGKILL)
        doomed.send(signal: SIGKILL)
        #expect(try await victim.ended() == .signal(SIGKILL))
        #expect(try await doomed.ended() == .signal(SIGKILL))
        let run = try await world.finish(sender)
        #expect(run.isSuccess)
        #expect(run.output.count == Self.count)
        try checkOutcomes(run.output)
        try await presence.output.state("two remaining") { $0["sessions"]?.items?.count == 2 }
        try await checkWitness(witness, world)
        #expect(daemon.isRunning)
      }
    }

    /// A witness has seen every change: counts are exact, from one revision to the next.
    private func checkWitness(_ witness: ChildProcess, _ world: World) async throws {
      let final = try await world.snapshot("counter")
      let count = try #require(final.state["count"]?.int)
      #expect(count > Self.count + 100 && count <= 2 * Self.count)
      _ = try await witness.output.line("the daemon's digest") {
        $0.contains(#""digest":"\#(final.digest)""#)
      }
      let lines = try witness.output.watched()
      let counts = lines.dropFirst().map { $0.delta?["changed"]?["count"]?.int }
      #expect(counts == Array(1...count))
    }
  }
}
