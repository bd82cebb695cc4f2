package import StoreProtocol
package import StoreState

/// A client's copy of a scope's state, in whatever form.
///
/// Bytes are applied as they arrive. The result becomes visible only with ``show(revision:)``, when
/// every scope of the connection has reached the revision, and observers are notified by
/// ``announce()``, when every scope shows it. So an observer may read any scope of the connection,
/// and all are at the same revision.
@MainActor
package protocol Replica: AnyObject {
  /// Takes a snapshot, the encoding of an optional state.
  func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError)

  /// Takes a delta of the optional state. After it threw a snapshot follows.
  func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError)

  /// The digest of the optional state that the bytes made.
  var digest: Digest { get }

  /// The encoding of the optional state that the bytes made.
  var encoding: [UInt8] { get }

  /// Whether a state is shown that is the scope's, as opposed to none.
  var isShown: Bool { get }

  /// Shows what the bytes made: every scope of the connection is at this revision. Tells nobody.
  func show(revision: UInt64)

  /// Tells those who watch that there is something new.
  func announce()

  /// Takes an output of the scope; the state that it comes behind is shown and announced.
  func received(_ output: PublishedMessage.Output)

  /// Takes note of how the scope is doing; that it has ended is told by ``announceEnd()``.
  func statusChanged(_ status: ScopeStatus)

  /// Tells those who watch that nothing new will come: every scope that ended with this one has.
  func announceEnd()
}

/// The status of a client's scope.
package enum ScopeStatus: Hashable, Sendable {
  /// Nothing was received yet.
  case joining
  /// The state is the daemon's, as of the newest revision received.
  case live
  /// The connection is gone; the state is what it last was.
  case stale
  /// The daemon does not let the client have it; nothing will come.
  case refused(JoinFailure)
  /// The connection was closed, and why; nothing will come.
  case closed(String)
}

/// An event for the user of the client.
package enum ClientEvent: Hashable, Sendable {
  case connected(session: UInt64, epoch: UInt64, isResumed: Bool)
  /// The daemon's history does not continue: everything comes afresh.
  case newEpoch(old: UInt64, new: UInt64)
  case refused(code: String, message: String)
  case sessionEnded(code: String, message: String)
  case silent
  /// A scope is joined again, and why.
  case resynchronizing(scope: String, reason: String)
  /// A scope differed from the daemon's, and where.
  case differed(scope: String, place: String)
  /// Outputs of a scope that somebody asked for cannot be read here, and why.
  case outputsLeftOut(scope: String, reason: String)
  /// The connection is closed, and why. Nothing comes after it.
  case closed(String)
}
