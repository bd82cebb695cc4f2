import DequeModule
import StoreExposures
import StoreHistory
import StoreProtocol

/// The scopes of a session: those it may send to, those it follows, and those being transferred.
@MainActor
package final class SessionScopes {
  /// A scope that the session may send to, by its canonical name.
  @MainActor
  final class Target {
    let name: String
    let scope: RootScope
    /// Which actions the client may send to it.
    fileprivate(set) var sends: SendRight

    fileprivate init(name: String, scope: RootScope, sends: SendRight) {
      self.name = name
      self.scope = scope
      self.sends = sends
    }
  }

  /// A followed scope of a join, to be captured unless the client has it from its present view.
  struct Asked {
    let handle: UInt64
    let scope: FollowedScope
    let isKept: Bool
    let position: ClientMessage.Position?
  }

  /// A join whose fence has not arrived yet.
  struct Join {
    let nonce: UInt64
    /// The view it follows; nil if none.
    let view: View?
    /// The canonical names of what it follows.
    let names: [ScopeKey]
    /// The join whose view the session followed when this one came.
    let base: UInt64
    let asked: [Asked]
  }

  // MARK: Handles

  private let ledger: ByteLedger
  private let holder: ClientHolder
  private let isOwner: Bool

  /// The scopes of a new session, which has none.
  ///
  /// - Parameters:
  ///   - holder: Who answers for the session.
  ///   - isOwner: Whether the holder could do everything when the session began.
  ///   - ledger: Counts the bytes of the names.
  init(of holder: ClientHolder, isOwner: Bool, _ ledger: ByteLedger) {
    self.holder = holder
    self.isOwner = isOwner
    self.ledger = ledger
  }

  /// How often each canonical name is kept: with its handle, for the view, and for each join whose
  /// fence has not come.
  ///
  /// Bounded by ``ByteLedger``, to which each of them is charged once.
  private var uses: [ScopeKey: Int] = [:]
  /// By canonical names.
  ///
  /// Bounded by ``Limits/scopesPerSession``, and in bytes by ``ByteLedger``.
  private var handles: [ScopeKey: UInt64] = [:]
  /// Bounded by ``handles``.
  private var targets: [UInt64: Target] = [:]
  private var nextHandle: UInt64 = 1
  /// The target that was used last, and its handle: most actions go where the one before went.
  private var lastTarget: Target?
  private var lastHandle: UInt64 = 0

  /// The names of its scopes.
  var names: [String] { handles.keys.map(\.name).sorted() }

  /// How many scopes it has.
  var count: Int { handles.count }

  /// The scope of a handle; nil for one that the session does not have.
  func target(_ handle: UInt64) -> Target? {
    if handle == lastHandle, let lastTarget { return lastTarget }
    lastTarget = targets[handle]
    lastHandle = handle
    return lastTarget
  }

  /// The handle of a scope, which the session may send to from now on.
  ///
  /// - Parameters:
  ///   - found: The scope, by its canonical name: whatever else the client calls it has the same
  ///     handle.
  ///   - rights: What the client may see and send.
  /// - Returns: The handle, and the name as it is kept; nil where there is no room for it.
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

  /// Keeps a name once more.
  ///
  /// - Returns: False where there is no room for a name that was not kept; then nothing is charged.
  private func use(_ key: ScopeKey) -> Bool {
    guard let count = uses[key] else {
      guard ledger.charge(Self.bytes(of: key), to: holder, isOwner: isOwner) else { return false }
      uses[key] = 1
      return true
    }
    uses[key] = count + 1
    return true
  }

  /// Keeps a name once less.
  private func giveBack(_ key: ScopeKey) {
    guard let count = uses[key] else { preconditionFailure("\(key.name) is not kept") }
    uses[key] = count == 1 ? nil : count - 1
    if count == 1 { ledger.giveBack(Self.bytes(of: key), of: holder, isOwner: isOwner) }
  }

  /// What a name takes of the memory, about: it stands in several tables.
  private static func bytes(of key: ScopeKey) -> Int { key.name.utf8.count + 64 }

  /// Applies changed rights.
  ///
  /// - Returns: False when they are too narrow for what the client has joined.
  func adapt(to rights: Rights) -> Bool {
    for target in targets.values {
      let sends = rights.sends(target.name)
      guard target.sends.isWithin(sends) else { return false }
      target.sends = sends
    }
    return views.allSatisfy { $0.names.allSatisfy { rights.sees($0.name) } }
  }

  /// Takes back all handles but those of some scopes.
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

  /// A join waits for its fence.
  func expect(_ join: Join) {
    joins.append(join)
    for name in join.names where !use(name) {
      preconditionFailure("\(name.name) has no handle, and is followed")
    }
  }

  /// The join whose fence has come, which is to be established; nil where there is none.
  func takeJoin(_ nonce: UInt64) -> Join? {
    joins.firstIndex { $0.nonce == nonce }.map { joins.remove(at: $0) }
  }

  /// Drops joins that are among those that wait.
  func drop(_ dropped: [Join]) {
    let nonces = Set(dropped.map(\.nonce))
    joins.removeAll { nonces.contains($0.nonce) }
    for name in dropped.flatMap(\.names) { giveBack(name) }
  }

  /// The view that the last fence established, and its join's nonce.
  private(set) var view: View?
  private(set) var nonce: UInt64 = 0
  /// The names of the view's scopes, which are among the targets' or were.
  ///
  /// Bounded by ``ByteLedger``, and ``Limits/scopesPerSession``.
  private(set) var viewNames: [ScopeKey] = []

  /// All views that it follows, or is about to, with the names of their scopes.
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

  /// Whether its view has ended, and the join that brings the next one has not come.
  private var isInterrupted = false

  /// The greatest nonce that a join of the session has had.
  package var lastNonce: UInt64 { max(nonce, joins.last?.nonce ?? 0) }

  /// How much of what was published of the view the client has read, as far as it has told.
  private(set) var readBytes: UInt64 = 0

  /// The revision that its last fence brought it to.
  private var broughtTo: UInt64 = 0
  /// The revision up to which it has everything, as far as that is known.
  private var reached: UInt64 = 0

  /// What had been published when the client told last how far it is, what it had read of that, and
  /// when that was.
  private var report = (at: Instant(nanoseconds: 0), published: 0 as UInt64, read: 0 as UInt64)

  /// What was published of the view that the client has not read, as far as is known.
  ///
  /// - Parameters:
  ///   - now: The moment.
  ///   - silence: After so long without a report the client counts as stopped.
  ///   - bytes: The same if so much was published since.
  ///   - transit: What was published so long before a report may have been on its way.
  /// - Returns: What is unread; nothing where all of it may have been read.
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

  /// The client has applied everything up to a revision.
  func applied(_ revision: UInt64, at now: Instant) {
    reached = max(broughtTo, revision)
    guard let view else { return }
    readBytes = max(readBytes, view.publishedBytes(upTo: revision))
    // No revision tells of outputs: who has all changes counts as having read these, too.
    let read = reached >= view.changedAt ? view.publishedBytes : readBytes
    report = (now, view.publishedBytes, read)
  }

  /// Follows a join's view from a revision on, with what is to be sent for it.
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

  /// Stops following.
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
  /// Those that can be sent, in the order in which that came up.
  ///
  /// Bounded by ``transfers``.
  private var made: Deque<Transfer> = []
  /// Bytes of captures that were sent without credit in return yet.
  var creditUsed = 0
  /// Whether the session stands in the line of those to whom something is sent.
  var isInLine = false
  /// When it was told last that captures are being made.
  var toldOfWork: Instant?

  /// The next transfer to send.
  var nextTransfer: Transfer? { made.first }

  /// A transfer can be sent.
  func enqueue(_ transfer: Transfer) { made.append(transfer) }

  /// All of the next transfer was sent.
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
