/// Repeated measurements of one quantity.
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

  /// Divides each value by the one at the same position in the other samples.
  static func / (above: Samples, below: Samples) -> Samples {
    Samples(values: zip(above.values, below.values).map { $0 / max($1, .leastNormalMagnitude) })
  }

  /// Adds the values at the same positions.
  static func + (left: Samples, right: Samples) -> Samples {
    Samples(values: zip(left.values, right.values).map { $0 + $1 })
  }

  init(values: [Double] = []) { self.values = values }
}

/// The results of a command: a JSON object.
struct Figures {
  private(set) var line = ""

  mutating func set(_ name: String, _ value: Int) { append(name, "\(value)") }

  /// Sets a number, with three decimals.
  mutating func set(_ name: String, _ value: Double) {
    append(name, "\((value * 1000).rounded() / 1000)")
  }

  /// Sets a median and its spread.
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
