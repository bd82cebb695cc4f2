import GenericState
package import StoreActor
package import StoreProtocol

/// The rights of each client, which the daemon's owner writes line by line.
///
/// The owner and root have all rights. So do clients at an address of the loopback interface that
/// the owner has opened explicitly. An unidentified client has no rights. Other users and clients
/// with keys have the rights of all their lines together; without a line they are not admitted.
@usableFromInline
package struct Grants: Hashable, Sendable {
  /// The subject of a line.
  package enum Grantee: Hashable, Sendable {
    case user(UInt32)
    /// A group: its known members, and all processes that run with the group's id.
    case group(UInt32, members: Set<UInt32>)
    /// The holder of the secret key for a public key, with the key's name.
    case key(String, [UInt8])

    func includes(_ identity: ActionOrigin.Identity) -> Bool {
      switch (self, identity) {
      case (.user(let own), .user(let user, _, _)): own == user
      case (.group(let own, let members), .user(let user, let group, _)):
        own == group || members.contains(user)
      case (.key(let own, _), .key(let name)): own == name
      default: false
      }
    }

    /// The same grantee; a group is without its current members.
    var named: Self {
      if case .group(let group, _) = self { .group(group, members: []) } else { self }
    }
  }

  /// The rights of a subject, and for which scopes.
  @usableFromInline
  package struct Line: Hashable, Sendable {
    package var grantee: Grantee
    /// Bounded by ``GrantsFile/mostBytes``.
    package var scopes: [ScopePattern]
    package var sees: Bool
    package var sends: SendRight

    package init(
      grantee: Grantee,
      scopes: [ScopePattern],
      sees: Bool,
      sends: SendRight,
    ) {
      self.grantee = grantee
      self.scopes = scopes
      self.sees = sees
      self.sends = sends
    }

    /// The text of the line after the grantee.
    package var text: String {
      let rights = [sees ? "see" : nil, sends.text].compactMap(\.self)
      return "\(scopes.map(\.text).joined(separator: ",")) \(rights.joined(separator: " "))"
    }
  }

  /// The user with all rights besides root; nil if every admitted client has all rights.
  package let owner: UInt32?
  package let lines: [Line]
  /// The lines by their grantees.
  private let rights: [Rights]
  /// The names of the public keys.
  private let names: [[UInt8]: String]

  /// Creates the grants of an owner.
  package init(owner: UInt32, lines: [Line] = []) {
    self.init(of: owner, lines)
  }

  private init(of owner: UInt32?, _ lines: [Line]) {
    self.owner = owner
    self.lines = lines
    let grouped = Dictionary(grouping: lines, by: \.grantee)
    rights = grouped.values.map { Rights(lines: $0) }
    var names: [[UInt8]: String] = [:]
    for case .key(let name, let key) in grouped.keys { names[key] = name }
    self.names = names
  }

  /// Every admitted client has all rights.
  package static let everything = Grants(of: nil, [])

  /// The rights of a client.
  ///
  /// - Parameters:
  ///   - identity: The client's identity.
  ///   - key: The public key that authenticated it. A key's name has no rights without its key.
  /// - Returns: The scopes that it may see, and the actions that it may send.
  package func rights(of identity: ActionOrigin.Identity, by key: [UInt8]? = nil) -> Rights {
    guard owner != nil else { return .everything }
    switch identity {
    case .process, .loopback: return .everything
    case .nobody, .unknown: return Rights(lines: [])
    case .user where isOwner(identity): return .everything
    case .key(let name) where key.flatMap({ self.name(ofKey: $0) }) != name:
      return Rights(lines: [])
    case .user, .key: return Rights(lines: lines.filter { $0.grantee.includes(identity) })
    }
  }

  /// Whether a client is the owner, or root.
  package func isOwner(_ identity: ActionOrigin.Identity) -> Bool {
    identity.user.map { $0 == owner || $0 == 0 } ?? false
  }

  /// The name of a public key; nil for a key without a grant.
  package func name(ofKey key: [UInt8]) -> String? { names[key] }

  /// The lines of each key, by the keys' names.
  package var linesOfKeys: [(name: String, key: [UInt8], lines: [Line])] {
    names.map { key, name in
      (name: name, key: key, lines: lines.filter { $0.grantee == .key(name, key) })
    }
    .sorted { $0.name < $1.name }
  }

  /// The subjects of a text's lines.
  package struct Named: Hashable, Sendable {
    /// Bounded by ``GrantsFile/mostBytes``.
    package var grantees: Set<Grantee>
    /// Whether a lookup of a user or a group failed.
    ///
    /// Then any user or group may be named.
    package var isIncomplete = false

    fileprivate func mayInclude(_ grantee: Grantee) -> Bool {
      if case .key = grantee {
        grantees.contains(grantee)
      } else {
        isIncomplete || includes(grantee)
      }
    }

    private func includes(_ grantee: Grantee) -> Bool {
      grantees.contains { $0.named == grantee.named }
    }
  }

  /// The rights that remain when a text names only some of the grantees.
  package func limited(to named: Named) -> Grants {
    Grants(of: owner, lines.filter { named.mayInclude($0.grantee) })
  }

  /// The remaining grants when a key's name is withdrawn.
  package func without(key name: String) -> Grants {
    Grants(of: owner, lines.filter { if case .key(name, _) = $0.grantee { false } else { true } })
  }

  /// Whether a line grants rights to a user or a group of the machine.
  package var includesUsers: Bool {
    lines.contains { if case .key = $0.grantee { false } else { true } }
  }

  /// Whether a client is admitted.
  package func admits(_ identity: ActionOrigin.Identity) -> Bool { !rights(of: identity).isNothing }

  /// Whether every admitted client may see a scope.
  package func everybodySees(_ scope: String) -> Bool { rights.allSatisfy { $0.sees(scope) } }
}

