extension RootCore {
  /// Does what an effect says: at once where it can be done at once, else at the end of the batch.
  func perform(_ effect: Effect<Action>, in context: EffectContext) {
    switch effect.operation {
    case .none:
      break
    case .send(let action):
      deliver(action, in: context)
    case .run(let run):
      enqueue(.run(run), in: context)
    case .source(let source):
      enqueue(.source(source), in: context)
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

// MARK: - When effects start

extension RootCore {
  /// Whether effects wait for ``startEffects(through:)``, instead of starting at the end of `send`.
  ///
  /// For a daemon: what follows from a revision begins when the revision has left, or is safe.
  package var defersEffects: Bool {
    get { lastToStart != .max }
    set {
      lastToStart = newValue ? revision : .max
      startEffects()
    }
  }

  /// Starts the deferred effects of all revisions up to one, in their order.
  ///
  /// What follows later from these revisions alone, the next part of a chain, starts by itself.
  package func startEffects(through revision: UInt64) {
    precondition(
      revision <= self.revision,
      "Effects may start through revision \(revision), but the last is \(self.revision).",
    )
    lastToStart = max(lastToStart, revision)
    startEffects()
  }

  /// Starts what may start, unless somebody is still to be told of the state that it follows from.
  func startEffects() {
    guard phase == .idle, notifying == 0, !outputs.isTelling, !isStarting else { return }
    isStarting = true
    var started = 0
    // What starts may send, and so add to the queue.
    while started < startCount, starts[started].revision <= lastToStart {
      start(starts[started])
      started += 1
    }
    starts.removeFirst(started)
    startCount -= started
    isStarting = false
  }

  private func start(_ start: EffectStart<Action>) {
    guard start.activity.begin() else { return }
    switch start.work {
    case .run(let run): self.start(run, as: start.activity)
    case .source(let source): begin(source, as: start.activity)
    }
  }

  private func enqueue(_ work: EffectWork<Action>, in context: EffectContext) {
    let activity = EffectActivity(context: context, registry: registry)
    let revision = phase == .reducing ? revision + 1 : revision
    starts.append(EffectStart(work: work, activity: activity, revision: revision))
    startCount += 1
    if revision > lastToStart { activity.endIfCancelledBeforeStart() }
  }
}

/// An effect whose task is made when its revision may have effects.
struct EffectStart<Action> {
  let work: EffectWork<Action>
  let activity: EffectActivity
  let revision: UInt64
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
