import StoreActor
import Synchronization

/// How often something may be done: several times at once, and from then on at a steady pace.
///
/// One program of a user's, or one key, may do it half as often as all together: so it takes more
/// than one that is greedy to leave nothing to others.
///
/// What was allowed is behind its mutex; everything else is constant.
final class Pace: Sendable {
  private typealias Instant = AnyClock<Duration>.Instant

  /// When all would have been done, one an interval.
  private struct BusyUntil {
    var all: Instant
    /// Of each who has done something lately.
    var one: [ActionOrigin.Identity: Instant] = [:]
  }

  private let clock: AnyClock<Duration>
  private let interval: Duration
  private let burst: Int
  private let busyUntil: Mutex<BusyUntil>

  /// Allows so many at once, and after a rest again one more for each interval.
  init(burst: Int, interval: Duration, clock: AnyClock<Duration>) {
    self.clock = clock
    self.interval = interval
    self.burst = burst
    busyUntil = Mutex(BusyUntil(all: clock.now))
  }

  /// Whether it may be done once more now; if so, it counts.
  ///
  /// - Parameter asker: Who began what asks for it. What this process does by itself is nobody's,
  ///   and counts for all alone.
  /// - Returns: Whether it may.
  func allows(_ asker: ActionOrigin.Identity) -> Bool {
    let now = clock.now
    return busyUntil.withLock { busyUntil in
      busyUntil.one = busyUntil.one.filter { now < $0.value }
      let all = max(busyUntil.all, now)
      let one = busyUntil.one[asker] ?? now
      let own = interval * 2
      guard now.duration(to: all) <= interval * (burst - 1),
        now.duration(to: one) <= own * (burst / 2 - 1)
      else { return false }
      busyUntil.all = all.advanced(by: interval)
      if asker != .process { busyUntil.one[asker] = one.advanced(by: own) }
      return true
    }
  }
}
