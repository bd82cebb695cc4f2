package import StoreProtocol
package import StoreState

/// A client's copy of a scope's state, in any form.
///
/// Bytes are applied as they arrive. The result becomes visible only with ``show(revision:)``, when
/// every scope of the connection has reached the revision, and observers are notified by
/// ``announce()``, when every scope shows it. So an observer may read any scope of the connection,
/// and all are at the same revision.
@MainActor
package protocol Replica: AnyObject {
  /// Takes a snapshot, the encoding of an optional state.
  func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError)

  /// Takes a delta of the optional state. A snapshot follows after it has thrown.
  func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError)

  /// The digest of the optional state that the bytes made.
  var digest: Digest { get }

  /// The encoding of the optional state that the bytes made.
  var encoding: [UInt8] { get }

  /// Whether the scope's state is shown, as opposed to its absence.
  var isShown: Bool { get }

  /// Shows the state of the bytes, once every scope of the connection is at this revision. Notifies
  /// no observer.
  func show(revision: UInt64)

  /// Notifies observers of the shown state.
  func announce()

  /// Takes an output of the scope; the state that precedes it is shown and announced.
  func received(_ output: PublishedMessage.Output)

  /// Takes the scope's status; ``announceEnd()`` notifies observers of its end.
  func statusChanged(_ status: ScopeStatus)

  /// Notifies observers of the end, after every scope that ended with this one has its status.
  func announceEnd()
}

/// The status of a client's scope.
package enum ScopeStatus: Hashable, Sendable {
  /// Before the first state was received.
  case joining
  /// The state is the daemon's, as of the newest revision received.
  case live
  /// The connection is gone; the last state remains.
  case stale
  /// The daemon refused the scope to the client; no state will arrive.
  case refused(JoinFailure)
  /// The connection was closed, with the reason; no state will arrive.
  case closed(String)
}

/// An event for the user of the client.
package enum ClientEvent: Hashable, Sendable {
  case connected(session: UInt64, epoch: UInt64, isResumed: Bool)
  /// The daemon's history does not continue: all states are received again.
  case newEpoch(old: UInt64, new: UInt64)
  case refused(code: String, message: String)
  case sessionEnded(code: String, message: String)
  case silent
  /// A scope is joined again, with the reason.
  case resynchronizing(scope: String, reason: String)
  /// A scope differed from the daemon's, with the place.
  case differed(scope: String, place: String)
  /// Outputs of a scope that an observer requested cannot be read here, with the reason.
  case outputsLeftOut(scope: String, reason: String)
  /// The connection is closed, with the reason. This is the last event.
  case closed(String)
}
