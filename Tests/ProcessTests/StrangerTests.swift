import GenericState
import StoreState
import Testing

extension ProcessTests {
  @Suite("A daemon that storectl has never seen")
  struct StrangerTests {
    private static let start: JSONValue = [
      "site": [
        "name": "North wing",
        "place": ["latitude": .number("53.55"), "longitude": .number("-0.0")],
      ],
      "oven": "off", "technician": nil, "openedAt": "2001-01-01T00:00:00.500Z",
      "calibration": "AAH+/w==", "humidity": [:], "hazards": [], "samples": [], "experiment": nil,
    ]

    @Test("It describes its scopes, schemas and actions itself")
    func describe() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.strangerDaemon)
        let run = try await world.client("--json", "scopes")
        let scopes = try run.output.map { try JSONValue(parsing: $0)["scope"]?.text }
        #expect(scopes == ["laboratory", "experiment", "samples/<id>"])
        let all = try await world.client("describe")
        #expect(all.isSuccess)
        let one = try await world.client("describe", "laboratory")
        #expect(one.isSuccess)
        for word in ["humidityMeasured", "percent", "radiation", "heating", "longitude", "Sample"] {
          #expect(one.output.joined().contains(word), "describe does not say \(word)")
        }
        let people = try await world.client("scopes")
        #expect(people.output.count == 3)
      }
    }

    @Test("Its state and every kind of its actions travel as JSON")
    func everyAction() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.strangerDaemon)
        #expect(try await world.get("laboratory").text() == Self.start.text())
        let watcher = try await world.watch("laboratory", "--deltas", "--digest")
        try await world.send(
          "laboratory",
          #"{"calibrated":"3q0="}"#,
          #"{"calibrated":{"_0":"3q2+7w=="}}"#,
          #"{"hazardsMarked":{"_0":["heat","acid","heat"]}}"#,
          #"{"humidityMeasured":{"room":"cellar","percent":81.25}}"#,
          #"{"humidityMeasured":{"room":"attic","percent":20}}"#,
          #"{"humidityMeasured":{"room":"cellar"}}"#,
          #"{"moved":{"to":{"latitude":1.5,"longitude":-2}}}"#,
          #"{"ovenSet":{"heating":{"target":180,"since":"2026-01-31T09:30:00Z"}}}"#,
          #"{"technicianCame":{"name":"Ada"}}"#,
          #"{"sampleTaken":{"id":7,"label":"ore"}}"#,
          #"{"sampleTaken":{"id":-3,"label":"salt"}}"#,
          #"{"samples":{"element":{"id":7,"action":"sealed"}}}"#,
          #"{"samples":{"_0":{"element":{"id":7,"action":{"relabelled":"gold ore"}}}}}"#,
          #"{"experimentStarted":{"title":"melting"}}"#,
          #"{"experiment":{"readingTaken":4}}"#,
          #"{"experiment":{"_0":{"prolonged":{"by":[1,500000000000000000]}}}}"#,
        )
        #expect(try await world.get("laboratory").text() == Self.end.text())
        let final = try await world.snapshot("laboratory")
        let digest = #""digest":"\#(final.digest)""#
        _ = try await watcher.output.line("the daemon's digest") { $0.contains(digest) }
        // The second humidity of the cellar is absent: its action only removed the value.
        #expect(try watcher.output.watched().map(\.revision) == Array(0...16))
      }
    }

    private static let end: JSONValue = [
      "site": [
        "name": "North wing",
        "place": ["latitude": .number("1.5"), "longitude": .number("-2.0")],
      ],
      "oven": ["heating": ["target": .number("180.0"), "since": "2026-01-31T09:30:00Z"]],
      "technician": "Ada", "openedAt": "2001-01-01T00:00:00.500Z", "calibration": "3q2+7w==",
      "humidity": ["attic": .number("20.0")], "hazards": ["acid", "heat"],
      "samples": [
        ["id": 7, "label": "gold ore", "isSealed": true],
        ["id": -3, "label": "salt", "isSealed": false],
      ],
      "experiment": [
        "title": "melting", "readings": [4], "lasts": [1, .number("500000000000000000")],
      ],
    ]

    @Test func `Examples of describe can be pasted into send`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.strangerDaemon)
        let lines = try await world.client("describe", "laboratory").output
        let examples = lines.prefix { $0 != "  types" }.filter { $0.hasPrefix("      ") }
        #expect(examples.count == 13, "\(lines)")
        for example in examples {
          // An absent scope has no state, but its action is still valid.
          let script = "\"$0\" --dir \(world.directory) --json send laboratory \(example)"
          let run = try await world.finish(world.start(.storectl, [], script: script))
          let outcome = try run.output.first.map { try JSONValue(parsing: $0) }?["outcome"]?.text
          let isTaken = outcome == "applied" || run.output.joined().contains("absent")
          #expect(isTaken, "\(example) \(run.output) \(run.errorText)")
        }
      }
    }

    @Test("An optional scope appears and disappears, and takes actions only while it is present")
    func absent() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.strangerDaemon)
        #expect(try await world.get("experiment") == nil)
        let watcher = try await world.watch("experiment", "--deltas")
        let early = try await world.client("--json", "send", "experiment", #"{"readingTaken":1}"#)
        #expect(early.end == .status(65))
        #expect(early.output.joined().contains("absent"))
        try await world.send("laboratory", #"{"experimentStarted":{"title":"one"}}"#)
        try await world.send("experiment", #"{"readingTaken":1}"#, #"{"readingTaken":2}"#)
        #expect(try await world.get("experiment")["readings"] == [1, 2])
        try await world.send("laboratory", #""experimentEnded""#)
        #expect(try await world.get("experiment") == nil)
        let lines = try await watcher.output.lines(atLeast: 5).map { try WatchLine($0) }
        #expect(lines[0].state == .null)
        #expect(lines[1].delta?["set"]?["title"] == "one")
        #expect(lines[2].delta?["changed"]?["readings"] != nil)
        #expect(lines[4].delta == .null)
      }
    }

    @Test("A row is a scope of its own, by an id that is a number")
    func rows() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.strangerDaemon)
        try await world.send(
          "laboratory",
          #"{"sampleTaken":{"id":7,"label":"ore"}}"#,
          #"{"sampleTaken":{"id":-3,"label":"salt"}}"#,
        )
        let watcher = try await world.watch("samples/-3")
        try await world.send("samples/-3", #"{"relabelled":"sugar"}"#, #""sealed""#)
        let row: JSONValue = ["id": -3, "label": "sugar", "isSealed": true]
        #expect(try await world.get("samples/-3") == row)
        #expect(try await world.get("samples/7")["label"] == "ore")
        let absent = try await world.client("get", "samples/8")
        #expect(absent.end == .status(65) && absent.output == [])
        #expect(absent.errorText.contains("no row \"samples/8\""), "\(absent.errorText)")
        try await watcher.output.state("the sealed sugar") { $0 == row }
        let wrong = try await world.client("get", "samples/seven")
        #expect(wrong.end == .status(65))
        #expect(wrong.errorText.contains("samples/seven"))
      }
    }
  }
}
