import StoreState

/// Finds the scopes that clients ask for by name.
@MainActor
struct ScopeDirectory {
  private let entries: [(exposed: ExposedScopes, state: Digest, action: Digest)]
  private let limits: Limits

  init(_ exposed: [ExposedScopes], limits: Limits) {
    entries = exposed.map { ($0, $0.description.state.hash, $0.description.action.hash) }
    self.limits = limits
  }

  /// The scope that an entry of a join asks for.
  ///
  /// - Parameters:
  ///   - request: The entry.
  ///   - place: How many other names the join has before its own.
  ///   - rights: What the client may see and send.
  ///   - suggests: Whether the nearest right names are looked for.
  /// - Returns: The scope, or why the client does not get it.
  func resolve(
    _ request: ClientMessage.JoinRequest,
    place: Int,
    rights: Rights,
    suggests: Bool,
  ) -> Result<RootScope, JoinFailure> {
    guard place < limits.scopesPerSession else {
      return .failure(.tooManyScopes(limits.scopesPerSession))
    }
    guard request.mode.isKnown else { return .failure(unknownMode(request.mode)) }
    for (exposed, state, action) in entries {
      guard let id = exposed.description.match(request.scope) else { continue }
      // What is not granted does not exist.
      guard rights.knows(request.scope) else { break }
      guard request.mode == .sendOnly || rights.sees(request.scope) else {
        return .failure(notSeen(request.scope))
      }
      guard request.stateHash ?? state == state, request.actionHash ?? action == action else {
        return .failure(schemaMismatch(request.scope))
      }
      do throws(CodecError) {
        return .success(try exposed.scope(id: id))
      } catch {
        return .failure(badID(request.scope, error))
      }
    }
    return .failure(unknownScope(request.scope, suggests ? rights : nil))
  }

  private func unknownMode(_ mode: ClientMessage.JoinMode) -> JoinFailure {
    JoinFailure(
      code: "unknownMode",
      message: "This daemon knows no way \(mode.rawValue) to join a scope. Use 0, 1 or 2.",
    )
  }

  private func schemaMismatch(_ scope: String) -> JoinFailure {
    JoinFailure(
      code: "schemaMismatch",
      message: "This client was built with other types for \"\(scope)\" than the daemon.",
    )
  }

  private func badID(_ scope: String, _ error: CodecError) -> JoinFailure {
    JoinFailure(
      code: "unknownScope",
      message: "\"\(scope)\" does not end in a row's id: \(error).",
    )
  }

  private func notSeen(_ scope: String) -> JoinFailure {
    JoinFailure(
      code: Outcome.unauthorised,
      message: "You may send to \"\(scope)\", and not see it.",
    )
  }

  /// Why a client gets nothing of a scope that not everybody may see.
  func needsUnicastViews(_ scope: String) -> JoinFailure {
    JoinFailure(
      code: Outcome.unauthorised,
      message: "Not everybody may see \"\(scope)\". Use a program that takes views of its own.",
    )
  }

  /// There is no such scope; for those who know some the nearest names are told.
  private func unknownScope(_ scope: String, _ rights: Rights?) -> JoinFailure {
    guard let rights else {
      return JoinFailure(code: "unknownScope", message: "There is no such scope.")
    }
    let known = entries.map(\.exposed.description).filter { rights.knows($0) }
    return JoinFailure(
      code: "unknownScope",
      message: "There is no scope \"\(scope)\".",
      details: known.suggestions(for: scope),
    )
  }
}
