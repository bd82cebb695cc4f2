import CustomDump
import IssueReporting

/// What a ``TestStore`` has seen of its feature and the test has not dealt with yet.
///
/// Sound although it can be changed: it is used on the main actor, also by a test store that goes
/// elsewhere.
package final class TestRecorder<State, Action>: @unchecked Sendable {
  /// An action that an effect sent, and the state that it led to.
  struct ReceivedAction {
    let action: Action
    let state: State
    /// The version of shared values that the state shows.
    let version: UInt64
    /// Whether the feature has set a shared value meanwhile, be it to what it was.
    let setsShared: Bool
    /// Where the test was when it came.
    let location: IssueLocation
  }

  /// An output of the feature.
  struct ReceivedOutput {
    let value: any Sendable
    /// Where the test was when it came.
    let location: IssueLocation
  }

  /// The effects of one action.
  struct RunningEffects {
    let action: Action
    let lineage: EffectLineage
    let location: IssueLocation
  }

  var exhaustivity = Exhaustivity.on
  /// The state that the test knows.
  var state: State
  /// The version of shared values that it shows.
  private(set) var version: UInt64
  /// The state that the feature has.
  private(set) var currentState: State
  /// The version of shared values that it shows.
  private(set) var currentVersion: UInt64
  /// Whether the last action has set a shared value, be it to what it was.
  private(set) var setsShared = false
  /// Whether somebody has changed shared values without an action, and the test has not said so.
  private(set) var hasSharedChange = false
  /// Comes to what others have changed of shared values.
  var showShared: @MainActor () -> Void = {}
  private(set) var received: [ReceivedAction] = []
  /// What the feature has put out, oldest first.
  var outputs: [ReceivedOutput] = []
  var outputSubscription: StoreSubscription?
  /// Where the test last did something with the store.
  private(set) var location: IssueLocation
  /// Tasks of a core that is not observed from inside.
  var foreignTasks: [(action: Action, task: StoreTask, location: IssueLocation)] = []
  /// Where what was not asserted is shown.
  var showSkipped: (String) -> Void = DebugOutput.write
  /// Whether a shared change is one that the test has to assert.
  private let isSame = Sameness.of(State.self)
  private var effects: [RunningEffects] = []
  private var isSending = false

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

  /// The feature, with everything noted that it does.
  func recording(_ reducer: some Reducer<State, Action>) -> Reduce<State, Action> {
    recording(reducer, state: { $0 }, action: { $0 })
  }

  /// A root with the feature in it, with everything noted that happens to the feature.
  ///
  /// - Parameters:
  ///   - reducer: The root.
  ///   - state: The feature's state in the root's, as the test sees it; nil while it is absent.
  ///   - action: The feature's action in the root's; nil where it is another feature's.
  /// - Returns: The root to use in the place of `reducer`.
  package func recording<RootState, RootAction>(
    _ reducer: some Reducer<RootState, RootAction>,
    state: @escaping (RootState) -> State?,
    action: @escaping (RootAction) -> Action?,
  ) -> Reduce<RootState, RootAction> {
    let base = reducer._prepared()
    return Reduce { [self] rootState, rootAction in
      let effects = base.reduce(&rootState, rootAction)
      setsShared = SharedLock.current?.hasWritten ?? false
      var shown = rootState
      currentVersion = SharedStates.updateSnapshots(&shown)
      if let state = state(shown) { currentState = state }
      guard let action = action(rootAction) else { return effects }
      note(action)
      return track(effects, of: action)
    }
  }

  /// Calls a closure that sends an action, which is then not one that has to be received.
  func sending<R>(_ send: () -> R) -> R {
    isSending = true
    defer { isSending = false }
    return send()
  }

  /// Notes the state of a core that is not observed from inside.
  func note(state: State) {
    self.state = state
    currentState = state
  }

  /// Notes that others have changed shared values without an action.
  package func note(sharedChange state: State) {
    if !isSame(currentState, state) { hasSharedChange = true }
    currentState = state
    currentVersion = SharedLock.visibleVersion
  }

  /// Takes what an action led to as known to the test.
  func know(_ received: ReceivedAction) {
    state = received.state
    version = received.version
  }

  /// Takes what the feature has as known to the test.
  func knowAll() {
    state = currentState
    version = currentVersion
    hasSharedChange = false
  }

  func removeReceived(upTo count: Int) {
    received.removeFirst(count)
  }

  /// The actions whose effects are under way.
  var runningEffects: [RunningEffects] {
    effects.removeAll { !$0.lineage.isActive }
    return effects
  }

  /// The descriptions of actions with effects under way, and where they were sent or received.
  var runningActions: [(action: Action, location: IssueLocation)] {
    foreignTasks.removeAll { $0.task.isFinished || $0.task.isCancelled }
    return runningEffects.map { ($0.action, $0.location) }
      + foreignTasks.map { ($0.action, $0.location) }
  }

  func cancelRunningEffects() {
    for effects in runningEffects { effects.lineage.cancel() }
    for foreign in foreignTasks { foreign.task.cancel() }
    forgetRunningEffects()
  }

  /// Lets the effects that are under way go on without the test.
  func forgetRunningEffects() {
    effects = []
    foreignTasks = []
  }

  /// Takes what changed without any action of the feature as known to the test.
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
      // The test is to say so where it receives the action.
      hasSharedChange = false
    }
  }

  private func track<RootAction>(
    _ effect: Effect<RootAction>,
    of action: Action,
  ) -> Effect<RootAction> {
    switch effect.operation {
    case .none, .send, .cancel: return effect
    default: break
    }
    let lineage = EffectLineage()
    effects.append(RunningEffects(action: action, lineage: lineage, location: location))
    return Effect(.tracked(effect, by: lineage))
  }
}

// MARK: - The end of a test

extension TestRecorder {
  /// Reports what the test has left open, when the test store goes.
  func complete() {
    if SharedStates.areBehind(currentState) {
      // No root has shown it yet, and none will.
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

  /// Reports actions that nobody has received; an exhaustive test takes them as known from then on.
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

  /// Reports what others have changed of shared values, and the test has not said.
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

  /// Reports a shared value that is in the state where no store finds it.
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

  private func reportRunningEffect(_ action: Action, at location: IssueLocation) {
    var dump = ""
    customDump(action, to: &dump, indent: 4)
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

  /// Reports in an exhaustive test; prints in one that shows what it skips.
  func report(_ message: String, at location: IssueLocation) {
    switch exhaustivity {
    case .on: location.report(message)
    case .off(showSkippedAssertions: true): printSkipped(message, at: location)
    case .off(showSkippedAssertions: false): break
    }
  }

  /// Tells of an assertion that was not made; as an output, not as an issue, which could fail
  /// tests.
  func printSkipped(_ message: String, at location: IssueLocation) {
    showSkipped("Skipped assertion at \(location.fileID):\(location.line): \(message)\n")
  }

  static func list(_ actions: some Collection<Action>) -> String {
    actions.enumerated().map { index, action in
      var dump = ""
      customDump(action, to: &dump, indent: 4)
      let start = dump.index(dump.startIndex, offsetBy: min(4, dump.count))
      return actions.count == 1 ? dump : "    \(index + 1). \(dump[start...])"
    }
    .joined(separator: "\n")
  }
}
