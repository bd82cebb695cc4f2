package import StoreState

extension ReplicaClient {
  /// Follows a scope with a replica, or takes one to send to.
  package func add(
    _ name: String,
    mode: ClientMessage.JoinMode,
    state: SchemaDocument? = nil,
    action: SchemaDocument? = nil,
    replica: (any Replica)?,
  ) -> ClientScope {
    let scope = ClientScope(
      name: name,
      mode: mode,
      state: state,
      action: action,
      replica: replica,
    )
    scopes.append(scope)
    needsJoin = true
    return scope
  }

  /// Follows a scope no more.
  package func remove(_ scope: ClientScope) {
    scopes.removeAll { $0 === scope }
    needsJoin = true
  }

  func startJoin() {
    guard let session else { return }
    needsJoin = false
    lastNonce += 1
    let wanted = scopes.filter { if case .refused = $0.status { false } else { true } }
    let asked = wanted.map { scope in
      (scope: scope, isKept: canKeep && view?.scopes.contains { $0 === scope } == true)
    }
    joining = ClientJoin(
      nonce: lastNonce,
      asked: asked,
      deadline: now.instant.advanced(by: timing.answer),
    )
    canKeep = false
    send(
      .join(
        nonce: lastNonce,
        asked.map { scope, isKept in
          ClientMessage.JoinRequest(
            scope: scope.name,
            mode: isKept ? .keep : scope.mode,
            stateHash: scope.stateHash,
            actionHash: scope.actionHash,
            position: scope.position?.epoch == session.epoch ? scope.position : nil,
          )
        },
      )
    )
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
    if let topic = join.view?.topic, topic != view?.topic { outgoing.append(.unsubscribe(topic)) }
  }

  func joined(_ nonce: UInt64, _ topic: Topic?, _ answers: [DaemonMessage.JoinAnswer]) {
    guard var join = joining, join.nonce == nonce, !join.isAnswered,
      answers.count == join.asked.count
    else { return }
    var followed: [ClientScope] = []
    for ((scope, _), answer) in zip(join.asked, answers) {
      switch answer {
      case .accepted(let handle):
        scope.handle = handle
        if scope.replica == nil { scope.status = .live } else { followed.append(scope) }
      case .refused(let code, let message, let details):
        refuse(scope, JoinFailure(code: code, message: message, details: details))
      }
    }
    join.isAnswered = true
    if let topic {
      join.view = ClientView(
        nonce: nonce,
        topic: topic,
        scopes: Self.inOrderOfIndex(followed),
        sequence: 0,
      )
    }
    joining = join
    guard let topic, let session else { return completeJoinIfReady() }
    outgoing.append(.subscribe(session.privateTopic))
    if topic != view?.topic { outgoing.append(.subscribe(topic)) }
    if isWelcomed { sendFence() }
  }

  static func inOrderOfIndex(_ scopes: [ClientScope]) -> [ClientScope] {
    scopes.sorted { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) }
  }

  func sendFence() {
    guard let join = joining, join.isAnswered, join.view != nil, join.echo == nil, let session
    else { return }
    outgoing.append(.upstream(Fence(token: session.token, nonce: join.nonce).encoded()))
  }

  /// A scope whose schema differs is refused once the daemon's description names the fields.
  private func refuse(_ scope: ClientScope, _ failure: JoinFailure) {
    guard failure.code == "schemaMismatch" else {
      scope.status = .refused(failure)
      return
    }
    describe { result in
      var failure = failure
      if case .success(let descriptions) = result,
        let theirs = descriptions.find(scope.name)?.description
      {
        failure.details = scope.differences(from: theirs)
      }
      scope.status = .refused(failure)
    }
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
    guard joining?.nonce == echo.nonce else { return }
    joining?.echo = echo
    joining?.view?.sequence = echo.sequence
    joining?.deadline = now.instant.advanced(by: timing.answer)
    completeJoinIfReady()
  }

  func completeJoinIfReady() {
    guard let join = joining, join.isComplete else { return }
    joining = nil
    guard var next = join.view, let echo = join.echo, let session else {
      replaceView(with: nil)
      canKeep = true
      return settleActions()
    }
    for scope in next.scopes where take(join, scope, echo) {
      scope.position = ClientMessage.Position(epoch: session.epoch, revision: echo.revision)
    }
    next.sequence = echo.sequence
    replaceView(with: next)
    revision = echo.revision
    canKeep = next.scopes.allSatisfy { $0.position != nil }
    needsJoin = needsJoin || !canKeep
    for scope in next.scopes where scope.position != nil {
      scope.status = .live
      scope.replica?.settled(revision: echo.revision)
    }
    for run in join.kept { receive(run) }
    settleActions()
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
        try scope.replica?.reset(to: bytes[...], revision: revision)
      case .replay(let delta, let revision):
        if let delta { try scope.replica?.apply(delta, revision: revision) }
      }
      return true
    } catch {
      doubt(scope, "what was captured does not fit: \(error)")
      return false
    }
  }

  private func replaceView(with next: ClientView?) {
    if let old = view?.topic, old != next?.topic { outgoing.append(.unsubscribe(old)) }
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
}
