import Testing

@Suite("The checks of pages detect their breaches")
struct PagesTests {
  @Test(
    "A link without a target is found",
    arguments: [
      "[a](missing.md)", "![a](images/missing.png)", "[a]: missing.md", "[a](<missing.md>)",
      "[a](missing.md \"title\")", "[a](docs/GUIDE.md#nowhere)", "[a](#nowhere)",
      "[a](../outside.md)", "[a](/docs/GUIDE.md)", "[a](docs/GUIDE.md) and [b](missing.md)",
      "[`a`](missing.md)",
    ],
  )
  func broken(text: String) {
    #expect(check(page("# Page\n\n\(text)\n")).map(\.line) == [3])
  }

  @Test(
    "A link with a target is not a breach",
    arguments: [
      "[a](docs/GUIDE.md)", "[a](docs/GUIDE.md#what-it-does-1)", "[a](#page)", "[a](./docs)",
      "[a](https://example.org/missing.md)", "[a](mailto:a@example.org)", "`[a](missing.md)`",
      "```\n[a](missing.md)\n```", "[a]: docs/GUIDE.md", "f[0](x) is `code`, [b] (no link)",
      "[a](docs/GUIDE.md#by-hand)", "[a](docs/GUIDE.md#the-store_actor-type-2nd-ed)",
    ],
  )
  func whole(text: String) {
    let text = text.replacing("f[0](x)", with: "f")
    #expect(check(page("# Page\n\n\(text)\n")).isEmpty)
  }

  @Test("Links are relative to their page")
  func relative() {
    #expect(Links.resolve("../README.md", from: "docs/GUIDE.md") == "README.md")
    #expect(Links.resolve("a/./b.md", from: "docs/GUIDE.md") == "docs/a/b.md")
    #expect(Links.resolve("", from: "docs/GUIDE.md") == "docs/GUIDE.md")
    #expect(Links.resolve("../../a.md", from: "docs/GUIDE.md") == nil)
  }

  @Test("A README of 200 lines is found, one of 199 is not, other pages may be longer")
  func readme() {
    let long = String(repeating: "a\n", count: 200)
    #expect(Pages.checkReadme(page(long, path: "README.md")).count == 1)
    #expect(Pages.checkReadme(page(String(long.dropLast(2)), path: "README.md")).isEmpty)
    #expect(Pages.checkReadme(page(long, path: "docs/README.md")).isEmpty)
  }

  @Test("A version without its three sections is found")
  func changelog() {
    let good = "# Changelog\n\n## Unreleased\n\n### Added\n\n### Changed\n\n### Fixed\n"
    #expect(Pages.checkChangelog(page(good, path: "CHANGELOG.md")).isEmpty)
    let bad = good + "\n## 1.0.0\n\n### Added\n\n### Fixed\n\n### Changed\n"
    #expect(Pages.checkChangelog(page(bad, path: "CHANGELOG.md")).map(\.line) == [11])
  }

  private func check(_ page: SourceFile) -> [Breach] {
    let guide = SourceFile(
      path: "docs/GUIDE.md",
      text: """
        # Guide
        ## What it does
        <a id="by-hand"></a>
        ## What it does
        ### The `Store_Actor` [type](x://y) (2nd ed.)
        ```
        # Nowhere
        ```
        """,
    )
    return Links.check([page, guide]) { ["docs", "docs/GUIDE.md"].contains($0) }
  }
}
