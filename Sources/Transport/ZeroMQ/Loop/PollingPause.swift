/// Decides whether polling pauses because another program needs the core.
///
/// A thread that polls uses up its share of the processor. Where another program wants the same
/// core, the scheduler then lets that program run for a whole time slice, some milliseconds, while
/// a thread that sleeps and is woken runs at once. A slice shows as a long time between two polls,
/// since each poll yields. After one, the loop sleeps instead of polling for fifty times as long,
/// so polling costs at most a fiftieth of the time beside a program that never sleeps.
struct PollingPause {
  /// The least number of nanoseconds between two polls that shows another program's time slice:
  /// longer than a turn of a client or daemon on the same core, shorter than a slice.
  static let slice: Int64 = 500_000
  /// For how many times the length of a slice polling pauses.
  static let factor: Int64 = 50

  private var end: Int64 = .min

  /// Whether polling is possible at a time of the loop's clock, in nanoseconds.
  func isOver(at now: Int64) -> Bool { now >= end }

  /// Records the time between two polls.
  ///
  /// - Parameters:
  ///   - gap: That time, in nanoseconds.
  ///   - now: The time at its end, of the loop's clock.
  /// - Returns: Whether a pause begins.
  mutating func begins(after gap: Int64, at now: Int64) -> Bool {
    guard gap >= Self.slice else { return false }
    end = now + gap * Self.factor
    return true
  }
}
