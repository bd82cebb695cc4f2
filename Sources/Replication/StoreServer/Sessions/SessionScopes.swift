import DequeModule
import StoreExposures
import StoreHistory
import StoreProtocol
import StoreState

/// The scopes of a session: those that it may send to, those that it follows, and their transfers.
@MainActor
final class SessionScopes {
  /// A scope that the session may send to, by its canonical name.
  @MainActor
  final class Target {
    let name: String
    let scope: RootScope
    /// The actions that the client may send to it.
    fileprivate(set) var sends: SendRight

    fileprivate init(name: String, scope: RootScope, sends: SendRight) {
      self.name = name
      self.scope = scope
      self.sends = sends
    }
  }

  /// A followed scope of a join, which is captured unless the client has it from its present view.
  struct Asked {
    let handle: UInt64
    let scope: FollowedScope
    let isKept: Bool
    let position: ClientMessage.Position?
    /// The digest of the client's state at the position.
    let digest: Digest?
  }

  /// A join whose fence has not arrived yet.
  struct Join {
    let nonce: UInt64
    /// The view that it follows; nil if it follows no view.
    let view: View?
    /// The canonical names of the followed scopes.
    let names: [ScopeKey]
    /// The nonce of the join whose view the session followed when this one arrived.
    let base: UInt64
    let asked: [Asked]
  }

  // MARK: Handles

  private let ledger: ByteLedger
  private let holder: ClientHolder
  private let isOwner: Bool

  /// Creates the empty scope tables of a new session.
  ///
  /// - Parameters:
  ///   - holder: The session's holder, which is charged for the names.
  ///   - isOwner: Whether the holder had all rights when the session began.
  ///   - ledger: Counts the bytes of the names.
  init(of holder: ClientHolder, isOwner: Bool, _ ledger: ByteLedger) {
    self.holder = holder
    self.isOwner = isOwner
    self.ledger = ledger
  }

  /// The number of uses of each canonical name: by its handle, by the view, and by each join whose
  /// fence has not arrived.
  ///
  /// Bounded by ``ByteLedger``, to which each of them is charged once.
  private var uses: [ScopeKey: Int] = [:]
  /// The handles, by canonical name.
  ///
  /// Bounded by ``Limits/scopesPerSession``, and in bytes by ``ByteLedger``.
  private var handles: [ScopeKey: UInt64] = [:]
  /// Bounded by ``handles``.
  private var targets: [UInt64: Target] = [:]
  private var nextHandle: UInt64 = 1
  /// The last used target, and its handle: consecutive actions usually have the same target.
  private var lastTarget: Target?
  private var lastHandle: UInt64 = 0

  /// The names of its scopes.
  var names: [String] { handles.keys.map(\.name).sorted() }

  /// The number of its scopes.
  var count: Int { handles.count }

  /// The target of a handle; nil if the session does not have the handle.
  func target(_ handle: UInt64) -> Target? {
    if handle == lastHandle, let lastTarget { return lastTarget }
    lastTarget = targets[handle]
    lastHandle = handle
    return lastTarget
  }

  /// Returns the handle of a scope, to which the session may send from now on.
  ///
  /// - Parameters:
  ///   - found: The scope, by its canonical name, to which all aliases of the client resolve.
  ///   - rights: The client's rights.
  /// - Returns: The handle and the canonical name; nil if there is no room for the name.
  func grant(_ found: ResolvedScope, _ rights: Rights) -> (handle: UInt64, name: String)? {
    let key = ScopeKey(found.name)
    let handle = handles[key] ?? nextHandle
    if handle == nextHandle {
      guard use(key) else { return nil }
      nextHandle += 1
      handles[key] = handle
    }
    let name = targets[handle]?.name ?? found.name
    targets[handle] = Target(name: name, scope: found.scope, sends: rights.sends(name))
    lastTarget = nil
    return (handle, name)
  }

