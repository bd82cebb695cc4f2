extension RootCore {
  /// Performs an effect: synchronously if possible, else at the end of the batch.
  func perform(_ effect: Effect<Action>, in context: EffectContext<Action>) {
    switch effect.operation {
    case .none:
      break
    case .refuse(let refusal):
      reportLateRefusal(refusal)
    case .send(let action):
      deliver(action, in: context)
    case .run(let run):
      let context = run.owner == .sender ? context : context.outliving()
      let work = enqueue(in: context) { [weak self] in self?.start(run, as: $0, in: context) }
      if run.owner == .daemon { onOutliving?(run.name ?? "", context.lineage.ofAction) }
      if let name = run.name, effectLog != nil || namedWork != nil {
        let path = run.path ?? context.action.map { actionPath(of: $0) } ?? []
        let effect = InterruptedEffect(name: name, path: path)
        namedWork?[work.serial] = effect
        if let effectLog { log(work, effect, in: effectLog) }
      }
    case .source(let source):
      _ = enqueue(in: context) { [weak self] in self?.begin(source, as: $0, in: context) }
    case .output(let output):
      emit(output, of: context.action)
    case .reply(let reply):
      answer(reply, of: context.lineage.ofAction)
    case .merge(let effects):
      for effect in effects { perform(effect, in: context) }
    case .concatenate(let effects):
      performChain(effects[...], in: context)
    case .cancellable(let effect, let id, let cancelInFlight):
      if cancelInFlight { registry.cancelInStep(id, at: context.place) }
      perform(effect, in: context.under(id))
    case .cancel(let id):
      registry.cancelInStep(id, at: context.place)
    case .tracked(let effect, let lineage):
      perform(effect, in: context.counted(by: lineage))
    case .child(let effect, let place, let dismissal):
      if let dismissal { place.dismissal = dismissing(by: dismissal, in: context) }
      perform(effect, in: context.at(place))
    case .schedule(let schedule):
      begin(schedule, in: context)
    case .rearm(let number):
      rearm(number, in: context)
    case .resolve(let resolve):
      perform(resolve(context.place), in: context)
    }
  }

  /// Returns the function with which a presented child's effects dismiss it.
  private func dismissing(
    by dismissal: @escaping @Sendable () -> Action,
    in context: EffectContext<Action>,
  ) -> @MainActor () -> Void {
    let cause = cause(named: nil, in: context)
    return { [weak self, lineage = context.lineage.ofAction] in
      _ = self?.send(dismissal(), lineage: EffectLineage.dismissing ?? lineage, cause: cause)
    }
  }

  /// Adds an action that an effect sends synchronously to the batch; without a batch, sends it as a
  /// new one.
  private func deliver(_ action: Action, in context: EffectContext<Action>) {
    let lineage = context.lineage.ofAction
    if phase == .reducing {
      enqueue(QueuedAction(action: action, lineage: lineage === batchLineage ? nil : lineage))
    } else {
      _ = send(action, lineage: lineage, cause: cause(named: nil, in: context))
    }
  }

  /// The cause of the actions that an effect sends; nil without a journal.
  private func cause(named name: String?, in context: EffectContext<Action>) -> EffectCause? {
    effectLog == nil ? nil : EffectCause(revision: context.revision, name: name)
  }

  /// Performs effects in sequence while each ends synchronously.
  ///
  /// The end of the first other effect continues the sequence.
  private func performChain(
    _ effects: ArraySlice<Effect<Action>>,
    in context: EffectContext<Action>,
  ) {
    var rest = effects
    while let effect = rest.popFirst() {
      let part = EffectLineage(isStep: true)
      perform(effect, in: context.counted(by: part))
      if part.isFinished { continue }
      if !rest.isEmpty { wait(for: part, before: rest, in: context) }
      return
    }
  }

  private func wait(
    for part: EffectLineage,
    before rest: ArraySlice<Effect<Action>>,
    in context: EffectContext<Action>,
  ) {
    let work = EffectWork(in: context)
    // Once it is cancelled, it waits no longer: the part may outlive the task of the action.
    work.attach { onMainActor { work.end() } }
    part.whenFinished { [weak self] in
      if let self, !work.isCancelled, !isAbandoning {
        performChain(rest, in: context)
        if startCount > 0 { startEffects() }
      }
      work.end()
    }
  }

  /// Waits until all sent actions are durable; nil without a journal.
  private var keep: (@MainActor @Sendable () async throws -> Void)? {
    guard let kept else { return nil }
    return { [weak self] in
      if let revision = self?.revision { try await kept.wait(for: revision) }
    }
  }

  private func start(
    _ run: EffectRun<Action>,
    as work: EffectWork,
    in context: EffectContext<Action>,
  ) {
    let lineage = context.lineage.ofAction
    let cause = cause(named: run.name, in: context)
    let send = Send<Action>(
      deliver: { [weak self] action in
        if work.isEnded { reportSendAfterEnd(action, of: run) }
        guard !work.isCancelled else { return }
        _ = self?.send(action, lineage: lineage, cause: cause)
      },
      emit: { [weak self] output in
        guard !work.isCancelled else { return }
        self?.emit(output, of: context.action)
      },
      keep: keep,
    )
    let task = makeTask(priority: run.priority, name: run.name) { [place = context.place] in
      await EffectLineage.$dismissing.withValue(run.owner == .daemon ? lineage : nil) {
        await EffectPlace.$current.withValue(place) { await run.operation(send) }
      }
      await work.end()
    }
    work.attach { task.cancel() }
  }

  private func begin(
    _ source: EffectSource<Action>,
    as work: EffectWork,
    in context: EffectContext<Action>,
  ) {
    let lineage = context.lineage.ofAction
    let cause = cause(named: nil, in: context)
    let sink = EffectSink<Action>(work: work) { [weak self] action in
      _ = self?.send(action, lineage: lineage, cause: cause)
    }
    EffectPlace.$current.withValue(context.place) { source.begin(sink) }
    guard !work.isEnded else { return }
    work.attach { onMainActor { sink.stop() } }
  }
}

