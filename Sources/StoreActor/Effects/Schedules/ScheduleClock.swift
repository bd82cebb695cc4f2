/// The times by which schedules fire.
@MainActor
package struct ScheduleClock {
  /// Returns the date, in seconds since 2001.
  let date: () -> Double
  /// Returns the seconds since the clock was made; it never goes back.
  let elapsed: () -> Double
  /// Calls a closure once after some seconds, unless the returned closure is called before.
  let wake: (_ seconds: Double, _ body: @escaping @MainActor () -> Void) -> () -> Void

  package init(
    date: @escaping () -> Double,
    elapsed: @escaping () -> Double,
    wake: @escaping (_ seconds: Double, _ body: @escaping @MainActor () -> Void) -> () -> Void,
  ) {
    self.date = date
    self.elapsed = elapsed
    self.wake = wake
  }

  /// The clock of some dependencies.
  ///
  /// - Parameter dependencies: Returns the dependencies, of which the date may change.
  init(of dependencies: @escaping () -> DependencyValues) {
    let date = { dependencies().date.now.timeIntervalSinceReferenceDate }
    self = Self.clock(dependencies().continuousClock, date)
  }

  private static func clock<C: Clock<Duration>>(
    _ clock: C,
    _ date: @escaping () -> Double,
  ) -> ScheduleClock {
    let start = clock.now
    return ScheduleClock(date: date) {
      start.duration(to: clock.now) / .seconds(1)
    } wake: { seconds, body in
      let task = Task { @MainActor in
        do {
          try await clock.sleep(for: .seconds(seconds))
        } catch {
          // The only reason is that the wait was cancelled.
          return
        }
        if !Task.isCancelled { body() }
      }
      return { task.cancel() }
    }
  }
}
