/// So much a second, and as much at once after a rest.
struct TokenBucket {
  private let perSecond: Int
  private var nanoTokens: Int64
  private var at: Instant

  init(perSecond: Int, now: Instant) {
    self.perSecond = perSecond
    nanoTokens = Int64(perSecond) * 1_000_000_000
    at = now
  }

  /// Takes one.
  ///
  /// - Returns: False when there is none left.
  mutating func take(_ now: Instant) -> Bool {
    // A rest of a second fills it, so longer ones need not be counted.
    let rest = min(max(at.duration(to: now), .zero), .seconds(1))
    at = now
    let full = Int64(perSecond) * 1_000_000_000
    nanoTokens = min(full, nanoTokens + rest.wholeNanoseconds * Int64(perSecond))
    guard nanoTokens >= 1_000_000_000 else { return false }
    nanoTokens -= 1_000_000_000
    return true
  }
}
