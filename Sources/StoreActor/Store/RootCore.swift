/// The root of a tree of features in this process: it holds the state and reduces actions.
///
/// One `send`, with everything that it triggers synchronously, is one **revision**: the state is
/// copied, all actions are reduced on the copy in the order in which they came, the copy is written
/// back once, ``onCommit`` is called, then the observers, and only then do the effects start that
/// the reducers returned. An action that a running effect sends is a revision of its own.
///
/// Everything here belongs to the main actor, but for the registry, which guards itself.
@MainActor
@usableFromInline
package final class RootCore<State, Action>: StoreCore {
  /// The state after the last commit.
  @usableFromInline
  package private(set) var state: State

  /// The number of the last commit.
  package private(set) var revision: UInt64

  /// Is called once for each revision, after the state was written and before anybody else sees it.
  ///
  /// Actions that are sent from inside it are reduced afterwards, as revisions of their own.
  package var onCommit: (@MainActor (_ revision: UInt64, _ old: State, _ new: State) -> Void)?

  /// The dependencies that reducers see. Effects keep those that were in force when they were made.
  package var dependencies: DependencyValues

  package let registry = EffectRegistry()
  private let step: Step
  private let observers = StoreObservers()
  private var notifying = 0
  private var phase = Phase.idle
  /// What is still to be reduced in this batch, and how much of it there is. The number is kept
  /// apart because asking a generic array from unspecialized code costs more than a whole action.
  private var queue: [QueuedAction<Action>] = []
  private var queueCount = 0
  /// What was sent during a commit, each a batch of its own.
  private var late: [QueuedAction<Action>] = []
  private var lateCount = 0
  /// What starts once the batch has been committed.
  private var starts: [EffectStart<Action>] = []
  private var startCount = 0
  /// The group of the batch that is being reduced, once one is needed.
  private var batchGroup: EffectGroup?
  /// The group of the action that is being reduced, where that is not the batch's.
  private var foreignGroup: EffectGroup?

  private enum Phase {
    case idle
    case reducing
    case committing
  }

  /// Reduces one action, and gives its effects to the core if there are any.
  @usableFromInline
  package typealias Step = @MainActor (inout State, Action, RootCore<State, Action>) -> Void

  @usableFromInline
  init(
    state: State,
    step: @escaping Step,
    dependencies: DependencyValues,
    revision: UInt64
  ) {
    self.state = state
    self.step = step
    self.dependencies = dependencies
    self.revision = revision
  }

  /// Creates a root core.
  ///
  /// - Parameters:
  ///   - initialState: The state at the start; may use the dependencies.
  ///   - reducer: What reduces the actions; may use the dependencies.
  ///   - prepareDependencies: Changes the dependencies that were in force here.
  ///   - revision: The number of the commit that the initial state is of.
  @inlinable
  package convenience init<R: Reducer<State, Action>>(
    initialState: () -> State,
    reducer: () -> R,
    withDependencies prepareDependencies: ((inout DependencyValues) -> Void)? = nil,
    revision: UInt64 = 0
  ) {
    var values = DependencyValues._current
    prepareDependencies?(&values)
    let (state, reducer) = withDependencies {
      $0 = values
    } operation: {
      (initialState(), reducer()._prepared())
    }
    self.init(
      state: state,
      // In this function, as it is specialized for the feature where the feature is known.
      step: { state, action, core in
        let effect = reducer.reduce(&state, action)
        if effect.isNone { return }
        core.take(effect)
      },
      dependencies: values,
      revision: revision
    )
  }

  deinit {
    registry.cancelAll()
  }

  @usableFromInline
  package var isInvalid: Bool { false }

  @usableFromInline
  @discardableResult
  package func send(_ action: Action) -> StoreTask {
    send(action, group: nil)
  }

  @usableFromInline
  package func observeChanges(
    _ onChange: @escaping @MainActor () -> Void
  ) -> StoreSubscription {
    observers.add(onChange)
  }

  /// Whether any effect is under way.
  package var hasRunningEffects: Bool {
    registry.count > 0
  }

  /// Cancels every effect that is under way.
  package func cancelEffects() {
    registry.cancelAll()
  }

  /// Reduces an action, and whatever it triggers, as one revision.
  ///
  /// - Parameter group: What the action's effects belong to; nil for a group of its own.
  package func send(_ action: Action, group: EffectGroup?) -> StoreTask {
    guard phase == .idle else { return sendWhileBusy(action, group: group) }
    let task = commitBatch(action, group: group)
    if lateCount > 0 { commitLate() }
    phase = .idle
    if !observers.isEmpty { notifyObservers() }
    if startCount > 0 { startEffects() }
    return task
  }

  private func commitBatch(_ action: Action, group: EffectGroup?) -> StoreTask {
    phase = .reducing
    batchGroup = group
    var next = state
    DependencyValues.$_current.withValue(dependencies) {
      EffectScope.$current.withValue(EffectScope(registry: registry, path: nil)) {
        step(&next, action, self)
        if queueCount > 0 { reduceQueue(into: &next) }
      }
    }
    commit(next)
    let task = StoreTask(revision: revision, handle: batchGroup)
    batchGroup = nil
    return task
  }

  /// Takes the effects of the action that is being reduced.
  @usableFromInline
  func take(_ effect: Effect<Action>) {
    switch effect.operation {
    case .none: break
    case .send(let action): enqueue(QueuedAction(action: action, group: foreignGroup))
    case .cancel(let id): registry.cancel(id)
    default: perform(effect, in: EffectContext(groups: [currentGroup()]))
    }
  }

  private func enqueue(_ action: QueuedAction<Action>) {
    queue.append(action)
    queueCount += 1
  }

  private func reduceQueue(into next: inout State) {
    var index = 0
    while index < queueCount {
      let queued = queue[index]
      index += 1
      foreignGroup = queued.group
      step(&next, queued.action, self)
    }
    foreignGroup = nil
    queue.removeAll(keepingCapacity: true)
    queueCount = 0
  }

  private func commit(_ next: consuming State) {
    phase = .committing
    revision += 1
    guard let onCommit else {
      state = next
      return
    }
    let old = state
    state = next
    onCommit(revision, old, state)
  }

  private func commitLate() {
    while lateCount > 0 {
      let next = late.removeFirst()
      lateCount -= 1
      _ = commitBatch(next.action, group: next.group)
    }
  }

  private func currentGroup() -> EffectGroup {
    if let group = foreignGroup ?? batchGroup { return group }
    let group = EffectGroup()
    batchGroup = group
    return group
  }

  /// An action that was sent while another one is being reduced or committed.
  private func sendWhileBusy(_ action: Action, group: EffectGroup?) -> StoreTask {
    guard phase == .committing else {
      reportSendWhileReducing(action)
      let group = group ?? currentGroup()
      enqueue(QueuedAction(action: action, group: group))
      return StoreTask(revision: revision + 1, handle: group)
    }
    let group = group ?? EffectGroup()
    late.append(QueuedAction(action: action, group: group))
    lateCount += 1
    return StoreTask(revision: revision + UInt64(lateCount), handle: group)
  }

  private func notifyObservers() {
    notifying += 1
    observers.notify()
    notifying -= 1
  }

  /// Starts what the committed batches left to start, unless observers are still to be called.
  private func startEffects() {
    guard notifying == 0 else { return }
    let starts = starts
    self.starts.removeAll(keepingCapacity: true)
    startCount = 0
    for start in starts { self.start(start) }
  }
}

