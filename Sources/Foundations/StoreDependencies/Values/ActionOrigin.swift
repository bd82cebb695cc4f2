/// The origin of the action that is being reduced.
///
/// An action that a client sends has that client for its origin, and so has all that follows from
/// the action: what its effects send, and what those lead to. Everything else begins in the process
/// of the store.
///
/// ```swift
/// @Dependency(\.origin) var origin
/// …
/// case .clearButtonTapped:
///   guard origin.identity.user == state.owner else { return .none }
/// ```
public struct ActionOrigin: Hashable, Sendable {
  /// Whoever it is, as somebody vouches for it who is not the client.
  public enum Identity: Hashable, Sendable {
    /// The process of the store.
    case process
    /// Another process of this machine: its user, group and number, as the kernel says.
    case user(UInt32, group: UInt32, process: UInt32)
    /// Whoever has a secret key that the daemon knows by this name.
    case key(String)
    /// Whoever is at an address of the loopback interface that the daemon's owner has opened to
    /// everybody.
    case loopback
    /// A client for whom nobody vouches.
    case unknown
  }

  /// The sender's identity.
  public var identity: Identity {
    get { content.identity }
    set { content = Content(identity: newValue, session: session) }
  }

  /// The number of the client's session; nil for what no client began.
  public var session: UInt64? {
    get { content.session }
    set { content = Content(identity: identity, session: newValue) }
  }

  /// One reference, since it is copied several times for each action.
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

  /// Whether two are the same client's, in the same session.
  public static func == (left: Self, right: Self) -> Bool {
    left.content === right.content
      || left.identity == right.identity && left.session == right.session
  }

  /// Feeds who it is, and the session, into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identity)
    hasher.combine(session)
  }

  /// The process of the store itself.
  public static let process = ActionOrigin(identity: .process)
}

extension ActionOrigin.Identity {
  /// The number of the client's user; nil for the store's own process, for who comes by a key, and
  /// where nobody knows.
  public var user: UInt32? {
    if case .user(let user, _, _) = self { user } else { nil }
  }

  /// The name of the client's key; nil for who comes without one.
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
  /// Who began what is being reduced, or the effect that asks.
  ///
  /// A test says who it is to be: `$0.origin = ActionOrigin(identity: .user(7, group: 7, process:
  /// 1), session: 3)`. Without that it is the process of the store.
  public var origin: ActionOrigin {
    get { self[ChosenOrigin.self].origin ?? originInForce ?? .process }
    set { self[ChosenOrigin.self] = ChosenOrigin(origin: newValue) }
  }
}

/// An origin that somebody has set, which holds for whatever is reduced.
private struct ChosenOrigin: DependencyKey {
  var origin: ActionOrigin?

  static let liveValue = ChosenOrigin()
  static let testValue = ChosenOrigin()
}
