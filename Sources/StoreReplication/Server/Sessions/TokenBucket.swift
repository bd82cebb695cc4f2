/// A token bucket: a rate per second, and a burst after a pause.
struct TokenBucket {
  /// So long a rest fills it.
  static let rest: Duration = .seconds(1)

  private let perSecond: Int
  private var nanoTokens: Int64
  private var at: Instant

  init(perSecond: Int, now: Instant) {
    self.perSecond = perSecond
    nanoTokens = Int64(perSecond) * 1_000_000_000
    at = now
  }

  /// Takes one, or several.
  ///
  /// - Returns: False when there are not so many left; then none is taken.
  mutating func take(_ now: Instant, _ count: Int = 1) -> Bool {
    nanoTokens = left(now)
    at = now
    guard nanoTokens >= Int64(count) * 1_000_000_000 else { return false }
    nanoTokens -= Int64(count) * 1_000_000_000
    return true
  }

  /// Whether it has as much as a new one.
  func isFull(_ now: Instant) -> Bool { left(now) == full }

  private var full: Int64 { Int64(perSecond) * 1_000_000_000 }

  private func left(_ now: Instant) -> Int64 {
    // Longer rests need not be counted.
    let rest = min(max(at.duration(to: now), .zero), Self.rest)
    return min(full, nanoTokens + rest.wholeNanoseconds * Int64(perSecond))
  }
}
