import StoreProtocol

/// What was published for a session that its client has not read.
struct UnreadBacklog: Hashable {
  static let none = UnreadBacklog(bytes: 0, age: .zero)

  var bytes: UInt64
  /// How long ago the oldest of it was published.
  var age: Duration

  var milliseconds: UInt64 { UInt64(clamping: age.wholeMilliseconds) }
}

extension ReplicaServer {
  /// What a session's client has not read of what it follows, as far as its pings tell.
  ///
  /// It pings three times in a lease, and at once after some bytes: who has not for half of it, or
  /// for twice as much, has stopped.
  func backlog(of session: Session, at now: Instant) -> UnreadBacklog {
    session.scopes.backlog(
      at: now,
      silence: timing.lease / 2,
      bytes: UInt64(2 * limits.bytesPerPing),
      transit: timing.transit,
    )
  }
}