/// Records effects that have names.
@MainActor
package protocol EffectLog: AnyObject {
  /// Records that a reducer returned an effect, which may not have started yet.
  func began(_ number: UInt64, _ effect: InterruptedEffect)

  /// Records that an effect has ended or was cancelled.
  func ended(_ number: UInt64)

  /// Removes the record of an effect or a schedule that has begun in an abandoned step.
  func tookBack(_ number: UInt64)

  /// Returns the number under which a schedule is recorded.
  ///
  /// - Parameter serial: The number of its work in this process.
  /// - Returns: The number.
  func timerNumber(_ serial: UInt64) -> UInt64

  /// Records a schedule that a reducer has returned.
  func scheduled(_ number: UInt64, _ timer: DurableTimer)

  /// Records that a schedule was cancelled.
  func unscheduled(_ number: UInt64)

  /// Records that the action of the next step is sent by a schedule.
  ///
  /// - Parameters:
  ///   - number: The schedule's number.
  ///   - timer: The schedule, with the due time of its next firing.
  ///   - due: When this firing was due, in seconds since 2001.
  ///   - isLast: Whether the schedule ends.
  func fires(_ number: UInt64, _ timer: DurableTimer, due: Double, isLast: Bool)
}

// MARK: - When effects start

extension RootCore {
  /// Whether effects wait for ``startEffects(through:)``, instead of starting at the end of `send`.
  ///
  /// For a daemon: the effects of a revision begin after the revision was sent, or is durable.
  package var defersEffects: Bool {
    get { lastToStart != .max }
    set {
      lastToStart = newValue ? revision : .max
      startEffects()
    }
  }

  /// Whether deferred effects of revisions up to one can be started now.
  package func hasEffectsToStart(through revision: UInt64) -> Bool {
    startCount > 0 && mayStartEffects && starts[0].revision <= revision
  }

  /// False until all observers of the state that precedes the effects are notified.
  private var mayStartEffects: Bool {
    phase == .idle && notifying == 0 && !outputs.isTelling && !isStarting
  }

  /// Starts the deferred effects of all revisions up to one, in their order.
  ///
  /// Later work of these revisions, such as the next step of a chain, starts by itself.
  package func startEffects(through revision: UInt64) {
    precondition(
      revision <= self.revision,
      "Effects may start through revision \(revision), but the last is \(self.revision).",
    )
    lastToStart = max(lastToStart, revision)
    startEffects()
  }

  /// Starts no more effects, for reducers that are run again.
  package func startNoEffects() { (isStarting, isRunAgain) = (true, true) }

  /// Cancels all effects, also those that have not started, and ends the intervals of
  /// throttled effects.
  package func dropEffects() {
    registry.endIntervals()
    guard startCount > 0 || hasRunningEffects else { return }
    // First, so that the end of an effect starts no other effect.
    registry.cancelAll()
    let dropped = starts
    starts.removeAll(keepingCapacity: true)
    startCount = 0
    for start in dropped { start.work.end() }
  }

  /// Drops the effects of a step that is abandoned: they do not start.
  ///
  /// - Parameter revision: The revision before the step.
  func dropStarts(after revision: UInt64) {
    var dropped: [EffectWork] = []
    while let last = starts.last, last.revision > revision {
      dropped.append(last.work)
      starts.removeLast()
      startCount -= 1
    }
    // First, so that the end of an effect starts no other effect.
    for work in dropped { work.isTakenBack = true }
    for work in dropped { work.cancel() }
    for work in dropped { work.end() }
  }

  /// Starts the effects that may start, after all observers of their state are notified.
  func startEffects() {
    guard mayStartEffects else { return }
    isStarting = true
    var started = 0
    // Effects that start may send actions, and so add to the queue.
    while started < startCount, starts[started].revision <= lastToStart {
      starts[started].work.begin()
      started += 1
    }
    starts.removeFirst(started)
    startCount -= started
    isStarting = false
  }

  func enqueue(
    in context: EffectContext<Action>,
    start: @escaping @MainActor (EffectWork) -> Void,
  ) -> EffectWork {
    let work = EffectWork(in: context, start: start)
    let revision = phase == .reducing ? revision + 1 : revision
    starts.append((revision, work))
    startCount += 1
    if revision > lastToStart { work.endIfCancelledBeforeStart() }
    return work
  }

  private func log(
    _ work: EffectWork,
    _ effect: InterruptedEffect,
    in log: any EffectLog,
  ) {
    let number = UInt64(work.serial)
    log.began(number, effect)
    work.onEnd = { [weak log] in $0 ? log?.tookBack(number) : log?.ended(number) }
  }
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
