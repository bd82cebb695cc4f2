import GenericState
package import StoreProtocol
import StoreState

/// The reason why a grants file cannot be used: the line, its fault, and the expectation.
package struct GrantsError: Error, Hashable, Sendable, CustomStringConvertible {
  package var line: Int
  package var message: String
  /// Whether the lookup of a user or a group failed.
  ///
  /// The line may be valid.
  package var isLookupFailure = false

  package var description: String { "line \(line): \(message)" }
}

/// The users and groups of a system, by their names.
package struct Accounts: Sendable {
  /// The system failed to look up a user or a group.
  package struct LookupError: Error, Hashable, Sendable {
    package var reason: String

    package init(reason: String) { self.reason = reason }
  }

  package typealias User = @Sendable (String) throws(LookupError) -> UInt32?
  package typealias Group =
    @Sendable (String) throws(LookupError) -> (id: UInt32, members: Set<UInt32>)?

  /// A user's number; nil if there is no such user.
  package var user: User
  /// A group's number, and the users that are listed as its members; nil if there is no such group.
  package var group: Group

  package init(user: @escaping User, group: @escaping Group) {
    self.user = user
    self.group = group
  }
}

extension Grants {
  /// Reads grants, one on each line: a grantee, scopes separated by commas, and rights.
  ///
  ///     # who        scopes           rights
  ///     user:ann     todos,todos/*    see send=addButtonTapped
  ///     group:staff  counter          see send
  ///     key:laptop=0f…  todos         see
  ///
  /// - Parameters:
  ///   - text: The lines.
  ///   - owner: The user with all rights.
  ///   - exposed: The exposed scopes; a line for any other scope is an error.
  ///   - accounts: The users and groups of the system.
  /// - Throws: ``GrantsError`` for the first invalid line.
  package init(
    reading text: String,
    owner: UInt32,
    exposed: [ScopeDescription],
    accounts: Accounts,
  ) throws(GrantsError) {
    var lines: [Line] = []
    var keys = KnownKeys()
    for (index, line) in TextLine.all(of: text).enumerated() {
      let words = line.words
      guard !words.isEmpty else { continue }
      let reader = LineReader(number: index + 1, exposed: exposed, accounts: accounts)
      let granted = try reader.line(words)
      try reader.add(granted.grantee, to: &keys)
      lines.append(granted)
    }
    self.init(owner: owner, lines: lines)
  }

  /// The grantees of a text's lines, including lines that are invalid after the grantee.
  ///
  /// - Parameters:
  ///   - text: The lines.
  ///   - accounts: The users and groups of the system.
  /// - Returns: The named grantees. A key is identified by its name and its public key together.
  package static func grantees(in text: String, accounts: Accounts) -> Named {
    let reader = LineReader(number: 0, exposed: [], accounts: accounts)
    var named = Named(grantees: [])
    for line in TextLine.all(of: text) {
      guard let word = line.words.first else { continue }
      do throws(GrantsError) {
        named.grantees.insert(try reader.grantee(word))
      } catch {
        if error.isLookupFailure { named.isIncomplete = true }
      }
    }
    return named
  }

  /// A text without the lines of a key: those with its name, and those with its public key.
  ///
  /// Each line is read alone, so the other lines may be invalid.
  ///
  /// - Parameters:
  ///   - text: The lines.
  ///   - name: The key's name.
  /// - Returns: The other lines, unchanged; nil if no line names the key.
  package static func text(_ text: String, withoutKey name: String) -> String? {
    let lines = TextLine.all(of: text).map { line in
      (line: line, key: line.words.first.flatMap { KeyWord($0) })
    }
    let keys = Set(lines.compactMap { $0.key?.name == name ? $0.key?.key : nil })
    let kept = lines.filter { _, word in
      guard let word else { return true }
      return word.name != name && word.key.map { !keys.contains($0) } ?? true
    }
    guard kept.count < lines.count else { return nil }
    return kept.map(\.line.text).joined(separator: "\n")
  }
}

/// A line of grants as it is written.
private struct TextLine {
  let text: String

  /// The lines of a text, including empty lines.
  static func all(of text: String) -> [Self] {
    // By scalars: a carriage return and a line feed are one character.
    text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { Self(text: String(String.UnicodeScalarView($0))) }
  }

  /// Its words without a comment.
  var words: [String] {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix { $0 != "#" }))
      .split { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }.map(String.init)
  }
}

/// The key of a line: `key:NAME=KEY`.
private struct KeyWord {
  let name: String
  /// The public key; nil if the text is not a public key.
  let key: [UInt8]?

  /// Reads a line's first word; nil if the word is not of the kind `key`.
  init?(_ word: String) {
    let parts = word.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, parts[0] == "key" else { return nil }
    let words = parts[1].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    name = String(words[0])
    key = words.count == 2 ? KeyText.key(words[1]) : nil
  }
}

/// The keys that earlier lines name.
private struct KnownKeys {
  /// Bounded by ``GrantsFile/mostBytes``.
  var keys: [String: [UInt8]] = [:]
  /// Bounded by ``GrantsFile/mostBytes``.
  var names: [[UInt8]: String] = [:]
}

