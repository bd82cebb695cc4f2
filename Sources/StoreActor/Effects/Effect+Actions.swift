extension Effect {
  /// The actions that the effect sends when it runs by itself, for tests and for bridges to
  /// other libraries.
  ///
  /// The effect starts in a store of its own without state when the sequence is created. The
  /// sequence ends with the effect. Releasing the sequence cancels the effect.
  @_spi(Internals) public var actions: AsyncStream<Action> {
    AsyncStream { continuation in
      let task = Task { @MainActor in
        let (core, lineage) = Self.run(self) {
          // Sound: this closure has the only reference, as the receiving store keeps no action.
          nonisolated(unsafe) let action = $0
          continuation.yield(action)
        }
        await lineage.finish()
        withExtendedLifetime(core) { continuation.finish() }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  @MainActor
  private static func run(
    _ effect: Self,
    _ onAction: @escaping @MainActor (Action) -> Void,
  ) -> (RootCore<Void, Action>, EffectLineage) {
    let core = RootCore<Void, Action>(
      state: (),
      step: { _, action, _ in onAction(action) },
      dependencies: DependencyValues._current,
      revision: 0,
    )
    // A part of the action also counts effects that outlive its sender.
    let part = EffectLineage()
    let context = EffectContext<Action>(
      place: core.registry,
      lineage: EffectLineage(),
      action: nil,
      revision: 0,
    )
    core.perform(Self(.tracked(effect, by: part)), in: context)
    core.startEffects()
    return (core, part)
  }
}
