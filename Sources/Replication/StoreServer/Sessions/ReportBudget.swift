import StoreProtocol

/// The statuses and the other reports that a connection, or a holder, may still request.
struct ReportBudget {
  var statuses: TokenBucket
  /// Descriptions, queries of the history or of rows, and commands for keys.
  var questions: TokenBucket

  /// The budget of a new connection.
  static func ofConnection(_ limits: Limits, now: Instant) -> Self {
    Self(
      statuses: TokenBucket(perSecond: limits.statusesPerSecond, now: now),
      questions: TokenBucket(perSecond: limits.questionsPerSecond, now: now),
    )
  }

  /// The budget of all connections of a holder that is not the owner's.
  static func ofHolder(_ limits: Limits, now: Instant) -> Self {
    Self(
      statuses: TokenBucket(perSecond: limits.statusesPerHolder, now: now),
      questions: TokenBucket(perSecond: limits.questionsPerHolder, now: now),
    )
  }

  /// Whether the budget equals a new one.
  func isFull(_ now: Instant) -> Bool { statuses.isFull(now) && questions.isFull(now) }
}
