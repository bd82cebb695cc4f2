import StoreProtocol
import StoreState

extension ReplicaClient {
  func startJoin() {
    guard let session, phase == .live else {
      needsJoin = true
      return
    }
    // All shown scopes advance together, so the others wait for those that are being translated.
    guard !scopes.contains(where: \.isShownAndResolving) else {
      needsJoin = true
      return
    }
    lastNonce += 1
    let (wanted, excess) = wantedScopes(atMost: session.scopes)
    // A scope that is followed twice has one capture for both followers, so both must have the same
    // state.
    let fresh = Set(
      wanted.lazy.filter { [view] in $0.isFollowed && ($0.isInDoubt || view?.contains($0) != true) }
        .map { ScopeKey($0.name) }
    )
    needsJoin = false
    let asked = wanted.map { scope in
      scope.wasAsked = true
      return ClientJoin.Asked(
        scope: scope,
        isKept: canKeep && scope.replica != nil && !fresh.contains(ScopeKey(scope.name)),
        isFollowed: scope.isFollowed,
        hashes: scope.hashes,
      )
    }
    freezePositions()
    // The daemon's captures will start from these positions, so no later delta may be applied.
    if !canKeep { view?.isIntact = false }
    canKeep = false
    joining = ClientJoin(
      nonce: lastNonce,
      asked: asked,
      deadline: now.instant.advanced(by: patience),
    )
    let positions = positions(of: wanted, epoch: session.epoch)
    send(
      .join(
        nonce: lastNonce,
        asked.map { asked in
          // A kept scope continues without a capture. If the daemon captures it in any case, the
          // capture is whole.
          let position = asked.isKept ? nil : positions[ScopeKey(asked.scope.name)]
          return ClientMessage.JoinRequest(
            scope: asked.scope.name,
            mode: asked.isKept ? .keep : asked.scope.mode,
            stateHash: asked.hashes.state,
            actionHash: asked.hashes.action,
            position: position,
            // The position of a quiet scope is often older than the daemon's versions.
            digest: position == nil ? nil : asked.scope.digest,
          )
        },
      )
    )
    refuse(excess, tooManyFor: session.scopes)
  }

  /// The positions that all followers of a scope share, by its name.
  private func positions(
    of wanted: [ClientScope],
    epoch: UInt64,
  ) -> [ScopeKey: ClientMessage.Position] {
    var positions: [ScopeKey: ClientMessage.Position] = [:]
    var without: Set<ScopeKey> = []
    for scope in wanted where scope.replica != nil {
      let key = ScopeKey(scope.name)
      if let position = scope.position, position.epoch == epoch, scope.hasFittingContent,
        !scope.isInDoubt, positions[key] ?? position == position
      {
        positions[key] = position
      } else {
        without.insert(key)
      }
    }
    return positions.filter { !without.contains($0.key) }
  }

  /// Notes for each scope of the view the position of its replica, as long as that is certain.
  func freezePositions() {
    guard let view, view.isIntact else { return }
    let position = ClientMessage.Position(epoch: view.epoch, revision: view.revision)
    for scope in view.scopes.joined() where scope.isFollowed && !scope.isInDoubt {
      scope.position = position
    }
  }

  /// Refuses scopes for which a session has no room.
  ///
  /// The daemon, which would refuse them too, is not asked.
  private func refuse(_ excess: [ClientScope], tooManyFor limit: Int) {
    refuse(excess.map { ($0, .tooManyScopes(limit)) })
  }

  /// Joins all scopes again, from the replicas' positions.
  func rejoin() {
    abandonJoin()
    canKeep = false
    startJoin()
  }

  /// Joins all scopes again, because the join under way has been silent until its deadline.
  ///
  /// The daemon may need more time, so the next join has a longer deadline.
  func joinTimedOut() {
    if joinsFailSince == nil { joinsFailSince = now.instant }
    patience = min(patience * 2, timing.patience)
    rejoin()
  }

