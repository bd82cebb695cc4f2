import Testing

@Suite("House rules")
struct HouseRuleTests {
  let repository: Repository

  init() throws {
    repository = try Repository.current.get()
  }

  @Test("The repository follows its rules", arguments: Rule.all)
  func holds(rule: Rule) throws {
    report(try rule.check(repository), in: repository)
  }

  @Test("The rules read the repository's files")
  func filesAreFound() {
    let paths = Set(repository.files.map(\.path))
    #expect(paths.contains("Package.swift"))
    #expect(paths.contains("Tests/HouseTests/HouseRuleTests.swift"))
    #expect(paths.contains("CHANGELOG.md"))
    #expect(paths.contains { $0.hasPrefix("Sources/") })
    #expect(!paths.contains { $0.contains(".build") })
  }

  @Test("The rules read the manifest's targets")
  func targetsAreFound() {
    #expect(repository.manifest.rooms.count >= 79)
    #expect(repository.manifest.product.map(\.name).contains("StoreServer"))
    let names = repository.manifest.rooms.map(\.name)
    #expect(Set(names).count == names.count)
  }

  @Test("The rules find their subjects")
  func subjects() {
    let types = repository.swift.filter(\.isProduct).flatMap(DynamicMembers.dynamicTypes)
    #expect(types.count >= 15)
    for pages in [repository.markdown, repository.swift] {
      #expect(pages.filter(CodeBlocks.isChecked).flatMap(CodeBlocks.blocks).count > 10)
    }
    let places = repository.swift.compactMap(\.place)
    for place in OneOfEach.turns.union(OneOfEach.replicas).union(Tables.rooms) {
      #expect(places.contains { $0.hasPrefix(place) }, "a rule names \(place), which is gone")
    }
  }
}
