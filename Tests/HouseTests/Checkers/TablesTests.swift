import Testing

@Suite("The rule of tables")
struct TablesTests {
  private static let limits = SourceFile(
    path: "Limits.swift",
    text: "package var heldBytes = 8\n// package var otherBytes = 9\n",
  )

  private func lines(_ text: String, _ path: String = "Sessions/B.swift") -> [Int] {
    let file = swift(text, in: "StoreReplication", at: "Server/\(path)")
    return Tables.check(file, limits: Self.limits).map(\.line)
  }

  @Test(
    "A table of bytes, texts or outcomes is found that names no limit",
    arguments: [
      "  private var names: [String] = []", "  var held: [PeerID: [UInt8]] = [:]",
      "  @exclusivity(unchecked) private var outcomes: Deque<Outcome> = []",
      "  private(set) var handles: [ScopeKey: UInt64]", "  var names: Set<Substring> = []",
    ],
  )
  func found(_ line: String) {
    #expect(lines("\(line)\n") == [1])
    #expect(lines("  /// What is held.\n\(line)\n") == [2])
    #expect(lines("  /// Bounded by ``Limits/otherBytes``.\n\(line)\n") == [2])
    #expect(lines("  /// Bounded by ``Limits/heldBytes``.\n\(line)\n") == [])
    #expect(lines("  // Of one: Bounded by ``ByteLedger``.\n  // In all too.\n\(line)\n") == [])
    #expect(lines("  /// Bounded by ``Limits/heldBytes``.\n\n\(line)\n") == [3])
    #expect(lines("\(line)\n", "Reports/B.swift") == [])
  }

  @Test(
    "What is no table of them is not found",
    arguments: [
      "  private var name: String", "  var sessions: [PeerID: Session] = [:]",
      "  var names: [String] { handles.keys.map(\\.name) }", "    var names: [String] = []",
      "  let names: [String]", "  // var names: [String] = []",
    ],
  )
  func notFound(_ line: String) {
    #expect(lines("\(line)\n") == [])
  }
}
