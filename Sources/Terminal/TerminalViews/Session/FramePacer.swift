/// When the next drawing may be: at once where the last one is long ago, and else so much later
/// that there are not too many of them in a second, and that those which take long take no more
/// than a part of the time.
struct FramePacer {
  /// How many times as long as a drawing takes nothing is drawn behind it.
  static let rest = 12

  let interval: Duration
  private var end: Duration?
  private var cost = Duration.zero

  init(framesPerSecond: Int) { interval = .seconds(1) / max(1, framesPerSecond) }

  /// How long the next drawing has to wait; one that is urgent, only for the interval.
  func delay(at now: Duration, isUrgent: Bool) -> Duration {
    guard let end else { return .zero }
    let wait = isUrgent ? interval : max(interval, cost * Self.rest)
    return max(.zero, wait - (now - end))
  }

  /// Notes a drawing.
  mutating func drew(from start: Duration, to end: Duration) {
    self.end = end
    cost = end - start
  }
}