  /// Adds a use of a name.
  ///
  /// - Returns: False if there is no room for a new name; no bytes are charged then.
  private func use(_ key: ScopeKey) -> Bool {
    guard let count = uses[key] else {
      guard ledger.charge(Self.bytes(of: key), to: holder, isOwner: isOwner) else { return false }
      uses[key] = 1
      return true
    }
    uses[key] = count + 1
    return true
  }

  /// Removes a use of a name.
  private func giveBack(_ key: ScopeKey) {
    guard let count = uses[key] else { preconditionFailure("\(key.name) is not kept") }
    uses[key] = count == 1 ? nil : count - 1
    if count == 1 { ledger.giveBack(Self.bytes(of: key), of: holder, isOwner: isOwner) }
  }

  /// The approximate bytes of a name in memory, in several tables.
  private static func bytes(of key: ScopeKey) -> Int { key.name.utf8.count + 64 }

  /// Applies changed rights.
  ///
  /// - Returns: False if they are too narrow for the scopes that the client has joined.
  func adapt(to rights: Rights) -> Bool {
    for target in targets.values {
      let sends = rights.sends(target.name)
      guard target.sends.isWithin(sends) else { return false }
      target.sends = sends
    }
    return views.allSatisfy { $0.names.allSatisfy { rights.sees($0.name) } }
  }

  /// Revokes all handles except those of some scopes.
  func revoke(besides names: Set<ScopeKey>) {
    for (name, handle) in handles where !names.contains(name) {
      handles[name] = nil
      targets[handle] = nil
      giveBack(name)
    }
    lastTarget = nil
  }

  // MARK: Joins

  /// The joins whose fence has not arrived yet, oldest first.
  ///
  /// Bounded by ``Limits/pendingJoins``, and their names by ``ByteLedger``.
  private(set) var joins: [Join] = []

  /// Adds a join that waits for its fence.
  func expect(_ join: Join) {
    joins.append(join)
    for name in join.names where !use(name) {
      preconditionFailure("\(name.name) has no handle, and is followed")
    }
  }

  /// Removes and returns the join whose fence has arrived; nil for an unknown nonce.
  func takeJoin(_ nonce: UInt64) -> Join? {
    joins.firstIndex { $0.nonce == nonce }.map { joins.remove(at: $0) }
  }

  /// Drops some of the waiting joins.
  func drop(_ dropped: [Join]) {
    let nonces = Set(dropped.map(\.nonce))
    joins.removeAll { nonces.contains($0.nonce) }
    for name in dropped.flatMap(\.names) { giveBack(name) }
  }

  /// The view that the last fence established, and its join's nonce.
  private(set) var view: View?
  private(set) var nonce: UInt64 = 0
  /// The names of the view's scopes, which are or were among the targets.
  ///
  /// Bounded by ``ByteLedger``, and ``Limits/scopesPerSession``.
  private(set) var viewNames: [ScopeKey] = []

  /// All views that the session follows or is about to follow, with the names of their scopes.
  var views: [(view: View, names: [ScopeKey])] {
    let coming = joins.compactMap { join in join.view.map { (view: $0, names: join.names) } }
    return coming + (view.map { [(view: $0, names: viewNames)] } ?? [])
  }

  /// The sequence that the session's view has reached; after an interruption, one beyond its end.
  var watermark: DaemonMessage.Watermark {
    DaemonMessage.Watermark(
      nonce: nonce,
      sequence: view?.sequence ?? (isInterrupted ? 1 << 62 : 0),
    )
  }

  /// Whether its view has ended, and the join with the next view has not been established.
  private var isInterrupted = false

  /// The greatest nonce that a join of the session has had.
  var lastNonce: UInt64 { max(nonce, joins.last?.nonce ?? 0) }

  /// The bytes of the view's publications that the client has read, as of its last report.
  private(set) var readBytes: UInt64 = 0

  /// The revision that its last fence established.
  private var broughtTo: UInt64 = 0
  /// The latest revision that the client is known to have applied.
  private var reached: UInt64 = 0

