import StoreExposures
import StoreHistory
import StoreProtocol
import StoreState

/// Joins of sessions: their subscription barriers (fences), and the captures that bring a client to
/// its fence's revision: a snapshot, or a catch-up delta (`replay`) from the client's revision.
@MainActor
final class Joins {
  private let root: any RootPort
  private let subscriptions: Subscriptions
  private let outbox: Outbox
  private let counters: Counters
  private let limits: Limits
  private let timing: Timing
  var epoch: UInt64
  private let directory: ScopeDirectory
  /// The clients' rights to see scopes and to send actions.
  private let access: Access
  /// Captures without a job; some may no longer be needed.
  private var queue: CaptureQueue
  /// Captures that jobs are encoding.
  ///
  /// Bounded by ``Limits/captureJobs``, each with ``Limits/rowsPerJob`` rows.
  private var running: [UInt64: Capture] = [:]
  private var nextCapture: UInt64 = 1
  /// The bytes of encoded captures, which are held until their sessions give credit.
  private(set) var capturedBytes = 0
  /// Pieces of snapshots that are no longer needed; each turn frees one.
  ///
  /// At most ``Limits/captureJobs`` snapshots are encoded at a time.
  ///
  /// Bounded by ``Limits/captureJobs``, as each turn frees one.
  private var discarded: [[UInt8]] = []
  /// The sessions to which a piece can be sent, each once, in turn.
  private var line = FairQueue<Holder, UInt64, Session>()
  /// When sessions that wait for captures are next notified of it; distant if no session waits.
  private(set) var nextDeadline = Instant.distantFuture

  init(
    _ root: any RootPort,
    epoch: UInt64,
    subscriptions: Subscriptions,
    outbox: Outbox,
    counters: Counters,
    limits: Limits,
    timing: Timing,
    access: Access,
  ) {
    self.root = root
    self.epoch = epoch
    self.access = access
    self.subscriptions = subscriptions
    self.outbox = outbox
    self.counters = counters
    self.limits = limits
    self.timing = timing
    queue = CaptureQueue(limit: limits.captures)
    directory = ScopeDirectory(root, limits: limits)
  }

  // MARK: Joining

  /// Accepts a join; its scopes belong to the session from now on.
  ///
  /// - Returns: False if its nonce is not greater than the last one; then the join has no effect.
  func join(
    _ session: Session,
    nonce: UInt64,
    _ requests: [ClientMessage.JoinRequest],
    now: Instant,
  ) -> Bool {
    let scopes = session.scopes
    guard nonce > scopes.lastNonce else { return false }
    let found = find(requests, of: session)
    let places = Self.places(of: found)
    // The scopes that the session leaves make room for the new ones.
    scopes.revoke(besides: Set(places.keys))
    var answers: [DaemonMessage.JoinAnswer] = []
    var followed: [ScopeKey: FollowedRequest] = [:]
    for (request, found) in zip(requests, found) {
      switch grant(request, found, places, to: session) {
      case .success(let granted):
        answers.append(.accepted(handle: granted.handle))
        guard request.mode != .sendOnly else { continue }
        let asked = FollowedRequest(granted.handle, granted.scope, request)
        let key = ScopeKey(granted.scope.name)
        followed[key] = followed[key].map { $0.merged(with: asked) } ?? asked
      case .failure(let failure): answers.append(.refused(failure))
      }
    }
    if scopes.joins.count >= limits.pendingJoins { drop(scopes.joins, of: session) }
    let join = join(session, nonce: nonce, following: followed)
    // Without a followed scope there is no subscription, so no fence arrives either.
    if join.view == nil {
      establish(join, [], session, now: now)
    } else {
      scopes.expect(join)
    }
    outbox.send(.joined(nonce: nonce, topic: join.view?.topic, answers), to: session.peer)
    return true
  }

  /// Whether a client may see a scope, by any spelling of its name.
  func sees(_ name: String, _ rights: Rights) -> Bool {
    switch directory.find(name, rights: rights, isDetailed: false) {
    case .success(let found): rights.sees(found.name)
    case .failure: false
    }
  }

  /// The scopes that the entries of a join name, in their order.
  private func find(
    _ requests: [ClientMessage.JoinRequest],
    of session: Session,
  ) -> [Result<ResolvedScope, JoinFailure>] {
    var refused = 0
    return requests.map { request in
      let isDetailed = refused < limits.suggestionsPerJoin
      let found = directory.find(request.scope, rights: session.rights, isDetailed: isDetailed)
      if case .failure = found { refused += 1 }
      return found
    }
  }

