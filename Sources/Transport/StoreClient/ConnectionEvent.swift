import StoreProtocol
import StoreReplica

/// A change of a connection that may matter to its user.
public struct ConnectionEvent: Hashable, Sendable, CustomStringConvertible {
  /// The kind of change.
  public enum Kind: Hashable, Sendable {
    /// A session is open. Resumed means that effects and lease continued through an interruption.
    case connected(isResumed: Bool)
    /// The daemon has restarted with a new history: all state is fetched again.
    case newEpoch
    /// The daemon no longer serves this client.
    case refused
    /// The session has ended, with its effects; the client requests another one.
    case sessionEnded
    /// The daemon has ended or does not answer. Stores show the last state that was received.
    case silent
    /// A scope is fetched again, because a message was lost or did not apply.
    case resynchronizing
    /// The copy of a scope differed from the daemon's; the description contains the place.
    case differed
    /// Outputs of a scope cannot be read, usually because the daemon is of another build.
    case outputsLeftOut
    /// The connection is closed; this is the last event.
    case closed
  }

  /// The kind of change.
  public var kind: Kind
  /// The event as a sentence for people.
  public var description: String
  /// The reason for which the daemon no longer serves this client; nil if it serves it.
  private var refusal: JoinFailure?

  init(_ event: ClientEvent) {
    switch event {
    case .connected(let session, _, let isResumed):
      kind = .connected(isResumed: isResumed)
      description = isResumed ? "resumed session \(session)" : "connected as session \(session)"
    case .newEpoch(let old, let new):
      kind = .newEpoch
      description =
        "the daemon has a new epoch (\(String(new, radix: 16)), was \(String(old, radix: 16))): "
        + "joining everything again"
    case .refused(let code, let message):
      kind = .refused
      description = "refused (\(code)): \(message)"
      refusal = JoinFailure(code: code, message: message)
    case .sessionEnded(let code, let message):
      kind = .sessionEnded
      description = "the session ended (\(code)): \(message)"
    case .silent:
      kind = .silent
      description = "nothing is heard of the daemon; showing what was last received"
    case .resynchronizing(let scope, let reason):
      kind = .resynchronizing
      description = "fetching \(scope) again: \(reason)"
    case .outputsLeftOut(let scope, let reason):
      kind = .outputsLeftOut
      description = "leaving out outputs of \(scope): \(reason)"
    case .differed(let scope, let place):
      kind = .differed
      description = "\(scope) differed from the daemon's state: \(place)"
    case .closed(let reason):
      kind = .closed
      description = "closed: \(reason)"
    }
  }
}

extension ConnectionEvent {
  /// The error that ends a program with this connection; nil if the connection continues.
  package var end: ConnectionError? {
    if let refusal { return ConnectionError(refusal) }
    return kind == .closed ? ConnectionError(.closed, description, remedy: "") : nil
  }
}
