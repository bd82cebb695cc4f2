import CustomDump
import IssueReporting

/// The observations of a ``TestStore`` that the test has not handled yet.
///
/// Sound although it is mutable: it is used on the main actor only, also if its test store is
/// released on another thread.
package final class TestRecorder<State, Action>: @unchecked Sendable {
  /// An action that an effect sent, and the state that it led to.
  struct ReceivedAction {
    let action: Action
    let state: State
    /// The version of shared values that the state shows.
    let version: UInt64
    /// Whether the feature has set a shared value meanwhile, even to an equal one.
    let setsShared: Bool
    /// The test's location when it arrived.
    let location: IssueLocation
    /// Why the action was refused; nil if it was not.
    var refusal: Refusal?
  }

  /// An output of the feature.
  struct ReceivedOutput {
    let value: any Sendable
    /// The test's location when it arrived.
    let location: IssueLocation
  }

  /// The effects of one action, or of a start of the daemon.
  struct RunningEffects {
    /// Nil for a start.
    let action: Action?
    let lineage: EffectLineage
    let location: IssueLocation
  }

  var exhaustivity = Exhaustivity.on
  /// The state that the test knows.
  var state: State
  /// The version of shared values that it shows.
  private(set) var version: UInt64
  /// The present state of the feature.
  private(set) var currentState: State
  /// The version of shared values that it shows.
  private(set) var currentVersion: UInt64
  /// Whether the last action has set a shared value, even to an equal one.
  private(set) var setsShared = false
  /// Whether others have changed shared values without an action and the test has not asserted it.
  private(set) var hasSharedChange = false
  /// Applies others' changes of shared values.
  var showShared: @MainActor () -> Void = {}
  private(set) var received: [ReceivedAction] = []
  /// The outputs of the feature, oldest first.
  var outputs: [ReceivedOutput] = []
  var outputSubscription: StoreSubscription?
  /// The location of the test's last use of the store.
  private(set) var location: IssueLocation
  /// The tasks of a core whose reducer is not recorded.
  var foreignTasks: [(action: Action, task: StoreTask, location: IssueLocation)] = []
  /// Prints changes that were not asserted.
  var showSkipped: (String) -> Void = DebugOutput.write
  /// Whether two states are the same, so that a shared change needs no assertion.
  private let isSame = Sameness.of(State.self)
  private var effects: [RunningEffects] = []
  private var isSending = false
  /// The record before the step in progress; nil before the first step.
  private var beforeStep: BeforeStep?

  /// The parts of the record that an abandoned step must not change.
  private struct BeforeStep {
    let received: Int
    let isSending: Bool
    let hasSharedChange: Bool
    let known: (state: State, version: UInt64)
    let current: (state: State, version: UInt64)
  }

  package init(state: State, location: IssueLocation) {
    SharedLock.keepOld()
    var state = state
    version = SharedStates.updateSnapshots(&state)
    self.state = state
    currentState = state
    currentVersion = version
    self.location = location
    reportUnfoundShared()
  }

  deinit { SharedLock.forgetOld() }

  func at(_ location: IssueLocation) {
    self.location = location
  }

  /// The feature with a recorder of its actions and states.
  func recording(_ reducer: some Reducer<State, Action>) -> Reduce<State, Action> {
    recording(reducer, state: { $0 }, action: { $0 })
  }

  /// A root that contains the feature, with a recorder of the feature's events.
  ///
  /// - Parameters:
  ///   - reducer: The root.
  ///   - state: The feature's state in the root's, as the test sees it; nil while it is absent.
  ///   - action: The feature's action in the root's; nil if it is another feature's.
  /// - Returns: The root that replaces `reducer`.
  package func recording<RootState, RootAction>(
    _ reducer: some Reducer<RootState, RootAction>,
    state: @escaping (RootState) -> State?,
    action: @escaping (RootAction) -> Action?,
  ) -> Reduce<RootState, RootAction> {
    let base = reducer._prepared()
    return Reduce(reduce, restored: restored)

    func restored(
      _ rootState: inout RootState,
      _ restoration: Restoration,
    ) -> Effect<RootAction> {
      let effects = base._restored(&rootState, restoration)
      note(rootState, state)
      // The test asserts the changes with the restart.
      knowAll()
      return track(effects, of: nil)
    }

    func reduce(_ rootState: inout RootState, _ rootAction: RootAction) -> Effect<RootAction> {
      let effects = base.reduce(&rootState, rootAction)
      // The core abandons the step, and reports it afterwards.
      if effects.isRefusal { return effects }
      note(rootState, state)
      guard let action = action(rootAction) else { return effects }
      note(action)
      return track(effects, of: action)
    }
  }

  /// Records the state after a step.
  private func note<RootState>(_ rootState: RootState, _ state: (RootState) -> State?) {
    setsShared = SharedLock.current?.hasWritten ?? false
    var shown = rootState
    currentVersion = SharedStates.updateSnapshots(&shown)
    if let state = state(shown) { currentState = state }
  }

  /// Calls a closure that sends an action, which then need not be received.
  func sending<R>(_ send: () -> R) -> R {
    isSending = true
    defer { isSending = false }
    return send()
  }

  /// Records the state of a core whose reducer is not recorded.
  func note(state: State) {
    self.state = state
    currentState = state
  }

  /// Records that others have changed shared values without an action.
  package func note(sharedChange state: State) {
    if !isSame(currentState, state) { hasSharedChange = true }
    currentState = state
    currentVersion = SharedLock.visibleVersion
  }

  /// Makes the result of an action known to the test.
  func know(_ received: ReceivedAction) {
    state = received.state
    version = received.version
  }

  /// Makes the feature's present state known to the test.
  func knowAll() {
    state = currentState
    version = currentVersion
    hasSharedChange = false
  }

  /// Records the begin of a step, which may be abandoned.
  private func beginStep() {
    beforeStep = BeforeStep(
      received: received.count,
      isSending: isSending,
      hasSharedChange: hasSharedChange,
      known: (state, version),
      current: (currentState, currentVersion),
    )
  }

  /// Records that the step was abandoned, because an action was refused.
  ///
  /// - Parameters:
  ///   - refusal: The refusal.
  ///   - action: The action that began the step; nil if it is not one of the tested scope.
  private func note(_ refusal: Refusal, of action: Action?) {
    guard let before = beforeStep else { return }
    received.removeLast(received.count - before.received)
    hasSharedChange = before.hasSharedChange
    (state, version) = before.known
    (currentState, currentVersion) = before.current
    setsShared = false
    isSending = action == nil && before.isSending
    guard let action else { return }
    if before.isSending { return }
    received.append(
      ReceivedAction(
        action: action,
        state: currentState,
        version: currentVersion,
        setsShared: false,
        location: location,
        refusal: refusal,
      )
    )
  }

  /// Records the refusals of a root's actions.
  ///
  /// - Parameters:
  ///   - root: The root.
  ///   - action: Returns the tested scope's action; nil for an action of another scope.
  @MainActor
  package func observeRefusals<Root, RootAction>(
    of root: RootCore<Root, RootAction>,
    _ action: @escaping (RootAction) -> Action?,
  ) {
    root.onBegin = { [unowned self] _, _ in beginStep() }
    root.onRefusal = { [unowned self] rootAction, refusal in
      note(refusal, of: action(rootAction))
    }
  }

  func removeReceived(upTo count: Int) {
    received.removeFirst(count)
  }

  /// The actions whose effects are running.
  var runningEffects: [RunningEffects] {
    effects.removeAll { !$0.lineage.isActive }
    return effects
  }

  /// The actions with running effects, and the locations at which they were sent or received.
  var runningActions: [(action: Action?, location: IssueLocation)] {
    foreignTasks.removeAll { $0.task.isFinished || $0.task.isCancelled }
    return runningEffects.map { ($0.action, $0.location) }
      + foreignTasks.map { ($0.action, $0.location) }
  }

  func cancelRunningEffects() {
    for effects in runningEffects { effects.lineage.cancel() }
    for foreign in foreignTasks { foreign.task.cancel() }
    forgetRunningEffects()
  }

  /// Lets running effects continue, but exempts them from the test.
  func forgetRunningEffects() {
    effects = []
    foreignTasks = []
  }

  /// Makes known to the test the changes that no action of the feature made.
  func catchUp() {
    if received.isEmpty, !hasSharedChange { knowAll() }
  }

  private func note(_ action: Action) {
    if isSending {
      isSending = false
      knowAll()
    } else {
      received.append(
        ReceivedAction(
          action: action,
          state: currentState,
          version: currentVersion,
          setsShared: setsShared,
          location: location,
        )
      )
      // The test asserts it when it receives the action.
      hasSharedChange = false
    }
  }

  private func track<RootAction>(
    _ effect: Effect<RootAction>,
    of action: Action?,
  ) -> Effect<RootAction> {
    switch effect.operation {
    case .none, .refuse, .send, .cancel, .reply: return effect
    default: break
    }
    let lineage = EffectLineage()
    effects.append(RunningEffects(action: action, lineage: lineage, location: location))
    return Effect(.tracked(effect, by: lineage))
  }
}