  /// The scopes of a join, each with the number of other scopes before it.
  private static func places(
    of found: [Result<ResolvedScope, JoinFailure>]
  ) -> [ScopeKey: Int] {
    var places: [ScopeKey: Int] = [:]
    for case .success(let found) in found {
      let key = ScopeKey(found.name)
      if places[key] == nil { places[key] = places.count }
    }
    return places
  }

  /// Grants a session the scope of an entry of its join.
  private func grant(
    _ request: ClientMessage.JoinRequest,
    _ found: Result<ResolvedScope, JoinFailure>,
    _ places: [ScopeKey: Int],
    to session: Session,
  ) -> Result<(handle: UInt64, scope: ResolvedScope), JoinFailure> {
    let scope: ResolvedScope
    switch found {
    case .success(let found): scope = found
    case .failure(let failure): return .failure(failure)
    }
    let place = places[ScopeKey(scope.name)] ?? 0
    let rights = session.rights
    if request.mode != .sendOnly, rights.sees(scope.name),
      !session.features.contains(.unicastViews), !access.grants.everybodySees(scope.name)
    {
      return .failure(directory.needsUnicastViews(scope.name))
    }
    if let problem = directory.problem(with: scope, request, place: place, rights: rights) {
      return .failure(problem)
    }
    guard let granted = session.scopes.grant(scope, rights) else {
      return .failure(directory.noRoom(for: scope.name))
    }
    return .success((granted.handle, ResolvedScope(name: granted.name, scope: scope.scope)))
  }

  /// A scope that a join follows.
  private struct FollowedRequest {
    let handle: UInt64
    let scope: ResolvedScope
    /// The client's name for it; of several names the first.
    var name: ScopeKey
    var isKept: Bool
    var position: ClientMessage.Position?
    var digest: Digest?

    init(_ handle: UInt64, _ scope: ResolvedScope, _ request: ClientMessage.JoinRequest) {
      self.handle = handle
      self.scope = scope
      name = ScopeKey(request.scope)
      isKept = request.mode == .keep
      position = request.position
      digest = request.digest
    }

    /// Merges two entries of a join for the same scope.
    ///
    /// One capture serves both, so it starts from a position only if both entries have that
    /// position and the same mode.
    func merged(with other: Self) -> Self {
      var merged = self
      merged.name = min(name, other.name)
      merged.isKept = isKept && other.isKept
      if isKept != other.isKept || position != other.position { merged.position = nil }
      if digest != other.digest { merged.digest = nil }
      return merged
    }
  }

  private func join(
    _ session: Session,
    nonce: UInt64,
    following requests: [ScopeKey: FollowedRequest],
  ) -> SessionScopes.Join {
    // A view lists its scopes in the order of the client's names.
    let sorted = requests.values.sorted { $0.name < $1.name }
    let isUnicast = requests.keys.contains { !access.grants.everybodySees($0.name) }
    let view =
      sorted.isEmpty ? nil : subscriptions.follow(sorted.map(\.scope.scope), isUnicast: isUnicast)
    return SessionScopes.Join(
      nonce: nonce,
      view: view,
      names: Array(requests.keys),
      base: session.scopes.nonce,
      asked: zip(sorted, view?.scopes ?? []).map { request, scope in
        SessionScopes.Asked(
          handle: request.handle,
          scope: scope,
          isKept: request.isKept,
          position: request.position,
          digest: request.digest,
        )
      }
      .sorted { $0.handle < $1.handle },
    )
  }

  /// Drops joins without waiting for their fences.
  private func drop(_ joins: [SessionScopes.Join], of session: Session) {
    session.scopes.drop(joins)
    for join in joins { if let view = join.view { subscriptions.release(view) } }
  }

  /// Makes a join's view the one that the session follows.
  private func establish(
    _ join: SessionScopes.Join,
    _ transfers: [Transfer],
    _ session: Session,
    now: Instant,
  ) {
    drop(session.scopes.joins.filter { $0.nonce < join.nonce }, of: session)
    let (left, view) = (session.scopes.transfers.values, session.scopes.view)
    session.scopes.establish(join, transfers, at: root.revision, now: now)
    // Dropped last, because the new transfers may share their captures.
    for transfer in left { drop(transfer) }
    if let view { leave(view, session) }
    if let view = join.view, view.isUnicast { view.sessions.append(session) }
    enterLine(session)
  }

