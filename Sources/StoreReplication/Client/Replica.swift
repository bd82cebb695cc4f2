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

  func statusChanged(_ status: ScopeStatus)
}

extension Replica {
  package func announce() {}
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

/// What a client wants of one scope, and how far it got.
@MainActor
package final class ClientScope {
  package let name: String
  package let mode: ClientMessage.JoinMode
  let stateHash: Digest?
  let actionHash: Digest?
  private let state: SchemaDocument?
  private let action: SchemaDocument?
  /// Nil for a scope that is only sent to.
  package let replica: (any Replica)?
  package internal(set) var status = ScopeStatus.joining {
    didSet { if status != oldValue { replica?.statusChanged(status) } }
  }
  /// The daemon's name for it in this session; nil before the join and after the session.
  var handle: UInt64?
  /// What the replica has; nil when it has nothing, or nothing to be trusted.
  var position: ClientMessage.Position?
  /// Whether nobody wants it any more; actions that were sent to it still get their outcomes.
  var isRemoved = false

  /// Creates a scope that is not joined yet.
  ///
  /// - Parameters:
  ///   - name: The scope's name.
  ///   - mode: Whether it is followed.
  ///   - state: The schema of the state that this program knows; nil when it takes any.
  ///   - action: The schema of the actions that this program knows; nil when it takes any.
  ///   - replica: What keeps its state; nil for a scope that is only sent to.
  init(
    name: String,
    mode: ClientMessage.JoinMode,
    state: SchemaDocument?,
    action: SchemaDocument?,
    replica: (any Replica)?,
  ) {
    precondition(
      (mode == .sendOnly) == (replica == nil),
      "The scope \"\(name)\" is followed with a replica, or only sent to without one",
    )
    self.name = name
    self.mode = mode
    self.state = state
    self.action = action
    stateHash = state?.hash
    actionHash = action?.hash
    self.replica = replica
  }

  /// Whether it will not be joined any more.
  var isGone: Bool { if case .refused = status { true } else { isRemoved } }

  /// The fields and cases in which this program's types differ from the daemon's.
  func differences(from theirs: ScopeDescription) -> [String] {
    var differences: [String] = []
    if let state {
      differences += SchemaDocument.differences(between: state, and: theirs.state)
    }
    if let action {
      differences += SchemaDocument.differences(between: action, and: theirs.action)
    }
    return differences
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
}
