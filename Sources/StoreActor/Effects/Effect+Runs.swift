extension Effect {
  /// The same effect with each of its runs turned into another one, also those that follow later.
  func mapRuns(
    _ transform: @escaping @Sendable (EffectRun<Action>) -> EffectRun<Action>
  ) -> Self {
    switch operation {
    case .none, .send, .cancel, .output, .source:
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
  /// The same run with something done around it.
  func around(
    _ body: @escaping @Sendable (_ operation: () async -> Void) async -> Void
  ) -> EffectRun {
    EffectRun(priority: priority, name: name, location: location, path: path) {
      [operation] send in
      await body { await operation(send) }
    }
  }
}