  private func leave(_ view: View, _ session: Session) {
    if view.isUnicast { view.sessions.removeAll { $0 === session } }
    subscriptions.release(view)
  }

  /// Whether a view that a session follows or joins is published or unicast contrary to the grants.
  func comesWrongly(to session: Session) -> Bool {
    session.scopes.views.contains { view, names in
      view.isUnicast == names.allSatisfy { access.grants.everybodySees($0.name) }
    }
  }

  /// Stops sending to a session until it joins again.
  func interrupt(_ session: Session) {
    resume(session)
    if let view = session.scopes.view { leave(view, session) }
    session.scopes.leave()
  }

  /// Drops a session's joins and transfers: it continues on another connection, and frames that
  /// were being sent may be lost.
  func resume(_ session: Session) {
    drop(session.scopes.joins, of: session)
    for transfer in session.scopes.transfers.values { drop(transfer) }
    session.scopes.dropTransfers()
  }

  /// Ends a session: it leaves its view, and its scopes are revoked.
  func end(_ session: Session) {
    interrupt(session)
    session.scopes.revoke(besides: [])
  }

  // MARK: Subscription barriers

  /// Whether the newest join of a session needs no fence, since its view is sent on the
  /// control socket.
  func needsNoFence(_ session: Session) -> Bool {
    session.scopes.joins.last?.view?.isUnicast ?? false
  }

  /// Completes a join after its fence, when the client's subscriptions are in force.
  ///
  /// Brings the client to the newest revision, which has been published.
  ///
  /// - Returns: False if the session has no join with that nonce.
  func completeJoin(_ session: Session, nonce: UInt64, now: Instant) -> Bool {
    let scopes = session.scopes
    guard let join = scopes.takeJoin(nonce) else { return false }
    let echo = PublishedMessage.Echo(
      nonce: nonce,
      revision: root.revision,
      sequence: join.view?.sequence ?? 0,
      previousSequence: scopes.view?.sequence ?? 0,
    )
    let bytes = PublishedMessage.echo(echo).encoded()
    let isUnicast = join.view?.isUnicast ?? false
    if isUnicast {
      outbox.send(bytes, to: session.peer)
    } else {
      outbox.publish(session.privateTopic.bytes, bytes)
    }
    // A scope is not kept from a view on another socket: the two sockets have no common order.
    let canKeep = join.base == scopes.nonce && scopes.view?.isUnicast == isUnicast
    let known = Set((canKeep ? scopes.view?.scopes ?? [] : []).map { ObjectIdentifier($0) })
    var version: RootVersion?
    let transfers = join.asked.compactMap { asked -> Transfer? in
      if asked.isKept, known.contains(ObjectIdentifier(asked.scope)) { return nil }
      let newest = version ?? root.version()
      version = newest
      return transfer(asked, nonce: nonce, to: session, newest, now: now)
    }
    establish(join, transfers, session, now: now)
    // The bookmark lets the client verify the captures even if no later step changes the view.
    if let view = join.view { subscriptions.requestBookmark(view, now: now) }
    return true
  }

  private func transfer(
    _ asked: SessionScopes.Asked,
    nonce: UInt64,
    to session: Session,
    _ newest: RootVersion,
    now: Instant,
  ) -> Transfer {
    let transfer = Transfer(
      session: session,
      nonce: nonce,
      handle: asked.handle,
      revision: newest.revision,
    )
    if let position = asked.position, position.epoch == epoch,
      let catchUp = catchUp(of: asked.scope, from: position.revision, to: newest, now: now)
        ?? comparison(of: asked, from: position.revision, to: newest, now: now)
    {
      use(catchUp, as: \.catchUp, in: transfer)
    } else {
      addSnapshot(of: asked.scope, at: newest, to: transfer, now: now)
    }
    return transfer
  }

  /// A catch-up without a change for a client whose version is not kept, if its state has the
  /// scope's digest; nil if the digest is known to be another one.
  private func comparison(
    of asked: SessionScopes.Asked,
    from revision: UInt64,
    to newest: RootVersion,
    now: Instant,
  ) -> Capture? {
    let scope = asked.scope
    guard let digest = asked.digest, revision <= newest.revision,
      scope.digest == nil || scope.digest == digest
    else { return nil }
    return scope.captures.first {
      $0.digest == digest && $0.holds(at: newest.revision) && !$0.isOutgrown
    } ?? capture(scope, from: nil, comparing: digest, to: newest, since: scope.changedAt, now: now)
  }

