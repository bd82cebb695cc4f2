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
