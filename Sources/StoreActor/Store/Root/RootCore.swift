/// The root of a tree of features in this process: it holds the state and reduces actions.
///
/// One `send`, with everything that it triggers synchronously, is one **revision**: the state is
/// copied, all actions are reduced on the copy in the order in which they came, the copy is written
/// back once, those are collected who are to be told of it, ``onCommit`` is called, then they are
/// told, and only then do the effects start that the reducers returned; where they are deferred,
/// when ``startEffects(through:)`` says so. An action that a running effect sends is a revision of
/// its own.
///
/// Everything here belongs to the main actor, but for the registry, which guards itself. The
/// properties that every action touches are read and written as a whole, never handed on `inout`,
/// so that their exclusivity need not be checked; checking it costs a fifth of an action.
@MainActor
@usableFromInline
package final class RootCore<State, Action>: StoreCore {
  private let cells: StateCells<State>
  package let root: RootNode<State>
  private let tree: StoreTree

  /// The number of the last commit.
  package var revision: UInt64 { number }
  @exclusivity(unchecked) private var number: UInt64

  /// Is called once for each revision, after the state was written and before anybody else sees it.
  ///
  /// Actions that are sent from inside it are reduced afterwards, as revisions of their own.
  @exclusivity(unchecked) package var onCommit:
    (@MainActor (_ revision: UInt64, _ old: State, _ new: State) -> Void)?

  /// Is called once for each revision, right after ``onCommit``, with the places of both states.
  ///
  /// For a daemon, which keeps old states: the old one is its own from then on, so it has to move
  /// it out of its place. The new one may be looked at until the call returns.
  @exclusivity(unchecked) package var onStep:
    (
      @MainActor (
        _ revision: UInt64, _ old: UnsafeMutablePointer<State>, _ new: UnsafePointer<State>
      ) -> Void
    )?

  /// Is called when a revision begins, with its action and before anything of it was reduced.
  ///
  /// For a daemon that keeps what it reduces.
  @exclusivity(unchecked) package var onBegin: (@MainActor (_ action: Action) -> Void)?

  /// Is called when a revision begins that others make by changing shared values.
  ///
  /// For a daemon: it may come before that of an action whose sender is noted already.
  package var onBeginShared: (@MainActor () -> Void)?

  /// Is called for each revision that others made by changing shared values, before anybody else
  /// is told of it.
  ///
  /// For a test store, which wants it asserted.
  package var onSharedChange: (@MainActor (_ state: State) -> Void)?

  /// Is told of effects that have names; nil where nobody keeps that.
  package var effectLog: (any EffectLog)?

  /// Which revisions are durable, for those in this process who wait for one; nil where nothing is
  /// kept.
  @exclusivity(unchecked) package var kept: KeptRevisions?

  /// Is called for each output, after ``onCommit`` of the revision in which it was made and before
  /// anybody else is told of either; of an effect that runs on, when the effect makes it.
  ///
  /// For a daemon: an output belongs to the exposed scopes that its action belongs to.
  package var onOutput: (@MainActor (_ output: StoreOutput<Action>, _ revision: UInt64) -> Void)?

  /// The dependencies that reducers see.
  ///
  /// Effects keep those that were in force when they were made. Changing one changes a copy, which
  /// is then written back as a whole, as all that every action touches.
  package var dependencies: DependencyValues {
    get { currentDependencies }
    set { currentDependencies = newValue }
  }
  @exclusivity(unchecked) private var currentDependencies: DependencyValues

  package let registry = EffectRegistry()
  private let step: Step
  private let restored: (@MainActor (inout State, Restoration, RootCore) -> Void)?
  let outputObservers = ObserverList<StoreOutput<Action>>()
  /// What was put out and is still to be told.
  @exclusivity(unchecked) var outputs = StoreOutputQueue<Action>()
  @exclusivity(unchecked) private(set) var notifying = 0
  @exclusivity(unchecked) var phase = Phase.idle
  /// What is still to be reduced in this batch, and how much of it there is.
  ///
  /// The number is kept apart because asking a generic array, from code that is not specialized,
  /// costs more than a whole action.
  private var queue: [QueuedAction<Action>] = []
  @exclusivity(unchecked) private var queueCount = 0
  /// What was sent during a commit, each a batch of its own.
  private var late: [QueuedAction<Action>] = []
  @exclusivity(unchecked) private var lateCount = 0
  /// What starts once its revision may, in the order of revisions.
  var starts: [(revision: UInt64, work: EffectWork)] = []
  @exclusivity(unchecked) var startCount = 0
  @exclusivity(unchecked) var isStarting = false
  /// Effects of later revisions wait.
  @exclusivity(unchecked) var lastToStart = UInt64.max
  /// The lineage of the batch that is being reduced, once one is needed.
  @exclusivity(unchecked) var batchLineage: EffectLineage?
  /// The lineage of the action that is being reduced, where that is not the batch's.
  @exclusivity(unchecked) private var foreignLineage: EffectLineage?
  /// What was around ``batch(as:_:)``, while that is under way and what reducers find is in force.
  @exclusivity(unchecked) private var outer: Surroundings?
  /// Who began what is being reduced; nil for the process.
  @exclusivity(unchecked) private var origin: ActionOrigin?
  /// What the state shows of shared values; nil while there are none.
  @exclusivity(unchecked) private var sharing: RootSharing<State>?
  /// Whether it is known that no state of this type has shared values.
  @exclusivity(unchecked) private var sharesNothing = false

  enum Phase {
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
    restored: (@MainActor (inout State, Restoration, RootCore) -> Void)? = nil,
    dependencies: DependencyValues,
    revision: UInt64,
    entersLater: Bool = false,
  ) {
    var state = state
    let version = entersLater ? nil : SharedStates.updateSnapshots(&state)
    root = RootNode(state)
    cells = root.cells
    tree = root.tree
    self.step = step
    self.restored = restored
    currentDependencies = dependencies
    number = revision
    if let version { findShared(since: version) }
  }

  /// Creates a root core.
  ///
  /// - Parameters:
  ///   - initialState: The state at the start; may use the dependencies.
  ///   - reducer: What reduces the actions; may use the dependencies.
  ///   - prepareDependencies: Changes the dependencies that were in force here.
  ///   - revision: The number of the commit that the initial state is of.
  ///   - entersLater: Whether another state may come in the place of the initial one, so that the
  ///     keys in it are not asked before ``enter()``, or the first action.
  @inlinable
  package convenience init<R: Reducer<State, Action>>(
    initialState: () -> State,
    reducer: () -> R,
    withDependencies prepareDependencies: ((inout DependencyValues) -> Void)? = nil,
    revision: UInt64 = 0,
    entersLater: Bool = false,
  ) {
    let (state, reducer, dependencies) = withDependencies {
      prepareDependencies?(&$0)
    } operation: {
      (
        entersLater ? ReadingScope.run(initialState) : initialState(), reducer()._prepared(),
        DependencyValues._current,
      )
    }
    self.init(
      state: state,
      // In this function, as it is specialized for the feature where the feature is known.
      step: { state, action, core in
        let effect = reducer.reduce(&state, action)
        if effect.isNone { return }
        core.take(effect, of: action)
      },
      restored: { state, restoration, core in
        let effect = reducer._restored(&state, restoration)
        if !effect.isNone { core.take(effect, of: nil) }
      },
      dependencies: dependencies,
      revision: revision,
      entersLater: entersLater,
    )
  }

  deinit {
    registry.cancelAll()
  }

  /// The state after the last commit.
  @usableFromInline
  package var state: State { cells.current.pointee }

  /// Looks at the state where it is, for a copy retains every reference in it.
  package func withState<Result>(_ body: (UnsafePointer<State>) -> Result) -> Result {
    body(cells.current)
  }

  @usableFromInline
  package var node: StoreNode<State> { root }

  @usableFromInline
  @discardableResult
  package func send(_ action: Action) -> StoreTask {
    let task = send(action, lineage: nil)
    return if let kept { task.recorded(in: kept) } else { task }
  }

  @usableFromInline
  package func observeChanges(
    _ onChange: @escaping @MainActor () -> Void
  ) -> StoreSubscription {
    root.observeCommits(onChange)
  }

  /// Asks the keys in the initial state, where another one might have come in its place.
  package func enter() {
    guard SharedLock.isUsed, sharing == nil, !sharesNothing else { return }
    var state = state
    let version = withOwnDependencies { SharedStates.updateSnapshots(&state) }
    root.show(state)
    findShared(since: version)
  }

  /// Goes on from another state, as if all had been reduced that led to it.
  ///
  /// For a daemon that starts again, before it serves anybody.
  package func restore(_ state: State, revision: UInt64) {
    precondition(phase == .idle, "A state is restored while revision \(self.revision) is made.")
    number = revision
    if defersEffects { lastToStart = revision }
    var state = state
    let version = withOwnDependencies {
      SharedStates.adopt(state)
      return SharedStates.updateSnapshots(&state)
    }
    root.show(state)
    sharing = nil
    findShared(since: version)
    if tree.hasNotices { tellCommit() }
  }

  /// Runs a closure with what reducers depend on, for what belongs to them: the keys of a state
  /// that is read are those of the dependencies in force.
  ///
  /// - Parameter body: The closure.
  /// - Returns: What it returns.
  /// - Throws: What it throws.
  package func withOwnDependencies<R, Failure: Error>(
    _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    try DependencyValues.$_current.withValue(dependencies) { Result(catching: body) }.get()
  }

  /// Tells the reducer that its daemon has started again, as one revision.
  ///
  /// - Parameters:
  ///   - restoration: What it is told.
  ///   - reset: Changes the state before anybody is told.
  ///   - action: What is reduced last; nil for nothing.
  package func restart(
    _ restoration: Restoration,
    reset: (inout State) -> Void,
    then action: Action?,
  ) {
    commitWithoutAction {
      reset(&cells.other.pointee)
      restored?(&cells.other.pointee, restoration, self)
      if let action { step(&cells.other.pointee, action, self) }
    }
  }

  /// Makes a revision in which nothing is reduced, for what is to be kept in one.
  package func advance() { commitWithoutAction {} }

  private func commitWithoutAction(_ change: () -> Void) {
    precondition(phase == .idle, "Revision \(revision + 1) is under way.")
    phase = .reducing
    batchLineage = nil
    beginStep()
    surroundings.with {
      change()
      if queueCount > 0 { reduceQueue() }
    }
    _ = finishBatch()
  }

  /// Whether anybody is told of commits.
  package var isObserved: Bool { tree.isWaited }

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
  /// - Parameters:
  ///   - action: The action.
  ///   - lineage: What the action's effects belong to; nil for a lineage of its own.
  /// - Returns: What follows from the action.
  package func send(_ action: Action, lineage: EffectLineage?) -> StoreTask {
    guard phase == .idle else { return sendWhileBusy(action, lineage: lineage) }
    if let sharing, sharing.isBehind { showShared() }
    reduceBatch(action, lineage: lineage)
    return finishBatch()
  }

  /// Reduces an action that comes from afar, where it may not be known yet that what it is for has
  /// gone.
  ///
  /// - Parameter action: The action.
  /// - Returns: What follows from the action; nil when a child of it is absent, and then nothing
  ///   has happened, and nothing is reported.
  @usableFromInline
  package func sendFromAfar(_ action: Action) -> StoreTask? {
    guard phase == .idle else { return sendWhileBusy(action, lineage: nil) }
    if let sharing, sharing.isBehind { showShared() }
    registry.absence = .expected
    if reduceBatch(action, lineage: nil) { return finishBatch() }
    giveUpStep()
    return nil
  }

  /// Changes the state as a client wants it, in a revision without an action.
  ///
  /// - Parameter change: Changes the state; false when it must not be changed.
  /// - Returns: What follows; nil when it was not changed, and then nothing has happened.
  package func changeFromAfar(_ change: (inout State) -> Bool) -> StoreTask? {
    precondition(phase == .idle, "Revision \(revision + 1) is under way.")
    if let sharing, sharing.isBehind { showShared() }
    phase = .reducing
    batchLineage = nil
    beginStep()
    if change(&cells.other.pointee) { return finishBatch() }
    giveUpStep()
    return nil
  }

  /// Nothing stays of the step in progress.
  private func giveUpStep() {
    sharing?.giveUp()
    cells.dropOld()
    batchLineage = nil
    phase = .idle
  }

  private func finishBatch() -> StoreTask {
    let task = commitBatch()
    if lateCount > 0 { commitLate() }
    phase = .idle
    if startCount > 0 || outputs.count > 0 || tree.hasNotices { followUp() }
    return task
  }

  /// Tells everybody of what was committed, and starts what is to be started.
  private func followUp() {
    let surroundings = outer
    outer = nil
    // What is there for the reducers is not for others.
    if let surroundings {
      surroundings.with { notifyAndStartEffects() }
    } else {
      notifyAndStartEffects()
    }
    outer = surroundings
  }

  private func notifyAndStartEffects() {
    if tree.hasNotices { tellCommit() }
    if outputs.count > 0 { tellOutputs() }
    if startCount > 0 { startEffects() }
  }

  /// Makes several sends of one origin cheaper: what reducers find around them is put there once
  /// for all.
  ///
  /// - Parameters:
  ///   - origin: Who sends; nil for the process.
  ///   - sends: Sends.
  package func batch(as origin: ActionOrigin? = nil, _ sends: () -> Void) {
    guard outer == nil, phase == .idle else { return sends() }
    outer = .current
    self.origin = origin
    surroundings.with(sends)
    self.origin = nil
    outer = nil
  }

  /// Who began the lineage of the step that is being committed; nil for the process.
  package var originOfStep: ActionOrigin? { batchLineage.map(\.origin) ?? origin }

  private var surroundings: Surroundings {
    var dependencies = currentDependencies
    dependencies.originInForce = origin
    return Surroundings(dependencies: dependencies, place: registry)
  }

  /// Reduces on behalf of somebody, who need not be the one who sends now.
  private func reduce(as origin: ActionOrigin?, _ body: () -> Void) {
    if outer != nil, origin == self.origin { return body() }
    let sender = self.origin
    self.origin = origin
    surroundings.with(body)
    self.origin = sender
  }

  /// Reduces an action, and whatever it triggers, on a copy of the state.
  ///
  /// - Returns: False when what the action is for is absent, as was expected.
  @discardableResult
  private func reduceBatch(_ action: Action, lineage: EffectLineage?) -> Bool {
    phase = .reducing
    batchLineage = lineage
    if let onBegin { onBegin(action) }
    beginStep()
    if outer != nil, lineage == nil { return reduce(action) }
    var isPresent = true
    reduce(as: lineage?.origin) { isPresent = reduce(action) }
    return isPresent
  }

  private func commitBatch() -> StoreTask {
    commit()
    if outputs.count > 0 { publishOutputs() }
    let task = StoreTask(revision: revision, handle: batchLineage)
    batchLineage = nil
    return task
  }

  private func reduce(_ action: Action) -> Bool {
    step(&cells.other.pointee, action, self)
    let absence = registry.absence
    // What the action triggers comes from the feature itself.
    if absence != .fault {
      registry.absence = .fault
      registry.endMoves(areKept: absence != .found)
    }
    if queueCount > 0 {
      if absence == .found { clearQueue() } else { reduceQueue() }
    }
    return absence != .found
  }

  /// Takes the effects of the action that is being reduced.
  @usableFromInline
  func take(_ effect: Effect<Action>, of action: Action?) {
    // Nothing stays of what the action did.
    if registry.absence == .found { return }
    switch effect.operation {
    case .none: break
    case .send(let action): enqueue(QueuedAction(action: action, lineage: foreignLineage))
    case .cancel(let id): registry.cancel(id, at: registry)
    case .output(let output): emit(output, of: action)
    default:
      let lineage = currentLineage()
      perform(effect, in: EffectContext(place: registry, lineage: lineage, action: action))
    }
  }

  func enqueue(_ action: QueuedAction<Action>) {
    queue.append(action)
    queueCount += 1
  }

  private func reduceQueue() {
    var index = 0
    while index < queueCount {
      let queued = queue[index]
      index += 1
      if let lineage = queued.lineage {
        reduceQueued(queued.action, of: lineage)
      } else {
        step(&cells.other.pointee, queued.action, self)
      }
    }
    clearQueue()
  }

  /// Reduces what follows from another action than the batch's.
  private func reduceQueued(_ action: Action, of lineage: EffectLineage) {
    foreignLineage = lineage
    if lineage.origin == origin {
      step(&cells.other.pointee, action, self)
    } else {
      reduce(as: lineage.origin) { step(&cells.other.pointee, action, self) }
    }
    foreignLineage = nil
  }

  private func clearQueue() {
    queue.removeAll(keepingCapacity: true)
    queueCount = 0
  }

  private func commit() {
    if let sharing {
      sharing.end(cells.other, from: cells.current)
    } else if SharedLock.isUsed, !sharesNothing {
      updateFirstSnapshots()
    }
    phase = .committing
    number += 1
    cells.commit()
    tree.commits &+= 1
    if tree.isWaited { root.collect() }
    onCommit?(revision, cells.other.pointee, cells.current.pointee)
    if let onStep {
      onStep(revision, cells.other, cells.current)
    } else {
      cells.dropOld()
    }
  }

  // MARK: Shared values

  /// Copies the state for a step.
  private func beginStep() {
    cells.begin()
    if let sharing {
      sharing.begin(cells.other)
    } else if SharedLock.isUsed, !sharesNothing {
      findShared(since: nil)
      sharing?.begin(cells.other)
    }
  }

  /// Looks whether states of this type have shared values, once the process has any.
  ///
  /// - Parameter version: The version that the state shows; nil where it shows none yet.
  private func findShared(since version: UInt64?) {
    guard SharedLock.isUsed else { return }
    guard let plan = SharedPlan.of(State.self) else {
      sharesNothing = true
      return
    }
    sharing = RootSharing(plan, version: version) { [weak self] in self?.showShared() }
  }

  /// Updates the state of the step in which the process has shared its first value.
  private func updateFirstSnapshots() {
    findShared(since: nil)
    guard let sharing else { return }
    sharing.begin(cells.other)
    sharing.end(cells.other, from: cells.current)
  }

  /// Makes a revision of what others have changed of shared values, where the state shows it.
  package func showShared() {
    guard phase == .idle, let sharing, sharing.isBehind else { return }
    phase = .reducing
    cells.begin()
    guard sharing.begin(cells.other) else {
      sharing.giveUp()
      cells.dropOld()
      phase = .idle
      return
    }
    onBeginShared?()
    onSharedChange?(cells.other.pointee)
    _ = finishBatch()
  }

  private func commitLate() {
    while lateCount > 0 {
      let next = late.removeFirst()
      lateCount -= 1
      reduceBatch(next.action, lineage: next.lineage)
      _ = commitBatch()
    }
  }

  private func currentLineage() -> EffectLineage {
    if let lineage = foreignLineage ?? batchLineage { return lineage }
    let lineage = EffectLineage(origin: origin)
    batchLineage = lineage
    return lineage
  }

  /// An action that was sent while another one is being reduced or committed.
  private func sendWhileBusy(_ action: Action, lineage: EffectLineage?) -> StoreTask {
    guard phase == .committing else {
      reportSendWhileReducing(action)
      let lineage = lineage ?? currentLineage()
      enqueue(QueuedAction(action: action, lineage: lineage))
      return StoreTask(queuedFor: revision + 1, handle: lineage)
    }
    let lineage = lineage ?? EffectLineage()
    late.append(QueuedAction(action: action, lineage: lineage))
    lateCount += 1
    return StoreTask(queuedFor: revision + UInt64(lateCount), handle: lineage)
  }

  private func tellCommit() {
    notifying += 1
    tree.tell()
    notifying -= 1
  }
}

/// An action that waits for its turn.
struct QueuedAction<Action> {
  let action: Action
  /// The lineage that the action's effects belong to; nil for that of the batch.
  let lineage: EffectLineage?
}
