/// An endless sequence of a clock's instants at equal intervals; see
/// `Clock.timer(interval:tolerance:)`.
public struct AsyncTimerSequence<C: Clock>: AsyncSequence, Sendable {
  private let interval: C.Duration
  private let tolerance: C.Duration?
  private let clock: C

  /// Creates a timer of a clock.
  ///
  /// - Parameters:
  ///   - interval: The time between two ticks; more than zero.
  ///   - tolerance: The largest delay of a tick.
  ///   - clock: The clock.
  public init(interval: C.Duration, tolerance: C.Duration? = nil, clock: C) {
    precondition(interval > .zero, "A timer's interval is more than zero, not \(interval).")
    self.interval = interval
    self.tolerance = tolerance
    self.clock = clock
  }

  /// Starts the timer: the first tick is one interval after the first call of `next`.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(interval: interval, tolerance: tolerance, clock: clock)
  }

  /// A running timer.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let interval: C.Duration
    fileprivate let tolerance: C.Duration?
    fileprivate let clock: C
    private var lastTick: C.Instant?
    private var isFinished = false

    fileprivate init(interval: C.Duration, tolerance: C.Duration?, clock: C) {
      self.interval = interval
      self.tolerance = tolerance
      self.clock = clock
    }

    /// Waits for the next tick, and returns its instant, or nil if the task is cancelled.
    public mutating func next() async -> C.Instant? {
      guard !isFinished else { return nil }
      let tick = nextTick()
      do {
        try await clock.sleep(until: tick, tolerance: tolerance)
      } catch {
        // A sleep fails only because of cancellation, which ends the timer.
        isFinished = true
        return nil
      }
      lastTick = tick
      return clock.now
    }

    private func nextTick() -> C.Instant {
      let now = clock.now
      guard let lastTick else { return now.advanced(by: interval) }
      let tick = lastTick.advanced(by: interval)
      guard tick < now else { return tick }
      let missed = (tick.duration(to: now) / interval).rounded(.up)
      return tick.advanced(by: interval * Int(missed))
    }
  }
}
