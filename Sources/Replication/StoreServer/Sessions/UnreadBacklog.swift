import StoreProtocol

/// The publications for a session that its client has not read.
struct UnreadBacklog: Hashable {
  static let none = UnreadBacklog(bytes: 0, age: .zero)

  var bytes: UInt64
  /// The time since the oldest unread publication.
  var age: Duration

  var milliseconds: UInt64 { UInt64(clamping: age.wholeMilliseconds) }
}

extension ReplicaServer {
  /// Returns the followed publications that a session's client has not read, as of its pings.
  ///
  /// A client pings three times in a lease, and at once after some bytes. A client without a ping
  /// for half a lease, or for twice these bytes, counts as stopped.
  func backlog(of session: Session, at now: Instant) -> UnreadBacklog {
    session.scopes.backlog(
      at: now,
      silence: timing.lease / 2,
      bytes: UInt64(2 * limits.bytesPerPing),
      transit: timing.transit,
    )
  }
}
