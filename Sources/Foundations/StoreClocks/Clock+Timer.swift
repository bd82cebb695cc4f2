extension Clock {
  /// An endless sequence of instants at equal intervals, on this clock.
  ///
  /// ```swift
  /// return .run { send in
  ///   for await _ in clock.timer(interval: .seconds(1)) { await send(.tick) }
  /// }
  /// ```
  ///
  /// It ends when its task is cancelled. Ticks that the loop's body was too slow for are left
  /// out; the next one comes at the time at which it would have come without the delay.
  ///
  /// - Parameters:
  ///   - interval: The time from tick to tick; more than zero.
  ///   - tolerance: How late a tick may be.
  /// - Returns: The sequence; each iterator of it is a timer of its own.
  public func timer(
    interval: Duration,
    tolerance: Duration? = nil,
  ) -> AsyncTimerSequence<AnyClock<Duration>> where Duration: Hashable {
    AsyncTimerSequence(interval: interval, tolerance: tolerance, clock: AnyClock(self))
  }
}
