import GenericState
import StoreState
import Testing

extension ProcessTests {
  @Suite("One order")
  struct SerialTests {
    private static let tasks = 200
    private static let each = 5
    private static let senders = 50
    private static let eachSender = 20
    /// Two actions that start the senders, their actions, and a last one of each sender.
    private static let total = 2 + tasks * (each + 1) + senders * (eachSender + 1)

    @Test("Two hundred effects and fifty senders never overlap, and every watcher sees one order")
    func oneOrder() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.serialProbe)
        var watchers: [ChildProcess] = []
        for _ in 0..<3 { watchers.append(try await world.watch("probe", "--deltas")) }
        // Effects live as long as the session of their action's sender.
        let sender = try world.startClient("--json", "send", "probe", "-")
        sender.write(lines: [
          #"{"effectsStarted":{"tasks":\#(Self.tasks),"each":\#(Self.each)}}"#,
          #"{"sendersStarted":{"senders":\#(Self.senders),"each":\#(Self.eachSender)}}"#,
        ])
        for watcher in watchers {
          _ = try await watcher.output.line("the last revision") {
            $0.contains(#""revision":\#(Self.total),"#)
          }
        }
        try await checkFindings(world)
        let journal = try #require(try await world.get("journal")["entries"]?.items)
        #expect(journal.count == Self.total)
        for watcher in watchers { try check(watcher.output.watched(), against: journal) }
      }
    }

    private func checkFindings(_ world: World) async throws {
      let probe = try await world.get("probe")
      #expect(probe["reduced"]?.int == Self.total)
      #expect(probe["overlaps"]?.int == 0)
      #expect(probe["offMain"]?.int == 0)
      #expect(probe["disorders"]?.int == 0)
      #expect(probe["revisionDisorders"]?.int == 0)
      #expect(probe["senders"]?.int == Self.tasks + Self.senders)
    }

    /// Expects every revision once, in order, with the action that the daemon reduced at it.
    private func check(_ lines: [WatchLine], against journal: [JSONValue]) throws {
      let first = try #require(lines.first)
      #expect(lines.map(\.revision) == Array(first.revision...Self.total))
      var latest = try Mark(#require(first.state?["latest"]))
      for line in lines.dropFirst() {
        let changes = try #require(line.delta?["changed"])
        #expect(changes["reduced"]?.int == line.revision)
        latest.apply(changes["latest"])
        let reduced = try Mark(journal[line.revision - 1])
        guard latest == reduced else {
          Issue.record("revision \(line.revision) was \(reduced), the watcher saw \(latest)")
          return
        }
      }
    }

    private struct Mark: Equatable {
      var sender: Int
      var number: Int

      init(_ tree: JSONValue) throws {
        sender = try #require(tree["sender"]?.int)
        number = try #require(tree["number"]?.int)
      }

      mutating func apply(_ changes: JSONValue?) {
        sender = changes?["sender"]?.int ?? sender
        number = changes?["number"]?.int ?? number
      }
    }
  }
}