  // MARK: Captures

  /// The catch-up from a revision to the newest one; nil if the revision is not kept.
  private func catchUp(
    of scope: FollowedScope,
    from revision: UInt64,
    to newest: RootVersion,
    now: Instant,
  ) -> Capture? {
    if let known = catchUp(of: scope, from: revision, to: newest.revision) { return known }
    guard let old = root.version(at: revision) else { return nil }
    return capture(
      scope,
      from: old,
      to: newest,
      since: scope.changedAt,
      now: now,
    )
  }

  /// The catch-up between two revisions, if it is being encoded or sent.
  private func catchUp(
    of scope: FollowedScope,
    from old: UInt64,
    to revision: UInt64,
  ) -> Capture? {
    scope.captures.first { $0.old?.revision == old && $0.holds(at: revision) && !$0.isOutgrown }
  }

  /// Adds a snapshot to a transfer.
  ///
  /// If an earlier one is under way, and the client supports it, adds that snapshot and the
  /// catch-up from it to the version.
  private func addSnapshot(
    of scope: FollowedScope,
    at version: RootVersion,
    since: UInt64? = nil,
    until: UInt64? = nil,
    to transfer: Transfer,
    now: Instant,
  ) {
    let snapshots = scope.captures.filter(\.isSnapshot)
    if let same = snapshots.first(where: { $0.holds(at: transfer.revision) }) {
      return use(same, as: \.snapshot, in: transfer)
    }
    let since = since ?? scope.changedAt
    if transfer.session.features.contains(.snapshotThenReplay),
      let earlier = snapshots.last(where: {
        !$0.isOutgrown && $0.new.revision < transfer.revision
      })
    {
      let between =
        catchUp(of: scope, from: earlier.new.revision, to: transfer.revision)
        ?? capture(
          scope,
          from: earlier.new,
          to: version,
          since: since,
          until: until,
          now: now,
        )
      use(earlier, as: \.snapshot, in: transfer)
      return use(between, as: \.catchUp, in: transfer)
    }
    let new = capture(
      scope,
      from: nil,
      to: version,
      since: since,
      until: until,
      now: now,
    )
    use(new, as: \.snapshot, in: transfer)
  }

  private func capture(
    _ scope: FollowedScope,
    from old: RootVersion?,
    comparing digest: Digest? = nil,
    to new: RootVersion,
    since: UInt64,
    until: UInt64? = nil,
    now: Instant,
  ) -> Capture {
    let capture = Capture(
      id: nextCapture,
      of: scope,
      from: old,
      comparing: digest,
      to: new,
      since: since,
      until: until,
    )
    nextCapture += 1
    counters.captures += 1
    scope.captures.append(capture)
    nextDeadline = min(nextDeadline, now.advanced(by: timing.working))
    return capture
  }

  /// The role of a capture in a transfer: its snapshot or its catch-up.
  private typealias Role = ReferenceWritableKeyPath<Transfer, Capture?>

  private func use(_ capture: Capture, as role: Role, in transfer: Transfer) {
    transfer[keyPath: role] = capture
    capture.users += 1
    guard capture.content == nil else { return }
    capture.waiting.append(transfer)
    queue.append(capture, of: transfer.session.holder)
  }

  private func release(_ role: Role, of transfer: Transfer) {
    guard let capture = transfer[keyPath: role] else { return }
    transfer[keyPath: role] = nil
    capture.users -= 1
    if capture.users == 0, !capture.isRunning { forget(capture) }
    // Dropped transfers are removed in batches, so the cost is amortized O(1).
    if capture.waiting.count > 2 * capture.users + 16 {
      capture.waiting.removeAll(where: \.isDropped)
    }
  }

  private func forget(_ capture: Capture) {
    capture.scope?.captures.removeAll { $0 === capture }
    capture.leaveScope()
    if case .snapshot(let snapshot) = capture.content {
      discarded.append(contentsOf: snapshot.pieces)
    }
    capturedBytes -= capture.content?.bytes ?? 0
    capture.content = nil
  }

  /// The sessions that have to end because captures take too much memory: those that hold most of
  /// it and do not give credit.
  func hoarders(among sessions: @autoclosure () -> [Session]) -> [Session] {
    var known: [Session] = []
    let ended = Holder.greediest(of: capturedBytes, within: limits.capturedBytes) {
      known = sessions()
      return known.map { session in
        let bytes = session.scopes.transfers.values.reduce(0) { $0 + $1.bytes }
        return Holder.Part(id: session.info.id, holder: session.holder, amount: bytes)
      }
    }
    let greediest = Set(ended)
    return known.filter { greediest.contains($0.info.id) }
  }