  func abandonJoin() {
    guard let join = joining else { return }
    joining = nil
    needsJoin = true
    if let topic = join.view?.topic, topic != view?.topic { unsubscribe(topic) }
  }

  func joined(_ nonce: UInt64, _ topic: Topic?, _ answers: [DaemonMessage.JoinAnswer]) {
    if let topic, topic.kind == .unicastView { noteUnicastView(topic, of: nonce) }
    guard let join = joining, join.nonce == nonce, !join.isAnswered,
      answers.count == join.asked.count, let session
    else { return }
    var followed: [ClientScope] = []
    var mismatched: [(scope: ClientScope, failure: JoinFailure)] = []
    var refused: [(scope: ClientScope, failure: JoinFailure)] = []
    for (asked, answer) in zip(join.asked, answers) {
      let scope = asked.scope
      switch answer {
      case .accepted(let handle):
        scope.handle = handle
        if asked.isFollowed { followed.append(scope) } else { scope.status = .live }
      case .refused(let failure):
        scope.handle = nil
        guard failure.code == "schemaMismatch" else {
          refused.append((scope, failure))
          continue
        }
        // A scope that has learned the daemon's types since the request need not ask for them.
        if asked.hashes == scope.hashes { mismatched.append((scope, failure)) }
      }
    }
    learnTypes(of: mismatched)
    // Notified observers may call the client, so all other work is done first.
    defer { refuse(refused) }
    // The other scopes alone would be shown at another revision.
    if scopes.contains(where: \.isShownAndResolving) { return abandonJoin() }
    guard followed.isEmpty == (topic == nil) else {
      malformed += 1
      return
    }
    guard let topic else {
      unsubscribe(session.privateTopic)
      join.answer(nil, after: view)
      return completeJoinIfReady()
    }
    let scopes = ClientView.inOrderOfIndex(followed)
    join.answer(
      ClientView(nonce: nonce, topic: topic, epoch: session.epoch, scopes: scopes),
      after: view,
    )
    // The daemon knows of the join, so no fence is needed on the other socket.
    if topic.kind == .unicastView { return unsubscribe(session.privateTopic) }
    subscribe(session.privateTopic)
    subscribe(topic)
    if isWelcomed { sendFence() }
  }

  private func noteUnicastView(_ topic: Topic, of nonce: UInt64) {
    guard nonce <= lastNonce else { return }
    unicastTopics[nonce] = topic
    // A daemon answers joins in their order, and each echo follows, so the oldest can go.
    if unicastTopics.count > Self.mostUnicastTopics, let oldest = unicastTopics.keys.min() {
      unicastTopics[oldest] = nil
    }
  }

  private static var mostUnicastTopics: Int { 16 }

  /// Subscribes once, because intermediaries count subscriptions.
  func subscribe(_ topic: Topic) {
    if subscribed.insert(topic).inserted { outgoing.append(.subscribe(topic)) }
  }

  func unsubscribe(_ topic: Topic) {
    if subscribed.remove(topic) != nil { outgoing.append(.unsubscribe(topic)) }
  }

  func sendFence() {
    guard let join = joining, join.isAnswered, let view = join.view, !view.isUnicast,
      join.echo == nil, let session
    else { return }
    outgoing.append(.upstream(Fence(token: session.token, nonce: join.nonce).encoded()))
  }

  // MARK: Captures

  func add(_ piece: DaemonMessage.SnapshotPiece) {
    guard let join = joining, join.nonce == piece.nonce else { return }
    if let problem = join.add(piece, limit: limits.snapshotBytes) {
      return refuseCapture(piece.handle, of: join, problem)
    }
    extendDeadline(of: join)
    send(.credit(nonce: piece.nonce, bytes: UInt64(piece.bytes.count)))
    completeJoinIfReady()
  }

