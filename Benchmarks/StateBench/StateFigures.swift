import StoreState

/// The figures for `Benchmarks/run state`: a line of JSON for each.
struct StateFigures {
  var rounds = 15
  /// The number of operations on rows in a sample.
  var operations = 20_000
  var manyRows = 100_000
  /// The sizes of small arrays; the figure is that of the size with the greatest ratio.
  var fewRows = [3, 10, 30, 60]

  func lines() -> [String] {
    [
      small("small-read", .read),
      small("small-change", .change),
      line("iterate", manyRows, times(.iterate, manyRows)),
      line("build", manyRows, times(.build, manyRows)),
    ]
  }

  private func times(_ what: StateCase, _ rows: Int) -> Times {
    let run = what.prepare(BenchRow.rows(rows), operations: operations)
    let count = max(1, operations / rows) * rows
    return Comparison(name: what.rawValue, repetitions: rounds)
      .measure(count: count, run.ours, against: run.plain)
  }

  private func small(_ name: String, _ what: StateCase) -> String {
    let all = fewRows.map { (rows: $0, times: times(what, $0)) }
    let worst = all.max { ratio($0.times) < ratio($1.times) }
    return worst.map { line(name, $0.rows, $0.times) } ?? ""
  }

  private func ratio(_ times: Times) -> Double { times.ratios[times.ratios.count / 2] }

  private func line(_ name: String, _ rows: Int, _ times: Times) -> String {
    let ratios = times.ratios
    let numbers = [
      ("ns", times.median(\.ours) * 1e9), ("plain_ns", times.median(\.plain) * 1e9),
      ("ratio", ratio(times)), ("ratio_min", ratios[0]), ("ratio_max", ratios[ratios.count - 1]),
    ]
    return "{\"case\":\"\(name)\",\"rows\":\(rows),"
      + numbers.map { "\"\($0)\":\(($1 * 1_000).rounded() / 1_000)" }.joined(separator: ",") + "}"
  }
}
