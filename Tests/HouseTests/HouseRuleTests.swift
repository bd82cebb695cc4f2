import Testing

@Suite("House rules")
struct HouseRuleTests {
  let repository: Repository

  init() throws {
    repository = try Repository.current.get()
  }

  @Test("The rules see the repository's files")
  func filesAreFound() {
    let paths = Set(repository.files.map(\.path))
    #expect(paths.contains("Package.swift"))
    #expect(paths.contains("Tests/HouseTests/HouseRuleTests.swift"))
    #expect(paths.contains("CHANGELOG.md"))
    #expect(paths.contains { $0.hasPrefix("Sources/") })
    #expect(!paths.contains { $0.contains(".build") })
  }

  @Test("No room imports what is behind a wall")
  func walls() throws {
    try check(
      repository.swift.flatMap(Walls.check) + Walls.unlisted(repository.rooms()),
      ["walls"],
    )
  }

  @Test("There is one turn for each machine, and one copy of a scope")
  func oneOfEach() {
    check(repository.swift.flatMap(OneOfEach.check), [OneOfEach.turn, OneOfEach.replica])
  }

  @Test("Files, functions and lines keep to their lengths")
  func lengths() {
    check(
      repository.swift.flatMap { file in
        Lengths.checkFile(file) + Lengths.checkFunctions(file) + Lengths.checkLines(file)
      },
      ["file-length", "function-length", "line-length"],
    )
  }

  @Test("Banned calls are not made")
  func bannedCalls() {
    check(
      repository.swift.flatMap { BannedCalls.check($0) },
      Set(BannedCalls.bans.map(\.rule)),
    )
  }

  @Test("Every escape from the compiler's checks has its reason on the line above")
  func escapes() {
    check(
      repository.swift.flatMap(Reasons.checkEscapes),
      Set(Reasons.escapes.map { "unexplained: \($0)" }),
    )
  }

  @Test("No comment marks unfinished work")
  func marks() {
    check(repository.swift.flatMap(Reasons.checkMarks), ["unfinished"])
  }

  @Test("No type bears its module's name, no module the name of another package's")
  func names() throws {
    let breaches =
      try repository.swift.flatMap(Names.checkTypes)
      + Names.checkRooms(repository.rooms())
      + Names.checkCFiles(repository.files)
    check(breaches, ["names"])
  }

  @Test("Relative links in pages lead somewhere")
  func links() {
    check(Links.check(repository.markdown, exists: repository.contains), ["links"])
  }

  @Test("The README stays under 200 lines and the changelog keeps its sections")
  func pages() {
    check(
      repository.markdown.flatMap { Pages.checkReadme($0) + Pages.checkChangelog($0) },
      ["readme", "changelog"],
    )
  }

  @Test("Every debt names a rule that exists and has a reason")
  func debtsAreMeant() {
    let rules =
      Set(BannedCalls.bans.map(\.rule) + Reasons.escapes.map { "unexplained: \($0)" })
      .union(["walls", "file-length", "function-length", "line-length", "unfinished", "names"])
      .union(["links", "readme", "changelog", OneOfEach.turn, OneOfEach.replica])
    for debt in debts {
      #expect(rules.contains(debt.rule), "\(debt.path): no rule is called \(debt.rule).")
      #expect(!debt.reason.isEmpty, "\(debt.path): a debt needs its reason.")
    }
  }

  private func check(_ breaches: [Breach], _ rules: Set<String>) {
    report(settle(breaches, rules: rules, against: debts), in: repository)
  }
}