  func add(_ replay: DaemonMessage.Replay) {
    guard let join = joining, join.nonce == replay.nonce else { return }
    join.add(replay)
    extendDeadline(of: join)
    if let delta = replay.delta {
      send(.credit(nonce: replay.nonce, bytes: UInt64(delta.count)))
    }
    completeJoinIfReady()
  }

  /// Extends the deadline of a join for which the daemon is still preparing a capture.
  func isWorking(on nonce: UInt64) {
    guard let join = joining, join.nonce == nonce else { return }
    extendDeadline(of: join)
  }

  private func extendDeadline(of join: ClientJoin) {
    join.deadline = now.instant.advanced(by: patience)
  }

  /// Refuses the scopes of an invalid capture, because the next capture would be invalid too.
  private func refuseCapture(_ handle: UInt64, of join: ClientJoin, _ problem: String) {
    malformed += 1
    let refused = join.asked.filter { $0.scope.handle == handle }.map(\.scope)
    abandonJoin()
    canKeep = false
    needsJoin = true
    refuse(
      refused.map { scope in
        let message = "The daemon sent \(problem) of \"\(scope.name)\"."
        return (scope, JoinFailure(code: "badState", message: message))
      }
    )
  }

  func keep(_ message: ClientJoin.Kept, bytes: Int, in join: ClientJoin) {
    join.keep(message, bytes: bytes, limit: limits.keptBytes)
    completeJoinIfReady()
  }

  /// Ends refused scopes: all of them end before any observer is notified.
  func refuse(_ refused: [(scope: ClientScope, failure: JoinFailure)]) {
    guard !refused.isEmpty else { return }
    for (scope, failure) in refused { scope.status = .refused(failure) }
    for (scope, failure) in refused {
      scope.replica?.announceEnd()
      stateRefused(scope, failure)
    }
    // Outcomes may have waited for these scopes' states, which will not arrive.
    settleActions()
  }

  func receive(_ echo: PublishedMessage.Echo) {
    guard let join = joining, join.nonce == echo.nonce, join.view != nil, join.echo == nil,
      echo.sequence < ActionSequence.greatestStart
    else { return }
    // Kept states have to be complete up to here, because a later message would not reveal a loss.
    if join.keepsAny, view?.isSuspended != true, view?.sequence != echo.previousSequence {
      return gapDetected(
        "the view ended at \(echo.previousSequence), we are at \(view?.sequence ?? 0)"
      )
    }
    hear(echo.revision)
    join.noteEcho(echo, after: view)
    // The daemon shuts down a connection that subscribes and has no fence. So the former view is
    // left at once, before the captures of the join are complete.
    if join.view?.isUnicast == true, let former = view?.topic { unsubscribe(former) }
    extendDeadline(of: join)
    completeJoinIfReady()
  }

  func completeJoinIfReady() {
    guard let join = joining, join.isComplete else { return }
    freezePositions()
    joining = nil
    patience = timing.answer
    (joinsFailSince, brokenJoins) = (nil, 0)
    lastEnd = nil
    guard var next = join.view, let echo = join.echo else {
      replaceView(with: nil)
      canKeep = true
      return settleActions()
    }
    let position = ClientMessage.Position(epoch: next.epoch, revision: echo.revision)
    let former = view.flatMap { $0.isSuspended && $0.epoch == next.epoch ? $0 : nil }
    // A kept state lacks the unpublished step, so another join has to bring it.
    if let former, join.keepsAny { next.suspend(after: former) }
    if let view { next.goOn(after: view) }
    var refused: [(scope: ClientScope, failure: JoinFailure)] = []
    for scope in next.scopes.joined() where scope.isFollowed {
      do throws(CaptureFailure) {
        try take(join, scope, echo)
        if !(next.isSuspended && join.keeps(scope)) { scope.position = position }
      } catch {
        next.isIntact = false
        scope.position = nil
        switch error {
        case .misfit(let failure): refused.append((scope, failure))
        case .stale(let reason): doubt(scope, reason)
        }
      }
    }
    if join.isOverrun { next.isIntact = false }
    next.isShown = false
    replaceView(with: next)
    // All scopes are shown or none, because they must belong to one revision.
    guard next.isIntact else {
      // The end of the turn joins again, without the refused scopes.
      needsJoin = true
      for kept in join.kept { receive(kept) }
      refuse(refused)
      return
    }
    canKeep = true
    for scope in next.scopes.joined() where scope.isFollowed { scope.status = .live }
    takeKept(join, after: former)
    settleActions()
  }

