package import StoreState

extension ReplicaClient {
  /// Follows a scope with a replica, or takes one to send to.
  ///
  /// - Parameters:
  ///   - name: The scope's name.
  ///   - mode: Whether it is followed.
  ///   - state: The schema of this program's state; nil when it takes any.
  ///   - action: The schema of this program's actions; nil when it takes any.
  ///   - reader: The state's schema with what helps to read other builds' states. Nil when only a
  ///     daemon with this very state will do.
  ///   - replica: What keeps its state; nil for a scope that is only sent to.
  /// - Returns: The scope, which the next turn joins.
  package func add(
    _ name: String,
    mode: ClientMessage.JoinMode,
    state: SchemaDocument? = nil,
    action: SchemaDocument? = nil,
    reader: (@MainActor () -> ReaderSchema)? = nil,
    replica: (any Replica)?,
  ) -> ClientScope {
    let scope = ClientScope(
      name: name,
      mode: mode,
      state: state,
      action: action,
      reader: reader,
      replica: replica,
    )
    scope.client = self
    scopes.append(scope)
    needsJoin = true
    return scope
  }

  /// Follows a scope no more.
  package func remove(_ scope: ClientScope) {
    scopes.removeAll { $0 === scope }
    scope.isRemoved = true
    needsJoin = true
  }

