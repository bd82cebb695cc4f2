import StoreProtocol

/// A token bucket: a rate per second, and a burst after a pause.
struct TokenBucket {
  /// The time after which a used bucket is checked for being full again.
  static let rest: Duration = .seconds(1)

  private static let second: Int64 = 1_000_000_000

  private let perSecond: Int
  private let full: Int64
  private var nanoTokens: Int64
  private var at: Instant

  /// Creates a full bucket.
  ///
  /// - Parameters:
  ///   - perSecond: The tokens added per second.
  ///   - burst: The capacity; by default the tokens of one second.
  ///   - now: The current time.
  init(perSecond: Int, burst: Int? = nil, now: Instant) {
    self.perSecond = perSecond
    full = Int64(burst ?? perSecond) * Self.second
    nanoTokens = full
    at = now
  }

  /// Takes one token, or several.
  ///
  /// - Parameters:
  ///   - now: The current time.
  ///   - count: The number of tokens.
  ///   - leavingHalf: Whether half of a full bucket is left for others.
  /// - Returns: False if fewer are left; no token is taken then.
  mutating func take(_ now: Instant, _ count: Int = 1, leavingHalf: Bool = false) -> Bool {
    nanoTokens = left(now)
    at = now
    guard nanoTokens - (leavingHalf ? full / 2 : 0) >= Int64(count) * Self.second else {
      return false
    }
    nanoTokens -= Int64(count) * Self.second
    return true
  }

  /// Takes the tokens of a past cost, even if fewer are left.
  ///
  /// The bucket is then in debt, by at most the tokens of a minute.
  mutating func charge(_ now: Instant, _ count: Int) {
    let most = Int64(perSecond) * 60
    nanoTokens = max(left(now) - min(Int64(count), most) * Self.second, -most * Self.second)
    at = now
  }

  /// Whether any token is left.
  func hasAny(_ now: Instant) -> Bool { left(now) > 0 }

  /// Whether it has as many tokens as a new one.
  func isFull(_ now: Instant) -> Bool { left(now) == full }

  private func left(_ now: Instant) -> Int64 {
    let rest = max(at.duration(to: now), .zero).wholeNanoseconds
    // A longer rest fills the bucket, and is not counted exactly.
    guard perSecond > 0, rest <= (full - nanoTokens) / Int64(perSecond) else {
      return perSecond > 0 ? full : nanoTokens
    }
    return min(full, nanoTokens + rest * Int64(perSecond))
  }
}