  /// Shows the states of a join, and applies the messages after its echo.
  ///
  /// - Parameters:
  ///   - join: The join.
  ///   - former: The former view if it was suspended at an unpublished step, else nil.
  private func takeKept(_ join: ClientJoin, after former: ClientView?) {
    if !join.beginsBehind {
      showView()
      for (output, scopes) in former?.late ?? [] { deliver(output, to: scopes) }
    }
    for kept in join.kept {
      receive(kept)
      if let view, view.isIntact, !view.isShown, view.revision >= join.firstShown { showView() }
    }
    guard let view, view.isIntact, !view.isShown else { return }
    // The remaining revisions changed no scope of the view.
    self.view?.revision = max(view.revision, join.newest)
    showView()
  }

  /// Shows all of the view for the first time.
  private func showView() {
    guard let view else { return }
    self.view?.isShown = true
    revision = view.revision
    show(view.scopes.flatMap(\.self), revision: view.revision)
  }

  /// Shows the states of scopes, and then notifies their observers.
  ///
  /// Observers may call the client, for example to close the connection.
  func show(_ scopes: [ClientScope], revision: UInt64) {
    for scope in scopes { scope.replica?.show(revision: revision) }
    for scope in scopes { scope.replica?.announce() }
    for scope in scopes where !scope.hasShown && scope.isFollowed { firstStateShown(scope) }
  }

  /// Why a capture could not be applied.
  private enum CaptureFailure: Error {
    /// It is not of the scope's type, and the next capture would not be either.
    case misfit(JoinFailure)
    /// It does not fit the replica's state; a snapshot will.
    case stale(String)
  }

  /// Applies the capture of a scope.
  private func take(
    _ join: ClientJoin,
    _ scope: ClientScope,
    _ echo: PublishedMessage.Echo,
  ) throws(CaptureFailure) {
    // A scope that is followed twice has one capture, for both followers.
    guard let handle = scope.handle, let capture = join.capture(handle) else { return }
    if let revision = capture.snapshotRevision {
      tellDifference(of: scope, from: capture.snapshot, at: revision)
      do throws(CodecError) {
        try scope.reset(to: capture.snapshot[...], revision: revision)
      } catch {
        let misfit =
          scope.translation == nil
          ? "is not of its type" : "is of another build and cannot be read here"
        let message = "The daemon's state of \"\(scope.name)\" \(misfit): \(error)"
        throw .misfit(JoinFailure(code: "badState", message: message))
      }
    }
    guard let delta = capture.catchUp else { return }
    do throws(CodecError) {
      try scope.apply(delta, revision: echo.revision)
    } catch {
      throw .stale("the captured state does not fit: \(error)")
    }
  }

  private func replaceView(with next: ClientView?) {
    if let old = view?.topic, old != next?.topic { unsubscribe(old) }
    view = next
  }

  /// A scope's content cannot be trusted: the next join asks for a snapshot.
  func doubt(_ scope: ClientScope, _ reason: String) {
    resyncs += 1
    scope.position = nil
    needsJoin = true
    canKeep = false
    events.append(.resynchronizing(scope: scope.name, reason: reason))
  }

  /// Joins again after a loss; the replicas' states are right up to their positions.
  func gapDetected(_ reason: String) {
    resyncs += 1
    let names = view?.scopes.compactMap(\.first?.name) ?? []
    events.append(.resynchronizing(scope: names.joined(separator: ", "), reason: reason))
    freezePositions()
    view?.isIntact = false
    rejoin()
  }
}
