import CoreMetrics
import Tracing

/// Reports actions and effects to a tracer and to metrics, under the names that
/// ``Reducer/signpost(_:tracer:metrics:)`` documents.
struct Signposts: Sendable {
  private let prefix: String
  private let tracer: (any Tracer)?
  private let meters: SignpostMeters

  init(prefix: String, tracer: (any Tracer)?, metrics: (any MetricsFactory)?) {
    self.prefix = prefix
    self.tracer = tracer
    meters = SignpostMeters(prefix: prefix, factory: metrics)
  }

  /// Reports an action and its effects.
  ///
  /// - Parameters:
  ///   - label: The action's name.
  ///   - body: Reduces the action.
  /// - Returns: The effects, which report each run.
  func reduce<Action>(_ label: String, _ body: () -> Effect<Action>) -> Effect<Action> {
    let tracer = tracer ?? InstrumentationSystem.tracer
    return report(label, to: tracer, body)
  }

  private func report<Action>(
    _ label: String,
    to tracer: some Tracer,
    _ body: () -> Effect<Action>,
  ) -> Effect<Action> {
    let start = ContinuousClock.now
    let (effects, context) = tracer.withSpan(name("reduce", label)) { span in
      span.attributes["storeactor.action"] = label
      return (body(), span.context)
    }
    meters.record(label, took: start.duration(to: .now))
    return effects.mapRuns { run in
      let effect = run.name
      return run.around { operation in
        let start = ContinuousClock.now
        await tracer.withSpan(name("effect of", label), context: context) { span in
          span.attributes["storeactor.action"] = label
          if let effect { span.attributes["storeactor.effect"] = effect }
          await operation()
          span.attributes["storeactor.cancelled"] = Task.isCancelled
        }
        meters.record(label, took: start.duration(to: .now), isCancelled: Task.isCancelled)
      }
    }
  }

  private func name(_ what: String, _ label: String) -> String {
    prefix.isEmpty ? "\(what) \(label)" : "\(prefix): \(what) \(label)"
  }
}
