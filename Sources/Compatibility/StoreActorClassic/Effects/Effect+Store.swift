import StoreActor

extension Effect where Failure == Never {
  /// The effect as one that a store of StoreActor runs.
  ///
  /// - Parameter cancellations: Where the store keeps what can be cancelled.
  /// - Returns: The effect; what is over at once stays within the revision of its action.
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
