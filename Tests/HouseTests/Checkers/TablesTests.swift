import Testing

@Suite("The rule of tables")
struct TablesTests {
  private static let limits = swift(
    "package var heldBytes = 8\n// package var otherBytes = 9\n",
    in: "StoreProtocol",
    at: "Limits.swift",
  )
  private static let ledger = swift(
    "final class ByteLedger {\n  private let most = 1\n}\n",
    at: "A/Ledger.swift",
  )

  private func lines(_ text: String, _ path: String = "StoreServer/B/B.swift") -> [Int] {
    let parts = path.split(separator: "/", maxSplits: 1).map(String.init)
    let file = swift(text, in: parts[0], at: parts[1])
    return Tables.check(file, bounds: Tables.bounds(in: [Self.limits, Self.ledger, file])).map(
      \.line
    )
  }

  @Test(
    "A table without a limit is found",
    arguments: [
      "private var names: [String] = []", "var held: [PeerID: Held] = [:]",
      "@exclusivity(unchecked) private var outcomes: Deque<Outcome> = []",
      "private(set) var handles: [ScopeKey: UInt64]", "var names: Set<Substring> = []",
      "var names = [1]", "private let files = Mutex<[(name: String, id: Int)]>([])",
      "var floods: [(serial: UInt64?, side: Side)] = []", "var counted: (bytes: [UInt8], at: Int)?",
    ],
  )
  func found(_ line: String) {
    for indent in ["", "  "] {
      let opener = indent.isEmpty ? ["struct A {"] : ["final class A {", "  private struct B {"]
      func lines(_ comment: String...) -> [Int] {
        let comment = comment.map { $0.isEmpty ? "" : "  \(indent)\($0)" }
        let text = (opener + comment + ["  \(indent)\(line)"]).joined(separator: "\n")
        return self.lines(text + "\n")
      }
      let first = opener.count + 1
      #expect(lines() == [first])
      #expect(lines("/// The held entries.") == [first + 1])
      #expect(lines("/// Bounded by ``Limits/otherBytes``.") == [first + 1])
      #expect(lines("/// Bounded by ``Limits/heldBytes``.") == [])
      #expect(lines("/// Bounded by the rest of", "/// ``heldBytes``.") == [])
      #expect(lines("// Of one: Bounded by ``Sums/ByteLedger``.", "// In all too.") == [])
      #expect(lines("/// As ``Limits/heldBytes``. Bounded by nothing.") == [first + 1])
      #expect(lines("/// Bounded by ``Limits/heldBytes``.", "") == [first + 2])
    }
    #expect(lines("struct A {\n  \(line)\n}\n", "StoreDaemon/B.swift") == [2])
    #expect(lines("struct A {\n  \(line)\n}\n", "StoreReplica/B.swift") == [])
  }

  @Test(
    "Other declarations are not found",
    arguments: [
      "private var name: String", "var session: Session?", "let names: [String]",
      "var names: [String] { handles.keys.map(\\.name) }", "// var names: [String] = []",
      "public var names: [String] = []", "var names: [String] {",
      "var names: @MainActor () -> [(String, UInt64)] = { [] }",
    ],
  )
  func notFound(_ line: String) {
    #expect(lines("struct A {\n  \(line)\n}\n") == [])
  }

  @Test("A function's local variable is not found")
  func local() {
    #expect(lines("struct A {\n  func b() {\n    var names: [String] = []\n  }\n}\n") == [])
  }
}
