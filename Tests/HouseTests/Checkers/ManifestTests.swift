import Testing

@Suite("The manifest is read as the package manager reads it")
struct ManifestTests {
  private let text = """
    let table = [
      "Sources/Values": [
        "StoreBytes": [],  // Bytes.
        // Values.
        "StoreValues": ["StoreBytes"],
        "StoreState": [
          "StoreBytes", .of("Other", "other"),
        ],
      ],
      "Sources": [
        // The daemon.
        "StoredMain in Daemon": ["StoreState"]
      ],
      "Tests": [
        "MacroUseTests in StoreActorTests/Macros": [],
        "StoreActorTests": [],
      ],
    ]
    """

  private var manifest: Manifest { Manifest(SourceFile.lines(of: text)) }

  @Test("A target's folder has its name, or the name after it")
  func folders() {
    #expect(
      manifest.rooms.map(\.folder) == [
        "Sources/Values/StoreBytes", "Sources/Values/StoreValues", "Sources/Values/StoreState",
        "Sources/Daemon", "Tests/StoreActorTests/Macros", "Tests/StoreActorTests",
      ]
    )
    #expect(manifest.rooms.map(\.wing) == ["Values", "Values", "Values", "Daemon", nil, nil])
    #expect(manifest.product.count == 4)
  }

  @Test(
    "A file belongs to the target with the innermost folder above it",
    arguments: [
      ("Sources/Values/StoreState/A/B.swift", "StoreState"),
      ("Sources/Daemon/Stored.swift", "StoredMain"),
      ("Tests/StoreActorTests/Macros/A.swift", "MacroUseTests"),
      ("Tests/StoreActorTests/A.swift", "StoreActorTests"),
      ("Sources/Values/README.md", nil), ("Sources/Values/StoreStates/A.swift", nil),
      ("docs/StoreState/A.md", nil),
    ],
  )
  func files(path: String, name: String?) {
    #expect(manifest.room(of: path)?.name == name)
  }

  @Test("A target without a reason is found, and a manifest that is too long")
  func reasons() {
    let rooms = manifest.rooms.filter { !$0.hasReason }.map(\.name)
    #expect(rooms == ["StoreState", "MacroUseTests", "StoreActorTests"])
    #expect(Wings.checkManifest(manifest).count == 3)
    let long = Manifest(SourceFile.lines(of: text) + Array(repeating: "", count: Manifest.lines))
    #expect(Wings.checkManifest(long).count == 4)
  }

  @Test("A target whose folder has no file is found, and a file in no target")
  func emptyFolders() {
    let paths = [
      "Sources/Values/StoreBytes/A.swift", "Sources/Values/StoreValues/A.swift",
      "Sources/Values/README.md", "Sources/Values/StoreStates/A.swift", "Sources/Daemon/A.swift",
      "Tests/StoreActorTests/A.swift", "Tests/StoreActorTests/Macros/A.swift",
      "Tests/Support/A.swift",
    ]
    let files = paths.map { SourceFile(path: $0, text: "", room: manifest.room(of: $0)) }
    let breaches = Wings.checkFiles(files, manifest)
    #expect(breaches.map(\.path) == ["Sources/Values/StoreStates/A.swift", "Package.swift"])
    #expect(breaches.last?.what.contains("StoreState") == true)
  }

  @Test("A sixteenth folder of Sources is found")
  func crowd() {
    let wings = (0...Wings.most).map { "W\($0)" }
    let page = "# W\n\n" + Wings.parts.map { "\($0) One.\n" }.joined(separator: "\n")
    let files = wings.map { SourceFile(path: Wings.page(of: $0), text: page) }
    #expect(Wings.checkPages(wings, files, manifest).map(\.path) == ["Sources/W\(Wings.most)"])
  }
}