// MARK: - Effects

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
      starts.append(EffectStart(run: run, activity: activity))
      startCount += 1
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

  /// Takes an action that an effect sends at once: into the batch, or as a batch when there is none.
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
    in context: EffectContext
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

  private func start(_ start: EffectStart<Action>) {
    let activity = start.activity
    guard !activity.isCancelled else { return activity.end() }
    let run = start.run
    let group = activity.group
    let send = Send<Action> { [weak self] action in
      if activity.isEnded { reportSendAfterEnd(action, of: run) }
      guard !activity.isCancelled else { return }
      _ = self?.send(action, group: group)
    }
    let scope = EffectScope(registry: registry, path: run.path)
    activity.attach(
      makeTask(priority: run.priority, name: run.name) {
        await EffectScope.$current.withValue(scope) { await run.operation(send) }
        await activity.end()
      }
    )
  }
}

/// An action that waits for its turn.
struct QueuedAction<Action> {
  let action: Action
  /// The group that the action's effects belong to; nil for that of the batch.
  let group: EffectGroup?
}

/// An effect whose task is made when the batch has been committed.
struct EffectStart<Action> {
  let run: EffectRun<Action>
  let activity: EffectActivity
}

private func makeTask(
  priority: TaskPriority?,
  name: String?,
  operation: @escaping @concurrent @Sendable () async -> Void
) -> Task<Void, Never> {
  if let name, #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, *) {
    return Task(name: name, priority: priority, operation: operation)
  }
  return Task(priority: priority, operation: operation)
}
