import StoreHistory
import StoreState

/// A capture of a scope, which is encoded once and sent to all sessions that wait for it.
@MainActor
final class Capture {
  let id: UInt64
  /// The scope; nil once no session follows it, or once the capture is forgotten.
  private(set) unowned var scope: FollowedScope?
  /// The version that a catch-up starts from; nil for a snapshot, and for a comparison.
  let old: RootVersion?
  /// The digest of a client's state, for a comparison; otherwise nil.
  let digest: Digest?
  /// The version that is captured.
  let new: RootVersion
  /// The first revision at which the scope had the captured state.
  let since: UInt64
  /// The last such revision; nil while it is the newest.
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
  /// The transfers to continue when it is encoded; some may have been dropped.
  ///
  /// Bounded by ``Limits/sessions``, of each ``Limits/pendingJoins``.
  var waiting: [Transfer] = []
  /// Whether later changes do not fit a catch-up, so that no other session is sent this capture
  /// with one.
  var isOutgrown = false

  init(
    id: UInt64,
    of scope: FollowedScope,
    from old: RootVersion?,
    comparing digest: Digest?,
    to new: RootVersion,
    since: UInt64,
    until: UInt64?,
  ) {
    self.digest = digest
    self.id = id
    self.scope = scope
    self.old = old
    self.new = new
    self.since = since
    self.until = until
  }

  /// Whether it contains the whole state.
  var isSnapshot: Bool { old == nil && digest == nil }

  /// Whether a session of a holder waits for it.
  func isAwaited(by holder: Holder) -> Bool {
    users > 0 && waiting.contains { !$0.isDropped && $0.session.holder == holder }
  }

  /// Detaches the capture: no session follows the scope, or the capture is forgotten.
  func leaveScope() { scope = nil }

  /// Whether the scope had the captured state at a revision.
  func holds(at revision: UInt64) -> Bool { revision >= since && revision <= until ?? .max }
}

/// The transfer of a scope to a session: a snapshot, a catch-up delta, or both in this order.
@MainActor
final class Transfer {
  unowned let session: Session
  let nonce: UInt64
  let handle: UInt64
  /// The fence's revision, to which it leads.
  let revision: UInt64
  var snapshot: Capture?
  /// The catch-up from the snapshot, or from the client's version.
  var catchUp: Capture?
  /// The position in the snapshot after the sent bytes.
  var position = Snapshot.Position()
  /// Whether it is no longer needed.
  var isDropped = false

  init(session: Session, nonce: UInt64, handle: UInt64, revision: UInt64) {
    self.session = session
    self.nonce = nonce
    self.handle = handle
    self.revision = revision
  }

  /// Its part of its captures' memory, in bytes: equal parts for the users of a capture.
  var bytes: Int {
    [snapshot, catchUp].reduce(0) { sum, capture in
      sum + (capture.map { ($0.content?.bytes ?? 0) / max(1, $0.users) } ?? 0)
    }
  }

  /// Whether all of its captures are encoded.
  var isMade: Bool {
    (snapshot.map { $0.content != nil } ?? true) && (catchUp.map { $0.content != nil } ?? true)
  }

  /// The revision that the snapshot's pieces state.
  ///
  /// Without a catch-up, it is the fence's revision, at which the scope had the same state.
  var snapshotRevision: UInt64 {
    guard catchUp != nil, let snapshot else { return revision }
    return snapshot.new.revision
  }
}
