extension Clock {
  /// Returns an endless sequence of instants at equal intervals, on this clock.
  ///
  /// ```swift
  /// return .run { send in
  ///   for await _ in clock.timer(interval: .seconds(1)) { await send(.tick) }
  /// }
  /// ```
  ///
  /// It ends when its task is cancelled. Ticks that pass while the loop's body is busy are omitted;
  /// the schedule of later ticks is unchanged.
  ///
  /// - Parameters:
  ///   - interval: The time between two ticks; more than zero.
  ///   - tolerance: The largest delay of a tick.
  /// - Returns: The sequence; each of its iterators is a separate timer.
  public func timer(
    interval: Duration,
    tolerance: Duration? = nil,
  ) -> AsyncTimerSequence<AnyClock<Duration>> where Duration: Hashable {
    AsyncTimerSequence(interval: interval, tolerance: tolerance, clock: AnyClock(self))
  }
}
