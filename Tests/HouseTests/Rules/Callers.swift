/// Checks that declarations for other modules are used by them.
///
/// A name counts as used if it occurs more often than it is declared: in a room, a benchmark, an
/// example, a sample, a program of the tests, or in a page for users. So one of two declarations
/// with the same name passes if the other one is used; used declarations are never reported.
enum Callers {
  /// Declarations that only tests call and that are correct nevertheless, by the reason.
  static let kept: [String: Set<String>] = [
    "The compiler or the standard library calls it": [
      "buildArray", "buildBlock", "buildEither", "buildExpression", "buildFinalResult",
      "buildLimitedAvailability", "buildOptional", "buildPartialBlock", "partition",
      "provideScope", "isRecursive", "scopeProvider", "unownedExecutor",
    ],
    "Dumps call it": [
      "actionLabels", "customDumpDescription", "customDumpMirror", "customDumpValue",
    ],
    "Users of the original, or of an older release, write it": [
      "ActionSheetState", "CaseLet", "CasePath", "EffectOf", "Handler", "SendOf",
      "SwitchStore", "actionless", "cancellableValue", "checkSuspension",
      "disablesAnimations", "eraseToStream", "eraseToThrowingStream", "interpolatingSpring",
      "notificationCenter", "repeatForever", "replaceError", "setFailureType",
      "skipReceivedActions", "stateless", "suspendingClock", "useMainSerialExecutor",
      "withExhaustivity", "yieldReturningInitialValue",
    ],
    "Collections have it, so that users need not look up which of them do": [
      "formSymmetricDifference", "shuffle",
    ],
    "Another library's protocol asks for it": [
      "addLink", "destroyCounter", "destroyRecorder", "destroyTimer", "isRecording", "makeCounter",
      "makeRecorder", "makeTimer", "recordError",
    ],
    "Only these give tests their conditions and endpoints": [
      "lastEndpoint"
    ],
  ]

  /// The unused declarations, and the exceptions that are no longer needed.
  static func check(_ files: [SourceFile]) -> [Breach] {
    var uses: [String: Int] = [:]
    for file in files where isUser(file.path) {
      for word in isText(file) ? names(in: file) : file.words.map(\.text) {
        uses[word, default: 0] += 1
      }
    }
    let declarations = files.filter(\.isProduct).flatMap(declarations)
    let unused = Dictionary(grouping: declarations, by: \.name)
      .filter { name, all in !name.hasPrefix("_") && uses[name] == all.count }
    let exceptions = kept.values.reduce(into: Set()) { $0.formUnion($1) }
    return unused.filter { !exceptions.contains($0.key) }.values.compactMap(\.first).map(\.breach)
      + exceptions.filter { unused[$0] == nil }.map { name in
        Breach(
          rule: "callers",
          path: "Tests/HouseTests/Rules/Callers.swift",
          line: 1,
          what: "'\(name)' is used, or gone",
          remedy: "Take it from the list of exceptions.",
        )
      }
  }

  /// Whether a file's words are uses: not in tests, but in samples, which show users' code.
  private static func isUser(_ path: String) -> Bool {
    !path.hasPrefix("Tests/") || path.hasPrefix("Tests/SampleTests/")
      || path.hasPrefix("Tests/Programs/")
  }

  /// Whether names occur in texts of the file: in pages, and in the code that macros generate.
  private static func isText(_ file: SourceFile) -> Bool {
    !file.isSwift || file.room?.name == "StoreActorMacros"
  }

  private static func names(in page: SourceFile) -> [String] {
    page.lines.flatMap { line in
      line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
    }
  }
}

extension Callers {
  struct Declaration {
    let name: String
    let breach: Breach
  }

  private static let kinds: Set = [
    "actor", "class", "enum", "func", "let", "protocol", "struct", "typealias", "var",
  ]
  private static let modifiers: Set = [
    "(", ")", "borrowing", "consuming", "convenience", "fileprivate", "final", "indirect",
    "internal", "lazy", "mutating", "nonisolated", "override", "package", "private", "set",
    "static", "unsafe", "weak",
  ]

  /// The declarations of a file for other modules.
  static func declarations(in file: SourceFile) -> [Declaration] {
    let words = file.words
    return words.indices.compactMap { start in
      guard ["package", "public"].contains(words[start].text) else { return nil }
      var index = start + 1
      while index + 1 < words.count, isModifier(words[index].text, before: words[index + 1].text) {
        index += 1
      }
      guard index + 1 < words.count, kinds.contains(words[index].text), words[index + 1].isName
      else { return nil }
      let name = words[index + 1].text
      return Declaration(
        name: name,
        breach: Breach(
          rule: "callers",
          path: file.path,
          line: words[start].line,
          what: "only tests use '\(name)'",
          remedy: "Remove it, or give the reason in Tests/HouseTests/Rules/Callers.swift.",
        ),
      )
    }
  }

  private static func isModifier(_ word: String, before next: String) -> Bool {
    modifiers.contains(word) || word == "class" && kinds.contains(next)
  }
}
