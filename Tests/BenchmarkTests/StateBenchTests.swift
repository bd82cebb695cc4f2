import Testing

@testable import StateBench

/// The measurements of collections, with sizes that take no time.
@Suite(.timeLimit(.minutes(1)))
struct StateBenchTests {
  @Test("Each figure that Benchmarks/measure/state.sh asks for is there, with its spread")
  func figures() {
    let lines = StateFigures(rounds: 2, operations: 40, manyRows: 40, fewRows: [3, 10]).lines()
    let names = ["small-read", "small-change", "iterate", "build"]
    #expect(lines.count == names.count)
    for (name, line) in zip(names, lines) {
      #expect(line.hasPrefix("{\"case\":\"\(name)\",\"rows\":"))
      for field in ["ns", "plain_ns", "ratio", "ratio_min", "ratio_max"] {
        #expect(line.contains("\"\(field)\":"), "\(line)")
      }
    }
  }

  @Test("Each case can be prepared and done", arguments: StateCase.allCases)
  func each(_ what: StateCase) {
    let run = what.prepare(BenchRow.rows(20), operations: 40)
    for _ in 0..<2 {
      run.ours()
      run.plain()
    }
  }
}
