import Testing

@Suite("The check of code blocks finds what it is for")
struct CodeBlocksTests {
  private let file = SourceFile(
    path: "Examples/A/Sources/A/A.swift",
    text: "import B\n\nfunc a() {\n  b()\n\n  c()\n}\n",
  )

  private func breaches(
    _ code: String,
    in path: String = "Sources/A/A.docc/Page.md",
  ) -> [Int] {
    let text = "# Page\n\n```swift\n\(code)\n```\n"
    let page = SourceFile(path: path, text: text)
    return CodeBlocks.check([page], against: [file]).map(\.line)
  }

  @Test(
    "Code that stands in a compiled file is not",
    arguments: [
      "b()\nc()", "func a() {\n    b()", "func a() {\n…\nc()", "import B\n…\n}", "}",
      "import B\n\nc()", "@main\nfunc a() {", "d()\n@Suite struct Revisions1To7Tests {",
    ],
  )
  func compiled(code: String) { #expect(breaches(code) == []) }

  @Test(
    "Code that does not is found",
    arguments: [
      "d()", "c()\nb()", "c()\n…\nb()", "b()\n}", "func a() {\n  b()\n  c()\n}\n}",
      "c()\nimport B", "import C\nb()", "import B\nd()",
    ],
  )
  func stray(code: String) { #expect(breaches(code) == [4]) }

  @Test("It is found in guides and the README, too")
  func guides() {
    #expect(breaches("d()", in: "docs/guides/Guide.md") == [4])
    #expect(breaches("d()", in: "README.md") == [4])
  }

  @Test("Other pages, and blocks of other languages, may say what they like")
  func others() {
    let text = "```swift\nd()\n```\n"
    let page = SourceFile(path: "docs/Page.md", text: text)
    let shell = SourceFile(path: "A.docc/A.md", text: "```sh\nls\n```\n")
    #expect(CodeBlocks.check([page, shell], against: [file]).isEmpty)
  }
}
