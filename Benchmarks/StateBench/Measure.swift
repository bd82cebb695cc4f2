/// Measures two closures in turn, A B A B …, and compares the medians.
struct Comparison {
  let name: String
  let repetitions: Int

  /// Measures both and prints a line.
  ///
  /// - Parameters:
  ///   - goal: The greatest acceptable ratio.
  ///   - count: The divisor of the times.
  ///   - first: The measured closure.
  ///   - second: The reference closure.
  func print(
    goal: Double?,
    count: Int = 1,
    _ first: () -> Void,
    against second: () -> Void,
  ) {
    let times = measure(count: count, first, against: second)
    let (one, other) = (times.median(\.ours), times.median(\.plain))
    let ratio = one / other
    let verdict = goal.map { ratio <= $0 ? "ok, goal \($0)" : "ABOVE the goal \($0)" } ?? ""
    Swift.print(
      "\(name): \(nanoseconds(one)) against \(nanoseconds(other)): "
        + "ratio \(twoDigits(ratio)) \(verdict)"
    )
  }

  /// Returns the times of both in turn, divided by `count`.
  func measure(count: Int, _ first: () -> Void, against second: () -> Void) -> Times {
    var times = Times()
    first()
    second()
    for _ in 0..<max(1, repetitions) {
      times.pairs.append((seconds(first) / Double(count), seconds(second) / Double(count)))
    }
    return times
  }

  private func seconds(_ body: () -> Void) -> Double {
    let duration = ContinuousClock().measure(body)
    return Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }

  private func nanoseconds(_ seconds: Double) -> String {
    seconds > 1e-4 ? "\(twoDigits(seconds * 1e3)) ms" : "\(twoDigits(seconds * 1e9)) ns"
  }

  private func twoDigits(_ number: Double) -> Double { (number * 100).rounded() / 100 }
}

/// The times of two closures in turn, in seconds.
struct Times {
  var pairs: [(ours: Double, plain: Double)] = []

  var ratios: [Double] { pairs.map { $0.ours / max($0.plain, .leastNormalMagnitude) }.sorted() }

  func median(_ side: KeyPath<(ours: Double, plain: Double), Double>) -> Double {
    pairs.map { $0[keyPath: side] }.sorted()[pairs.count / 2]
  }
}

// Written by one thread, and never read.
nonisolated(unsafe) private var sink: UnsafeRawPointer?

/// Keeps the optimizer from removing a value.
@inline(never)
func use<Value>(_ value: Value) {
  withUnsafePointer(to: value) { sink = UnsafeRawPointer($0) }
}
