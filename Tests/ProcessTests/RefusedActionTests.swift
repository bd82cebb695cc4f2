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
  struct RefusedActionTests {
    private static let sample = #"{"sampleTaken":{"id":7,"label":"ore"}}"#

    /// The refused actions in the log.
    private func refusals(in world: World) async throws -> [JSONValue] {
      let entries = try await world.client("log").output.map { try JSONValue(parsing: $0) }
      return entries.flatMap { entry -> [JSONValue] in
        if case .array(let refusals)? = entry["refused"] { refusals } else { [] }
      }
    }

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
        let outcome = #"{"outcome":"refused","code":"sealed","message":"The sample is sealed.","#
        #expect(json.output == [outcome + #""value":"ore"}"#])
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
        // Two refusals precede one revision, and the third one the next.
        let refusals = try await refusals(in: world)
        #expect(refusals.count == 3)
        for refusal in refusals {
          #expect(refusal["scope"]?.text == "samples/7")
          #expect(refusal["action"]?.text == "sealed")
          #expect(refusal["code"]?.text == "sealed")
          #expect(refusal["reason"]?.text == "The sample is sealed.")
        }
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
        #expect(try await refusals(in: world).count == 1)
        #expect(try await world.client("verify").isSuccess)
      }
    }
  }
}