  /// Whether pieces wait to be freed.
  var hasDiscarded: Bool { !discarded.isEmpty }

  /// Frees one piece of an obsolete snapshot: to free a large one at once takes milliseconds.
  func freeDiscarded() { _ = discarded.popLast() }

  private func drop(_ transfer: Transfer) {
    transfer.isDropped = true
    release(\.snapshot, of: transfer)
    release(\.catchUp, of: transfer)
  }

  // MARK: Jobs

  /// Whether a job may start.
  var hasJobs: Bool { queue.hasJob() }

  /// Takes the next job, to be run on any thread; nil if no job may start now.
  func nextJob() -> CaptureJob? {
    while let (captures, holder) = queue.next(rows: limits.rowsPerJob, isOfRow) {
      let works = captures.compactMap { begin($0) }
      if !works.isEmpty { return CaptureJob(works: works, holder: holder) }
      queue.finish(holder)
    }
    return nil
  }

  private func isOfRow(_ capture: Capture) -> Bool {
    capture.scope?.root.exposed.description.isEach ?? false
  }

  private func begin(_ capture: Capture) -> CaptureJob.Work? {
    guard let scope = capture.scope else { return nil }
    capture.isRunning = true
    running[capture.id] = capture
    return CaptureJob.Work(
      id: capture.id,
      source: scope.root.source,
      old: capture.old,
      digest: capture.digest,
      new: capture.new,
      // The other half is room for the rest of the frame.
      catchUpLimit: limits.frameBytes / 2,
      // The last chunk of a piece has room for the end of an element, so that it is not a
      // short one.
      pieceBytes: limits.chunkBytes * 8 - limits.chunkBytes / 8,
    )
  }

  /// Receives the result of a job, and continues the transfers that waited for it.
  func finish(_ result: CaptureJob.Result, now: Instant) {
    queue.finish(result.holder)
    for made in result.made {
      guard let capture = running.removeValue(forKey: made.id) else { continue }
      capture.isRunning = false
      capture.content = made.content
      capturedBytes += made.content.bytes
      capture.scope?.know(made.digest, isNewest: capture.holds(at: root.revision))
      let waiting = capture.waiting.filter {
        !$0.isDropped && ($0.snapshot === capture || $0.catchUp === capture)
      }
      capture.waiting = []
      if case .tooLarge = made.content {
        capture.isOutgrown = true
        for transfer in waiting { replaceCatchUp(of: transfer, now: now) }
      }
      for transfer in waiting where transfer.isMade {
        transfer.session.scopes.enqueue(transfer)
        enterLine(transfer.session)
      }
      if capture.users == 0 { forget(capture) }
    }
  }

  /// Replaces a catch-up that is too large for a frame by a snapshot of the same version.
  private func replaceCatchUp(of transfer: Transfer, now: Instant) {
    guard let catchUp = transfer.catchUp, let scope = catchUp.scope else { return }
    transfer.snapshot?.isOutgrown = true
    release(\.snapshot, of: transfer)
    release(\.catchUp, of: transfer)
    addSnapshot(
      of: scope,
      at: catchUp.new,
      since: catchUp.since,
      until: catchUp.until,
      to: transfer,
      now: now,
    )
  }

  // MARK: Pieces

  /// Adds a client's credit for the captures of a join.
  func credit(_ session: Session, nonce: UInt64, bytes: UInt64) {
    guard nonce == session.scopes.nonce else { return }
    session.scopes.creditUsed = max(0, session.scopes.creditUsed - Int(clamping: bytes))
    enterLine(session)
  }

  /// Queues a session for its turn, if a piece can be sent to it.
  private func enterLine(_ session: Session) {
    guard !session.scopes.isInLine, session.isOpen, canSend(to: session) else { return }
    session.scopes.isInLine = true
    // Pieces have about the same size for all sessions.
    line.append(session, from: session.info.id, of: session.holder, cost: 1)
  }

  private func canSend(to session: Session) -> Bool {
    session.scopes.nextTransfer != nil && session.scopes.creditUsed < limits.creditBytes
  }

  /// Whether a piece can be sent to a session.
  var hasPieces: Bool { !line.isEmpty }