/// Reads one line.
private struct LineReader {
  let number: Int
  let exposed: [ScopeDescription]
  let accounts: Accounts

  func line(_ words: [String]) throws(GrantsError) -> Grants.Line {
    guard words.count >= 3 else {
      throw error(
        "expected a grantee, scopes and rights, as in \"user:ann todos,todos/* see send\", found "
          + "\(words.count == 1 ? "one word" : "two words")"
      )
    }
    let grantee = try grantee(words[0])
    let scopes = try scopes(words[1])
    var (sees, sends) = (false, SendRight.nothing)
    for word in words[2...] {
      switch word {
      case "see": sees = true
      case "send": sends = .everything
      case _ where word.hasPrefix("send="):
        let names = word.dropFirst("send=".count).split(separator: ",").map(String.init)
        sends = sends.union(.actions(Set(try actions(names, scopes))))
      default:
        throw error("there is no right \"\(word)\"; there are see, send and send=ACTION,…")
      }
    }
    return Grants.Line(grantee: grantee, scopes: scopes, sees: sees, sends: sends)
  }

  func grantee(_ word: String) throws(GrantsError) -> Grants.Grantee {
    let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw unknownGrantee(word) }
    switch parts[0] {
    case "user":
      if let id = UInt32(parts[1]) { return .user(id) }
      return .user(try found("user", parts[1], accounts.user))
    case "group":
      if let id = UInt32(parts[1]) { return .group(id, members: []) }
      let group = try found("group", parts[1], accounts.group)
      return .group(group.id, members: group.members)
    case "key": return try key(KeyWord(word))
    default: throw unknownGrantee(word)
    }
  }

  private func found<Account>(
    _ kind: String,
    _ name: String,
    _ lookup: (String) throws(Accounts.LookupError) -> Account?,
  ) throws(GrantsError) -> Account {
    let account: Account?
    do throws(Accounts.LookupError) {
      account = try lookup(name)
    } catch let failure {
      var error = error(
        "the \(kind) \"\(name)\" could not be looked up: \(failure.reason); correct the cause, or "
          + "give a number"
      )
      error.isLookupFailure = true
      throw error
    }
    guard let account else {
      throw error("there is no \(kind) \"\(name)\"; name one, or give a number")
    }
    return account
  }

  private func key(_ word: KeyWord?) throws(GrantsError) -> Grants.Grantee {
    guard let word, let key = word.key else {
      throw error("expected key:NAME=, and the 64 hexadecimal digits of a public key")
    }
    if let problem = KeyText.problem(withName: word.name) { throw error(problem) }
    return .key(word.name, key)
  }

  /// Checks that each name has one key, and that each key has one name.
  func add(_ grantee: Grants.Grantee, to known: inout KnownKeys) throws(GrantsError) {
    guard case .key(let name, let key) = grantee else { return }
    guard known.keys[name, default: key] == key else {
      throw error("\"\(name)\" is another key above; give each a name of its own")
    }
    let other = known.names[key, default: name]
    guard other == name else {
      throw error("this key is called \"\(other)\" above; give it one name")
    }
    known.keys[name] = key
    known.names[key] = name
  }

  private func unknownGrantee(_ word: String) -> GrantsError {
    error("\"\(word)\" is no grantee; expected user:NAME, group:NAME or key:NAME=KEY")
  }

  private func scopes(_ word: String) throws(GrantsError) -> [ScopePattern] {
    var patterns: [ScopePattern] = []
    for text in word.split(separator: ",").map(String.init) {
      guard let pattern = ScopePattern(text) else {
        throw error("\"\(text)\" is no scope; a * stands alone, or at the end after a /")
      }
      guard exposed.contains(where: { pattern.meets($0) }) else {
        let remedy = NearestNames().remedy(for: text, among: exposed.map(\.pattern))
        throw error("there is no scope \"\(text)\"\(remedy)")
      }
      do throws(JSONProjectionError) {
        patterns.append(try pattern.canonical(among: exposed))
      } catch let problem {
        throw error("\(text.quoted) does not end in a row's id: \(problem.message)")
      }
    }
    return patterns
  }

  private func actions(
    _ names: [String],
    _ scopes: [ScopePattern],
  ) throws(GrantsError) -> [String] {
    let met = exposed.filter { exposure in scopes.contains { $0.meets(exposure) } }
    let known = Set(met.flatMap(\.actionNames))
    for name in names where !known.contains(name) {
      let remedy = NearestNames().remedy(for: name, among: known.sorted())
      throw error("these scopes have no action \"\(name)\"\(remedy)")
    }
    guard !names.isEmpty else { throw error("\"send=\" names no action; to allow all write send") }
    return names
  }

  private func error(_ message: String) -> GrantsError {
    GrantsError(line: number, message: message)
  }
}

extension ScopeDescription {
  /// The names of the cases of the scope's actions.
  fileprivate var actionNames: [String] {
    guard case .choice(let cases)? = action.definition(of: action.root) else { return [] }
    return cases.map(\.name)
  }
}
