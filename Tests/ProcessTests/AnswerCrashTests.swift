import GenericState
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// A user's own daemon that answers and has schedules: kills neither lose nor repeat them.
  @Suite(.timeLimit(.minutes(4))) struct AnswerCrashTests {
    private static let plan = #"{"inspectionPlanned":{"milliseconds":1000,"isRepeated":true}}"#

    private static func take(_ sample: Int) -> String {
      "{\"sampleTaken\":{\"id\":\(sample),\"label\":\"\(label(sample, -1))\"}}"
    }

    private static func label(_ sample: Int, _ number: Int) -> String { "\(sample)-\(number)" }

    private static func relabel(_ sample: Int, _ number: Int) -> String {
      "{\"relabelled\":\"\(label(sample, number))\"}"
    }

    @Test(.timeLimit(.minutes(CrashLoop.rounds > 21 ? 60 : 4)))
    func `Through kills anywhere each reply, refusal and firing is delivered once`() async throws {
      try await World.run { world in
        let loop = CrashLoop(
          world: world,
          program: .strangerDaemon,
          arguments: [world.directory, "--keep"],
          reachesAll: false,
        )
        let (samples, rounds, each) = (3, CrashLoop.rounds, 20)
        var daemon = try await loop.startDaemon(0)
        for sample in 0...samples { try await world.send("laboratory", Self.take(sample)) }
        // The last sample stays sealed, and refuses from then on.
        try await world.send("samples/\(samples)", #""sealed""#)
        try await world.send("laboratory", Self.plan)
        let clients = try (0...samples).map { sample in
          try world.startClient("--json", "send", "samples/\(sample)", "-")
        }
        for round in 0..<rounds {
          for (sample, client) in clients.enumerated() {
            let numbers = round * each..<(round + 1) * each
            client.write(
              lines: numbers.map { sample < samples ? Self.relabel(sample, $0) : #""sealed""# }
            )
          }
          if round == 0 {
            for client in clients { _ = try await client.output.lines(atLeast: 1) }
          }
          let seen = round * each + Int.random(in: 0..<each)
          try await loop.end(daemon, round, when: clients[round % clients.count], hasSeen: seen)
          daemon = try await loop.startDaemon(round + 1 < rounds ? round + 1 : 0)
        }
        for (sample, client) in clients.enumerated() {
          client.closeInput()
          let run = try await world.finish(client)
          let outcomes = try run.output.map { try JSONValue(parsing: $0) }
          #expect(outcomes.count == rounds * each)
          if sample < samples { checkReplies(outcomes, sample) } else { checkRefusals(outcomes) }
        }
        try await checkRest(world, samples: samples, last: rounds * each - 1)
        daemon.send(signal: SIGTERM)
        _ = try await daemon.ended()
        try await checkHistory(world)
      }
    }

    /// Expects that each reply has the label that the action before has set.
    private func checkReplies(_ outcomes: [JSONValue], _ sample: Int) {
      for (number, outcome) in outcomes.enumerated() {
        #expect(outcome["outcome"]?.text == "applied", "\(outcome.text())")
        let label = outcome["reply"]?["label"]?.text
        #expect(label == Self.label(sample, number - 1), "\(number): \(outcome.text())")
      }
    }

    private func checkRefusals(_ outcomes: [JSONValue]) {
      for outcome in outcomes {
        #expect(outcome["outcome"]?.text == "refused", "\(outcome.text())")
        #expect(outcome["code"]?.text == "sealed" && outcome["value"]?.text != nil)
      }
    }

    /// Expects the last labels, and that no due time of the schedule has fired twice.
    private func checkRest(_ world: World, samples: Int, last: Int) async throws {
      for sample in 0..<samples {
        #expect(
          try await world.get("samples/\(sample)")["label"]?.text == Self.label(sample, last)
        )
      }
      #expect(try await world.get("samples/\(samples)")["isSealed"] == true)
      let schedules = try await world.client("schedules").output
      #expect(schedules.count == 1 && schedules[0].contains("inspection"), "\(schedules)")
      let entries = try await world.client("--json", "log").output
        .map { try JSONValue(parsing: $0) }
      let fired = entries.filter { $0["schedule"] != nil }
      #expect(Set(fired.map { $0["due"]?.int }).count == fired.count)
      #expect(!fired.isEmpty)
      let sealed = entries.filter { $0["action"]?.text == "sealed" }
      #expect(sealed.count == 1, "Refused actions have no revision")
    }

    /// Expects that all records are intact, and that a replay gives the same states.
    private func checkHistory(_ world: World) async throws {
      let verify = try await world.client(
        ["verify", "--data", "\(world.directory)/data"],
        within: .seconds(max(30, CrashLoop.rounds)),
      )
      #expect(verify.isSuccess, "\(verify.errorText)")
      let time = Duration.seconds(max(60, CrashLoop.rounds))
      let run = try await world.stranger("--replay", within: time)
      #expect(run.isSuccess, "\(run.output) \(run.errorText)")
      #expect(
        !run.output.contains { $0.contains("differs at") || $0 == "Not checked:" },
        "\(run.output)",
      )
    }
  }
}
