import GenericState
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension ProcessTests {
  @Suite("A reducer that replies, in a user's own daemon")
  struct RepliedActionTests {
    private static let sample = #"{"sampleTaken":{"id":7,"label":"ore"}}"#
    private static let relabelling = #"{"relabelled":"gold"}"#

    @Test("The sender receives the reply as JSON")
    func replied() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.strangerDaemon, ["--keep"])
        try await world.send("laboratory", Self.sample)
        let sent = try await world.client("send", "samples/7", Self.relabelling, #""sealed""#)
        let sample = #"{"id":7,"label":"ore","isSealed":false}"#
        #expect(
          sent.output == ["applied at revision 2, replied \(sample)", "applied at revision 3"]
        )
        let json = try await world.client("--json", "send", "samples/7", Self.relabelling)
        let former = #"{"id":7,"label":"gold","isSealed":true}"#
        let outcome = #"{"outcome":"applied","revision":4,"reply":"#
        #expect(json.output == [outcome + former + "}"])
        // The whole root is exposed without replies.
        let whole = #"{"samples":{"element":{"id":7,"action":{"relabelled":"lead"}}}}"#
        let undeclared = try await world.client("send", "laboratory", whole)
        #expect(undeclared.output == ["applied at revision 5"])
      }
    }

    @Test("After a kill, the daemon continues, and its log is valid")
    func killed() async throws {
      try await World.run { world in
        let first = try await world.startDaemon(.strangerDaemon, ["--keep"])
        try await world.send("laboratory", Self.sample)
        #expect(try await world.client("send", "samples/7", Self.relabelling).isSuccess)
        first.send(signal: SIGKILL)
        _ = try await first.ended(within: .seconds(30))
        _ = try await world.startDaemon(.strangerDaemon, ["--keep"])
        #expect(try await world.get("samples/7")["label"] == "gold")
        #expect(try await world.client("verify").isSuccess)
        let again = try await world.client("send", "samples/7", Self.relabelling)
        #expect(again.output.first?.contains(#""label":"gold""#) == true)
      }
    }
  }
}
