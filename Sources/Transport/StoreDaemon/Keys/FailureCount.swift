/// Counts failures that a peer may cause again and again, so that the log has at most one line
/// about them in ten seconds.
struct FailureCount {
  private var toldAt: Int64?
  private var untold = 0

  /// Records a failure.
  ///
  /// - Parameter now: Nanoseconds of a monotonic clock.
  /// - Returns: The number of failures without a line since the last one, if a line is due now.
  mutating func add(at now: Int64) -> Int? {
    if let toldAt, now - toldAt < CutReports.interval {
      untold += 1
      return nil
    }
    defer { (toldAt, untold) = (now, 0) }
    return untold
  }
}
