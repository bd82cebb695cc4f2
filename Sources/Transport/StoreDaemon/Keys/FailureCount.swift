/// How often something has failed that a peer may try again and again, so that the log has one line
/// of it in ten seconds.
struct FailureCount {
  private var toldAt: Int64?
  private var untold = 0

  /// Takes note of a failure.
  ///
  /// - Parameter now: Nanoseconds of a clock that does not go back.
  /// - Returns: How many were not told since the last line, if there is to be one now.
  mutating func add(at now: Int64) -> Int? {
    if let toldAt, now - toldAt < CutReports.interval {
      untold += 1
      return nil
    }
    defer { (toldAt, untold) = (now, 0) }
    return untold
  }
}
