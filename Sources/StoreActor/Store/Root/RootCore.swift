/// The root of a tree of features in this process: it holds the state and reduces actions.
///
/// One `send`, with its synchronous consequences, is one **revision**: the state is copied, all
/// actions are reduced on the copy in the order in which they were sent, the copy is committed
/// once, notices are collected, ``onCommit`` is called, observers are notified, and then the
/// effects start. Deferred effects start with ``startEffects(through:)``. An action that a running
/// effect sends is a revision of its own.
///
/// The main actor isolates everything except the registry, which guards itself. Properties that
/// every action uses are read and written as a whole, never passed `inout`, so that exclusivity
/// checks are unnecessary; they would cost a fifth of an action.
@MainActor
@usableFromInline
package final class RootCore<State, Action>: StoreCore {
  let cells: StateCells<State>
  package let root: RootNode<State>
  private let tree: StoreTree

  /// The number of the last commit.
  package var revision: UInt64 { number }
  @exclusivity(unchecked) private var number: UInt64

  /// Called once for each revision, after the state was written and before any observer sees it.
  ///
  /// Actions that it sends are reduced afterwards, as revisions of their own.
  @exclusivity(unchecked) package var onCommit:
    (@MainActor (_ revision: UInt64, _ old: State, _ new: State) -> Void)?

  /// Called once for each revision, right after ``onCommit``, with the addresses of both states.
  ///
  /// For a daemon, which keeps old states: the callee owns the old state and must move it out of
  /// its address. The new one may be read until the call returns.
  @exclusivity(unchecked) package var onStep:
    (
      @MainActor (
        _ revision: UInt64, _ old: UnsafeMutablePointer<State>, _ new: UnsafePointer<State>
      ) -> Void
    )?

  /// Called when a revision begins, with its action and the effect that has sent it, before any
  /// action is reduced.
  ///
  /// For a daemon that records the actions.
  @exclusivity(unchecked) package var onBegin:
    (@MainActor (_ action: Action, _ cause: EffectCause?) -> Void)?
  /// Whether ``onBegin`` is called for actions of remote senders, too.
  @exclusivity(unchecked) package var beginsRemoteActions = true

  /// Called when a revision begins that shows changes of shared values.
  ///
  /// For a daemon: it may precede the revision of an action whose sender is noted already.
  package var onBeginShared: (@MainActor () -> Void)?

  /// Called for each revision that shows changes of shared values, before observers are notified.
  ///
  /// For a test store, which requires an assertion of it.
  package var onSharedChange: (@MainActor (_ state: State) -> Void)?

  /// Called when a revision that had begun is abandoned: its action was refused, or has no target
  /// any more.
  ///
  /// For a daemon that records the actions.
  package var onAbandon: (@MainActor () -> Void)?

  /// Called for each action that follows in a revision, before it is reduced.
  ///
  /// For a daemon that records their names.
  package var onFollow: (@MainActor (_ action: Action) -> Void)?

  /// Called for each refused action, after the step was abandoned.
  ///
  /// For a test store, which requires an assertion of it.
  package var onRefusal: (@MainActor (_ action: Action, _ refusal: Refusal) -> Void)?

  /// Called for each effect that outlives the sender of its action, with its name, and with its
  /// lineage, which has begun.
  ///
  /// For a daemon, which limits and shows them.
  package var onOutliving: (@MainActor (_ name: String, _ lineage: EffectLineage) -> Void)?

  /// Receives the begin and the end of named effects; nil if they are not recorded.
  package var effectLog: (any EffectLog)?
  /// For a test: the named effects so far, by the serials of their work; nil if there is no test.
  var namedWork: [Int: InterruptedEffect]?

  /// The durable revisions, for waiters in this process; nil without a journal.
  @exclusivity(unchecked) package var kept: KeptRevisions?

  /// Called for each output, after ``onCommit`` of its revision and before observers are notified
  /// of either; for a running effect, when the effect emits it.
  ///
  /// For a daemon: an output belongs to the exposed scopes of its action.
  package var onOutput: (@MainActor (_ output: StoreOutput<Action>, _ revision: UInt64) -> Void)?

  /// The dependencies of the reducers.
  ///
  /// Effects keep the dependencies that were in force at their creation. A change is made on a
  /// copy, which is then written back as a whole, like all properties that every action uses.
  package var dependencies: DependencyValues {
    get { currentDependencies }
    set { currentDependencies = newValue }
  }
  @exclusivity(unchecked) private var currentDependencies: DependencyValues

  package let registry = EffectRegistry()
  /// The schedules that wait for their due times.
  package private(set) lazy var schedules = makeSchedules()
  /// The durable form of the actions; nil if their type declares none.
  package private(set) lazy var actionForm = StoredActionForm<Action>()
  let step: Step
  let restored: (@MainActor (inout State, Restoration, RootCore) -> Void)?
  let outputObservers = ObserverList<StoreOutput<Action>>()
  /// The outputs that are not yet delivered.
  @exclusivity(unchecked) var outputs = StoreOutputQueue<Action>()
  @exclusivity(unchecked) private(set) var notifying = 0
  @exclusivity(unchecked) var phase = Phase.idle
  /// The actions still to be reduced in this batch, and their count.
  ///
  /// The count is separate because unspecialized code that reads a generic array's count costs more
  /// than a whole action.
  private var queue: [QueuedAction<Action>] = []
  @exclusivity(unchecked) private var queueCount = 0
  /// The actions that were sent during a commit, each a batch of its own.
  private var late: [QueuedAction<Action>] = []
  @exclusivity(unchecked) private var lateCount = 0
  /// Effects that wait for their revision's turn, in the order of revisions.
  var starts: [(revision: UInt64, work: EffectWork)] = []
  @exclusivity(unchecked) var startCount = 0
  @exclusivity(unchecked) var isStarting = false
  /// Whether the reducers are run again, so that no effect starts.
  var isRunAgain = false
  /// Effects of later revisions are deferred.
  @exclusivity(unchecked) var lastToStart = UInt64.max
  /// The lineage of the batch that is being reduced; nil until needed.
  @exclusivity(unchecked) var batchLineage: EffectLineage?
  /// The lineage of the action that is being reduced, if it is not the batch's.
  @exclusivity(unchecked) private var foreignLineage: EffectLineage?
  /// The caller's surroundings of ``batch(as:_:)`` while the reducers' surroundings are in force.
  @exclusivity(unchecked) private var outer: Surroundings?
  /// Why the step in progress is abandoned; nil while its actions are accepted.
  @exclusivity(unchecked) var refusal: Refusal?
  /// Whether the step in progress can still be abandoned.
  @exclusivity(unchecked) private(set) var isRefusable = false
  private var isRefused: Bool { refusal != nil }
  /// The reply to the action of the step in progress; nil until a reducer replies.
  @exclusivity(unchecked) package private(set) var reply: ActionReply?
  /// Whether the step in progress is being abandoned.
  @exclusivity(unchecked) private(set) var isAbandoning = false
  /// The tasks of actions that were queued in the batch.
  @exclusivity(unchecked) private var tickets: [QueuedTask] = []
  /// The refusals of actions that nobody waits for since the last call of ``takeRefusals()``.
  var unansweredRefusals = UnansweredRefusals()
  /// The origin of the action that is being reduced; nil for the process.
  @exclusivity(unchecked) private var origin: ActionOrigin?
  /// The link between the state and its shared values; nil while it has no such values.
  @exclusivity(unchecked) private var sharing: RootSharing<State>?
  /// Whether states of this type are known to have no shared values.
  @exclusivity(unchecked) private var sharesNothing = false

  enum Phase {
    case idle
    case reducing
    case committing
  }

  /// Reduces one action, and passes its effects, if any, to the core.
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
  ///   - initialState: Creates the state at the start; may use the dependencies.
  ///   - reducer: Creates the reducer; may use the dependencies.
  ///   - prepareDependencies: Changes the dependencies that are in force here.
  ///   - revision: The number of the commit of the initial state.
  ///   - entersLater: Whether another state may replace the initial one, so that the keys in it are
  ///     not loaded before ``enter()``, or the first action.
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
      // In this function, because it is specialized for the feature if the feature is known.
      step: { state, action, core in
        let effect = reducer.reduce(&state, action)
        if effect.isNone { return }
        if let refusal = effect.refusal { return core.refuse(refusal) }
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

  /// Reads the state in place, as a copy retains every reference in it.
  package func withState<Result>(_ body: (UnsafePointer<State>) -> Result) -> Result {
    body(cells.current)
  }

  @usableFromInline
  package var node: StoreNode<State> { root }

  @usableFromInline
  @discardableResult
  package func send(_ action: Action) -> StoreTask {
    let task = send(action, lineage: nil, cause: nil)
    return if let kept { task.recorded(in: kept) } else { task }
  }

  @usableFromInline
  package func observeChanges(
    _ onChange: @escaping @MainActor () -> Void
  ) -> StoreSubscription {
    root.observeCommits(onChange)
  }

  /// Loads the keys in the initial state, after a possible replacement of it.
  package func enter() {
    guard SharedLock.isUsed, sharing == nil, !sharesNothing else { return }
    var state = state
    let version = withOwnDependencies { SharedStates.updateSnapshots(&state) }
    root.show(state)
    findShared(since: version)
  }

  /// Continues from another state, as if all actions up to its revision had been reduced.
  ///
  /// For a daemon that restarts, before it serves clients.
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

  /// Makes a revision without an action, for data that is recorded with a revision.
  package func advance() { commitWithoutAction { true } }

  /// - Parameter change: Changes the state; false if there is to be no revision.
  func commitWithoutAction(_ change: () -> Bool) {
    precondition(phase == .idle, "Revision \(revision + 1) is under way.")
    phase = .reducing
    batchLineage = nil
    beginStep()
    var isMade = true
    surroundings.with {
      isMade = change()
      if isMade { finishStep(mayBeRefused: false) }
    }
    if isMade { _ = finishBatch() } else { abandonStep() }
  }

  /// Whether commits have observers.
  package var isObserved: Bool { tree.isWaited }

  /// Whether any effect is running.
  package var hasRunningEffects: Bool {
    registry.count > 0
  }

  /// Cancels every running effect.
  package func cancelEffects() {
    registry.cancelAll()
  }

  /// Reduces an action and its synchronous consequences as one revision.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - lineage: The lineage of the action's effects; nil for a new one.
  ///   - cause: The effect that sends the action, for a journal; nil if none does.
  /// - Returns: The task of the action's effects.
  package func send(
    _ action: Action,
    lineage: EffectLineage?,
    cause: EffectCause? = nil,
  ) -> StoreTask {
    guard phase == .idle else { return sendWhileBusy(action, lineage: lineage, cause: cause) }
    if let sharing, sharing.isBehind { showShared() }
    if reduceBatch(action, lineage: lineage, cause: cause) { return finishBatch() }
    return abandonBatch(action)
  }

  /// Reduces an action of a remote sender, which may not know yet that the action's target
  /// is absent.
  ///
  /// - Parameter action: The action.
  /// - Returns: The task of the action's effects, or of its refusal; nil if a child of it is
  ///   absent. Then the state is unchanged, and no issue is reported.
  @usableFromInline
  package func sendFromAfar(_ action: Action) -> StoreTask? {
    guard phase == .idle else { return sendWhileBusy(action, lineage: nil, cause: nil) }
    if let sharing, sharing.isBehind { showShared() }
    registry.absence = .expected
    if reduceBatch(action, lineage: nil, cause: nil, isBegun: beginsRemoteActions) {
      return finishBatch()
    }
    if isRefused { return abandonBatch(action, isAnswered: true) }
    abandonStep()
    return nil
  }

  /// Applies a client's change to the state, in a revision without an action.
  ///
  /// - Parameter change: Changes the state; false if the change is refused.
  /// - Returns: The task of the revision; nil if the state was not changed.
  package func changeFromAfar(_ change: (inout State) -> Bool) -> StoreTask? {
    precondition(phase == .idle, "Revision \(revision + 1) is under way.")
    if let sharing, sharing.isBehind { showShared() }
    phase = .reducing
    batchLineage = nil
    beginStep()
    if change(&cells.other.pointee) {
      registry.keepStepChanges()
      return finishBatch()
    }
    abandonStep()
    return nil
  }

  /// Abandons the batch in progress, because an action of it was refused.
  ///
  /// - Parameters:
  ///   - action: The first action of the batch.
  ///   - isAnswered: Whether a remote sender is notified of the refusal.
  /// - Returns: The task of the refused action.
  private func abandonBatch(_ action: Action, isAnswered: Bool = false) -> StoreTask {
    let refusal = takeRefusal()
    abandonStep(refusal)
    if !isAnswered { unansweredRefusals.note(refusal) }
    onRefusal?(action, refusal)
    return StoreTask(refused: refusal)
  }

  private func takeRefusal() -> Refusal {
    guard let refusal else { preconditionFailure("A batch without a refusal was refused.") }
    self.refusal = nil
    return refusal
  }

  /// Discards the step in progress: the state, shared values and running effects are as before.
  ///
  /// - Parameter refusal: Why the step is abandoned; nil if its target is absent.
  private func abandonStep(_ refusal: Refusal? = nil) {
    (isAbandoning, isRefusable) = (true, false)
    sharing?.giveUp()
    cells.dropOld()
    registry.abandonStepChanges()
    if startCount > 0 { dropStarts(after: revision) }
    if outputs.count > 0 { outputs.dropUnpublished() }
    if reply != nil { reply = nil }
    // Last, because observers of shared values and deinitializers may have sent further actions.
    if queueCount > 0 { clearQueue() }
    if !tickets.isEmpty {
      settleTickets(.failure(refusal.map { ActionFailure($0) } ?? .abandoned))
    }
    batchLineage = nil
    isAbandoning = false
    onAbandon?()
    phase = .idle
  }

  private func finishBatch() -> StoreTask {
    let task = commitBatch()
    if lateCount > 0 { commitLate() }
    phase = .idle
    if startCount > 0 || outputs.count > 0 || tree.hasNotices { followUp() }
    return task
  }

  /// Notifies the observers of the commit and starts effects.
  private func followUp() {
    let surroundings = outer
    outer = nil
    // The reducers' surroundings do not apply to observers.
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

  /// Makes several sends of one origin cheaper: the reducers' surroundings are set up once.
  ///
  /// - Parameters:
  ///   - origin: The sender; nil for the process.
  ///   - sends: Sends the actions.
  package func batch(as origin: ActionOrigin? = nil, _ sends: () -> Void) {
    guard outer == nil, phase == .idle else { return sends() }
    outer = .current
    self.origin = origin
    surroundings.with(sends)
    self.origin = nil
    outer = nil
  }

  /// The origin of the step that is being committed; nil for the process.
  package var originOfStep: ActionOrigin? { batchLineage.map(\.origin) ?? origin }

  var surroundings: Surroundings {
    var dependencies = currentDependencies
    dependencies.originInForce = origin
    return Surroundings(dependencies: dependencies, place: registry)
  }

  /// Reduces on behalf of an origin, which may differ from the current sender.
  private func reduce(as origin: ActionOrigin?, _ body: () -> Void) {
    if outer != nil, origin == self.origin { return body() }
    let sender = self.origin
    self.origin = origin
    surroundings.with(body)
    self.origin = sender
  }

  /// Reduces an action and its synchronous consequences on a copy of the state.
  ///
  /// - Returns: False if an action was refused, or if the action's target is absent, which was
  ///   expected. Then the caller abandons the step.
  private func reduceBatch(
    _ action: Action,
    lineage: EffectLineage?,
    cause: EffectCause?,
    isBegun: Bool = true,
  ) -> Bool {
    phase = .reducing
    batchLineage = lineage
    if isBegun, let onBegin { onBegin(action, cause) }
    beginStep()
    isRefusable = true
    if outer != nil, lineage == nil { return reduce(action) }
    var isAccepted = true
    reduce(as: lineage?.origin) { isAccepted = reduce(action) }
    return isAccepted
  }

  private func commitBatch() -> StoreTask {
    commit()
    if outputs.count > 0 { publishOutputs() }
    let task = StoreTask(revision: revision, handle: batchLineage, reply: reply)
    if reply != nil { reply = nil }
    if !tickets.isEmpty { settleTickets(.success(AppliedAction(revision: revision))) }
    batchLineage = nil
    return task
  }

  private func reduce(_ action: Action) -> Bool {
    step(&cells.other.pointee, action, self)
    let absence = registry.absence
    // The feature itself sends the actions that follow.
    if absence != .fault {
      registry.absence = .fault
      if absence == .found {
        // An absent target makes the refusal of another reducer irrelevant.
        if isRefused { _ = takeRefusal() }
        return false
      }
    }
    return isRefused ? false : finishStep(mayBeRefused: true)
  }

  /// Reduces the queued actions, and then performs the cancellations of the step.
  ///
  /// The end of cancelled work may queue actions of other lineages, which cannot be refused.
  ///
  /// - Parameter mayBeRefused: Whether the step is abandoned if a queued action is refused.
  /// - Returns: False if a queued action was refused.
  @discardableResult
  private func finishStep(mayBeRefused: Bool) -> Bool {
    if queueCount > 0, !reduceQueue(mayBeRefused: mayBeRefused) { return false }
    isRefusable = false
    registry.isInStep = false
    if registry.hasStepChanges { keepStepChanges() }
    return true
  }

  /// Performs the cancellations of the step, and reduces the actions that follow from them.
  private func keepStepChanges() {
    registry.keepStepChanges()
    while queueCount > 0 {
      registry.isInStep = true
      reduceQueue(mayBeRefused: false)
      registry.keepStepChanges()
    }
  }

  /// Takes the refusal of the action that is being reduced.
  @usableFromInline
  func refuse(_ refusal: Refusal) {
    // An absent target makes it irrelevant.
    if registry.absence != .found { self.refusal = refusal }
  }

  /// Takes the effects of the action that is being reduced.
  @usableFromInline
  func take(_ effect: Effect<Action>, of action: Action?) {
    // The action's changes are discarded.
    if registry.absence == .found { return }
    switch effect.operation {
    case .none: break
    case .refuse(let refusal): refuse(refusal)
    case .send(let action): enqueue(QueuedAction(action: action, lineage: foreignLineage))
    case .cancel(let id): registry.cancelInStep(id, at: registry)
    case .output(let output): emit(output, of: action)
    case .reply(let reply) where foreignLineage == nil: answer(reply)
    default:
      let lineage = currentLineage()
      let context = EffectContext(
        place: registry,
        lineage: lineage,
        action: action,
        revision: number + 1,
      )
      perform(effect, in: context)
    }
  }

  /// Takes a reply of the step in progress.
  private func answer(_ value: any Sendable) {
    if case .value(let first)? = reply { reportSecondReply(value, after: first) }
    reply = .value(value)
  }

  /// Takes a reply to an action of a lineage: it is lost if it follows from an action that another
  /// one has caused, and it is late if it follows from an earlier action.
  func answer(_ value: any Sendable, of lineage: EffectLineage) {
    if phase == .reducing, lineage === foreignLineage { return }
    guard phase == .reducing, lineage === batchLineage else { return reportLateReply(value) }
    answer(value)
  }

  func enqueue(_ action: QueuedAction<Action>) {
    queue.append(action)
    queueCount += 1
  }

  /// - Returns: False if an action was refused, and `mayBeRefused` is true.
  @discardableResult
  private func reduceQueue(mayBeRefused: Bool) -> Bool {
    var index = 0
    while index < queueCount {
      let queued = queue[index]
      index += 1
      if let onFollow { onFollow(queued.action) }
      if let lineage = queued.lineage {
        reduceWithoutRefusal { reduceQueued(queued.action, of: lineage) }
      } else if mayBeRefused {
        step(&cells.other.pointee, queued.action, self)
        if isRefused { return false }
      } else {
        reduceWithoutRefusal { step(&cells.other.pointee, queued.action, self) }
      }
    }
    clearQueue()
    return true
  }

  /// Reduces an action that comes too late to be refused: if its reducer refuses, this is reported,
  /// and the state is as before.
  func reduceWithoutRefusal(_ reduce: () -> Void) {
    let before = cells.other.pointee
    let part = StepPart()
    let wasRefusable = isRefusable
    isRefusable = false
    reduce()
    isRefusable = wasRefusable
    part.end(isKept: !isRefused)
    guard isRefused else { return }
    cells.other.pointee = before
    reportLateRefusal(takeRefusal())
  }

  /// Reduces one of several actions of a step, and its synchronous consequences.
  ///
  /// - Returns: False if one of them was refused: then the caller abandons the step.
  func reducePart(_ action: Action) -> Bool {
    isRefusable = true
    step(&cells.other.pointee, action, self)
    let isAccepted = !isRefused && (queueCount == 0 || reduceQueue(mayBeRefused: true))
    isRefusable = false
    // No sender waits for it.
    reply = nil
    if !isAccepted { refusal = nil }
    return isAccepted
  }

  /// Reduces an action of another lineage than the batch's.
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
    registry.isInStep = true
    cells.begin(copiesPadding: tree.isWaited)
    if let sharing {
      sharing.begin(cells.other)
    } else if SharedLock.isUsed, !sharesNothing {
      findShared(since: nil)
      sharing?.begin(cells.other)
    }
    registry.stepThread = SharedLock.isUsed ? CurrentThread.id : 0
  }

  /// Checks whether states of this type have shared values, once the process has any.
  ///
  /// - Parameter version: The version that the state shows; nil if it shows none yet.
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

  /// Makes a revision of others' changes of shared values, if the state shows these values.
  package func showShared() {
    guard phase == .idle, let sharing, sharing.isBehind else { return }
    phase = .reducing
    cells.begin(copiesPadding: tree.isWaited)
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
      let task: StoreTask
      if reduceBatch(next.action, lineage: next.lineage, cause: next.cause) {
        task = commitBatch()
      } else {
        task = abandonBatch(next.action)
        // More actions may follow, in this loop.
        phase = .committing
      }
      if let outcome = task.outcome { next.ticket?.settle(outcome) }
    }
  }

  private func currentLineage() -> EffectLineage {
    if let lineage = foreignLineage ?? batchLineage { return lineage }
    let lineage = EffectLineage(origin: origin)
    batchLineage = lineage
    return lineage
  }

  /// Queues an action that was sent while another one is being reduced or committed.
  private func sendWhileBusy(
    _ action: Action,
    lineage: EffectLineage?,
    cause: EffectCause?,
  ) -> StoreTask {
    guard phase == .committing else {
      reportSendWhileReducing(action)
      let lineage = lineage ?? currentLineage()
      enqueue(QueuedAction(action: action, lineage: lineage))
      let ticket = QueuedTask(lineage)
      tickets.append(ticket)
      return StoreTask(queued: ticket)
    }
    let lineage = lineage ?? EffectLineage()
    let ticket = QueuedTask(lineage)
    late.append(QueuedAction(action: action, lineage: lineage, ticket: ticket, cause: cause))
    lateCount += 1
    return StoreTask(queued: ticket)
  }

  private func settleTickets(_ outcome: Result<AppliedAction, ActionFailure>) {
    let settled = tickets
    tickets = []
    for ticket in settled { ticket.settle(outcome) }
  }

  private func tellCommit() {
    notifying += 1
    tree.tell()
    notifying -= 1
  }
}