// MARK: - The end of a test

extension TestRecorder {
  /// Reports open assertions when the test store is released.
  func complete() {
    if SharedStates.areBehind(currentState) {
      // No root has shown it yet, and no root will.
      var newest = currentState
      currentVersion = SharedStates.updateSnapshots(&newest)
      if !isSame(currentState, newest) { hasSharedChange = true }
      currentState = newest
    }
    reportUnhandledActions(at: received.first?.location ?? location)
    reportSharedChange(at: location)
    reportUnfoundShared()
    reportUnhandledOutputs()
    for running in runningActions { reportRunningEffect(running.action, at: running.location) }
    cancelRunningEffects()
  }

  /// Reports actions that were not received; an exhaustive test then treats them as known.
  func reportUnhandledActions(at location: IssueLocation) {
    guard let last = received.last else { return }
    let message = """
      The store received \(received.count) unexpected \
      action\(received.count == 1 ? "" : "s") by the end of the test: …

        Unhandled actions:
      \(Self.list(received.map(\.action)))

      To fix, receive the actions with "store.receive". If the test is not about them, call \
      "await store.skipReceivedActions()", or make the test store non-exhaustive: \
      "store.exhaustivity = .off".
      """
    report(message, at: location)
    guard exhaustivity == .on else { return }
    know(last)
    removeReceived(upTo: received.count)
  }

