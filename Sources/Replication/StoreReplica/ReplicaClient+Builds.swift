import StoreProtocol
import StoreState

// A daemon may be of another build than this program. A scope that is refused for other types
// learns the daemon's types, and joins with them if it can translate them (`docs/PROTOCOL.md`
// §2.1).
extension ReplicaClient {
  /// Learns the daemon's types for scopes that it refused with this program's.
  func learnTypes(of refused: [(scope: ClientScope, failure: JoinFailure)]) {
    guard !refused.isEmpty else { return }
    let asked = session?.token
    for (scope, _) in refused { scope.isResolving = true }
    describe { [weak self] answer in
      // The end of the client notifies the waiters, with the reason.
      guard let self, !isClosed else { return }
      if case .success(let descriptions) = answer { outputSchemas.learn(descriptions) }
      var unreadable: [(scope: ClientScope, failure: JoinFailure)] = []
      for (scope, failure) in refused {
        scope.isResolving = false
        guard !scope.isGone else { continue }
        if let failure = resolve(scope, failure, answer, isSameSession: session?.token == asked) {
          scope.forgetTranslation()
          unreadable.append((scope, failure))
        } else {
          needsJoin = true
        }
      }
      refuse(unreadable)
      settleActions()
    }
  }

  /// Prepares a scope for being joined with the daemon's types.
  ///
  /// - Returns: Why it cannot be joined; nil when it can.
  private func resolve(
    _ scope: ClientScope,
    _ failure: JoinFailure,
    _ answer: Result<[ScopeDescription], CodecError>,
    isSameSession: Bool,
  ) -> JoinFailure? {
    var failure = failure
    switch answer {
    case .success(let descriptions):
      guard let theirs = descriptions.find(scope.name)?.description else {
        // A later session may have another daemon, whose answer to the join states whether it has
        // the scope.
        guard isSameSession else { return nil }
        failure.message += " It does not describe its types."
        return failure
      }
      let before = scope.hashes
      failure.details = scope.adopt(theirs)
      if failure.details.isEmpty {
        guard isSameSession, scope.hashes == before else { return nil }
        failure.message += " It describes the types that it refused."
      }
    case .failure(let error): failure.message += " Its types are not known: \(error)."
    }
    return failure
  }

  /// Joins refused scopes again, because another daemon may have them.
  func forgetRefusals() {
    for scope in scopes {
      guard case .refused = scope.status else { continue }
      scope.status = .joining
      scope.hasShown = false
    }
  }
}
