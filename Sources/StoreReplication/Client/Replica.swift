package import StoreState

/// A copy of a scope's state, of whatever type, that a ``ReplicaClient`` keeps up to date.
///
/// The client calls ``reset(to:revision:)`` and ``apply(_:revision:)`` as the bytes come; what they
/// make is to be shown only when ``settled(revision:)`` says that every scope is at that revision,
/// and those who watch are to be told in ``announce()``, when all scopes show it.
@MainActor
package protocol Replica: AnyObject {
  /// Takes a snapshot, the encoding of an optional state.
  func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError)

  /// Takes a delta of the optional state. After it threw a snapshot follows.
  func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError)

  /// The digest of the optional state.
  var digest: Digest { get }

  /// All scopes of the client are at this revision now, this one among them.
  func settled(revision: UInt64)

  /// Every scope that changed has been settled: those who watch may look, at any scope.
  func announce()

  /// Takes an output of the scope; the state that it comes behind is shown and announced.
  func received(_ output: PublishedMessage.Output)

  func statusChanged(_ status: ScopeStatus)
}

extension Replica {
  package func announce() {}

  package func received(_: PublishedMessage.Output) {}
}

/// How a scope of a client is doing.
package enum ScopeStatus: Hashable, Sendable {
  /// Nothing was received yet.
  case joining
  /// The state is the daemon's, as of the newest revision received.
  case live
  /// The connection is gone; the state is what it last was.
  case stale
  /// The daemon does not let the client have it; nothing will come.
  case refused(JoinFailure)
}

/// Why a scope could not be joined.
package struct JoinFailure: Error, Hashable, Sendable {
  /// The kind of failure, such as `unknownScope` or `schemaMismatch`.
  package var code: String
  package var message: String
  /// The nearest right names, or the fields that differ.
  package var details: [String]

  package init(code: String, message: String, details: [String]) {
    self.code = code
    self.message = message
    self.details = details
  }
}

/// What a user of the client should be told.
package enum ClientEvent: Hashable, Sendable {
  case connected(session: UInt64, epoch: UInt64, isResumed: Bool)
  /// The daemon's history does not continue: everything comes afresh.
  case newEpoch(old: UInt64, new: UInt64)
  case refused(code: String, message: String)
  case sessionEnded(code: String, message: String)
  case silent
  /// A scope is joined again, and why.
  case resynchronising(scope: String, reason: String)
  /// Outputs of a scope that somebody asked for cannot be read here, and why.
  case outputsLeftOut(scope: String, reason: String)
}
