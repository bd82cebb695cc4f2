import StoreProtocol
import StoreState

extension ReplicaClient {
  func startJoin() {
    guard let session, phase == .live else {
      needsJoin = true
      return
    }
    // What is shown goes on together, so the others wait for those that are being translated.
    guard !scopes.contains(where: \.isShownAndResolving) else {
      needsJoin = true
      return
    }
    lastNonce += 1
    let (wanted, excess) = wantedScopes(atMost: session.scopes)
    // A scope that is followed twice is captured once, for both: so both must have the same.
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
    // What the daemon sends will start from these positions, so nothing may be added to them.
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
          ClientMessage.JoinRequest(
            scope: asked.scope.name,
            mode: asked.isKept ? .keep : asked.scope.mode,
            stateHash: asked.hashes.state,
            actionHash: asked.hashes.action,
            // The view goes on with what is kept: if that is captured all the same, then whole.
            position: asked.isKept ? nil : positions[ScopeKey(asked.scope.name)],
          )
        },
      )
    )
    refuse(excess, tooManyFor: session.scopes)
  }

  /// What all followers of a scope have, by its name.
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

  /// Notes for each scope of the view what its replica has, as long as that is certain.
  func freezePositions() {
    guard let view, view.isIntact else { return }
    let position = ClientMessage.Position(epoch: view.epoch, revision: view.revision)
    for scope in view.scopes.joined() where scope.isFollowed && !scope.isInDoubt {
      scope.position = position
    }
  }

  /// There is no room for scopes in a session: the daemon is not asked, which would refuse them.
  private func refuse(_ excess: [ClientScope], tooManyFor limit: Int) {
    refuse(excess.map { ($0, .tooManyScopes(limit)) })
  }

  /// Joins everything again, from what the replicas have.
  func rejoin() {
    abandonJoin()
    canKeep = false
    startJoin()
  }

  /// Joins everything again, as nothing has come of the join under way for so long.
  ///
  /// The daemon may need longer than it was given, so the next join is given more.
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
        // Who has learned the daemon's types since it asked need not ask what they are.
        if asked.hashes == scope.hashes { mismatched.append((scope, failure)) }
      }
    }
    learnTypes(of: mismatched)
    // Those who are told may do anything, so all else comes first.
    defer { refuse(refused) }
    // To show the others alone would show two revisions side by side.
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
    // The daemon knows that it is asked for, so there is nothing to wait for on the other socket.
    if topic.kind == .unicastView { return unsubscribe(session.privateTopic) }
    subscribe(session.privateTopic)
    subscribe(topic)
    if isWelcomed { sendFence() }
  }

  private func noteUnicastView(_ topic: Topic, of nonce: UInt64) {
    guard nonce <= lastNonce else { return }
    unicastTopics[nonce] = topic
    // A daemon answers them in their order, and the echo follows.
    if unicastTopics.count > Self.mostUnicastTopics, let oldest = unicastTopics.keys.min() {
      unicastTopics[oldest] = nil
    }
  }

  private static var mostUnicastTopics: Int { 16 }

  /// Subscriptions are counted by those who pass them on, so each is made once.
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

  /// The daemon is making what the join waits for.
  func isWorking(on nonce: UInt64) {
    guard let join = joining, join.nonce == nonce else { return }
    extendDeadline(of: join)
  }

  private func extendDeadline(of join: ClientJoin) {
    join.deadline = now.instant.advanced(by: patience)
  }

  /// What the daemon sends of a scope cannot be taken, and the next would be no better.
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

  /// The daemon does not let us have scopes: all of them end before anybody is told.
  func refuse(_ refused: [(scope: ClientScope, failure: JoinFailure)]) {
    guard !refused.isEmpty else { return }
    for (scope, failure) in refused { scope.status = .refused(failure) }
    for (scope, failure) in refused {
      scope.replica?.announceEnd()
      stateRefused(scope, failure)
    }
    // Outcomes may have waited for these scopes' states, which will not come.
    settleActions()
  }

  func receive(_ echo: PublishedMessage.Echo) {
    guard let join = joining, join.nonce == echo.nonce, join.view != nil, join.echo == nil,
      echo.sequence < ActionSequence.greatestStart
    else { return }
    // What is kept has to be complete up to here; a loss on the way would never show again.
    if join.keepsAny, view?.isSuspended != true, view?.sequence != echo.previousSequence {
      return gapDetected(
        "the view ended at \(echo.previousSequence), we are at \(view?.sequence ?? 0)"
      )
    }
    hear(echo.revision)
    join.noteEcho(echo, after: view)
    // A connection that subscribes and has no fence is nobody's: what was followed until now is
    // left at once, not only when all that the join brings is there.
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
    // What is kept lacks what was not published, so another join has to bring that.
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
    // Nothing is shown unless all of it is right: it would not belong to one revision.
    guard next.isIntact else {
      // The turn's end joins, without those that are refused.
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

  /// Shows what a join has brought, and what came after its echo.
  ///
  /// - Parameters:
  ///   - join: The join.
  ///   - former: The view before, where it had come to a step that was not published.
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
    // The rest were revisions in which nothing changed.
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

  /// Shows what scopes have come to, and then tells those who watch.
  ///
  /// Those who watch may do anything, such as closing the connection.
  func show(_ scopes: [ClientScope], revision: UInt64) {
    for scope in scopes { scope.replica?.show(revision: revision) }
    for scope in scopes { scope.replica?.announce() }
    for scope in scopes where !scope.hasShown && scope.isFollowed { firstStateShown(scope) }
  }

  /// Why a capture could not be applied.
  private enum CaptureFailure: Error {
    /// It is not of the scope's type; the next would be no better.
    case misfit(JoinFailure)
    /// It does not fit what the replica has; a snapshot will.
    case stale(String)
  }

  /// Takes what was sent of a scope.
  private func take(
    _ join: ClientJoin,
    _ scope: ClientScope,
    _ echo: PublishedMessage.Echo,
  ) throws(CaptureFailure) {
    // A scope that is followed twice has one capture, for both.
    guard let handle = scope.handle, let capture = join.capture(handle) else { return }
    if let revision = capture.snapshotRevision {
      tellDifference(of: scope, from: capture.snapshot, at: revision)
      do throws(CodecError) {
        try scope.reset(to: capture.snapshot[...], revision: revision)
      } catch {
        let misfit =
          scope.translation == nil
          ? "is not of its type" : "is of another build and cannot be read here"
        let message = "What the daemon sent of \"\(scope.name)\" \(misfit): \(error)"
        throw .misfit(JoinFailure(code: "badState", message: message))
      }
    }
    guard let delta = capture.catchUp else { return }
    do throws(CodecError) {
      try scope.apply(delta, revision: echo.revision)
    } catch {
      throw .stale("what was captured does not fit: \(error)")
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

  /// Something is missing; what the replicas have is right as far as it goes.
  func gapDetected(_ reason: String) {
    resyncs += 1
    let names = view?.scopes.compactMap(\.first?.name) ?? []
    events.append(.resynchronizing(scope: names.joined(separator: ", "), reason: reason))
    freezePositions()
    view?.isIntact = false
    rejoin()
  }
}
