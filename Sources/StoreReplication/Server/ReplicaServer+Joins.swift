import OrderedCollections
import StoreActor
import StoreState

extension ReplicaServer {
  func join(_ session: Client, nonce: UInt64, _ requests: [ClientMessage.JoinRequest]) {
    guard nonce > session.viewNonce else {
      let message = "You sent a join named \(nonce) after one named \(session.viewNonce)"
      return end(session, code: "protocolError", message: message)
    }
    var answers: [DaemonMessage.JoinAnswer] = []
    var followed: [(scope: ActiveScope<Root, RootAction>, request: ClientMessage.JoinRequest)] = []
    for (place, request) in requests.enumerated() {
      switch place < limits.scopesPerSession ? resolve(request) : .failure(tooManyScopes) {
      case .success(let source):
        let handle = session.handle(for: request.scope)
        session.setTarget(Client.Target(name: request.scope, source: source), for: handle)
        answers.append(.accepted(handle: handle))
        if request.mode != .sendOnly {
          followed.append((activeScope(request.scope, source), request))
        }
      case .failure(let refusal): answers.append(refusal.answer)
      }
    }
    forgetTargets(session, besides: requests)
    let view = followed.isEmpty ? nil : view(of: followed.map(\.scope))
    view?.followers += 1
    if session.pendingJoins.count >= limits.pendingJoins { dropPendingJoins(session) }
    let join = Client.PendingJoin(
      nonce: nonce,
      view: view,
      base: session.viewNonce,
      captures: captures(followed, session),
    )
    // Where nothing is followed there is nothing to subscribe to, so no fence comes either.
    if view == nil { establish(join, session) } else { session.pendingJoins.append(join) }
    send(.joined(nonce: nonce, topic: view?.topic, answers), to: session.peer)
  }

  /// What to send of each scope, once even where it was asked for twice.
  private func captures(
    _ followed: [(scope: ActiveScope<Root, RootAction>, request: ClientMessage.JoinRequest)],
    _ session: Client,
  ) -> [Client.Capture] {
    var captures: OrderedDictionary<String, Client.Capture> = [:]
    for (scope, request) in followed where captures[scope.name]?.isKept ?? true {
      captures[scope.name] = Client.Capture(
        handle: session.handle(for: scope.name),
        scope: scope,
        isKept: request.mode == .keep,
        position: request.position,
      )
    }
    return Array(captures.values)
  }

  private var tooManyScopes: Refusal {
    Refusal(
      answer: .refused(
        code: "tooManyScopes",
        message: "A session has at most \(limits.scopesPerSession) scopes. Leave some first.",
        details: [],
      )
    )
  }

  private struct Refusal: Error {
    var answer: DaemonMessage.JoinAnswer
  }

  private func resolve(
    _ request: ClientMessage.JoinRequest
  ) -> Result<ScopeSource<Root, RootAction>, Refusal> {
    for exposure in exposures {
      guard let id = exposure.description.match(request.scope) else { continue }
      let state = exposure.description.state.hash
      let action = exposure.description.action.hash
      if request.stateHash ?? state != state || request.actionHash ?? action != action {
        return .failure(Refusal(answer: mismatch(request.scope)))
      }
      do throws(CodecError) {
        return .success(try exposure.source(id))
      } catch {
        return .failure(Refusal(answer: badID(request.scope, error)))
      }
    }
    let descriptions = exposures.map(\.description)
    return .failure(
      Refusal(
        answer: .refused(
          code: "unknownScope",
          message: "There is no scope \"\(request.scope)\".",
          details: descriptions.suggestions(for: request.scope),
        )
      )
    )
  }

  private func mismatch(_ scope: String) -> DaemonMessage.JoinAnswer {
    .refused(
      code: "schemaMismatch",
      message: "This client was built with other types for \"\(scope)\" than the daemon.",
      details: [],
    )
  }

  private func badID(_ scope: String, _ error: CodecError) -> DaemonMessage.JoinAnswer {
    .refused(
      code: "unknownScope",
      message: "\"\(scope)\" does not end in a row's id: \(error)",
      details: [],
    )
  }

