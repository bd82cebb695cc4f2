package import StoreProtocol
package import StoreState

// A scope is held by its users. After the last one releases it, it is followed for a moment longer,
// in case a caller opens it again. Then it is joined for its pending actions only, and then left
// (`docs/PROTOCOL.md` §12).
extension ReplicaClient {
  /// Adds a scope that is followed with a replica, or that only receives actions; it is held once.
  ///
  /// - Parameters:
  ///   - name: The scope's name.
  ///   - mode: Whether it is followed.
  ///   - state: The schema of this program's state; nil when it accepts any.
  ///   - action: The schema of this program's actions; nil when it accepts any.
  ///   - reader: The state's schema with the data for reading other builds' states. Nil when only a
  ///     daemon with this very state will do.
  ///   - replica: The holder of its state; nil for a scope that only receives actions.
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

  /// Holds the copy of a scope as a type: the existing one, or else a new one.
  ///
  /// - Parameters:
  ///   - name: The scope's name.
  ///   - type: The type of its state.
  ///   - action: The schema of the actions that are to be sent; nil for a read-only copy.
  ///   - placeholder: The state that a new copy shows until the first snapshot.
  /// - Returns: The scope and the copy.
  func open<State: ReplicatedState>(
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

  /// Whether a scope accepts the actions of a schema.
  ///
  /// A read-only scope accepts them from now on if the daemon was not asked for it yet. Later the
  /// actions need a join of their own, whose refusal must not end the state of the other holders.
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

  /// Releases one hold of a scope that was added or opened.
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

  /// Starts the linger time of released scopes.
  func beginLingering() {
    guard hasReleased else { return }
    hasReleased = false
    let end = now.instant.advanced(by: timing.linger)
    for scope in scopes where scope.want == .released { scope.want = .lingering(until: end) }
    // Scopes that are released soon after leave with them, in one join.
    let due = end.advanced(by: timing.linger / 4)
    lingerDue = min(lingerDue ?? due, due)
  }

  /// Leaves the scopes whose linger time is over without a new holder.
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

  /// Returns the scopes to request, and those for which a session has no room.
  ///
  /// When there are too many, lingering scopes are left, the longest lingering first. Scopes that
  /// are joined only for their pending actions have the last places.
  ///
  /// - Parameter limit: The most names that the daemon accepts; a join may have twice as
  ///   many entries.
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

  /// The names of the scopes that are joined without a holder.
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
  /// The status of scopes after the connection has ended with this failure.
  var status: ScopeStatus {
    switch self {
    case .refused(let failure): .refused(failure)
    case .closed(let reason): .closed(reason)
    case .absent, .canceled, .timedOut, .sessionEnded: .closed("The connection was closed.")
    }
  }
}
