import Testing

@Suite("The check of time limits detects its breaches")
struct TimeLimitsTests {
  private func lines(_ text: String, beside others: [String] = []) -> [Int] {
    let file = SourceFile(path: "Tests/ATests/Part/ATests.swift", text: text)
    let links = others.map { SourceFile(path: $0, text: "") }
    return TimeLimits.check([file] + links).map(\.line)
  }

  @Test func `A limit in a target without the link is found`() {
    let text = "import Testing\n\n@Suite(.timeLimit(.minutes(1))) struct ATests {}\n"
    #expect(lines(text) == [3])
    #expect(lines(text, beside: ["Tests/BTests/TestPatience.swift"]) == [3])
  }

  @Test func `One in a target with the link is not, and neither is a test without a limit`() {
    let text = "@Suite(.timeLimit(.minutes(1))) struct ATests {}\n"
    #expect(lines(text, beside: ["Tests/ATests/TestPatience.swift"]) == [])
    #expect(lines("@Suite struct ATests {}\n// .timeLimit(.minutes(1))\n") == [])
  }
}