  func startJoin() {
    guard let session, phase == .live else {
      needsJoin = true
      return
    }
    needsJoin = false
    lastNonce += 1
    let wanted = scopes.filter { !$0.isGone && !$0.isResolving }
    // A scope that is followed twice is captured once, for both: so both must have the same.
    let fresh = Set(
      wanted.filter { $0.replica != nil && view?.contains($0) != true }.map(\.name)
    )
    let asked = wanted.map { scope in
      ClientJoin.Asked(
        scope: scope,
        isKept: canKeep && scope.replica != nil && !fresh.contains(scope.name),
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
      deadline: now.instant.advanced(by: timing.answer),
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
            position: positions[asked.scope.name],
          )
        },
      )
    )
  }

  /// What all followers of a scope have, by its name.
  private func positions(
    of wanted: [ClientScope],
    epoch: UInt64,
  ) -> [String: ClientMessage.Position] {
    var positions: [String: ClientMessage.Position] = [:]
    var without: Set<String> = []
    for scope in wanted where scope.replica != nil {
      if let position = scope.position, position.epoch == epoch, scope.hasFittingContent,
        positions[scope.name] ?? position == position
      {
        positions[scope.name] = position
      } else {
        without.insert(scope.name)
      }
    }
    return positions.filter { !without.contains($0.key) }
  }

  /// Notes for each scope of the view what its replica has, as long as that is certain.
  func freezePositions() {
    guard let view, view.isIntact else { return }
    let position = ClientMessage.Position(epoch: view.epoch, revision: view.revision)
    for scope in view.scopes.joined() { scope.position = position }
  }

  /// Joins everything again, from what the replicas have.
  func rejoin() {
    abandonJoin()
    canKeep = false
    startJoin()
  }

  func abandonJoin() {
    guard let join = joining else { return }
    joining = nil
    needsJoin = true
    if let topic = join.view?.topic, topic != view?.topic { unsubscribe(topic) }
  }

  func joined(_ nonce: UInt64, _ topic: Topic?, _ answers: [DaemonMessage.JoinAnswer]) {
    guard var join = joining, join.nonce == nonce, !join.isAnswered,
      answers.count == join.asked.count, let session
    else { return }
    var followed: [ClientScope] = []
    var mismatched: [(scope: ClientScope, failure: JoinFailure)] = []
    for (asked, answer) in zip(join.asked, answers) {
      let scope = asked.scope
      switch answer {
      case .accepted(let handle):
        scope.handle = handle
        if scope.replica == nil { scope.status = .live } else { followed.append(scope) }
      case .refused(let code, let message, let details):
        let failure = JoinFailure(code: code, message: message, details: details)
        if code == "schemaMismatch" {
          // Who has learned the daemon's types since it asked need not ask what they are.
          if asked.hashes == scope.hashes { mismatched.append((scope, failure)) }
        } else {
          scope.status = .refused(failure)
        }
      }
    }
    learnTypes(of: mismatched)
    guard followed.isEmpty == (topic == nil) else {
      malformed += 1
      return
    }
    join.isAnswered = true
    if let topic {
      join.view = ClientView(
        nonce: nonce,
        topic: topic,
        epoch: session.epoch,
        scopes: ClientView.inOrderOfIndex(followed),
      )
    }
    joining = join
    guard let topic else { return completeJoinIfReady() }
    subscribe(session.privateTopic)
    subscribe(topic)
    if isWelcomed { sendFence() }
  }

  /// Subscriptions are counted by those who pass them on, so each is made once.
  func subscribe(_ topic: Topic) {
    if subscribed.insert(topic).inserted { outgoing.append(.subscribe(topic)) }
  }

  func unsubscribe(_ topic: Topic) {
    if subscribed.remove(topic) != nil { outgoing.append(.unsubscribe(topic)) }
  }

  func sendFence() {
    guard let join = joining, join.isAnswered, join.view != nil, join.echo == nil, let session
    else { return }
    outgoing.append(.upstream(Fence(token: session.token, nonce: join.nonce).encoded()))
  }

  // MARK: Captures

  func receive(_ piece: DaemonMessage.SnapshotPiece) {
    guard var join = joining, join.nonce == piece.nonce else { return }
    var bytes: [UInt8] = []
    if case .snapshot(let received, _, _) = join.captures[piece.handle] { bytes = received }
    join.captures[piece.handle] = nil
    guard Int(clamping: piece.offset) == bytes.count,
      piece.total <= UInt64(Int.max), bytes.count + piece.bytes.count <= Int(piece.total)
    else {
      malformed += 1
      return
    }
    bytes.append(contentsOf: piece.bytes)
    join.captures[piece.handle] = .snapshot(
      bytes,
      total: Int(piece.total),
      revision: piece.revision,
    )
    join.deadline = now.instant.advanced(by: timing.answer)
    joining = join
    send(.credit(nonce: piece.nonce, bytes: UInt64(piece.bytes.count)))
    completeJoinIfReady()
  }

  func receive(_ replay: DaemonMessage.Replay) {
    guard joining?.nonce == replay.nonce else { return }
    joining?.captures[replay.handle] = .replay(replay.delta, revision: replay.revision)
    completeJoinIfReady()
  }

  func receive(_ echo: PublishedMessage.Echo) {
    guard let join = joining, join.nonce == echo.nonce, join.view != nil, join.echo == nil,
      echo.sequence < ClientTable.greatestStart
    else { return }
    // What is kept has to be complete up to here; a loss on the way would never show again.
    if join.keepsAny, view?.sequence != echo.previousSequence {
      return lost("the view ended at \(echo.previousSequence), we are at \(view?.sequence ?? 0)")
    }
    joining?.echo = echo
    joining?.view?.sequence = echo.sequence
    joining?.view?.revision = echo.revision
    joining?.deadline = now.instant.advanced(by: timing.answer)
    completeJoinIfReady()
  }

  func completeJoinIfReady() {
    guard let join = joining, join.isComplete else { return }
    freezePositions()
    joining = nil
    guard var next = join.view, let echo = join.echo else {
      replaceView(with: nil)
      canKeep = true
      return settleActions()
    }
    let position = ClientMessage.Position(epoch: next.epoch, revision: echo.revision)
    for scope in next.scopes.joined() {
      if take(join, scope, echo) { scope.position = position } else { next.isIntact = false }
    }
    replaceView(with: next)
    // Nothing is shown unless all of it is right: it would not belong to one revision.
    guard next.isIntact else { return rejoin() }
    revision = echo.revision
    canKeep = true
    for scope in next.scopes.joined() { scope.status = .live }
    show(next.scopes.flatMap(\.self), revision: echo.revision)
    for kept in join.kept { receive(kept) }
    settleActions()
  }

  /// Shows what scopes have come to, and then tells those who watch.
  func show(_ scopes: [ClientScope], revision: UInt64) {
    for scope in scopes { scope.replica?.settled(revision: revision) }
    for scope in scopes { scope.replica?.announce() }
  }

  /// Takes a scope's capture; false when it does not fit, and then the scope is joined afresh.
  private func take(
    _ join: ClientJoin,
    _ scope: ClientScope,
    _ echo: PublishedMessage.Echo,
  ) -> Bool {
    guard let handle = scope.handle, let capture = join.captures[handle] else { return true }
    do throws(CodecError) {
      guard capture.revision == echo.revision else {
        throw CodecError(
          .deltaMismatch,
          "captured at \(capture.revision), fenced at \(echo.revision)",
        )
      }
      switch capture {
      case .snapshot(let bytes, _, let revision):
        try scope.reset(to: bytes[...], revision: revision)
      case .replay(let delta, let revision):
        if let delta { try scope.apply(delta, revision: revision) }
      }
      return true
    } catch {
      if case .snapshot = capture, capture.revision == echo.revision {
        // The next one would be no better.
        scope.position = nil
        let misfit =
          scope.translation == nil
          ? "is not of its type" : "is of another build and cannot be read here"
        let message = "What the daemon sent of \"\(scope.name)\" \(misfit): \(error)"
        scope.status = .refused(JoinFailure(code: "badState", message: message, details: []))
      } else {
        doubt(scope, "what was captured does not fit: \(error)")
      }
      return false
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
    events.append(.resynchronising(scope: scope.name, reason: reason))
  }

  /// Something is missing; what the replicas have is right as far as it goes.
  func lost(_ reason: String) {
    resyncs += 1
    let names = view?.scopes.compactMap(\.first?.name) ?? []
    events.append(.resynchronising(scope: names.joined(separator: ", "), reason: reason))
    freezePositions()
    view?.isIntact = false
    rejoin()
  }
}
