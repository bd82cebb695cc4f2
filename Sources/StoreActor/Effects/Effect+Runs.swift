extension Effect {
  /// Transforms each run of the effect, including runs that are resolved later.
  func mapRuns(
    _ transform: @escaping @Sendable (EffectRun<Action>) -> EffectRun<Action>
  ) -> Self {
    switch operation {
    case .none, .refuse, .send, .cancel, .output, .reply, .source, .schedule, .rearm:
      self
    case .run(let run):
      Self(.run(transform(run)))
    case .merge(let effects):
      Self(.merge(effects.map { $0.mapRuns(transform) }))
    case .concatenate(let effects):
      Self(.concatenate(effects.map { $0.mapRuns(transform) }))
    case .cancellable(let effect, let id, let cancelInFlight):
      Self(.cancellable(effect.mapRuns(transform), id: id, cancelInFlight: cancelInFlight))
    case .tracked(let effect, let lineage):
      Self(.tracked(effect.mapRuns(transform), by: lineage))
    case .child(let effect, let place, let dismissal):
      Self(.child(effect.mapRuns(transform), at: place, dismissal: dismissal))
    case .resolve(let resolve):
      Self(.resolve { resolve($0).mapRuns(transform) })
    }
  }
}

extension EffectRun {
  /// Wraps the operation of the run.
  func around(
    _ body: @escaping @Sendable (_ operation: () async -> Void) async -> Void
  ) -> EffectRun {
    EffectRun(
      priority: priority,
      name: name,
      owner: owner,
      location: location,
      path: path,
    ) { [operation] send in
      await body { await operation(send) }
    }
  }
}
