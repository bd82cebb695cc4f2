package import GenericState
import StoreState

/// The numbers of a daemon's status (`docs/PROTOCOL.md` §8.2), for Prometheus.
package struct StatusMetrics: Sendable {
  var revision: UInt64
  var durableRevision: UInt64?
  var uptimeMilliseconds: UInt64
  var sessions: UInt64
  /// The most unread bytes of a session, and the age of the oldest unread data of any session.
  var unreadBytes: UInt64
  var unreadMilliseconds: UInt64
  var effects: UInt64
  /// Bounded by ``Counters``.
  var counters: [(name: String, count: UInt64)]
  /// The measurements of the program.
  ///
  /// Bounded by ``ProgramMetrics/mostSeries``.
  var samples: [MetricSample]

  package init(
    revision: UInt64,
    durableRevision: UInt64?,
    uptimeMilliseconds: UInt64,
    sessions: UInt64,
    unreadBytes: UInt64,
    unreadMilliseconds: UInt64,
    effects: UInt64,
    counters: [(name: String, count: UInt64)],
    samples: [MetricSample],
  ) {
    self.revision = revision
    self.durableRevision = durableRevision
    self.uptimeMilliseconds = uptimeMilliseconds
    self.sessions = sessions
    self.unreadBytes = unreadBytes
    self.unreadMilliseconds = unreadMilliseconds
    self.effects = effects
    self.counters = counters
    self.samples = samples
  }

  /// The names of the counters that can decrease.
  private static let gauges: Set<String> = [
    "capturedBytes", "crashes", "heldBytes", "outcomeBytes", "schedules",
    "scopeNameBytes",
  ]

  /// The text's lines: for each number its meaning, its kind, and its value.
  package var lines: [String] {
    var lines: [String] = []
    func add(_ name: String, _ kind: String, _ help: String, _ value: some CustomStringConvertible)
    {
      let name = "storeactor_\(name)"
      lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(kind)", "\(name) \(value)"]
    }
    add("revision", "gauge", "The revision of the state.", revision)
    if let durableRevision {
      add("durable_revision", "gauge", "Up to where the state is on the disk.", durableRevision)
    }
    add("uptime_seconds", "gauge", "How long the daemon runs.", uptimeMilliseconds / 1_000)
    add("sessions", "gauge", "Clients that have a session.", sessions)
    add("unread_bytes", "gauge", "Bytes that the slowest session has not read.", unreadBytes)
    let seconds = Double(unreadMilliseconds) / 1_000
    add("unread_seconds", "gauge", "For how long the slowest session has not read it.", seconds)
    add("effects", "gauge", "Effects that sessions have under way.", effects)
    for counter in counters.sorted(by: { $0.name < $1.name }) where Self.isName(counter.name) {
      let help = "The daemon's counter \(counter.name)."
      if Self.gauges.contains(counter.name) {
        add(Self.snakeCase(counter.name), "gauge", help, counter.count)
        continue
      }
      add("\(Self.snakeCase(counter.name))_total", "counter", help, counter.count)
    }
    return lines + sampleLines(besides: lines)
  }

  /// The lines of the program's measurements, without names that the daemon's own numbers have, and
  /// without names of several kinds.
  private func sampleLines(besides own: [String]) -> [String] {
    let taken = Set(own.map { $0.prefix { $0 != " " } })
    var lines: [String] = []
    let named = Dictionary(grouping: samples, by: \.metricName)
    for (name, samples) in named.sorted(by: { $0.key < $1.key }) {
      guard !taken.contains(name[...]), Set(samples.map(\.kind)).count == 1 else { continue }
      lines.append("# HELP \(name) Counted by the daemon's program.")
      lines.append("# TYPE \(name) \(samples[0].kind.text)")
      lines += samples.map(\.lines).sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self)
    }
    return lines
  }

  /// Whether a name is valid for Prometheus in snake case.
  private static func isName(_ name: String) -> Bool {
    guard let first = name.first, first.isLetter else { return false }
    return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  private static func snakeCase(_ name: String) -> String {
    name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : "\($1)" }
  }
}

extension StatusMetrics {
  /// Reads the numbers that a daemon's answer contains.
  package init(_ status: GenericValue) {
    revision = status.number("revision") ?? 0
    durableRevision = status.number("durableRevision")
    uptimeMilliseconds = status.number("uptimeMs") ?? 0
    let all: [GenericValue] =
      if case .array(let items)? = status[field: "sessions"] { items.plain } else { [] }
    sessions = UInt64(all.count)
    unreadBytes = all.compactMap { $0.number("unreadBytes") }.max() ?? 0
    unreadMilliseconds = all.compactMap { $0.number("unreadMs") }.max() ?? 0
    effects = all.reduce(0) {
      $0.addingReportingOverflow($1.number("effects") ?? 0).partialValue
    }
    samples = []
    if case .array(let items)? = status[field: "samples"] {
      samples = items.compactMap { MetricSample($0) }
    }
    counters = []
    guard case .map(let entries)? = status[field: "counters"] else { return }
    for entry in entries {
      guard case .text(let name) = entry.key, case .unsigned(let count) = entry.value else {
        continue
      }
      counters.append((name, count))
    }
  }
}

extension GenericValue {
  fileprivate func number(_ field: String) -> UInt64? {
    if case .unsigned(let number)? = self[field: field] { number } else { nil }
  }
}
