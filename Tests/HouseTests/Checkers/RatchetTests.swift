import Testing

@Suite("The ratchet only turns one way")
struct RatchetTests {
  @Test("A breach without a debt stays one")
  func noDebt() {
    #expect(settle(breaches(2), rules: ["r"], against: []) == breaches(2))
    #expect(settle(breaches(2), rules: ["r"], against: [debt(2, path: "b")]).count == 3)
  }

  @Test("As much as the debt allows is let through")
  func covered() {
    #expect(settle(breaches(2), rules: ["r"], against: [debt(2)]).isEmpty)
  }

  @Test("More than the debt allows is reported in full")
  func grown() {
    #expect(settle(breaches(3), rules: ["r"], against: [debt(2)]) == breaches(3))
  }

  @Test("Less than the debt allows asks to lower it, nothing asks to remove it")
  func shrunk() {
    let lower = settle(breaches(1), rules: ["r"], against: [debt(2)])
    #expect(lower.count == 1)
    #expect(lower.first?.remedy.hasPrefix("Lower its ceiling to 1") == true)
    let remove = settle([], rules: ["r"], against: [debt(2)])
    #expect(remove.first?.remedy.hasPrefix("Remove its line") == true)
  }

  @Test("A debt of another rule's is left alone")
  func otherRules() {
    #expect(settle([], rules: ["s"], against: [debt(2)]).isEmpty)
  }

  @Test("A length counts by its lines")
  func amounts() {
    var long = breaches(1)
    long[0].amount = 900
    #expect(settle(long, rules: ["r"], against: [debt(900)]).isEmpty)
    #expect(settle(long, rules: ["r"], against: [debt(899)]) == long)
  }

  private func breaches(_ count: Int) -> [Breach] {
    (1...count).map { Breach(rule: "r", path: "a", line: $0, what: "w", remedy: "m") }
  }

  private func debt(_ ceiling: Int, path: String = "a") -> Debt {
    Debt(rule: "r", path: path, ceiling: ceiling, reason: "because")
  }
}