  /// Takes the next piece of a snapshot, or a catch-up.
  ///
  /// Sessions take turns.
  func nextPiece() -> OutgoingFrame? {
    while let session = line.popFirst() {
      session.scopes.isInLine = false
      guard session.isOpen, canSend(to: session), let message = takeNext(session) else { continue }
      enterLine(session)
      return .control(session.peer, message.encoded())
    }
    return nil
  }

  private func takeNext(_ session: Session) -> DaemonMessage? {
    guard let transfer = session.scopes.nextTransfer else { return nil }
    if case .snapshot(let snapshot)? = transfer.snapshot?.content {
      return .snapshot(takePiece(of: snapshot, transfer))
    }
    guard case .catchUp(let delta)? = transfer.catchUp?.content else {
      preconditionFailure("A transfer to session \(session.info.id) has nothing to send")
    }
    counters.replays += 1
    session.scopes.creditUsed += delta?.count ?? 0
    session.scopes.finishNext()
    release(\.catchUp, of: transfer)
    return .replay(
      DaemonMessage.Replay(
        nonce: transfer.nonce,
        handle: transfer.handle,
        revision: transfer.revision,
        delta: delta?[...],
      )
    )
  }

  private func takePiece(
    of snapshot: Snapshot,
    _ transfer: Transfer,
  ) -> DaemonMessage.SnapshotPiece {
    let offset = transfer.position.offset
    if offset == 0 { counters.snapshots += 1 }
    let bytes = transfer.position.read(limits.chunkBytes, of: snapshot)
    let piece = DaemonMessage.SnapshotPiece(
      nonce: transfer.nonce,
      handle: transfer.handle,
      revision: transfer.snapshotRevision,
      total: UInt64(snapshot.count),
      offset: UInt64(offset),
      bytes: bytes,
    )
    let scopes = transfer.session.scopes
    scopes.creditUsed += bytes.count
    if transfer.position.offset == snapshot.count {
      if transfer.catchUp == nil { scopes.finishNext() }
      release(\.snapshot, of: transfer)
    }
    return piece
  }

  // MARK: Waiting

  /// Notifies sessions that wait for captures that these are being encoded.
  func sendWorking(now: Instant) {
    guard nextDeadline <= now else { return }
    nextDeadline = .distantFuture
    for capture in (queue.all + Array(running.values)).sorted(by: { $0.id < $1.id }) {
      for transfer in capture.waiting where !transfer.isDropped {
        tell(transfer.session, now: now)
      }
    }
  }

  private func tell(_ session: Session, now: Instant) {
    nextDeadline = now.advanced(by: timing.working)
    guard session.features.contains(.snapshotThenReplay), session.scopes.toldOfWork != now
    else { return }
    session.scopes.toldOfWork = now
    outbox.send(.working(nonce: session.scopes.nonce), to: session.peer)
  }

  // MARK: Invariants

  func checkInvariants(_ sessions: [Session]) {
    let jobs = queue.jobs.all
    precondition(jobs <= limits.captureJobs, "\(jobs) jobs run, of \(limits.captureJobs)")
    precondition(running.values.allSatisfy(\.isRunning), "A capture runs and does not know")
    var kept: [ObjectIdentifier: Int] = [:]
    for transfer in sessions.flatMap(\.scopes.transfers.values) {
      for capture in [transfer.snapshot, transfer.catchUp].compactMap(\.self) {
        kept[ObjectIdentifier(capture)] = capture.content?.bytes ?? 0
      }
    }
    let bytes = kept.values.reduce(0, +)
    precondition(bytes == capturedBytes, "\(bytes) bytes are captured, \(capturedBytes) counted")
    for session in sessions { check(session) }
  }

  private func check(_ session: Session) {
    let scopes = session.scopes
    scopes.checkInvariants()
    precondition(
      zip(scopes.joins, scopes.joins.dropFirst()).allSatisfy { $0.nonce < $1.nonce },
      "The joins \(scopes.joins.map(\.nonce)) are out of order",
    )
    for transfer in scopes.transfers.values {
      precondition(
        !transfer.isDropped && transfer.nonce == scopes.nonce
          && (transfer.snapshot ?? transfer.catchUp) != nil,
        "A transfer of join \(transfer.nonce) is left at join \(scopes.nonce)",
      )
    }
    precondition(
      !canSend(to: session) || scopes.isInLine,
      "Session \(session.info.id) is to be sent something and does not stand in line",
    )
  }
}
