/// Numbers of the same thing, measured again and again.
struct Samples {
  private(set) var values: [Double] = []

  mutating func append(_ value: Double) { values.append(value) }

  var least: Double { values.min() ?? 0 }
  var greatest: Double { values.max() ?? 0 }

  var median: Double {
    let sorted = values.sorted()
    guard let last = sorted.indices.last else { return 0 }
    return (sorted[last / 2] + sorted[(last + 1) / 2]) / 2
  }

  /// Each of these by the one at the same place in the others.
  static func / (above: Samples, below: Samples) -> Samples {
    Samples(values: zip(above.values, below.values).map { $0 / max($1, .leastNormalMagnitude) })
  }

  /// Each of these and the one at the same place in the others.
  static func + (left: Samples, right: Samples) -> Samples {
    Samples(values: zip(left.values, right.values).map { $0 + $1 })
  }

  init(values: [Double] = []) { self.values = values }
}

/// What a command found: a JSON object.
struct Figures {
  private(set) var line = ""

  mutating func set(_ name: String, _ value: Int) { append(name, "\(value)") }

  /// With three decimals.
  mutating func set(_ name: String, _ value: Double) {
    append(name, "\((value * 1000).rounded() / 1000)")
  }

  /// A median and its spread.
  mutating func set(_ name: String, _ samples: Samples) {
    set(name, samples.median)
    set("\(name)_min", samples.least)
    set("\(name)_max", samples.greatest)
  }

  private mutating func append(_ name: String, _ value: String) {
    line += line.isEmpty ? "" : ","
    line += "\"\(name)\":\(value)"
  }

  func printLine() { print("{\(line)}") }
}