  /// The time of the client's last report, the bytes that were published by then, and the bytes
  /// that it had read.
  private var report = (at: Instant(nanoseconds: 0), published: 0 as UInt64, read: 0 as UInt64)

  /// Returns the published part of the view that the client has not read, as of its last report.
  ///
  /// - Parameters:
  ///   - now: The current time.
  ///   - silence: The time without a report after which the client counts as stopped.
  ///   - bytes: The bytes published since its last report after which it counts as stopped.
  ///   - transit: The age below which a publication may have been in transit.
  /// - Returns: The unread backlog; empty if all of it may have been read.
  func backlog(
    at now: Instant,
    silence: Duration,
    bytes: UInt64,
    transit: Duration,
  ) -> UnreadBacklog {
    guard let view, reached < view.changedAt else { return .none }
    let isSilent =
      report.at.advanced(by: silence) <= now || view.publishedBytes - report.published >= bytes
    let (end, published) =
      isSilent ? (now, view.publishedBytes) : (report.at, report.published)
    guard published > report.read, let since = view.published(after: reached) else { return .none }
    let age = since.duration(to: end)
    return age < transit ? .none : UnreadBacklog(bytes: published - report.read, age: age)
  }

  /// Records that the client has applied all revisions up to the given one.
  func applied(_ revision: UInt64, at now: Instant) {
    reached = max(broughtTo, revision)
    guard let view else { return }
    readBytes = max(readBytes, view.publishedBytes(upTo: revision))
    // Outputs have no revision: a client that has all changes counts as having read these, too.
    let read = reached >= view.changedAt ? view.publishedBytes : readBytes
    report = (now, view.publishedBytes, read)
  }

  /// Establishes a join's view from a revision on, with its transfers.
  func establish(_ join: Join, _ transfers: [Transfer], at revision: UInt64, now: Instant) {
    broughtTo = revision
    reached = revision
    view = join.view
    isInterrupted = false
    for name in viewNames { giveBack(name) }
    viewNames = join.names
    readBytes = join.view?.publishedBytes ?? 0
    report = (now, readBytes, readBytes)
    nonce = join.nonce
    creditUsed = 0
    self.transfers = Dictionary(uniqueKeysWithValues: transfers.map { ($0.handle, $0) })
    made = Deque(transfers.filter(\.isMade))
  }

  /// Stops following the view, and drops its transfers.
  func leave() {
    isInterrupted = isInterrupted || view != nil
    view = nil
    for name in viewNames { giveBack(name) }
    viewNames = []
    transfers = [:]
    made = []
  }

  // MARK: Transfers

  /// The transfers in progress, by their handles.
  ///
  /// Bounded by ``handles``.
  private(set) var transfers: [UInt64: Transfer] = [:]
  /// The transfers that can be sent, in the order in which they became ready.
  ///
  /// Bounded by ``transfers``.
  private var made: Deque<Transfer> = []
  /// The bytes of captures that were sent and not yet credited.
  var creditUsed = 0
  /// Whether the session is in the queue of sessions with pieces to send.
  var isInLine = false
  /// The time of the last notice that captures are in progress.
  var toldOfWork: Instant?

  /// The next transfer to send.
  var nextTransfer: Transfer? { made.first }

  /// Adds a transfer that can be sent.
  func enqueue(_ transfer: Transfer) { made.append(transfer) }

  /// Removes the next transfer, which was sent completely.
  func finishNext() {
    let transfer = made.removeFirst()
    transfers[transfer.handle] = nil
  }

  func checkInvariants() {
    let count = handles.count + viewNames.count + joins.reduce(0) { $0 + $1.names.count }
    let uses = uses.values.reduce(0, +)
    precondition(uses == count, "\(count) names are kept, and \(uses) counted")
  }

  /// Drops all transfers.
  func dropTransfers() {
    transfers = [:]
    made = []
    creditUsed = 0
  }
}
