/// When the next drawing may be: at once where the last one is long ago, and else so much later
/// that there are not too many of them in a second.
struct FramePacer {
  let interval: Duration
  private var last: Duration?

  init(framesPerSecond: Int) { interval = .seconds(1) / max(1, framesPerSecond) }

  /// How long the next drawing has to wait.
  func delay(at now: Duration) -> Duration {
    guard let last else { return .zero }
    return max(.zero, interval - (now - last))
  }

  /// Notes a drawing.
  mutating func drew(at now: Duration) { last = now }
}
