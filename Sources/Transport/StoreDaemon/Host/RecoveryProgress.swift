/// Reports the progress of a recovery that takes more than a second.
struct RecoveryProgress {
  private static let second: Int64 = 1_000_000_000

  private let newest: UInt64
  /// The time of the next report, in nanoseconds.
  private var next: Int64

  /// Starts measuring the time.
  ///
  /// - Parameters:
  ///   - newest: The revision that is recovered last.
  ///   - now: The current time, in nanoseconds.
  init(through newest: UInt64, at now: Int64) {
    self.newest = newest
    next = now + Self.second
  }

  /// Reports the progress.
  ///
  /// - Parameters:
  ///   - revision: The revision that was recovered last.
  ///   - now: The current time, in nanoseconds.
  /// - Returns: A sentence; nil if the last report is less than a second old.
  mutating func text(at revision: UInt64, _ now: Int64) -> String? {
    guard now >= next else { return nil }
    next = now + Self.second
    return "The state of revision \(revision) of \(newest) is back, and more follows."
  }
}

/// Reports the progress of a search in the log that takes more than a second.
@MainActor
final class SearchProgress {
  private static let second: Int64 = 1_000_000_000

  /// The time of the next report, in nanoseconds.
  private var next: Int64

  /// Starts measuring the time, in nanoseconds.
  init(at now: Int64) { next = now + Self.second }

  /// Reports the progress.
  ///
  /// - Parameters:
  ///   - place: The place in the segment that was reached.
  ///   - count: The segment's number of bytes.
  ///   - now: The current time, in nanoseconds.
  /// - Returns: A sentence; nil if the last report is less than a second old.
  func text(at place: Int, of count: Int, _ now: Int64) -> String? {
    guard now >= next else { return nil }
    next = now + Self.second
    return
      "The log ends with an entry that is torn, or damaged: the search for later entries "
      + "is at byte \(place) of \(count)."
  }
}
