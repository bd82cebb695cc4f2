public import CoreMetrics
public import Tracing

extension Reducer {
  /// Reports each action, and each run of an effect, to the program's tracer and to its metrics.
  ///
  /// ```swift
  /// Counter()
  ///   .signpost("counter")
  /// ```
  ///
  /// | what | name | attributes or dimensions |
  /// |---|---|---|
  /// | span of an action | `PREFIX: reduce LABEL` | `storeactor.action` |
  /// | span of an effect | `PREFIX: effect of LABEL` | `storeactor.action`, `.effect`, … |
  /// | timer of actions | `storeactor.action.duration` | `prefix`, `action` |
  /// | counter of effects' ends | `storeactor.effects` | `prefix`, `action`, `outcome` |
  /// | timer of effects | `storeactor.effect.duration` | `prefix`, `action`, `outcome` |
  ///
  /// LABEL names the action's cases, as in `Counter.Action.incrementButtonTapped`, without values.
  /// `outcome` is `finished` or `cancelled`. The span of an effect is a child of its action's span,
  /// and the spans of the actions that it sends are children of the effect's span.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of the names; empty by default.
  ///   - tracer: Receives the spans. The default is the tracer that the program has bootstrapped
  ///     by then.
  ///   - metrics: Creates timers and counters. The default is the factory that the program has
  ///     bootstrapped by then.
  /// - Returns: The reducer, which reports.
  public func signpost(
    _ prefix: String = "",
    tracer: (any Tracer)? = nil,
    metrics: (any MetricsFactory)? = nil,
  ) -> _SignpostReducer<Self> {
    _SignpostReducer(
      base: self,
      signposts: Signposts(prefix: prefix, tracer: tracer, metrics: metrics),
    )
  }
}

/// The result of `signpost`.
public struct _SignpostReducer<Base: Reducer>: Reducer {
  private let base: Reduce<Base.State, Base.Action>
  private let signposts: Signposts

  init(base: Base, signposts: Signposts) {
    self.base = base._prepared()
    self.signposts = signposts
  }

  /// Runs the reducer and reports it.
  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    signposts.reduce(caseLabels(of: action)) { base.reduce(&state, action) }
  }

  /// Passes the restoration to the base reducer.
  public func _restored(
    _ state: inout Base.State,
    _ restoration: Restoration,
  ) -> Effect<Base.Action> {
    base._restored(&state, restoration)
  }
}
