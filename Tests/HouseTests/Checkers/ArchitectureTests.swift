import Testing

@Suite("The check of the pages about the code detects its breaches")
struct ArchitectureTests {
  private let manifest = Manifest([
    "  \"Sources/Replication\": [", "    \"StoreJournal\": [],", "  ],", "  \"Sources\": [",
    "    \"StorectlMain in Client\": [],",
  ])

  private func breaches(_ text: String, at path: String = Architecture.page) -> [Int] {
    let files = [
      "Sources/Replication/StoreJournal/Log/LogWriter.swift", "Sources/Client/Output/Table.swift",
      "Tests/ATests/ATests.swift",
    ].map { path in
      SourceFile(
        path: path,
        text: "struct LogWriter {\n  func trim() { \"quoted\" }  // noted\n}\n",
        room: manifest.room(of: path),
      )
    }
    let page = SourceFile(path: path, text: text)
    return Architecture.checkNames(page, CodeIndex(files, manifest)).map(\.line)
  }

  @Test(
    "A name or path that does not exist is found",
    arguments: [
      "`LogReader`", "`LogWriter.cut`", "`cut(through:)`", "`StoreJournal/LogWriter`",
      "`StoreJournal/Log/LogWriter.md`", "`Replication/Log/LogWriter`", "`quoted`", "`said`",
      "a `trim` and a `cut`",
    ],
  )
  func stray(text: String) { #expect(breaches("\n\(text)\n") == [2]) }

  @Test(
    "A file, a folder or a name of the code is not a breach",
    arguments: [
      "`LogWriter`", "`LogWriter.trim`", "`trim(through:)`", "`StoreJournal/Log/LogWriter`",
      "`StoreJournal/Log`", "`Client/Output/Table.swift`", "`StorectlMain`", "`Output`",
      "`Sources/Client`", "`Tests/ATests/ATests.swift`", "`storectl`", "`--data`",
      "`storectl cut`", "`GET /cut`", "`/Enum.cut`", "LogReader", "```\n`LogReader`\n```",
      "    `LogReader`",
    ],
  )
  func code(text: String) { #expect(breaches("\n\(text)\n") == []) }

  @Test("A wing's page may use paths within the wing")
  func wing() {
    let path = "Sources/Client/README.md"
    #expect(breaches("`Output/Table` `Commands/Table`", at: path) == [1])
    #expect(breaches("`Output/Table` `Output`", at: path) == [])
  }

  @Test("A missing path from the root is found on any page")
  func paths() {
    let text = "`Sources/A/B.swift`\n`Sources/A/C.swift`\n`Tests/…`\n`Sources`\n"
    let breaches = Architecture.checkPaths(page(text)) { $0 == "Sources/A/B.swift" }
    #expect(breaches.map(\.line) == [2])
  }

  @Test("A wing that the table omits is found, and a target of it")
  func wings() {
    let table = "| [Replication](a) | what | `StoreJournal` |\n| [Client](b) | what | `Other` |\n"
    let wings = ["Client", "Replication"]
    #expect(Architecture.checkWings(page(table), wings, manifest).map(\.line) == [2])
    #expect(Architecture.checkWings(page(""), wings, manifest).map(\.line) == [1, 1])
  }
}
