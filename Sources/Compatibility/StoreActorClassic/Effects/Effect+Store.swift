import StoreActor

extension Effect where Failure == Never {
  /// Converts the effect for a store of StoreActor.
  ///
  /// - Parameter cancellations: The store's table of cancellable work.
  /// - Returns: The effect; parts that end at once stay within the revision of their action.
  func storeEffect(in cancellations: CancellationTable) -> StoreActor.Effect<Output> {
    switch work {
    case .none:
      .none
    case .value(let action):
      .send(action)
    case .merge(let effects):
      .merge(effects.map { $0.storeEffect(in: cancellations) })
    case .concatenate(let effects):
      .concatenate(effects.map { $0.storeEffect(in: cancellations) })
    case .begin(let begin):
      StoreActor.Effect(
        .source(
          EffectSource { sink in
            let lifetime = Lifetime()
            sink.onCancel = { lifetime.end() }
            let pipe = Pipe<Output, Never>(
              lifetime: lifetime,
              cancellations: cancellations,
              onOutput: { sink.send($0) },
              onCompletion: { _ in
                lifetime.close()
                sink.finish()
              },
            )
            begin(pipe)
          }
        )
      )
    }
  }
}
