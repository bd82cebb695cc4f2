import StoreActor

/// Measures stores in this process.
///
///     StoreBench [--rounds N] [--milliseconds N] [CASE…]   times, one JSON object per case
///     StoreBench --count N CASE                            N operations, for `perf stat`
///     StoreBench --list                                    the cases
///
/// The cases take turns, round by round, so that other load on the machine affects all of them; a
/// case's figure is the median of its rounds.
@main
@MainActor
enum StoreBench {
  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    let isList = take("--list", from: &arguments)
    let rounds = takeNumber("--rounds", from: &arguments) ?? 9
    let milliseconds = takeNumber("--milliseconds", from: &arguments) ?? 20
    let count = takeNumber("--count", from: &arguments)
    let cases = BenchCase.all.filter { arguments.isEmpty || arguments.contains($0.name) }
    if isList {
      for bench in BenchCase.all { print(bench.name) }
    } else if let count {
      for bench in cases { run(bench.prepare(), count) }
    } else {
      measure(cases, rounds: rounds, budget: .milliseconds(milliseconds))
    }
  }

  private static func measure(_ cases: [BenchCase], rounds: Int, budget: Duration) {
    let prepared = cases.map { bench in
      let operation = bench.prepare()
      return (name: bench.name, operation: operation, count: calibrated(operation, to: budget))
    }
    var samples = [[Double]](repeating: [], count: prepared.count)
    for _ in 0..<rounds {
      for (index, bench) in prepared.enumerated() {
        samples[index].append(nanoseconds(bench.operation, bench.count))
      }
    }
    for (bench, times) in zip(prepared, samples) {
      let times = times.sorted()
      print(
        #"{"case":"\#(bench.name)","ns":\#(tenths(times[times.count / 2])),"#
          + #""min_ns":\#(tenths(times[0])),"max_ns":\#(tenths(times[times.count - 1]))}"#
      )
    }
  }

  /// Returns the number of operations that fill a round; warms up, too.
  private static func calibrated(_ operation: () -> Void, to budget: Duration) -> Int {
    let each = nanoseconds(operation, 1000)
    let budget = Double(budget.components.attoseconds) / 1e9
    return max(100, Int(budget / max(each, 1)))
  }

  private static func nanoseconds(_ operation: () -> Void, _ count: Int) -> Double {
    let time = ContinuousClock().measure { run(operation, count) }
    let (seconds, attoseconds) = time.components
    return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count)
  }

  private static func run(_ operation: () -> Void, _ count: Int) {
    for _ in 0..<count { operation() }
  }

  private static func tenths(_ value: Double) -> Double {
    (value * 10).rounded() / 10
  }

  private static func take(_ name: String, from arguments: inout [String]) -> Bool {
    guard let index = arguments.firstIndex(of: name) else { return false }
    arguments.remove(at: index)
    return true
  }

  private static func takeNumber(_ name: String, from arguments: inout [String]) -> Int? {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else {
      return nil
    }
    defer { arguments.removeSubrange(index...index + 1) }
    return Int(arguments[index + 1])
  }
}
