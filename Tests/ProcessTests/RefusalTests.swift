import GenericState
import StoreState
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension ProcessTests {
  @Suite("A reducer that refuses, in a user's own daemon")
  struct RefusalTests {
    private static let sample = #"{"sampleTaken":{"id":7,"label":"ore"}}"#

    @Test("The sender receives the reason, and the log shows the refusal")
    func refused() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.strangerDaemon, ["--keep"])
        let watcher = try await world.watch("samples/7", "--deltas")
        try await world.send("laboratory", Self.sample)
        try await world.send("samples/7", #""sealed""#)
        let refused = try await world.client("send", "samples/7", #""sealed""#)
        #expect(refused.end == .status(65))
        #expect(refused.output == ["refused (sealed): The sample is sealed."])
        let json = try await world.client("--json", "send", "samples/7", #""sealed""#)
        #expect(
          json.output == [
            #"{"outcome":"refused","code":"sealed","message":"The sample is sealed.","value":"ore"}"#
          ]
        )
        // One of several actions: the others are applied.
        let mixed = try await world.client(
          "send",
          "samples/7",
          #"{"relabelled":"gold"}"#,
          #""sealed""#,
          #"{"relabelled":"lead"}"#,
        )
        #expect(mixed.end == .status(65))
        #expect(mixed.output.map { $0.prefix(7) } == ["applied", "refused", "applied"])
        #expect(try await world.get("samples/7")["label"] == "lead")
        let deltas = try await watcher.output.lines(atLeast: 5)
        #expect(deltas.count == 5, "A refused action changed the sample: \(deltas)")
        let log = try await world.client("log")
        let lines = log.output.filter { $0.contains("refused (sealed): The sample is sealed.") }
        #expect(lines.count == 3, "\(log.output)")
        #expect(lines.first?.contains(#"samples/7 "sealed""#) == true, "\(log.output)")
        let entries = try await world.client("--json", "log").output.map { try JSONValue(parsing: $0) }
        let refusals = entries.compactMap { $0["refused"] }
        #expect(refusals.count == 2)
        #expect(refusals.first?.text().contains(#""code":"sealed""#) == true)
      }
    }

    @Test("After a kill, the log still shows it, and its state is as before")
    func killed() async throws {
      try await World.run { world in
        let first = try await world.startDaemon(.strangerDaemon, ["--keep"])
        try await world.send("laboratory", Self.sample)
        try await world.send("samples/7", #""sealed""#)
        #expect(try await world.client("send", "samples/7", #""sealed""#).end == .status(65))
        try await world.send("samples/7", #"{"relabelled":"gold"}"#)
        first.send(signal: SIGKILL)
        _ = try await first.ended(within: .seconds(30))
        _ = try await world.startDaemon(.strangerDaemon, ["--keep"])
        #expect(try await world.get("samples/7")["label"] == "gold")
        let log = try await world.client("log")
        #expect(log.output.filter { $0.contains("refused (sealed)") }.count == 1, "\(log.output)")
        #expect(try await world.client("verify").isSuccess)
      }
    }
  }
}
