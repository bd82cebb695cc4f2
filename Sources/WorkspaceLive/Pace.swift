import StoreActor
import Synchronization

/// How often something may be done: several times at once, and from then on at a steady pace.
///
/// What was allowed is behind its mutex; everything else is constant.
final class Pace: Sendable {
  private let clock: AnyClock<Duration>
  private let interval: Duration
  private let allowance: Duration
  /// When all would have been done, one an interval.
  private let busyUntil: Mutex<AnyClock<Duration>.Instant>

  /// Allows so many at once, and after a rest again one more for each interval.
  init(burst: Int, interval: Duration, clock: AnyClock<Duration>) {
    self.clock = clock
    self.interval = interval
    allowance = interval * (burst - 1)
    busyUntil = Mutex(clock.now)
  }

  /// Whether it may be done once more now; if so, it counts.
  func allows() -> Bool {
    let now = clock.now
    return busyUntil.withLock { busyUntil in
      let start = max(busyUntil, now)
      guard now.duration(to: start) <= allowance else { return false }
      busyUntil = start.advanced(by: interval)
      return true
    }
  }
}
