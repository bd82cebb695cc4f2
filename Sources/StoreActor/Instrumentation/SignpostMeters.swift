import CoreMetrics
import Synchronization

/// The timers and counters of one signpost, each created on first use.
///
/// `meters` is guarded by its mutex, as effects end in any isolation.
final class SignpostMeters: Sendable {
  private struct Key: Hashable {
    let action: String
    /// Nil for the action itself, else the outcome of its effect.
    let outcome: String?
  }

  private struct Meter {
    let timer: CoreMetrics.Timer
    let counter: CoreMetrics.Counter?
  }

  private let prefix: String
  private let factory: (any MetricsFactory)?
  private let meters = Mutex<[Key: Meter]>([:])

  init(prefix: String, factory: (any MetricsFactory)?) {
    self.prefix = prefix
    self.factory = factory
  }

  /// Records that an action was reduced.
  func record(_ action: String, took duration: Duration) {
    meter(Key(action: action, outcome: nil)).timer.recordNanoseconds(duration.nanoseconds)
  }

  /// Records that a run of an effect has ended.
  func record(_ action: String, took duration: Duration, isCancelled: Bool) {
    let outcome = isCancelled ? "cancelled" : "finished"
    let meter = meter(Key(action: action, outcome: outcome))
    meter.timer.recordNanoseconds(duration.nanoseconds)
    meter.counter?.increment()
  }

  private func meter(_ key: Key) -> Meter {
    meters.withLock { meters in
      if let meter = meters[key] { return meter }
      let meter = make(key)
      meters[key] = meter
      return meter
    }
  }

  private func make(_ key: Key) -> Meter {
    let factory = factory ?? MetricsSystem.factory
    var dimensions = [("prefix", prefix), ("action", key.action)]
    guard let outcome = key.outcome else {
      let label = "storeactor.action.duration"
      let timer = CoreMetrics.Timer(label: label, dimensions: dimensions, factory: factory)
      return Meter(timer: timer, counter: nil)
    }
    dimensions.append(("outcome", outcome))
    return Meter(
      timer: CoreMetrics.Timer(
        label: "storeactor.effect.duration",
        dimensions: dimensions,
        factory: factory,
      ),
      counter: CoreMetrics.Counter(
        label: "storeactor.effects",
        dimensions: dimensions,
        factory: factory,
      ),
    )
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
