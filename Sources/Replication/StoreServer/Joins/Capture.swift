import StoreHistory

/// A capture of a scope, which is encoded once and sent to all sessions that wait for it.
@MainActor
final class Capture {
  let id: UInt64
  /// The scope, unless nobody follows it any more or the capture is forgotten.
  private(set) unowned var scope: FollowedScope?
  /// The version from which it leads on; nil when it is a snapshot.
  let old: RootVersion?
  /// The version that is captured.
  let new: RootVersion
  /// The first revision at which the scope was as it is captured.
  let since: UInt64
  /// The last one; nil as long as that is the newest.
  var until: UInt64?
  /// The content to send; nil while it is being encoded.
  var content: CaptureContent?
  /// The holders in whose lanes it waits for a job.
  ///
  /// Bounded by ``waiting``.
  var lanes: Set<Holder> = []
  /// Whether it has, or had, a job.
  var isBegun = false
  /// Whether a job is encoding it.
  var isRunning = false
  /// How many transfers wait for it, or send it.
  var users = 0
  /// The sessions to continue when it is encoded; some may have left.
  ///
  /// Bounded by ``Limits/sessions``, of each ``Limits/pendingJoins``.
  var waiting: [Transfer] = []
  /// Whether what came since does not fit a catch-up, so that nobody else is sent it with one.
  var isOutgrown = false

  init(
    id: UInt64,
    of scope: FollowedScope,
    from old: RootVersion?,
    to new: RootVersion,
    since: UInt64,
    until: UInt64?,
  ) {
    self.id = id
    self.scope = scope
    self.old = old
    self.new = new
    self.since = since
    self.until = until
  }

  /// Whether a session of a holder waits for it.
  func isAwaited(by holder: Holder) -> Bool {
    users > 0 && waiting.contains { !$0.isDropped && $0.session.holder == holder }
  }

  /// Nobody follows the scope any more, or the scope has forgotten the capture.
  func leaveScope() { scope = nil }

  /// Whether the scope was at a revision as it is captured.
  func holds(at revision: UInt64) -> Bool { revision >= since && revision <= until ?? .max }
}

/// The transfer of a scope to a session: a snapshot, a catch-up delta, or the one behind the other.
@MainActor
final class Transfer {
  unowned let session: Session
  let nonce: UInt64
  let handle: UInt64
  /// The fence's revision, to which it leads.
  let revision: UInt64
  var snapshot: Capture?
  /// Leads on from the snapshot, or from what the client has.
  var catchUp: Capture?
  /// How much of the snapshot was sent.
  var position = Snapshot.Position()
  /// Whether it is no longer needed.
  var isDropped = false

  init(session: Session, nonce: UInt64, handle: UInt64, revision: UInt64) {
    self.session = session
    self.nonce = nonce
    self.handle = handle
    self.revision = revision
  }

  /// Its part of the memory that its captures take, each shared alike by those that send it.
  var bytes: Int {
    [snapshot, catchUp].reduce(0) { sum, capture in
      sum + (capture.map { ($0.content?.bytes ?? 0) / max(1, $0.users) } ?? 0)
    }
  }

  /// Whether everything that it sends is encoded.
  var isMade: Bool {
    (snapshot.map { $0.content != nil } ?? true) && (catchUp.map { $0.content != nil } ?? true)
  }

  /// The revision of which the snapshot's pieces say that they are.
  ///
  /// Without a catch-up behind it that is the fence's, at which the scope was the same.
  var snapshotRevision: UInt64 {
    guard catchUp != nil, let snapshot else { return revision }
    return snapshot.new.revision
  }
}
