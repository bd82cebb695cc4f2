import Testing

@Suite("The rule of callers")
struct CallersTests {
  private func unused(_ files: [String: String]) -> [String] {
    Callers.check(files.map { SourceFile(path: $0.key, text: $0.value) })
      .filter { $0.path.hasPrefix("Sources/") }
      .map { "\($0.path):\($0.line)" }
      .sorted()
  }

  @Test("A declaration that only tests use is found")
  func tests() {
    let text = "import A\npublic struct One {\n  package static func two() {}\n}\n"
    let use = "let one = One.two()\n"
    #expect(unused(["Sources/A/B.swift": text]) == ["Sources/A/B.swift:2", "Sources/A/B.swift:3"])
    #expect(unused(["Sources/A/B.swift": text, "Tests/ATests/C.swift": use]).count == 2)
    for user in ["Sources/A/C.swift", "Tests/SampleTests/C.swift", "Examples/C/D.swift"] {
      #expect(unused(["Sources/A/B.swift": text, user: use]) == [], "\(user)")
    }
  }

  @Test("Names in pages are for users, and names for generated code are not checked")
  func others() {
    let text = "public final class One {}\npublic var _$two: Int { 1 }\n"
    #expect(unused(["Sources/A/B.swift": text]) == ["Sources/A/B.swift:1"])
    #expect(unused(["Sources/A/B.swift": text, "docs/One.md": "Use `One`.\n"]) == [])
    #expect(unused(["Sources/A/B.swift": "package import One\nprivate func two() {}\n"]) == [])
  }

  @Test("An exception without a declaration is found")
  func exceptions() {
    let breaches = Callers.check([])
    #expect(breaches.count == Callers.kept.values.map(\.count).reduce(0, +))
  }
}
