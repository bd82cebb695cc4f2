/// Takes the time of two things in turn, A B A B …, and compares the medians.
struct Comparison {
  let name: String
  let repetitions: Int

  /// Measures both and prints a line.
  ///
  /// - Parameters:
  ///   - goal: The greatest ratio that is well.
  ///   - count: What the times are divided by.
  ///   - first: What is measured.
  ///   - second: What it is measured against.
  func print(
    goal: Double?,
    count: Int = 1,
    _ first: () -> Void,
    against second: () -> Void,
  ) {
    var times: ([Double], [Double]) = ([], [])
    first()
    second()
    for _ in 0..<repetitions {
      times.0.append(seconds(first) / Double(count))
      times.1.append(seconds(second) / Double(count))
    }
    let (one, other) = (median(times.0), median(times.1))
    let ratio = one / other
    let verdict = goal.map { ratio <= $0 ? "ok, goal \($0)" : "ABOVE the goal \($0)" } ?? ""
    Swift.print(
      "\(name): \(nanoseconds(one)) against \(nanoseconds(other)): "
        + "ratio \(twoDigits(ratio)) \(verdict)"
    )
  }

  private func seconds(_ body: () -> Void) -> Double {
    let duration = ContinuousClock().measure(body)
    return Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }

  private func median(_ numbers: [Double]) -> Double { numbers.sorted()[numbers.count / 2] }

  private func nanoseconds(_ seconds: Double) -> String {
    seconds > 1e-4 ? "\(twoDigits(seconds * 1e3)) ms" : "\(twoDigits(seconds * 1e9)) ns"
  }

  private func twoDigits(_ number: Double) -> Double { (number * 100).rounded() / 100 }
}

// Written by one thread, and read by nobody.
nonisolated(unsafe) private var sink: UnsafeRawPointer?

/// Keeps the optimizer from leaving something out.
@inline(never)
func use<Value>(_ value: Value) {
  withUnsafePointer(to: value) { sink = UnsafeRawPointer($0) }
}
