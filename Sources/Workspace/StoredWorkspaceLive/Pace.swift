import StoreActor
import Synchronization

/// A rate limit: a burst at first, then a steady rate.
///
/// One program of a user, or one key, gets half of the rate and of the burst, so a single greedy
/// one cannot use up the limit.
///
/// Isolation: a mutex guards the record of past uses; everything else is constant.
final class Pace: Sendable {
  private typealias Instant = AnyClock<Duration>.Instant

  /// The times at which all past uses would end, at one use per interval.
  private struct BusyUntil {
    var all: Instant
    /// The time for each identity with a recent use.
    var one: [ActionOrigin.Identity: Instant] = [:]
  }

  private let clock: AnyClock<Duration>
  private let interval: Duration
  private let burst: Int
  private let busyUntil: Mutex<BusyUntil>

  /// Allows a burst of this size; a rest restores one use per interval.
  init(burst: Int, interval: Duration, clock: AnyClock<Duration>) {
    self.clock = clock
    self.interval = interval
    self.burst = burst
    busyUntil = Mutex(BusyUntil(all: clock.now))
  }

  /// Returns whether one more use is allowed now, and records it in that case.
  ///
  /// - Parameter asker: The origin of the request. Requests of this process itself count only for
  ///   the total.
  /// - Returns: Whether it is allowed.
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
