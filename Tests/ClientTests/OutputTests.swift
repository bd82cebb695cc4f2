import GenericState
import StoreProtocol
import StoreState
import Testing

@testable import StorectlMain

@Suite("What storectl prints")
struct OutputTests {
  @Test("An outcome is one JSON object, and what it is decides the exit status")
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

  @Test("One of something is told as one")
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
    // Controls of eight bits, ends of lines, and marks that turn the direction of what follows.
    for scalar in ["\u{9B}", "\u{85}", "\n", "\t", "\u{2028}", "\u{202E}", "\u{2066}"] {
      #expect(Printable.text("a\(scalar)b") == "a\u{FFFD}b")
    }
  }

  @Test("A name with ends of lines forges no row")
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
