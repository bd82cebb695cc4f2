import StoreProtocol

/// A join under way.
///
/// A class, so that the assembled captures are never copied.
@MainActor
final class ClientJoin {
  let nonce: UInt64
  /// The requested scopes, in the order of the request.
  private(set) var asked: [Asked]
  /// When it times out, unless a part of it arrives before.
  var deadline: Instant
  /// The view of the answer; nil before the answer, and when no scope is followed.
  private(set) var view: ClientView?
  private(set) var isAnswered = false
  private(set) var echo: PublishedMessage.Echo?
  /// The captures of the scopes, by handle.
  private var captures: [UInt64: Capture] = [:]
  /// The scopes that are not complete yet, by handle.
  private var outstanding: Set<UInt64> = []
  /// Messages of the new view that arrived after the fence's echo.
  private(set) var kept: [Kept] = []
  private var keptBytes = 0
  /// Whether more bytes arrived after the echo than are kept.
  ///
  /// Then the captures serve a join from their revision.
  private(set) var isOverrun = false
  /// The revision from which on the new view is shown: a view on another socket may begin before
  /// the shown revision.
  private(set) var firstShown: UInt64 = 0
  /// Whether the new view begins before that revision.
  var beginsBehind: Bool { echo.map { $0.revision < firstShown } ?? false }
  /// The revision that everything received so far leads to.
  private(set) var newest: UInt64 = 0
  /// Whether the new view has reached a step that is not published: the next join continues there.
  private var hasMarker = false

  struct Asked {
    let scope: ClientScope
    fileprivate(set) var isKept: Bool
    /// Whether it was requested to be followed; it may have been released since.
    let isFollowed: Bool
    /// The schemas with which it was requested.
    let hashes: ClientScope.Hashes
  }

  /// The received state of a scope: a snapshot, the changes since a revision, or both.
  struct Capture {
    fileprivate(set) var snapshot: [UInt8] = []
    fileprivate(set) var snapshotRevision: UInt64?
    fileprivate(set) var catchUp: ArraySlice<UInt8>?
    fileprivate var total = 0
    /// The revision that it leads to; nil until that is known.
    fileprivate var revision: UInt64?

    /// Appends a piece in place, without a copy of the earlier bytes.
    ///
    /// - Returns: Whether it follows the piece before it.
    fileprivate mutating func append(_ piece: DaemonMessage.SnapshotPiece) -> Bool {
      let end = UInt64(snapshot.count + piece.bytes.count)
      guard snapshotRevision == piece.revision, piece.offset == snapshot.count,
        piece.total == total, end <= total
      else { return false }
      snapshot.append(contentsOf: piece.bytes)
      return true
    }

    fileprivate func leads(to revision: UInt64) -> Bool {
      self.revision == revision && (snapshotRevision == nil || snapshot.count == total)
    }
  }

  init(nonce: UInt64, asked: [Asked], deadline: Instant) {
    self.nonce = nonce
    self.asked = asked
    self.deadline = deadline
  }

  var keepsAny: Bool { asked.contains { $0.isKept } }

  /// Whether a scope keeps its state, because no capture was sent.
  func keeps(_ scope: ClientScope) -> Bool {
    scope.handle.flatMap { captures[$0] } == nil
      && asked.contains { $0.isKept && $0.scope === scope }
  }

  /// Whether the answer, the echo and all captures have arrived.
  var isComplete: Bool {
    guard isAnswered, view != nil else { return isAnswered }
    return echo != nil && outstanding.isEmpty && (newest >= firstShown || isOverrun || hasMarker)
  }

  /// Notes the answer: the view, if any scope is followed.
  ///
  /// - Parameters:
  ///   - view: The view.
  ///   - former: The view that is followed until then. If it arrives on another socket, no state is
  ///     kept, because the two sockets have no common order.
  func answer(_ view: ClientView?, after former: ClientView?) {
    isAnswered = true
    self.view = view
    guard let view else { return }
    if let former, former.isUnicast != view.isUnicast {
      for index in asked.indices { asked[index].isKept = false }
    }
    for asked in asked where asked.isFollowed && !asked.isKept && view.contains(asked.scope) {
      if let handle = asked.scope.handle { outstanding.insert(handle) }
    }
  }

  /// Notes the echo: from here on the new view counts instead of the former one.
  func noteEcho(_ echo: PublishedMessage.Echo, after former: ClientView?) {
    self.echo = echo
    newest = echo.revision
    if let former, let view, former.isUnicast != view.isUnicast, former.epoch == view.epoch {
      firstShown = former.revision
    }
    view?.sequence = echo.sequence
    view?.revision = echo.revision
    for (handle, capture) in captures where capture.leads(to: echo.revision) {
      outstanding.remove(handle)
    }
  }

  /// Adds a piece of a snapshot.
  ///
  /// - Returns: The fault of the piece; nil for a valid one.
  func add(_ piece: DaemonMessage.SnapshotPiece, limit: Int) -> String? {
    guard piece.total <= limit else {
      return "a snapshot of \(piece.total) bytes, where \(limit) are taken,"
    }
    if piece.offset == 0 {
      captures[piece.handle] = Capture(
        snapshotRevision: piece.revision,
        total: Int(piece.total),
        revision: piece.revision,
      )
    }
    guard captures[piece.handle]?.append(piece) == true else {
      return "a piece that does not follow the one before it"
    }
    finishIfComplete(piece.handle)
    return nil
  }

  func add(_ replay: DaemonMessage.Replay) {
    captures[replay.handle, default: Capture()].catchUp = replay.delta
    captures[replay.handle]?.revision = replay.revision
    finishIfComplete(replay.handle)
  }

  private func finishIfComplete(_ handle: UInt64) {
    guard let echo, captures[handle]?.leads(to: echo.revision) == true else { return }
    outstanding.remove(handle)
  }

  /// The capture of a scope; nil if none was sent.
  func capture(_ handle: UInt64) -> Capture? { captures[handle] }

  /// Notes the revision that the new view has reached.
  func note(_ bookmark: PublishedMessage.Bookmark) {
    if bookmark.sequence == newestSequence { newest = max(newest, bookmark.revision) }
  }

  /// The sequence of the last kept delta, or of the echo.
  private var newestSequence: UInt64? {
    for case .run(let run) in kept.reversed() { return run.sequence &+ UInt64(run.count) &- 1 }
    return echo?.sequence
  }

  /// Keeps a message of the new view, as far as there is room.
  func keep(_ message: Kept, bytes: Int, limit: Int) {
    guard !isOverrun else { return }
    switch message {
    case .run(let run): newest = max(newest, run.parts.last?.revision ?? 0)
    case .marker: hasMarker = true
    case .outputs: break
    }
    keptBytes += bytes
    if keptBytes > limit {
      isOverrun = true
      kept = []
    } else {
      kept.append(message)
    }
  }
}
