import GenericState
package import StoreState

/// A measurement that the daemon's program made: a series of Prometheus (`docs/PROTOCOL.md` §8.2).
package struct MetricSample: Hashable, Sendable {
  package enum Kind: UInt64, Sendable {
    /// The number of events.
    case counter
    /// A current amount.
    case gauge
    /// The number of measurements, and their sum.
    case summary

    var text: String { "\(self)" }
  }

  package struct Label: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The program's name for it, such as `storeactor.effects`.
  package var name: String
  package var kind: Kind
  /// Bounded by ``ProgramMetrics/mostSeries``, because the program's author writes them.
  package var labels: [Label]
  /// The number of events or measurements; unused in a gauge.
  package var count: UInt64
  /// The amount, or the sum of measurements; unused in a counter.
  package var value: Double

  package init(name: String, kind: Kind, labels: [Label], count: UInt64 = 0, value: Double = 0) {
    self.name = name
    self.kind = kind
    self.labels = labels
    self.count = count
    self.value = value
  }
}

// MARK: - On the wire

extension MetricSample {
  /// Writes the sample as `[name, kind, [label, value, …], count, value]`.
  package func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(5)
    encoder.encode(text: name)
    encoder.encode(unsigned: kind.rawValue)
    encoder.arrayHeader(2 * labels.count)
    for label in labels {
      encoder.encode(text: label.name)
      encoder.encode(text: label.value)
    }
    encoder.encode(unsigned: count)
    value.encode(to: &encoder)
  }

  /// Reads a sample; nil if the value is invalid.
  init?(_ value: GenericValue) {
    guard case .array(let parts) = value, parts.count >= 5, case .text(let name) = parts[0],
      case .unsigned(let number) = parts[1], let kind = Kind(rawValue: number),
      case .array(let texts) = parts[2], texts.count.isMultiple(of: 2),
      case .unsigned(let count) = parts[3], case .float(let value) = parts[4]
    else { return nil }
    var labels: [Label] = []
    for place in stride(from: 0, to: texts.count, by: 2) {
      guard case .text(let name) = texts[place], case .text(let value) = texts[place + 1] else {
        return nil
      }
      labels.append(Label(name: name, value: value))
    }
    self.init(name: name, kind: kind, labels: labels, count: count, value: value)
  }
}

// MARK: - For Prometheus

extension MetricSample {
  /// The name in Prometheus' form; a counter's name has its suffix.
  var metricName: String {
    let name = Self.identifier(name)
    return kind == .counter ? "\(name)_total" : name
  }

  /// The lines of the series.
  var lines: [String] {
    let name = metricName
    let labels = labelText
    switch kind {
    case .counter: return ["\(name)\(labels) \(count)"]
    case .gauge: return ["\(name)\(labels) \(Self.text(value))"]
    case .summary:
      return ["\(name)_count\(labels) \(count)", "\(name)_sum\(labels) \(Self.text(value))"]
    }
  }

  private var labelText: String {
    var names: Set<String> = []
    let texts = labels.compactMap { label -> String? in
      let name = Self.identifier(label.name)
      // An empty value is the same as an absent label.
      guard !label.value.isEmpty, names.insert(name).inserted else { return nil }
      let value = Printable.text(label.value).replacing("\\", with: "\\\\")
        .replacing("\"", with: "\\\"")
      return "\(name)=\"\(value)\""
    }
    return texts.isEmpty ? "" : "{\(texts.joined(separator: ","))}"
  }

  private static func identifier(_ name: String) -> String {
    let text = String(
      name.unicodeScalars.map { scalar in
        let isFit = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9") ~= scalar)
        return isFit ? Character(scalar) : "_"
      }
    )
    return text.first.map(\.isNumber) ?? true ? "_\(text)" : text
  }

  private static func text(_ value: Double) -> String {
    switch value {
    case .infinity: "+Inf"
    case -.infinity: "-Inf"
    default: value.isNaN ? "NaN" : "\(value)"
    }
  }
}
