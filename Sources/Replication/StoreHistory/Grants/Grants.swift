import GenericState
package import StoreActor
package import StoreProtocol

/// What each client may see and send: what the owner of a daemon has written, line by line.
///
/// The owner and root may do everything, and so may clients at an address of the loopback interface
/// that the owner has opened explicitly. A client for whom nobody vouches has no rights.
/// Other users and clients with keys have the rights of all their
/// lines together; without a line they are not admitted.
package struct Grants: Hashable, Sendable {
  /// The subject of a line.
  package enum Grantee: Hashable, Sendable {
    case user(UInt32)
    /// A group: those of its members who are known, and whoever runs a program in it.
    case group(UInt32, members: Set<UInt32>)
    /// Whoever has the secret key of a public one, which is called so.
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

    /// The same, of a group without those who happen to be in it.
    var named: Self {
      if case .group(let group, _) = self { .group(group, members: []) } else { self }
    }
  }

  /// The rights of a subject, and for which scopes.
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

    /// What stands behind whom it is for.
    package var text: String {
      let rights = [sees ? "see" : nil, sends.text].compactMap(\.self)
      return "\(scopes.map(\.text).joined(separator: ",")) \(rights.joined(separator: " "))"
    }
  }

  /// Who may do everything besides root; nil where everybody may who is let in.
  package let owner: UInt32?
  package let lines: [Line]
  /// The lines by whom they are for.
  private let rights: [Rights]
  /// The names of the public keys.
  private let names: [[UInt8]: String]

  /// What an owner grants to others.
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

  /// Whoever is let in may do everything.
  package static let everything = Grants(of: nil, [])

  /// What a client may do.
  ///
  /// - Parameters:
  ///   - identity: Who it is.
  ///   - key: The public key by which it was let in: a name is nobody's without it.
  /// - Returns: What it may see and send.
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

  /// What a public key is called; nil for one to which nothing is granted.
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
    /// Whether a user or a group could not be looked up, so that any of them may be named.
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

  /// The rights that remain when only some subjects are still named.
  package func limited(to named: Named) -> Grants {
    Grants(of: owner, lines.filter { named.mayInclude($0.grantee) })
  }

  /// What is left when a key's name is nobody's any more.
  package func without(key name: String) -> Grants {
    Grants(of: owner, lines.filter { if case .key(name, _) = $0.grantee { false } else { true } })
  }

  /// Whether something is granted to users of the machine besides the owner.
  package var includesUsers: Bool {
    lines.contains { if case .key = $0.grantee { false } else { true } }
  }

  /// Whether a client may come in.
  package func admits(_ identity: ActionOrigin.Identity) -> Bool { !rights(of: identity).isNothing }

  /// Whether everybody may see a scope who may come in.
  package func everybodySees(_ scope: String) -> Bool { rights.allSatisfy { $0.sees(scope) } }
}

/// What one client may see and send.
package struct Rights: Hashable, Sendable {
  /// Nil where everything is allowed.
  private let lines: [Grants.Line]?

  init(lines: [Grants.Line]) { self.lines = lines }

  private init() { lines = nil }

  static let everything = Rights()

  package var isEverything: Bool { lines == nil }

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

  /// What the client may send to a scope of this name.
  package func sends(_ scope: String) -> SendRight {
    guard let lines else { return .everything }
    return lines.reduce(.nothing) { right, line in
      line.scopes.contains { $0.matches(scope) } ? right.union(line.sends) : right
    }
  }

  /// What the client may send to any scope of an exposure.
  package func sends(_ exposure: ScopeDescription) -> SendRight {
    guard let lines else { return .everything }
    return lines.reduce(.nothing) { right, line in
      line.scopes.contains { $0.meets(exposure) } ? right.union(line.sends) : right
    }
  }

  /// A description as the client may know it: with the actions that it may send.
  package func known(_ description: ScopeDescription) -> ScopeDescription {
    var known = description
    let right = sends(description)
    // Also where no action is left out: whether there are others is not for the client to know.
    known.isLimited = right != .everything
    switch right {
    case .everything: break
    case .nothing: known.action = description.action.keepingCases { _ in false }
    case .actions(let names): known.action = description.action.keepingCases { names.contains($0) }
    }
    return known
  }

  /// Whether a scope of this name is there for the client.
  package func knows(_ scope: String) -> Bool { sees(scope) || sends(scope) != .nothing }

  /// Whether any scope of an exposure is there for the client.
  package func knows(_ exposure: ScopeDescription) -> Bool {
    guard let lines else { return true }
    return lines.contains { line in
      (line.sees || line.sends != .nothing) && line.scopes.contains { $0.meets(exposure) }
    }
  }
}

/// Which actions may be sent.
package enum SendRight: Hashable, Sendable {
  case nothing
  /// Those of some cases of the scope's actions.
  case actions(Set<String>)
  case everything

  /// The right as it is written; nil for none.
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

  /// Whether all that one allows is allowed by the other.
  package func isWithin(_ other: Self) -> Bool { union(other) == other }

  /// Whether an action may be sent: one of no choice has no name, and only goes with everything.
  package func allows(_ action: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .everything: true
    case .nothing: false
    case .actions(let names): ActionName.read(action).map { names.contains($0) } ?? false
    }
  }
}

/// A pattern of scope names: one scope, everything below a name, or all scopes.
package struct ScopePattern: Hashable, Sendable {
  /// What all names begin with, or the only one.
  private let name: String
  private let isPrefix: Bool

  /// The pattern as it is written.
  package var text: String { isPrefix ? "\(name)*" : name }

  /// Reads a pattern.
  ///
  /// - Parameter text: A name; a name and `/*`; or `*`. Anything else is none.
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

  /// The pattern with its row's id as the daemon writes it, where it names one row.
  ///
  /// - Parameter exposed: What there is.
  /// - Returns: The pattern.
  /// - Throws: where a row's name does not end in an id.
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

  /// Whether a scope has one of the names.
  package func matches(_ scope: String) -> Bool {
    // By bytes, as scopes are found.
    isPrefix
      ? scope.utf8.starts(with: name.utf8) && scope.utf8.count > name.utf8.count
      : scope.utf8.elementsEqual(name.utf8)
  }

  /// Whether a scope of an exposure can have one of the names.
  package func meets(_ exposure: ScopeDescription) -> Bool {
    guard exposure.isEach else { return matches(exposure.name) }
    let rows = exposure.name + "/"
    return isPrefix
      ? rows.utf8.starts(with: name.utf8) || name.utf8.starts(with: rows.utf8)
      : exposure.match(name) != nil
  }
}
