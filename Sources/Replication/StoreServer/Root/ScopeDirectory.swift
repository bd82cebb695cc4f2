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
  /// The hash of the actions that were described last to a client that may not send all of them.
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

  /// The scope that a client names, in any spelling, if it is there for the client.
  ///
  /// - Parameters:
  ///   - name: The name as the client sent it.
  ///   - rights: What the client may see and send.
  ///   - isDetailed: Whether a refusal says what is wrong with the name, and names the nearest
  ///     right ones.
  /// - Returns: The scope with its canonical name, or why there is none.
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

  /// What is wrong with a name.
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
      // What is not granted does not exist.
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

  /// Whether any row of the exposure that a name belongs to is there for the client.
  private func knows(_ rights: Rights, anyRowOf name: String) -> Bool {
    root.exposed.lazy.map(\.description).first { $0.match(name) != nil }.map { rights.knows($0) }
      ?? false
  }

  /// Why a client does not get a scope that it has found; nil where it does.
  ///
  /// - Parameters:
  ///   - found: The scope.
  ///   - request: The entry of the join that asks for it.
  ///   - place: How many other scopes the join has before this one.
  ///   - rights: What the client may see and send.
  /// - Returns: Why not.
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

  /// The hash of the actions of an exposure that a client is told of.
  private func describedAction(of exposed: ExposedScopes, _ rights: Rights) -> Digest {
    let sends = rights.sends(exposed.description)
    // A join names many rows of one exposure, and to hash a schema takes its time.
    if let described, described.exposed == ObjectIdentifier(exposed), described.sends == sends {
      return described.action
    }
    let action = rights.known(exposed.description).action.hash
    described = (ObjectIdentifier(exposed), sends, action)
    return action
  }

  // MARK: Refusals

  /// There is no such scope, and why is told for the first ones of a join only.
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
      // The nearest names of those that the client knows.
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

  /// Why a client gets nothing of a scope that not everybody may see.
  func needsUnicastViews(_ scope: String) -> JoinFailure {
    JoinFailure(
      code: Outcome.unauthorised,
      message: "Not everybody may see \(scope.quoted). Use a program that takes views of its own.",
    )
  }

  /// Why there is no room for a scope's name.
  func noRoom(for scope: String) -> JoinFailure {
    JoinFailure(
      code: "tooManyScopes",
      message: "The names of your user's scopes take more room than there is, and \(scope.quoted) "
        + "has none left. Leave some scopes first.",
    )
  }
}