/// The rights of one client.
@usableFromInline
package struct Rights: Hashable, Sendable {
  /// The client's lines; nil if everything is allowed.
  @usableFromInline let lines: [Grants.Line]?

  init(lines: [Grants.Line]) { self.lines = lines }

  private init() { lines = nil }

  static let everything = Rights()

  @inlinable package var isEverything: Bool { lines == nil }

  package var isNothing: Bool { lines?.isEmpty ?? false }

  /// Whether the client may see a scope of this name.
  package func sees(_ scope: String) -> Bool {
    guard let lines else { return true }
    return lines.contains { line in line.sees && line.scopes.contains { $0.matches(scope) } }
  }

  /// Whether the client may see any scope of an exposure.
  package func sees(_ exposure: ScopeDescription) -> Bool {
    guard let lines else { return true }
    return lines.contains { line in line.sees && line.scopes.contains { $0.meets(exposure) } }
  }

  /// The right of the client to send to a scope of this name.
  package func sends(_ scope: String) -> SendRight {
    guard let lines else { return .everything }
    return lines.reduce(.nothing) { right, line in
      line.scopes.contains { $0.matches(scope) } ? right.union(line.sends) : right
    }
  }

  /// The right of the client to send to any scope of an exposure.
  package func sends(_ exposure: ScopeDescription) -> SendRight {
    guard let lines else { return .everything }
    return lines.reduce(.nothing) { right, line in
      line.scopes.contains { $0.meets(exposure) } ? right.union(line.sends) : right
    }
  }

  /// The description that the client receives: its actions are those that the client may send.
  package func known(_ description: ScopeDescription) -> ScopeDescription {
    var known = description
    let right = sends(description)
    // Also set if all actions remain: the client must not learn whether others exist.
    known.isLimited = right != .everything
    switch right {
    case .everything: break
    case .nothing:
      known.action = description.action.keepingCases { _ in false }
      known.replies = nil
    case .actions(let names): known.action = description.action.keepingCases { names.contains($0) }
    }
    return known
  }

  /// Whether a scope of this name exists for the client.
  package func knows(_ scope: String) -> Bool { sees(scope) || sends(scope) != .nothing }

  /// Whether any scope of an exposure exists for the client.
  package func knows(_ exposure: ScopeDescription) -> Bool {
    guard let lines else { return true }
    return lines.contains { line in
      (line.sees || line.sends != .nothing) && line.scopes.contains { $0.meets(exposure) }
    }
  }
}

