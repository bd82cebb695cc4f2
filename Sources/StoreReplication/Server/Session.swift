import StoreActor

/// Who is at the other end of a connection of the control socket: its routing identity.
package struct PeerID: Hashable, Sendable, CustomStringConvertible {
  package var bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package var description: String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}

/// A connected client as the application sees it, for a feature that shows who is there.
public struct SessionInfo: Hashable, Sendable {
  /// The session's number, unique within the daemon's run, from 1.
  public var id: UInt64
  /// The name that the client gave itself.
  public var name: String
  /// Where it is connected from, as the transport says it: `localhost:uid:gid:pid` over ipc.
  public var address: String

  /// Creates a session's description.
  public init(id: UInt64, name: String, address: String) {
    self.id = id
    self.name = name
    self.address = address
  }
}

/// What happened to a listed session.
public enum SessionEvent: Hashable, Sendable {
  /// It said hello for the first time.
  case joined(SessionInfo)
  /// Its lease ended, or it said goodbye. Comes once for each that joined.
  case left(SessionInfo)
}

/// One client's session.
@MainActor
final class Session<Root: Sendable, RootAction> {
  /// A scope that the session may send to, by its handle.
  final class Target: Sendable {
    let name: String
    let source: ScopeSource<Root, RootAction>
    /// Whether the scope's state may be absent, so that an action has to look.
    let isOptional: Bool

    init(name: String, source: ScopeSource<Root, RootAction>) {
      self.name = name
      self.source = source
      isOptional = source.isOptional
    }
  }

  /// A join whose fence has not come yet.
  struct PendingJoin {
    let nonce: UInt64
    let view: View?
    /// The join whose view the session followed when this one came.
    let base: UInt64
    /// What to capture: a scope, its handle, and what the client has of it.
    let captures: [Capture]
  }

  struct Capture {
    let handle: UInt64
    let scope: ActiveScope<Root, RootAction>
    /// Whether the client has it from the view that it follows, so that nothing need be sent.
    let isKept: Bool
    let position: ClientMessage.Position?
  }

  /// A capture on its way, or waited for.
  struct Transfer {
    let nonce: UInt64
    let handle: UInt64
    let revision: UInt64
    let capture: ScopeCapture
    var offset = 0
  }

  let info: SessionInfo
  let token: Identifier
  let clientID: Identifier
  let isListed: Bool
  let privateTopic: Topic
  /// What is remembered of its client.
  var record: ClientRecord

  var peer: PeerID
  @exclusivity(unchecked) var lastHeard: Instant
  @exclusivity(unchecked) var leaseEnd: Instant
  var appliedRevision: UInt64 = 0
  private(set) var targets: [UInt64: Target] = [:]
  /// The target that was used last, and its handle: most actions go where the one before went.
  @exclusivity(unchecked) private var lastTarget: Target?
  @exclusivity(unchecked) private var lastHandle: UInt64 = 0
  var handles: [String: UInt64] = [:]
  var nextHandle: UInt64 = 1
  var pendingJoins: [PendingJoin] = []
  /// The view that the last fence established, and its join's nonce.
  var view: View?
  var viewNonce: UInt64 = 0
  var transfers: [Transfer] = []
  var creditUsed = 0
  /// Outcomes of consecutive actions that were not sent yet.
  @exclusivity(unchecked) var outcomes: [Outcome] = []
  @exclusivity(unchecked) var firstOutcome: UInt64 = 0
  /// Actions whose effects run.
  var tasks: [UInt64: StoreTask] = [:]
  var finished: [UInt64] = []
  @exclusivity(unchecked) var hasUnsent = false
  @exclusivity(unchecked) var nextUnsent: Session?
  /// How many connections of the publishing socket want its private topic.
  var subscriptions = 0

  /// How far the session's view is.
  var reach: DaemonMessage.Reach {
    DaemonMessage.Reach(nonce: viewNonce, sequence: view?.sequence ?? 0)
  }

  init(
    info: SessionInfo,
    token: Identifier,
    hello: ClientMessage.Hello,
    privateTopic: Topic,
    record: ClientRecord,
    peer: PeerID,
    now: Instant,
    lease: Duration,
  ) {
    self.info = info
    self.token = token
    clientID = hello.clientID
    isListed = hello.isListed
    self.privateTopic = privateTopic
    self.record = record
    self.peer = peer
    lastHeard = now
    leaseEnd = now.advanced(by: lease)
  }

  func target(_ handle: UInt64) -> Target? {
    if handle == lastHandle, let lastTarget { return lastTarget }
    lastTarget = targets[handle]
    lastHandle = handle
    return lastTarget
  }

  func setTarget(_ target: Target?, for handle: UInt64) {
    targets[handle] = target
    lastTarget = nil
  }

  func handle(for scope: String) -> UInt64 {
    if let handle = handles[scope] { return handle }
    let handle = nextHandle
    nextHandle += 1
    handles[scope] = handle
    return handle
  }
}
