import Testing

@Suite("The measure of language detects its phrases")
struct LanguageTests {
  @Test(
    "Each kind is counted",
    arguments: [
      ("is told", .idioms), ("lies behind", .idioms), ("nobody waits", .idioms),
      ("from afar", .idioms), ("what arrives", .riddles), ("who waits", .riddles),
      ("where it", .riddles), ("returns nothing", .absences), ("later comes", .wanderers),
    ] as [(String, Language.Kind)],
  )
  func counted(text: String, kind: Language.Kind) {
    #expect(Language.count(in: text) == [kind: 1])
  }

  @Test(
    "Plain sentences are not counted",
    arguments: [
      "The observer is notified.", "It falls behind.", "A client lags behind.", "tell apart",
      "where frames wait", "The effect is .none", "It makes sense.",
    ],
  )
  func plain(text: String) {
    #expect(Language.count(in: text).isEmpty)
  }

  @Test("Prose is comments, sentences in strings, and pages without code")
  func prose() {
    let file = SourceFile(
      path: "Sources/A/B.swift",
      text: """
        /// A comment with `code`.
        let what = "what is it"
        let short = "what it"
        call(what) // the end
        """,
    )
    #expect(
      Language.prose(of: file).map(\.trimmingSpaces) == [
        "/// A comment with .", "// the end", "what is it",
      ]
    )
    let page = SourceFile(path: "docs/A.md", text: "# A\n\n```\nwhat\n```\n    what\nProse\n")
    #expect(Language.prose(of: page) == ["# A", "Prose"])
  }

  @Test("Limits hold for all prose, and twofold for each folder of a hundred lines")
  func limits() {
    let plain = Array(repeating: "A plain sentence about frames.", count: 990)
    func page(_ path: String, _ riddles: Int) -> SourceFile {
      let lines = plain + Array(repeating: "what", count: riddles)
      return SourceFile(path: path, text: lines.joined(separator: "\n"))
    }
    #expect(Language.check([page("docs/A.md", 20)]).isEmpty)
    #expect(Language.check([page("docs/A.md", 22)]).map(\.path) == ["docs/STYLE.md"])
    let breaches = Language.check([page("docs/A.md", 45), page("Sources/A/README.md", 0)])
    #expect(breaches.map(\.path) == ["docs/STYLE.md", "docs"])
  }

  @Test("A documentation comment of one word is found")
  func oneWord() {
    let file = SourceFile(path: "Sources/A/B.swift", text: "  /// Nothing.\n/// Two words.\n")
    #expect(Language.checkWords(file).map(\.line) == [1])
  }
}
