/// Rules for the names of rooms and types.
enum Names {
  /// Modules of the ecosystem: a package that uses both would not build.
  static let taken: Set = [
    "CasePaths", "Clocks", "CombineSchedulers", "ComposableArchitecture", "ConcurrencyExtras",
    "CustomDump", "Dependencies", "IdentifiedCollections", "IssueReporting", "Perception",
    "Sharing", "SwiftNavigation",
  ]

  static func checkTypes(_ file: SourceFile) -> [Breach] {
    guard file.isProduct, let room = file.room?.name else { return [] }
    let kinds: Set = ["actor", "class", "enum", "protocol", "struct", "typealias"]
    let words = file.words
    return words.indices.dropLast().compactMap { index in
      guard kinds.contains(words[index].text), words[index + 1].text == room else { return nil }
      guard index == 0 || words[index - 1].text != "import" else { return nil }
      return Breach(
        rule: "names",
        path: file.path,
        line: words[index].line,
        what: "the \(words[index].text) \(room) bears its module's name",
        remedy: "Rename it: \(room).\(room) breaks every qualified name of the module.",
      )
    }
  }

  static func checkRooms(_ rooms: [Room]) -> [Breach] {
    rooms.filter { taken.contains($0.name) }.map { room in
      Breach(
        rule: "names",
        path: Manifest.path,
        line: room.line,
        what: "the module \(room.name) is named like one of the ecosystem's",
        remedy: "Rename it: a package that uses both would not build.",
      )
    }
  }

  /// System libraries contain declarations and `static inline` helpers, without code to compile.
  static func checkCFiles(_ files: [SourceFile]) -> [Breach] {
    files.filter { $0.isProduct && $0.path.hasSuffix(".c") }.map { file in
      Breach(
        rule: "names",
        path: file.path,
        line: 1,
        what: "a C file in a room",
        remedy: "Put a static inline helper into the system library's shim.h.",
      )
    }
  }
}
