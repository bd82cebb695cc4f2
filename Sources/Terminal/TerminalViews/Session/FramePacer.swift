/// Decides when the next drawing may start.
///
/// It may start at once if the last one ended long ago. Otherwise it waits, so that the frame rate
/// stays limited and slow drawings take only a part of the time.
struct FramePacer {
  /// The pause after a drawing, as a multiple of the drawing's duration.
  static let rest = 12

  let interval: Duration
  private var end: Duration?
  private var cost = Duration.zero

  init(framesPerSecond: Int) { interval = .seconds(1) / max(1, framesPerSecond) }

  /// Returns the delay of the next drawing.
  ///
  /// An urgent drawing waits only for the frame interval.
  func delay(at now: Duration, isUrgent: Bool) -> Duration {
    guard let end else { return .zero }
    let wait = isUrgent ? interval : max(interval, cost * Self.rest)
    return max(.zero, wait - (now - end))
  }

  /// Notes the duration of a drawing.
  mutating func drew(from start: Duration, to end: Duration) {
    self.end = end
    cost = end - start
  }
}
