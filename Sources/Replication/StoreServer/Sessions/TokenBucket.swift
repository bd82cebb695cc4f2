import StoreProtocol

/// A token bucket: a rate per second, and a burst after a pause.
struct TokenBucket {
  /// After so long a rest a bucket is looked at that may be full again.
  static let rest: Duration = .seconds(1)

  private static let second: Int64 = 1_000_000_000

  private let perSecond: Int
  private let full: Int64
  private var nanoTokens: Int64
  private var at: Instant

  /// Creates a full bucket.
  ///
  /// - Parameters:
  ///   - perSecond: The tokens that come in a second.
  ///   - burst: The most that it holds; as many as come in a second unless told.
  ///   - now: The moment.
  init(perSecond: Int, burst: Int? = nil, now: Instant) {
    self.perSecond = perSecond
    full = Int64(burst ?? perSecond) * Self.second
    nanoTokens = full
    at = now
  }

  /// Takes one, or several.
  ///
  /// - Parameters:
  ///   - now: The moment.
  ///   - count: How many.
  ///   - leavingHalf: Whether half of a full bucket is left for others.
  /// - Returns: False when there are not so many left; then none is taken.
  mutating func take(_ now: Instant, _ count: Int = 1, leavingHalf: Bool = false) -> Bool {
    nanoTokens = left(now)
    at = now
    guard nanoTokens - (leavingHalf ? full / 2 : 0) >= Int64(count) * Self.second else {
      return false
    }
    nanoTokens -= Int64(count) * Self.second
    return true
  }

  /// Takes what something has cost, also if there was less: then none is left for a while, at most
  /// for a minute.
  mutating func charge(_ now: Instant, _ count: Int) {
    let most = Int64(perSecond) * 60
    nanoTokens = max(left(now) - min(Int64(count), most) * Self.second, -most * Self.second)
    at = now
  }

  /// Whether anything is left.
  func hasAny(_ now: Instant) -> Bool { left(now) > 0 }

  /// Whether it has as much as a new one.
  func isFull(_ now: Instant) -> Bool { left(now) == full }

  private func left(_ now: Instant) -> Int64 {
    let rest = max(at.duration(to: now), .zero).wholeNanoseconds
    // A longer rest fills it, and need not be counted.
    guard perSecond > 0, rest <= (full - nanoTokens) / Int64(perSecond) else {
      return perSecond > 0 ? full : nanoTokens
    }
    return min(full, nanoTokens + rest * Int64(perSecond))
  }
}
