/// Types whose members are those of another type, by dynamic lookup.
///
/// A normally named member of such a type hides a member of the other type with the same name, with
/// any labels and without a diagnostic. So a type has only the members of its model, which authors
/// already know. All other members are functions or initializers of another type, or have a
/// generated name.
enum DynamicMembers {
  /// The allowed members of each type, by its room and its name.
  static let known: [String: Set<String>] = [
    "StateContainers.Store": ["outputStream", "send", "state", "stateStream"],
    "StateContainersMixed.Store": ["outputStream", "send", "state", "stateStream"],
    "StoreActor.AllCasePaths": [
      "dismiss", "element", "failure", "popFrom", "presented", "push", "success",
    ],
    "StoreActor.Boxed": ["id", "isIdentical", "modify", "projectedValue", "wrappedValue"],
    "StoreActor.PresentationState": ["projectedValue", "wrappedValue"],
    "StoreActor.Shared": [
      "isLoading", "id", "load", "loadError", "projectedValue", "read", "save", "saveError",
      "withLock", "wrappedValue",
    ],
    "StoreActor.SharedReader": [
      "isLoading", "id", "load", "loadError", "projectedValue", "read", "wrappedValue",
    ],
    "StoreActor.Store": ["case", "ifLet", "scope", "send", "state", "withState"],
    "StoreActorClassic.BindableState": ["projectedValue", "wrappedValue"],
    "StoreActorClassic.ViewStore": ["binding", "send", "state", "yield"],
    "StoreActorSimplex.StateContainer": ["reducerState"],
    "StoreCasePaths.AllCasePaths": ["failure", "makeIterator", "none", "some", "success"],
    "StoreCasePaths.Case": ["name", "payload"],
    "StoreCollections.Identified": ["id", "value"],
    "StoreConcurrency.ActorIsolated": ["setValue", "value", "withValue"],
    "StoreConcurrency.LockIsolated": ["setValue", "value", "withValue"],
    "StoreConcurrency.UncheckedSendable": ["projectedValue", "value", "wrappedValue"],
  ]

  /// Members by protocols of Swift, of dumps and of the wire, which every type may have.
  static let common: Set = [
    "applyDelta", "customDumpValue", "customMirror", "debugDescription", "description", "encode",
    "encodeDelta", "hash", "hashValue",
  ]

  static func check(_ files: [SourceFile]) -> [Breach] {
    let rooms = files.filter { $0.isSwift && $0.isProduct }
    let dynamic = Set(rooms.flatMap { dynamicTypes(in: $0) })
    let all = Set(rooms.flatMap { types(in: $0) })
    return rooms.flatMap { file in
      members(in: file).compactMap { member in
        // A type of the same room precedes another room's type of the same name.
        let others = [file.room?.name ?? "", "StoreActor"] + dynamic.sorted().map { room(of: $0) }
        let type = others.lazy.map { "\($0).\(member.type)" }.first(where: all.contains)
        guard let type, dynamic.contains(type) else { return nil }
        return breach(member, of: type, in: file)
      }
    }
  }

  private static func room(of type: String) -> String { String(type.prefix { $0 != "." }) }

  private static func breach(_ member: Member, of type: String, in file: SourceFile) -> Breach? {
    let name = member.name
    if name.hasPrefix("_") || common.contains(name) { return nil }
    if known[type]?.contains(name) ?? false { return nil }
    return Breach(
      rule: "dynamic members",
      path: file.path,
      line: member.line,
      what: "\(type) has a member '\(name)', which hides a property of this name",
      remedy:
        "Make it a function or an initializer of another type, or list it where the type that "
        + "\(type) takes after has it too.",
    )
  }
}

// MARK: - Reading

extension DynamicMembers {
  /// A public instance member.
  struct Member {
    let type: String
    let name: String
    let line: Int
  }

  private static let kinds: Set = ["actor", "class", "enum", "extension", "protocol", "struct"]

  /// The types of a file that have dynamic members, with their room.
  static func dynamicTypes(in file: SourceFile) -> [String] {
    guard let room = file.room?.name else { return [] }
    let words = file.words
    return words.indices.compactMap { index in
      guard words[index].text == "dynamicMemberLookup" else { return nil }
      let kind = words[index...].firstIndex { kinds.contains($0.text) }
      return kind.flatMap { words.indices.contains($0 + 1) ? "\(room).\(words[$0 + 1].text)" : nil }
    }
  }

  /// The types that a file declares, with their room.
  static func types(in file: SourceFile) -> [String] {
    guard let room = file.room?.name else { return [] }
    let words = file.words
    return words.indices.dropLast().compactMap { index in
      guard kinds.contains(words[index].text), words[index].text != "extension" else { return nil }
      return "\(room).\(words[index + 1].text)"
    }
  }

  /// The public members of all types and extensions of a file.
  static func members(in file: SourceFile) -> [Member] {
    var reader = MemberReader(words: file.words)
    return reader.read()
  }
}

/// Finds the public members in the words of a file.
private struct MemberReader {
  let words: [Word]
  private var types: [(name: String, depth: Int)] = []
  private var depth = 0
  /// The name of a type before its opening brace.
  private var next: String?

  init(words: [Word]) { self.words = words }

  mutating func read() -> [DynamicMembers.Member] {
    var result: [DynamicMembers.Member] = []
    var statement: [String] = []
    for (index, word) in words.enumerated() {
      switch word.text {
      case "{":
        depth += 1
        if let next { types.append((next, depth)) }
        next = nil
        statement = []
      case "}":
        if types.last?.depth == depth { types.removeLast() }
        depth -= 1
        statement = []
      case "var", "let", "func":
        let name = self.name(after: index)
        if let name, let type = types.last, type.depth == depth, statement.contains("public"),
          !statement.contains("static")
        {
          result.append(DynamicMembers.Member(type: type.name, name: name, line: word.line))
        }
        statement = []
      case "actor", "class", "enum", "extension", "protocol", "struct":
        if let name = typeName(after: index) { next = name }
        statement = []
      default:
        if word.isName { statement.append(word.text) }
      }
      if ["case", "init", "subscript", "typealias", "import"].contains(word.text) {
        statement = []
      }
    }
    return result
  }

  private func name(after index: Int) -> String? {
    words[(index + 1)...].first { $0.text != "`" }.flatMap { $0.isName ? $0.text : nil }
  }

  /// The last part of a type's name; nil if the previous word is not a keyword of a declaration.
  private func typeName(after index: Int) -> String? {
    var place = index + 1
    let modified: Set = ["func", "let", "override", "var"]
    guard words.indices.contains(place), words[place].isName,
      !modified.contains(words[place].text), index == 0 || words[index - 1].text != "."
    else { return nil }
    while words.indices.contains(place + 2), words[place + 1].text == "." { place += 2 }
    return words[place].text
  }
}
