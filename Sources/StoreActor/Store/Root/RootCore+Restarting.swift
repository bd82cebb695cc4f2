extension RootCore {
  /// Runs a closure with the reducers' dependencies: when it reads a state, the keys of that state
  /// use these dependencies.
  ///
  /// - Parameter body: The closure.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error.
  package func withOwnDependencies<R, Failure: Error>(
    _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    try DependencyValues.$_current.withValue(dependencies) { Result(catching: body) }.get()
  }

  /// Informs the reducer that its daemon has started, as one revision; without an earlier daemon,
  /// there is no revision unless a reducer asks for the information.
  ///
  /// - Parameters:
  ///   - restoration: The information for the reducer, unless it is held back.
  ///   - first: The actions that are reduced first, in order, each with its consequences.
  ///   - reset: Changes the state before the reducer runs.
  ///   - action: The action that is reduced last; nil for no action.
  ///   - keepsSchedules: Whether this root has the schedules already.
  /// - Returns: False if a reducer has refused one of the first actions. Then there is no revision.
  @discardableResult
  package func restart(
    _ restoration: Restoration,
    after first: [Action] = [],
    reset: (inout State) -> Void,
    then action: Action?,
    keepingSchedules keepsSchedules: Bool = false,
  ) -> Bool {
    var isAccepted = true
    commitWithoutAction {
      registry.hasStarted = restoration.isRestart
      isAccepted = first.allSatisfy { reducePart($0) }
      guard isAccepted else { return false }
      reset(&cells.other.pointee)
      let walk = { self.restored?(&self.cells.other.pointee, restoration, self) ?? () }
      if keepsSchedules { walk() } else { restoreSchedules(restoration, walk) }
      if let action { reduceWithoutRefusal { step(&cells.other.pointee, action, self) } }
      return registry.hasStarted
    }
    return isAccepted
  }

  /// Makes a revision as if the root's daemon had ended and started again, for tests.
  ///
  /// All effects end, except for schedules, which a daemon keeps. A `DurableState` gets the
  /// defaults of its `@DurableIgnored` properties.
  ///
  /// - Parameters:
  ///   - interrupted: The named effects that the end has interrupted; nil for all that run.
  ///   - wasStopped: Whether the daemon before was stopped in order.
  func restartForTest(interrupted: [InterruptedEffect]?, wasStopped: Bool) {
    let serials = registry.serials
    let running = (namedWork ?? [:]).filter { serials.contains($0.key) }
    var restoration =
      interrupted.map { Restoration(wasStopped: wasStopped, interrupted: $0) }
      ?? Restoration(wasStopped: wasStopped, running: running)
    let schedules = registry.schedules
    registry.cancelAll(besides: Set(schedules.map(\.serial)))
    registry.endIntervals()
    namedWork = [:]
    restoration.timers = schedules.compactMap(\.schedule).map {
      RestoredTimer(number: 0, timer: $0)
    }
    var new: State?
    do throws(CodecError) {
      try withOwnDependencies { () throws(CodecError) in
        if let state = state as? any DurableState { new = try state.begunAnew() as? State }
      }
    } catch {
      reportIssue("The state cannot be read from its own encoding: \(error)")
    }
    restart(restoration, reset: { if let new { $0 = new } }, then: nil, keepingSchedules: true)
  }
}