/// The actions that may be sent.
@usableFromInline
package enum SendRight: Hashable, Sendable {
  case nothing
  /// Actions of the named cases.
  case actions(Set<String>)
  case everything

  /// The right's text in a grants file; nil for `.nothing`.
  package var text: String? {
    switch self {
    case .nothing: nil
    case .everything: "send"
    case .actions(let names): "send=\(names.sorted().joined(separator: ","))"
    }
  }

  func union(_ other: Self) -> Self {
    switch (self, other) {
    case (.everything, _), (_, .everything): .everything
    case (.nothing, let right), (let right, .nothing): right
    case (.actions(let own), .actions(let others)): .actions(own.union(others))
    }
  }

  /// Whether the other right allows everything that this right allows.
  package func isWithin(_ other: Self) -> Bool { union(other) == other }

  /// Whether an action may be sent.
  ///
  /// An action without cases has no name and requires `.everything`.
  @inlinable package func allows(_ action: ArraySlice<UInt8>) -> Bool {
    if case .everything = self { true } else { names(action) }
  }

  /// Whether the action's case is one of the named ones.
  @usableFromInline
  func names(_ action: ArraySlice<UInt8>) -> Bool {
    guard case .actions(let names) = self, let name = ActionName.read(action) else { return false }
    return names.contains(name)
  }
}

/// A pattern of scope names: one scope, everything below a name, or all scopes.
package struct ScopePattern: Hashable, Sendable {
  /// The start of all matching names, or the only name.
  private let name: String
  private let isPrefix: Bool

  /// The pattern's text in a grants file.
  package var text: String { isPrefix ? "\(name)*" : name }

  /// Reads a pattern; nil if the text is not one.
  ///
  /// - Parameter text: A name; a name and `/*`; or `*`.
  package init?(_ text: String) {
    if text == "*" || text.hasSuffix("/*") {
      name = String(text.dropLast())
      isPrefix = true
    } else {
      name = text
      isPrefix = false
    }
    guard !text.isEmpty, !name.contains("*") else { return nil }
  }

  /// The pattern with the canonical spelling of its row's id, if it names one row.
  ///
  /// - Parameter exposed: The exposed scopes.
  /// - Returns: The pattern.
  /// - Throws: if a row's name does not end in an id.
  func canonical(
    among exposed: [ScopeDescription]
  ) throws(JSONProjectionError) -> ScopePattern {
    guard !isPrefix, let (description, _) = exposed.find(name) else { return self }
    return ScopePattern(name: try description.canonicalName(name))
  }

  private init(name: String) {
    self.name = name
    isPrefix = false
  }

  /// Whether the pattern matches a scope's name.
  package func matches(_ scope: String) -> Bool {
    // By bytes, as in the lookup of scopes.
    isPrefix
      ? scope.utf8.starts(with: name.utf8) && scope.utf8.count > name.utf8.count
      : scope.utf8.elementsEqual(name.utf8)
  }

  /// Whether the pattern can match a scope of an exposure.
  package func meets(_ exposure: ScopeDescription) -> Bool {
    guard exposure.isEach else { return matches(exposure.name) }
    let rows = exposure.name + "/"
    return isPrefix
      ? rows.utf8.starts(with: name.utf8) || name.utf8.starts(with: rows.utf8)
      : exposure.match(name) != nil
  }
}
