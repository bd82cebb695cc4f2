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

    @Test("Three senders of two thousand actions each: every watcher ends as the daemon does")
    func burst() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let watchers = try await watchers(world)
        let senders = try (1...3).map { try sender($0, world) }
        let counting = try world.startClient("--json", "send", "counter", "-")
        counting.write(lines: Array(repeating: #""incrementButtonTapped""#, count: Self.count))
        for sender in senders + [counting] {
          let run = try await world.finish(sender, within: .seconds(60))
          #expect(run.isSuccess, "\(run.errorText)")
          #expect(run.output.count == Self.count)
          try checkOutcomes(run.output)
        }
        try await checkState(world)
        for watcher in watchers { try await check(watcher, world) }
      }
    }

    private func watchers(_ world: World) async throws -> [Watcher] {
      var watchers: [Watcher] = []
      for scopes in [["todos"], ["todos"], ["counter"], ["counter", "todos"], ["todos", "counter"]]
      {
        let process = try world.startClient(
          ["--json", "watch"] + scopes + ["--deltas", "--digest"]
        )
        _ = try await process.output.lines(atLeast: scopes.count)
        watchers.append(Watcher(process: process, scopes: scopes))
      }
      return watchers
    }

    private struct Watcher {
      let process: ChildProcess
      let scopes: [String]
    }

    private func sender(_ number: Int, _ world: World) throws -> ChildProcess {
      let sender = try world.startClient("--json", "send", "todos", "-")
      sender.write(
        lines: (1...Self.count).map { #"{"addButtonTapped":{"title":"\#(number) \#($0)"}}"# }
      )
      return sender
    }

    /// All applied, at revisions that grow: outcomes come in the order of the actions.
    private func checkOutcomes(_ lines: [String]) throws {
      let outcomes = try lines.map { try JSONValue(parsing: $0) }
      #expect(outcomes.allSatisfy { $0["outcome"]?.text == "applied" })
      let revisions = outcomes.compactMap { $0["revision"]?.int }
      #expect(zip(revisions, revisions.dropFirst()).allSatisfy { $0 < $1 })
    }

    private func checkState(_ world: World) async throws {
      let items = try #require(try await world.get("todos")["items"]?.items)
      #expect(items.count == 3 * Self.count)
      let titles = items.compactMap { $0["title"]?.text }
      for sender in 1...3 {
        #expect(
          titles.filter { $0.hasPrefix("\(sender) ") }
            == (1...Self.count).map { "\(sender) \($0)" }
        )
      }
      #expect(try await world.get("counter")["count"]?.int == Self.count)
    }

    private func check(_ watcher: Watcher, _ world: World) async throws {
      for scope in watcher.scopes {
        let final = try await world.snapshot(scope)
        _ = try await watcher.process.output.line("the daemon's digest of \(scope)") {
          $0.contains(#""scope":"\#(scope)""#) && $0.contains(#""digest":"\#(final.digest)""#)
        }
        let lines = try watcher.process.output.watched().filter { $0.scope == scope }
        let revisions = lines.map(\.revision)
        #expect(zip(revisions, revisions.dropFirst()).allSatisfy { $0 < $1 })
        // A state, and then each change.
        #expect(lines.filter { $0.state != nil }.count == 1)
        #expect(lines.count == 1 + (scope == "counter" ? Self.count : 3 * Self.count))
      }
      // Two scopes are shown as they were together, so their revisions never go back either.
      let revisions = try watcher.process.output.watched().dropFirst(watcher.scopes.count)
        .map(\.revision)
      #expect(zip(revisions, revisions.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("Clients that are killed in a burst disturb nobody and leave those present")
    func killed() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(.stored, ["--grace-ms", "200"])
        let presence = try await world.watch("presence")
        let victim = try await world.watch("counter", "--deltas")
        let witness = try await world.watch("counter", "--deltas", "--digest")
        try await presence.output.state("three who are present") {
          $0["sessions"]?.items?.count == 3
        }
        let doomed = try world.startClient("--json", "send", "counter", "-")
        let sender = try world.startClient("--json", "send", "counter", "-")
        let actions = Array(repeating: #""incrementButtonTapped""#, count: Self.count)
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
        try await presence.output.state("two who are left") { $0["sessions"]?.items?.count == 2 }
        try await checkWitness(witness, world)
        #expect(daemon.isRunning)
      }
    }

    /// A witness has missed nothing: counts are exact, from one revision to the next.
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
