public import StoreActor

/// A connected client, for a feature that lists the connected clients.
public struct SessionInfo: Hashable, Sendable {
  /// The session's number, unique within the daemon's run, from 1.
  public var id: UInt64
  /// The name that the client gave itself.
  public var name: String
  /// The address that it is connected from, according to the transport: `localhost:uid:gid:pid`
  /// over ipc, and `key:NAME@ADDRESS` for a client with a key.
  public var address: String
  /// Its identity, which the transport authenticates; the client chooses ``name`` itself.
  public var identity: ActionOrigin.Identity

  /// Creates a session's description.
  public init(
    id: UInt64,
    name: String,
    address: String,
    identity: ActionOrigin.Identity = .unknown,
  ) {
    self.id = id
    self.name = name
    self.address = address
    self.identity = identity
  }

  /// The origin of its actions.
  package var origin: ActionOrigin { ActionOrigin(identity: identity, session: id) }
}

/// An event of a listed session.
public enum SessionEvent: Hashable, Sendable {
  /// It opened its session.
  case joined(SessionInfo)
  /// Its lease ended, or it said goodbye. Sent once for each session that joined.
  case left(SessionInfo)
}
