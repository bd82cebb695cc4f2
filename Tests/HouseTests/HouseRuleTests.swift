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
    try check(repository.swift.flatMap(Walls.check) + Walls.unlisted(repository.rooms()))
  }

  @Test("There is one turn for each machine, and one copy of a scope")
  func oneOfEach() {
    check(repository.swift.flatMap(OneOfEach.check))
  }

  @Test("Each table of a daemon names the limit that bounds it")
  func tables() throws {
    let bounds = Tables.bounds(in: repository.swift)
    try #require(bounds.contains("heldBytes"))
    check(repository.swift.flatMap { Tables.check($0, bounds: bounds) })
  }

  @Test("What other modules may use is used by one")
  func callers() {
    check(Callers.check(repository.files))
  }

  @Test("Files, functions and lines keep to their lengths")
  func lengths() {
    check(
      repository.swift.flatMap { file in
        Lengths.checkFile(file) + Lengths.checkFunctions(file) + Lengths.checkLines(file)
      }
    )
  }

  @Test("Banned calls are not made")
  func bannedCalls() {
    check(repository.swift.flatMap { BannedCalls.check($0) })
  }

  @Test("Every escape from the compiler's checks has its reason on the line above")
  func escapes() {
    check(repository.swift.flatMap(Reasons.checkEscapes))
  }

  @Test("No comment marks unfinished work")
  func marks() {
    check(repository.swift.flatMap(Reasons.checkMarks))
  }

  @Test("No type bears its module's name, no module the name of another package's")
  func names() throws {
    let breaches =
      try repository.swift.flatMap(Names.checkTypes)
      + Names.checkRooms(repository.rooms())
      + Names.checkCFiles(repository.files)
    check(breaches)
  }

  @Test("Types with dynamic members have no members of their own that hide others")
  func dynamicMembers() {
    check(DynamicMembers.check(repository.files))
    let types = repository.swift.filter { $0.path.hasPrefix("Sources/") }
      .flatMap(DynamicMembers.dynamicTypes)
    #expect(types.count >= 15)
  }

  @Test("Relative links in pages lead somewhere")
  func links() {
    check(Links.check(repository.markdown, exists: repository.contains))
  }

  @Test("Code that articles and guides show is compiled")
  func codeBlocks() {
    let compiled = repository.swift.filter(CodeBlocks.isShown)
    check(CodeBlocks.check(repository.markdown, against: compiled))
    let articles = repository.markdown.filter(CodeBlocks.isChecked)
    #expect(articles.flatMap(CodeBlocks.blocks).count > 10)
  }

  @Test("Time limits of tests grow with the load of the machine")
  func timeLimits() {
    check(TimeLimits.check(repository.swift))
  }

  @Test("The README stays under 200 lines and the changelog keeps its sections")
  func pages() {
    check(repository.markdown.flatMap { Pages.checkReadme($0) + Pages.checkChangelog($0) })
  }

  private func check(_ breaches: [Breach]) { report(breaches, in: repository) }
}
