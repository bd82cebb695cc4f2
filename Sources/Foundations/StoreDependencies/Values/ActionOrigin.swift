/// The origin of the action that is being reduced.
///
/// The origin of a client's action is that client. All actions that follow from it have the same
/// origin: those that its effects send, and their consequences. All other actions originate in the
/// process of the store.
///
/// ```swift
/// @Dependency(\.origin) var origin
/// …
/// case .clearButtonTapped:
///   guard origin.identity.user == state.owner else { return .none }
/// ```
public struct ActionOrigin: Hashable, Sendable {
  /// An identity that is vouched for by a party other than the client.
  public enum Identity: Hashable, Sendable {
    /// The process of the store.
    case process
    /// Another process on this machine: its user, group and pid, as the kernel reports them.
    case user(UInt32, group: UInt32, process: UInt32)
    /// The holder of a secret key that the daemon knows by this name.
    case key(String)
    /// Any process that uses an address of the loopback interface that the daemon's owner has
    /// opened to all users.
    case loopback
    /// A client without a verified identity.
    case unknown
  }

  /// The sender's identity.
  public var identity: Identity {
    get { content.identity }
    set { content = Content(identity: newValue, session: session) }
  }

  /// The number of the client's session; nil for an action that did not originate in a client.
  public var session: UInt64? {
    get { content.session }
    set { content = Content(identity: identity, session: newValue) }
  }

  /// One reference, because it is copied several times for each action.
  private var content: Content

  private final class Content: Sendable {
    let identity: Identity
    let session: UInt64?

    init(identity: Identity, session: UInt64?) {
      self.identity = identity
      self.session = session
    }
  }

  /// Creates an origin.
  public init(identity: Identity, session: UInt64? = nil) {
    content = Content(identity: identity, session: session)
  }

  /// Returns whether two origins are the same client in the same session.
  public static func == (left: Self, right: Self) -> Bool {
    left.content === right.content
      || left.identity == right.identity && left.session == right.session
  }

  /// Hashes the identity and the session.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identity)
    hasher.combine(session)
  }

  /// The process of the store itself.
  public static let process = ActionOrigin(identity: .process)
}

extension ActionOrigin.Identity {
  /// The user id of the client; nil for the store's own process, for a client with a key, and if it
  /// is unknown.
  public var user: UInt32? {
    if case .user(let user, _, _) = self { user } else { nil }
  }

  /// The name of the client's key; nil for a client without a key.
  public var key: String? {
    if case .key(let name) = self { name } else { nil }
  }
}

extension ActionOrigin.Identity: CustomStringConvertible {
  /// The text for logs.
  public var description: String {
    switch self {
    case .process: "this process"
    case .user(let user, let group, let process): "user \(user), group \(group), pid \(process)"
    case .key(let name): "key \(name)"
    case .loopback: "anybody on the loopback interface"
    case .unknown: "unknown"
    }
  }
}

extension DependencyValues {
  /// The origin of the action that is being reduced, or of the effect that reads it.
  ///
  /// A test sets it: `$0.origin = ActionOrigin(identity: .user(7, group: 7, process: 1), session:
  /// 3)`. By default it is the process of the store.
  public var origin: ActionOrigin {
    get {
      if let chosen = self[ChosenOrigin.self].origin { return chosen }
      ReducerInputs.noteOrigin()
      return originInForce ?? .process
    }
    set { self[ChosenOrigin.self] = ChosenOrigin(origin: newValue) }
  }
}

/// An origin that a caller has set, which applies to all reduced actions.
private struct ChosenOrigin: DependencyKey {
  var origin: ActionOrigin?

  static let liveValue = ChosenOrigin()
  static let testValue = ChosenOrigin()
}
