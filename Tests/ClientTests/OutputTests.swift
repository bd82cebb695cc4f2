import GenericState
import StoreActor
import StoreProtocol
import StoreState
import Testing

@testable import StorectlMain

@Suite("The output of storectl")
struct OutputTests {
  @Test("An outcome is one JSON object, and its kind decides the exit status")
  func outcomes() {
    let applied = OutcomeLine(.applied(revision: 7, hasEffects: true))
    #expect(applied.text(asJSON: true) == #"{"outcome":"applied","revision":7}"#)
    #expect(applied.status == nil)

    let cases: [(code: String, name: String, status: Int32)] = [
      (Outcome.rejected, "rejected", 65), (Outcome.absent, "rejected", 65),
      (Outcome.expired, "expired", 75), (Outcome.overloaded, "overloaded", 75),
      (Outcome.forgotten, "forgotten", 75), ("unauthorised", "unauthorised", 77),
    ]
    for (code, name, status) in cases {
      let line = OutcomeLine(.failed(Outcome.Failure(code: code, message: "why")))
      #expect(
        line.text(asJSON: true) == #"{"outcome":"\#(name)","code":"\#(code)","message":"why"}"#
      )
      #expect(line.status?.rawValue == status)
    }
  }

  @Test("A refusal has its reason, and a code and a value for programs")
  func refusal() throws {
    let value = try EncodedValue.encoding(["rows": 50]).get()
    let details = Outcome.RefusalDetails(code: "full", value: value)
    let failure = Outcome.Failure(code: Outcome.refused, message: "At most 50.", details: details)
    let line = OutcomeLine(.failed(failure))
    #expect(line.status?.rawValue == 65)
    #expect(line.text(asJSON: false) == "refused (full): At most 50.")
    #expect(line.text(asJSON: false, line: 3) == "refused (full): line 3: At most 50.")
    #expect(
      line.text(asJSON: true, line: 3)
        == #"{"outcome":"refused","code":"full","message":"At most 50.","value":{"rows":50},"#
        + #""line":3}"#
    )
    let plain = OutcomeLine(.failed(Outcome.Failure(code: Outcome.refused, message: "No.")))
    #expect(plain.text(asJSON: false) == "refused: No.")
    #expect(plain.text(asJSON: true) == #"{"outcome":"refused","message":"No."}"#)
  }

  @Test("A restart names sessions that left with the daemon before, and counts the others")
  @MainActor
  func departures() {
    func line(_ sessions: Int, _ further: [(String, GenericValue)] = []) -> LogLine {
      let left = (1...sessions).map { number -> GenericValue in
        .map(named: [("session", .unsigned(UInt64(number))), ("name", .text("ui"))])
      }
      let fields: [(String, GenericValue)] =
        [("by", .text("restart")), ("left", .array(left))] + further
      return LogLine(.map(named: fields)) { _, _ in .null }
    }
    #expect(line(1).what == "after a crash, 1 session left")
    #expect(line(1).notes == ["left: ui (session 1)"])
    let many = line(9, [("leftMore", .unsigned(3)), ("interrupted", .array([.text("save")]))])
    #expect(many.what == "after a crash, 12 sessions left, interrupted: save")
    #expect(many.notes.first?.hasSuffix("ui (session 8) and 4 more") == true)
    #expect(line(2, [("leftMore", .unsigned(.max))]).what.contains("\(UInt64.max) sessions left"))
  }

  @Test("Refused actions precede the log's entry of the next revision")
  @MainActor
  func refusedInLog() {
    let refused: GenericValue = .map(named: [
      ("session", .unsigned(4)), ("sequence", .unsigned(2)), ("scope", .text("todos")),
      ("action", .text("add")), ("code", .text("full")), ("reason", .text("At most 50.")),
    ])
    let entry: GenericValue = .map(named: [
      ("revision", .unsigned(7)), ("time", .unsigned(0)), ("by", .text("daemon")),
      ("refused", .array([refused])), ("refusedMore", .unsigned(3)),
    ])
    let line = LogLine(entry) { value, _ in JSONProjection.untyped(value) }
    #expect(
      line.refusals == [
        #"       –  session 4 #2    todos "add"  refused (full): At most 50."#,
        "       –  3 more actions were refused",
      ]
    )
    #expect(
      line.tree.text()
        == #"{"revision":7,"time":"1970-01-01T00:00:00.000Z","by":"daemon","refused":[{"#
        + #""session":4,"sequence":2,"scope":"todos","action":"add","code":"full","#
        + #""reason":"At most 50."}],"refusedMore":3}"#
    )
  }

  @Test("The log names the effect that sent an action, and the revision that began it")
  @MainActor
  func causesInLog() {
    func line(_ fields: (String, GenericValue)...) -> LogLine {
      let entry = [("revision", GenericValue.unsigned(7)), ("time", .unsigned(0))] + fields
      return LogLine(.map(named: entry)) { value, _ in JSONProjection.untyped(value) }
    }
    let sent: (String, GenericValue) = ("by", .text("internal"))
    let name: (String, GenericValue) = ("name", .text("jobs.element[3].began"))
    let named = line(sent, name, ("cause", .unsigned(4)), ("effect", .text("print")))
    #expect(named.who == "print of r4" && named.what == "jobs.element[3].began")
    #expect(
      named.tree.text().hasSuffix(#""name":"jobs.element[3].began","effect":"print","cause":4}"#)
    )
    #expect(line(sent, name, ("cause", .unsigned(4))).who == "effect of r4")
    #expect(line(sent, name).who == "daemon")
    let start = line(("by", .text("start")))
    #expect(start.who == "start" && start.what == "for the first time")
  }

  @Test("The details of a revision have its refusals, reply, schedule and effects")
  @MainActor
  func notesInLog() {
    let refused: GenericValue = .map(named: [
      ("session", .unsigned(4)), ("sequence", .unsigned(2)), ("scope", .text("todos")),
      ("action", .text("add")), ("reason", .text("At most 50.")),
    ])
    let entry: GenericValue = .map(named: [
      ("revision", .unsigned(7)), ("refused", .array([refused])),
      ("then", .array([.text("jobs.began")])), ("reply", .unsigned(9)),
      ("schedule", .unsigned(3)), ("due", .unsigned(1_000)),
      ("began", .array([.text("print"), .text("cool")])),
    ])
    let line = LogLine(entry) { value, _ in JSONProjection.untyped(value) }
    #expect(
      line.notes == [
        #"before: session 4 #2    todos "add"  refused: At most 50."#, "then jobs.began",
        "replied 9", "due at 1970-01-01T00:00:01.000Z by schedule 3", "began print, cool",
      ]
    )
    // To a client with some rights, the log names an action without its sender.
    let seen: GenericValue = .map(named: [
      ("revision", .unsigned(8)), ("by", .text("client")), ("scope", .text("todos")),
      ("name", .text("addButtonTapped")),
    ])
    let part = LogLine(seen) { value, _ in JSONProjection.untyped(value) }
    #expect(part.who == "client" && part.what == "todos addButtonTapped" && part.notes.isEmpty)
    let unknown = LogLine(.map(named: [("revision", .unsigned(9))])) { _, _ in .null }
    #expect(unknown.who == "–" && unknown.what == "–")
  }

  @Test("A count of one has a noun in the singular")
  func counts() {
    let one = BenchReport(latencies: [1_000], bytes: 9, window: 1, elapsed: 1_000_000)
    #expect(one.text.hasPrefix("1 action of 9 bytes, 1 at once: "))
    let two = BenchReport(latencies: [1_000, 1_000], bytes: 9, window: 1, elapsed: 1_000_000)
    #expect(two.text.hasPrefix("2 actions of 9 bytes"))
    #expect(Counted.text(UInt64(0), "revision") == "0 revisions")
  }

  @Test("Text from others cannot control a terminal")
  func controlCharacters() {
    let line = OutcomeLine.notAnAction("a\u{1B}[31mb\u{7}")
    #expect(line.text(asJSON: false) == "rejected: a\u{FFFD}[31mb\u{FFFD}")
    #expect(Printable.text("plain ü 👩‍💻 ü") == "plain ü 👩‍💻 ü")
    // Eight-bit controls, line ends, and marks that change the direction of the following text.
    for scalar in ["\u{9B}", "\u{85}", "\n", "\t", "\u{2028}", "\u{202E}", "\u{2066}"] {
      #expect(Printable.text("a\(scalar)b") == "a\u{FFFD}b")
    }
  }

  @Test("A name with line ends cannot forge a row")
  func forgedRows() {
    var table = TextTable()
    table.add("1", "x\n  2  forged", "end")
    #expect(table.lines() == ["1  x\u{FFFD}  2  forged  end"])
  }

  @Test func `The words of a last cell go on below it where a line has an end`() {
    var table = TextTable()
    table.add("counter", "one two three four")
    table.add("todos", "a-word-that-is-too-long next")
    table.add("none", "")
    #expect(
      table.lines(indentation: 1, width: 20) == [
        " counter  one two", "          three four", " todos    a-word-that-is-too-long",
        "          next", " none",
      ]
    )
  }

  @Test("Columns are aligned, and lines end without spaces")
  func table() {
    var table = TextTable(heading: ["name", "count"])
    table.add("a", "1")
    table.add("longer", "")
    #expect(table.lines(indentation: 2) == ["  name    count", "  a       1", "  longer"])
  }

  @Test("A bench's times are given in microseconds with one decimal")
  func bench() {
    let report = BenchReport(
      latencies: (1...100).map { UInt64($0) * 1_000 },
      bytes: 29,
      window: 1,
      elapsed: 1_000_000_000,
    )
    #expect(
      report.tree.text()
        == #"{"count":100,"bytes":29,"window":1,"p50_us":51.0,"p99_us":100.0,"actions_per_s":100}"#
    )
  }
}