  private func forgetTargets(_ session: Client, besides requests: [ClientMessage.JoinRequest]) {
    let wanted = Set(requests.map(\.scope))
    for (name, handle) in session.handles where !wanted.contains(name) {
      session.handles[name] = nil
      session.setTarget(nil, for: handle)
    }
  }

  private func activeScope(
    _ name: String,
    _ source: ScopeSource<Root, RootAction>,
  ) -> ActiveScope<Root, RootAction> {
    if let scope = activeScopes[name] { return scope }
    let scope = ActiveScope(name: name, source: source)
    activeScopes[name] = scope
    linkActiveScopes()
    return scope
  }

  private func view(of scopes: [ActiveScope<Root, RootAction>]) -> View {
    var unique: [String: ActiveScope<Root, RootAction>] = [:]
    for scope in scopes { unique[scope.name] = scope }
    let names = unique.keys.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    if let view = views[names] { return view }
    let view = View(topic: Topic(.view, .random(using: &generator)), names: names)
    for (index, name) in names.enumerated() {
      unique[name]?.placements.append(Placement(view: view, index: index))
    }
    views[names] = view
    return view
  }

  /// One follower less; a view without followers goes, and its scopes that no other view shows.
  func release(_ view: View) {
    view.followers -= 1
    guard view.followers == 0 else { return }
    views[view.names] = nil
    dirtyViews.removeAll { $0 === view }
    for name in view.names {
      activeScopes[name]?.placements.removeAll { $0.view === view }
      if activeScopes[name]?.placements.isEmpty == true { activeScopes[name] = nil }
    }
    linkActiveScopes()
  }

  private func linkActiveScopes() {
    firstFollowed = nil
    for scope in activeScopes.values.reversed() {
      scope.next = firstFollowed
      firstFollowed = scope
    }
  }

  /// Forgets joins whose fence will not come any more: all, or those before a nonce.
  func dropPendingJoins(_ session: Client, before nonce: UInt64 = .max) {
    let dropped = session.pendingJoins.filter { $0.nonce < nonce }
    session.pendingJoins.removeAll { $0.nonce < nonce }
    for join in dropped { if let view = join.view { release(view) } }
  }

  /// Makes a join's view the one that the session follows.
  private func establish(_ join: Client.PendingJoin, _ session: Client) {
    dropPendingJoins(session, before: join.nonce)
    session.transfers.removeAll()
    session.creditUsed = 0
    if let view = session.view { release(view) }
    session.view = join.view
    session.viewNonce = join.nonce
  }

  /// Everything the client subscribed to before the fence is in force: capture at this revision.
  func fence(_ fence: Fence) {
    guard let session = sessionsByToken[fence.token],
      let index = session.pendingJoins.firstIndex(where: { $0.nonce == fence.nonce })
    else {
      counters.strayFences += 1
      return
    }
    counters.fences += 1
    renew(session)
    deliverSessionEvents()
    flush()
    let join = session.pendingJoins.remove(at: index)
    let kept = join.base == session.viewNonce ? session.view?.names ?? [] : []
    let captures = join.captures.filter { capture in
      !(capture.isKept && kept.contains(capture.scope.name))
    }
    let echo = PublishedMessage.Echo(
      nonce: join.nonce,
      revision: root.revision,
      sequence: join.view?.sequence ?? 0,
      previousSequence: session.view?.sequence ?? 0,
    )
    establish(join, session)
    outgoing.append(
      .publish(
        topic: session.privateTopic.bytes,
        PublishedMessage.echo(echo).encoded(),
      )
    )
    for capture in captures { send(capture, nonce: join.nonce, to: session) }
    continueTransfers(session)
    // What was captured is checked as well, also when nothing changes any more.
    if let view = join.view {
      view.requestBookmark(at: now.instant.advanced(by: timing.bookmark))
      view.bookmarkDue.map(wake(at:))
    }
  }
}
