package import StoreProtocol
package import StoreState

// A scope is held by those who use it. When the last lets go it is followed for a moment longer, in
// case somebody wants it again; then it is joined for its last actions only, and then left
// (`docs/PROTOCOL.md` §12).
extension ReplicaClient {
  /// Follows a scope with a replica, or takes one to send to; it is held once.
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
    if case .closed(let failure) = phase {
      scope.want = .left
      scope.status = failure.status
      replica?.announceEnd()
    } else {
      scopes.append(scope)
      scopesByName[name, default: []].append(scope)
      needsJoin = true
      needTurn()
    }
    return scope
  }

  /// Holds the copy of a scope as a type: the one that there is, or else a new one.
  ///
  /// - Parameters:
  ///   - name: The scope's name.
  ///   - type: The type of its state.
  ///   - action: The schema of the actions that are to be sent; nil when none are.
  ///   - placeholder: What a new copy shows until the first snapshot.
  /// - Returns: The scope and the copy.
  package func open<State: ReplicatedState>(
    _ name: String,
    _ type: State.Type,
    action: SchemaDocument?,
    placeholder: State?,
  ) -> (ClientScope, TypedReplica<State>) {
    for scope in scopesByName[name] ?? [] where !scope.isGone {
      guard scope.name.utf8.elementsEqual(name.utf8),
        let replica = scope.replica as? TypedReplica<State>, adopt(action, for: scope)
      else { continue }
      hold(scope)
      return (scope, replica)
    }
    let replica = TypedReplica<State>(placeholder: placeholder)
    let scope = add(
      name,
      mode: .follow,
      state: SchemaRegistry.document(for: State.self),
      action: action,
      reader: { SchemaRegistry.readerSchema(for: State.self) },
      replica: replica,
    )
    replica.origin = scope
    return (scope, replica)
  }

  /// Whether a scope takes the actions of a schema.
  ///
  /// One that is only looked at does from now on when the daemon was not asked for it yet. Later
  /// the actions need an answer of their own, which must not end what the others look at.
  private func adopt(_ action: SchemaDocument?, for scope: ClientScope) -> Bool {
    guard let action, scope.action?.hash != action.hash else { return true }
    guard scope.action == nil, !scope.wasAsked else { return false }
    scope.takeActions(action)
    return true
  }

  private func hold(_ scope: ClientScope) {
    switch scope.want {
    case .held(let count): scope.want = .held(count + 1)
    case .released, .lingering, .draining, .left: scope.want = .held(1)
    }
  }

  /// Lets go of a scope that was added or opened.
  package func release(_ scope: ClientScope) {
    guard case .held(let count) = scope.want else { return }
    guard count == 1 else {
      scope.want = .held(count - 1)
      return
    }
    scope.want = .released
    hasReleased = true
    needTurn()
  }

  /// Begins to count the time that released scopes linger.
  func beginLingering() {
    guard hasReleased else { return }
    hasReleased = false
    let end = now.instant.advanced(by: timing.linger)
    for scope in scopes where scope.want == .released { scope.want = .lingering(until: end) }
    // Those that are let go soon after leave with them, in one join.
    let due = end.advanced(by: timing.linger / 4)
    lingerDue = min(lingerDue ?? due, due)
  }

  /// Leaves the scopes that nobody has wanted again.
  func endLingering() {
    guard let due = lingerDue, due <= now.instant else { return }
    lingerDue = nil
    for scope in scopes {
      guard case .lingering(let end) = scope.want else { continue }
      if end <= now.instant {
        stopFollowing(scope)
      } else {
        let due = end.advanced(by: timing.linger / 4)
        lingerDue = min(lingerDue ?? due, due)
      }
    }
    removeLeft()
  }

  private func stopFollowing(_ scope: ClientScope) {
    scope.want = scope.pendingActions > 0 ? .draining : .left
    scope.stopFollowing()
    needsJoin = true
  }

  /// The scopes to ask for, and those for which there is no room.
  ///
  /// When there are too many, those that linger are left, who have done so longest first, and those
  /// that are there only for the actions on their way to them come last.
  ///
  /// - Parameter limit: How many names the daemon takes; a join may have twice as many entries.
  /// - Returns: The scopes of the next join, and the others.
  func wantedScopes(atMost limit: Int) -> (asked: [ClientScope], excess: [ClientScope]) {
    let wanted = scopes.filter(\.isWanted)
    let excess = Set(wanted.lazy.map { ScopeKey($0.name) }).count - limit
    guard excess > 0 || wanted.count > 2 * limit else { return (wanted, []) }
    let lingering = wanted.compactMap { scope -> (scope: ClientScope, until: Instant)? in
      if case .lingering(let end) = scope.want { (scope, end) } else { nil }
    }
    for (scope, _) in lingering.sorted(by: { $0.until < $1.until }).prefix(max(0, excess)) {
      stopFollowing(scope)
    }
    removeLeft()
    let held = scopes.filter { $0.isWanted && $0.want != .draining }
    let draining = scopes.filter { $0.isWanted && $0.want == .draining }
    var names: Set<ScopeKey> = []
    var result: (asked: [ClientScope], excess: [ClientScope]) = ([], [])
    for scope in held + draining {
      let key = ScopeKey(scope.name)
      if result.asked.count < 2 * limit, names.contains(key) || names.count < limit {
        names.insert(key)
        result.asked.append(scope)
      } else {
        result.excess.append(scope)
      }
    }
    return result
  }

  /// Notes that an action for a scope has its outcome.
  func actionDecided(for scope: ClientScope) {
    scope.pendingActions -= 1
    guard scope.pendingActions == 0, scope.want == .draining else { return }
    scope.want = .left
    needsJoin = true
    removeLeft()
  }

  /// The names of the scopes that are joined though nobody holds them.
  package var unheldScopes: [String] {
    scopes.compactMap { if case .held = $0.want { nil } else { $0.name } }
  }

  private func removeLeft() {
    for scope in scopes where scope.want == .left {
      scopesByName[scope.name]?.removeAll { $0 === scope }
      if scopesByName[scope.name]?.isEmpty == true { scopesByName[scope.name] = nil }
    }
    scopes.removeAll { $0.want == .left }
  }
}

extension WaitFailure {
  /// What a scope is when the connection has ended so.
  var status: ScopeStatus {
    switch self {
    case .refused(let failure): .refused(failure)
    case .closed(let reason): .closed(reason)
    case .absent, .canceled, .timedOut, .sessionEnded: .closed("The connection was closed.")
    }
  }
}
