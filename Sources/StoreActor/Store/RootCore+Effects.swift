extension RootCore {
  /// Does what an effect says: at once where it can be done at once, else at the end of the batch.
  func perform(_ effect: Effect<Action>, in context: EffectContext) {
    switch effect.operation {
    case .none:
      break
    case .send(let action):
      deliver(action, in: context)
    case .run(let run):
      let activity = EffectActivity(context: context, registry: registry)
      starts.append(EffectStart(work: .run(run), activity: activity))
      startCount += 1
    case .source(let source):
      let activity = EffectActivity(context: context, registry: registry)
      starts.append(EffectStart(work: .source(source), activity: activity))
      startCount += 1
    case .output(let output):
      emit(output, of: context.origin)
    case .merge(let effects):
      for effect in effects { perform(effect, in: context) }
    case .concatenate(let effects):
      performChain(effects[...], in: context)
    case .cancellable(let effect, let id, let cancelInFlight):
      if cancelInFlight { registry.cancel(id) }
      perform(effect, in: context.adding(id))
    case .cancel(let id):
      registry.cancel(id)
    case .tracked(let effect, let group):
      perform(effect, in: context.adding(group))
    case .resolve(let resolve):
      perform(resolve(registry), in: context)
    }
  }

  /// Takes an action that an effect sends at once: into the batch, or as a batch when there is
  /// none.
  private func deliver(_ action: Action, in context: EffectContext) {
    let group = context.groups.first
    if phase == .reducing {
      enqueue(QueuedAction(action: action, group: group === batchGroup ? nil : group))
    } else {
      _ = send(action, group: group)
    }
  }

  /// Performs effects one after the other, for as long as each is over at once; leaves the rest to
  /// the end of the first that is not.
  private func performChain(_ effects: ArraySlice<Effect<Action>>, in context: EffectContext) {
    var rest = effects
    while let effect = rest.popFirst() {
      let join = EffectJoin()
      perform(effect, in: context.replacing(join))
      if join.isEmpty { continue }
      if rest.isEmpty {
        context.join?.enter()
        join.onEmpty = { context.join?.leave() }
      } else {
        wait(for: join, before: rest, in: context)
      }
      return
    }
  }

  private func wait(
    for join: EffectJoin,
    before rest: ArraySlice<Effect<Action>>,
    in context: EffectContext,
  ) {
    let activity = EffectActivity(context: context, registry: registry)
    join.onEmpty = { [weak self] in
      if let self, !activity.isCancelled {
        performChain(rest, in: context)
        if startCount > 0 { startEffects() }
      }
      activity.end()
    }
  }

  func start(_ start: EffectStart<Action>) {
    let activity = start.activity
    guard !activity.isCancelled else { return activity.end() }
    switch start.work {
    case .run(let run): self.start(run, as: activity)
    case .source(let source): begin(source, as: activity)
    }
  }

  private func start(_ run: EffectRun<Action>, as activity: EffectActivity) {
    let group = activity.group
    let send = Send<Action>(
      deliver: { [weak self] action in
        if activity.isEnded { reportSendAfterEnd(action, of: run) }
        guard !activity.isCancelled else { return }
        _ = self?.send(action, group: group)
      },
      emit: { [weak self] output in
        guard !activity.isCancelled else { return }
        self?.emit(output, of: activity.origin)
      },
    )
    let scope = EffectScope(registry: registry, path: run.path)
    let task = makeTask(priority: run.priority, name: run.name) {
      await EffectScope.$current.withValue(scope) { await run.operation(send) }
      await activity.end()
    }
    activity.attach { task.cancel() }
  }

  private func begin(_ source: EffectSource<Action>, as activity: EffectActivity) {
    let group = activity.group
    let sink = EffectSink<Action>(activity: activity) { [weak self] action in
      _ = self?.send(action, group: group)
    }
    let scope = EffectScope(registry: registry, path: source.path)
    EffectScope.$current.withValue(scope) { source.begin(sink) }
    guard !activity.isEnded else { return }
    activity.attach { onMainActor { sink.stop() } }
  }
}

/// An effect whose task is made when the batch has been committed.
struct EffectStart<Action> {
  let work: EffectWork<Action>
  let activity: EffectActivity
}

/// What starts: a task, or something that calls back.
enum EffectWork<Action> {
  case run(EffectRun<Action>)
  case source(EffectSource<Action>)
}

private func makeTask(
  priority: TaskPriority?,
  name: String?,
  operation: @escaping @concurrent @Sendable () async -> Void,
) -> Task<Void, Never> {
  if let name, #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, *) {
    return Task(name: name, priority: priority, operation: operation)
  }
  return Task(priority: priority, operation: operation)
}
