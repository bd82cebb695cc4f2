import Testing

@Suite("The check of code blocks detects its breaches")
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
    "Code of a compiled file is not a breach",
    arguments: [
      "b()\nc()", "func a() {\n    b()", "func a() {\n…\nc()", "import B\n…\n}", "}",
      "import B\n\nc()", "@main\nfunc a() {", "d()\n@Suite struct Revisions1To7Tests {",
    ],
  )
  func compiled(code: String) { #expect(breaches(code) == []) }

  @Test(
    "Other code is found",
    arguments: [
      "d()", "c()\nb()", "c()\n…\nb()", "b()\n}", "func a() {\n  b()\n  c()\n}\n}",
      "c()\nimport B", "import C\nb()", "import B\nd()",
    ],
  )
  func stray(code: String) { #expect(breaches(code) == [4]) }

  @Test("It is also found in guides and in the README")
  func guides() {
    for path in ["docs/guides/Guide.md", "README.md"] { #expect(breaches("d()", in: path) == [4]) }
  }

  @Test("It is found in documentation comments, where a part of a line may be omitted")
  func comments() {
    func breaches(in room: String = "StoreActor", _ code: String...) -> [Int] {
      let block = code.map { "  /// \($0)\n" }.joined()
      let text = "  /// ```swift\n\(block)  /// ```\n  func a() {}\n"
      return CodeBlocks.check([swift(text, in: room, at: "A.swift")], against: [file]).map(\.line)
    }
    #expect(breaches("func a() {", "  b()") == [])
    #expect(breaches("func … {", "…", "  c()") == [])
    #expect(breaches("func b() {") == [2])
    #expect(breaches("func a() … {{") == [2])
    #expect(breaches(in: "Other", "d()") == [])
  }

  @Test("Other pages, and blocks of other languages, are free")
  func others() {
    let text = "```swift\nd()\n```\n"
    let page = SourceFile(path: "docs/Page.md", text: text)
    let shell = SourceFile(path: "A.docc/A.md", text: "```sh\nls\n```\n")
    #expect(CodeBlocks.check([page, shell], against: [file]).isEmpty)
  }
}
