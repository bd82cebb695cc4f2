public import CoreMetrics
import StoreServer
import Synchronization

/// Metrics that a program counts with swift-metrics, reported with the daemon's own numbers.
///
/// ```swift
/// configuration.programMetrics = ProgramMetrics.bootstrap()
/// ```
///
/// The counts of `signpost()` on the daemon's reducer then appear at ``HostConfiguration/metrics``
/// and in `storectl status --prometheus`. Timers are in seconds; measurements are reported by their
/// number and sum. At most the first 1,024 series are reported.
public final class ProgramMetrics: MetricsFactory {
  private static let mostSeries = 1_024

  /// Guarded by its mutex, as anything may count in any isolation.
  ///
  /// Bounded by ``mostSeries``.
  private let series = Mutex<[MetricSeries.Key: MetricSeries]>([:])

  /// Creates an empty set of metrics.
  public init() {}

  /// Returns the counter of a label; the same for the same label and dimensions.
  public func makeCounter(
    label: String,
    dimensions: [(String, String)],
  ) -> any CounterHandler {
    find(label, .counter, dimensions)
  }

  /// Returns a recorder of the newest value, or with `aggregate`, of the values' number and sum.
  public func makeRecorder(
    label: String,
    dimensions: [(String, String)],
    aggregate: Bool,
  ) -> any RecorderHandler {
    find(label, aggregate ? .summary : .gauge, dimensions)
  }

  /// Returns a timer, which records the number and the sum of durations.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    find("\(label).seconds", .summary, dimensions)
  }

  /// Keeps the counts, for later reports.
  public func destroyCounter(_ handler: any CounterHandler) {}

  /// Keeps the records, for later reports.
  public func destroyRecorder(_ handler: any RecorderHandler) {}

  /// Keeps the durations, for later reports.
  public func destroyTimer(_ handler: any TimerHandler) {}

  /// All series, with their current values.
  var samples: [MetricSample] {
    series.withLock { series in
      series.map { key, series in
        let (count, value) = series.values
        return MetricSample(
          name: key.name,
          kind: key.kind,
          labels: key.labels,
          count: count,
          value: value,
        )
      }
    }
  }

  private func find(
    _ name: String,
    _ kind: MetricSample.Kind,
    _ dimensions: [(String, String)],
  ) -> MetricSeries {
    let labels = dimensions.map { MetricSample.Label(name: $0.0, value: $0.1) }
    let key = MetricSeries.Key(name: name, kind: kind, labels: labels)
    return series.withLock { all in
      if let found = all[key] { return found }
      let new = MetricSeries(kind)
      if all.count < Self.mostSeries { all[key] = new }
      return new
    }
  }
}

/// One series of values.
final class MetricSeries: CounterHandler, RecorderHandler, TimerHandler {
  struct Key: Hashable, Sendable {
    let name: String
    let kind: MetricSample.Kind
    let labels: [MetricSample.Label]
  }

  private let kind: MetricSample.Kind
  private let state = Mutex<(count: UInt64, value: Double)>((0, 0))

  init(_ kind: MetricSample.Kind) { self.kind = kind }

  /// The count of increments or records, and their sum or the newest value.
  var values: (count: UInt64, value: Double) { state.withLock { $0 } }

  func increment(by amount: Int64) {
    guard amount > 0 else { return }
    state.withLock { $0.count &+= UInt64(amount) }
  }

  func reset() { state.withLock { $0 = (0, 0) } }

  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    state.withLock { state in
      if kind == .summary {
        state.count &+= 1
        state.value += value
      } else {
        state.value = value
      }
    }
  }

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}
