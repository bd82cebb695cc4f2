import StoreExposures
import StoreHistory
import StoreProtocol
import StoreState

/// Finds the scopes that clients ask for by name.
@MainActor
final class ScopeDirectory {
  private let root: any RootPort
  private let schemas: [ObjectIdentifier: Hashes]
  private let limits: Limits
  /// The action hash that was computed last, for a client that may not send all actions.
  private var described: (exposed: ObjectIdentifier, sends: SendRight, action: Digest)?

  private struct Hashes {
    let state: Digest
    let action: Digest
  }

  init(_ root: any RootPort, limits: Limits) {
    self.root = root
    self.limits = limits
    let hashes = root.exposed.map {
      (
        ObjectIdentifier($0),
        Hashes(state: $0.description.state.hash, action: $0.description.action.hash),
      )
    }
    schemas = Dictionary(uniqueKeysWithValues: hashes)
  }

  /// Returns the scope of a name, in any spelling, if it exists for the client.
  ///
  /// - Parameters:
  ///   - name: The name as the client sent it.
  ///   - rights: The client's rights to see and to send.
  ///   - isDetailed: Whether a refusal states the fault of the name and suggests the nearest
  ///     valid names.
  /// - Returns: The scope with its canonical name, or the fault of the name.
  func find(
    _ name: String,
    rights: Rights,
    isDetailed: Bool,
  ) -> Result<ResolvedScope, JoinFailure> {
    switch lookUp(name, rights) {
    case .success(let found): .success(found)
    case .failure(let problem):
      .failure(isDetailed ? failure(problem, of: name, rights) : Self.unknown)
    }
  }

  /// The fault of a name.
  private enum Problem: Error {
    case tooLong
    case tooLongID
    case badID(CodecError)
    case unknown
  }

  private func lookUp(_ name: String, _ rights: Rights) -> Result<ResolvedScope, Problem> {
    guard name.utf8.count <= limits.scopeNameBytes else { return .failure(.tooLong) }
    switch root.scope(called: name) {
    case .success(let found):
      // A scope that is not granted does not exist for the client.
      guard rights.knows(found.name) else { break }
      let prefix = found.scope.exposed.description.name.utf8.count + 1
      guard found.name.utf8.count <= prefix + limits.rowIDBytes else {
        return .failure(.tooLongID)
      }
      return .success(found)
    case .failure(let error):
      guard knows(rights, anyRowOf: name) else { break }
      return .failure(.badID(error))
    case nil: break
    }
    return .failure(.unknown)
  }

  /// Whether the client knows any row of the exposure that a name belongs to.
  private func knows(_ rights: Rights, anyRowOf name: String) -> Bool {
    root.exposed.lazy.map(\.description).first { $0.match(name) != nil }.map { rights.knows($0) }
      ?? false
  }

  /// Why a client is refused a scope that it has found; nil if the scope is granted.
  ///
  /// - Parameters:
  ///   - found: The scope.
  ///   - request: The entry of the join that asks for it.
  ///   - place: How many other scopes the join has before this one.
  ///   - rights: The client's rights to see and to send.
  /// - Returns: The refusal; nil if the scope is granted.
  func problem(
    with found: ResolvedScope,
    _ request: ClientMessage.JoinRequest,
    place: Int,
    rights: Rights,
  ) -> JoinFailure? {
    guard place < limits.scopesPerSession else { return .tooManyScopes(limits.scopesPerSession) }
    guard request.mode.isKnown else { return unknownMode(request.mode) }
    guard request.mode == .sendOnly || rights.sees(found.name) else { return notSeen(found.name) }
    guard let hashes = schemas[ObjectIdentifier(found.scope.exposed)] else {
      preconditionFailure("\(found.name) belongs to no exposure of the root")
    }
    guard request.stateHash ?? hashes.state == hashes.state,
      request.actionHash ?? hashes.action == hashes.action
        || request.actionHash == describedAction(of: found.scope.exposed, rights)
    else { return schemaMismatch(found.name) }
    return nil
  }

  /// The hash of an exposure's actions, as described to a client.
  private func describedAction(of exposed: ExposedScopes, _ rights: Rights) -> Digest {
    let sends = rights.sends(exposed.description)
    // A join may name many rows of one exposure, and hashing a schema is slow.
    if let described, described.exposed == ObjectIdentifier(exposed), described.sends == sends {
      return described.action
    }
    let action = rights.known(exposed.description).action.hash
    described = (ObjectIdentifier(exposed), sends, action)
    return action
  }

  // MARK: Refusals

  /// The refusal without details: only the first refusals of a join state the fault.
  private static let unknown = JoinFailure(
    code: "unknownScope",
    message: "There is no such scope.",
  )

  private func unknownMode(_ mode: ClientMessage.JoinMode) -> JoinFailure {
    JoinFailure(
      code: "unknownMode",
      message: "This daemon knows no way \(mode.rawValue) to join a scope. Use 0, 1 or 2.",
    )
  }

  private func schemaMismatch(_ scope: String) -> JoinFailure {
    JoinFailure(
      code: "schemaMismatch",
      message: "This client was built with other types for \(scope.quoted) than the daemon.",
    )
  }

  private func failure(_ problem: Problem, of name: String, _ rights: Rights) -> JoinFailure {
    var details: [String] = []
    let message: String
    switch problem {
    case .tooLong:
      message =
        "The name \(name.quoted) has \(name.utf8.count) bytes, and no scope's has more than "
        + "\(limits.scopeNameBytes)."
    case .tooLongID:
      message =
        "\(name.quoted) ends in an id of more than \(limits.rowIDBytes) bytes. Rows with such ids "
        + "are no scopes."
    case .badID(let error): message = "\(name.quoted) does not end in a row's id: \(error)."
    case .unknown:
      message = "There is no scope \(name.quoted)."
      // The nearest among the names that the client knows.
      let known = root.exposed.map(\.description).filter { rights.knows($0) }
      details = known.suggestions(for: name.bounded(toBytes: limits.rowIDBytes))
    }
    return JoinFailure(code: "unknownScope", message: message, details: details)
  }

  private func notSeen(_ scope: String) -> JoinFailure {
    JoinFailure(
      code: Outcome.unauthorised,
      message: "You may send to \(scope.quoted), and not see it.",
    )
  }

  /// The refusal of a scope that some users may not see, to a client without unicast views.
  func needsUnicastViews(_ scope: String) -> JoinFailure {
    JoinFailure(
      code: Outcome.unauthorised,
      message: "Not everybody may see \(scope.quoted). Use a program that takes views of its own.",
    )
  }

  /// The refusal of a scope whose name exceeds the room for names.
  func noRoom(for scope: String) -> JoinFailure {
    JoinFailure(
      code: "tooManyScopes",
      message: "The names of your user's scopes take more room than there is, and \(scope.quoted) "
        + "has none left. Leave some scopes first.",
    )
  }
}