  /// Reports others' changes of shared values that the test has not asserted.
  func reportSharedChange(at location: IssueLocation) {
    guard hasSharedChange, received.isEmpty else { return }
    defer { knowAll() }
    let changes = difference(state, currentState, labels: ("Known", "Actual"))
    let message = """
      Shared values were changed without an action, and the test did not assert it: …

      \(changes)

      To fix, assert the change with "store.assert", or in the closure of the next action. If the \
      test is not about it, make the test store non-exhaustive: "store.exhaustivity = .off".
      """
    report(message, at: location)
  }

  /// Reports a shared value in the state that stores do not find.
  private func reportUnfoundShared() {
    guard let path = SharedStates.pathOfUnfound(in: currentState) else { return }
    location.report(
      """
      The shared value "\(path)" is in the state where no store finds it: its changes are none of \
      the state, which shows its newest value at all times.

      To fix, hold it in a property, an enum, or a collection of Swift or StoreActor, and not \
      behind "any" or in a collection of another library.
      """
    )
  }

  private func reportRunningEffect(_ action: Action?, at location: IssueLocation) {
    let dump = Self.dump(action)
    let message = """
      An effect returned for this action is still running. It must complete before the end of the \
      test. …

        Action:
      \(dump)

      To fix, see to it that every effect that the reducer returns for this action completes \
      before the test ends. Reasons why one may not have completed:

      • It needs a little time. Call "await store.finish()" at the end of the test.

      • It waits for a clock. Advance the test clock far enough, or use an immediate clock.

      • It is long-living, such as a timer or a subscription. Mark it "cancellable" and return \
      "Effect.cancel" for another action, or cancel the task that "store.send" returned.

      • The test is not about it. Call "await store.skipInFlightEffects()", or make the test store \
      non-exhaustive: "store.exhaustivity = .off".
      """
    report(message, at: location)
  }

  /// Reports in an exhaustive test; prints in one that shows skipped assertions.
  func report(_ message: String, at location: IssueLocation) {
    switch exhaustivity {
    case .on: location.report(message)
    case .off(showSkippedAssertions: true): printSkipped(message, at: location)
    case .off(showSkippedAssertions: false): break
    }
  }

  /// Prints an assertion that was not made; as an output, not as an issue, which could fail tests.
  func printSkipped(_ message: String, at location: IssueLocation) {
    showSkipped("Skipped assertion at \(location.fileID):\(location.line): \(message)\n")
  }

  /// An action with indented lines; nil stands for a start of the daemon.
  private static func dump(_ action: Action?) -> String {
    guard let action else { return "    a restart of the daemon" }
    var dump = ""
    customDump(action, to: &dump, indent: 4)
    return dump
  }

  static func list(_ actions: some Collection<Action?>) -> String {
    actions.enumerated().map { index, action in
      let dump = dump(action)
      let start = dump.index(dump.startIndex, offsetBy: min(4, dump.count))
      return actions.count == 1 ? dump : "    \(index + 1). \(dump[start...])"
    }
    .joined(separator: "\n")
  }
}
