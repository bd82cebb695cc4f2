import Testing

@Suite("The check of banned calls detects its breaches")
struct BannedCallsTests {
  @Test(
    "A banned call is found in a room",
    arguments: [
      "let a = try! f()", "fatalError(\"no\")", "DispatchQueue.global().async {}",
      "Thread.sleep(forTimeInterval: 1)", "usleep(1)", "Glibc.sleep(1)", "sleep(1)",
      "Task.detached { }", "Swift.print(1)", "print(1)", "let s = DispatchSemaphore(value: 0)",
      "let a = \"\\(try! f())\"",
    ],
  )
  func product(text: String) {
    #expect(BannedCalls.check(swift("\n  \(text)")).map(\.line) == [2])
  }

  @Test(
    "Similar code is not a breach",
    arguments: [
      "try clock.sleep(for: .seconds(1))", "func sleep(until: Int) {}", "debugPrint(1)",
      "// try! f()", "let a = \"print(1)\"", "footprint(1)", "reducer.print(1)", "func print() {}",
      "try f()", "preconditionFailure(\"1\")", "Task { }", "let a = Date()", "nanosleep(&a, nil)",
    ],
  )
  func innocent(text: String) {
    #expect(BannedCalls.check(swift(text)).isEmpty)
  }

  @Test(
    "The programs may print, the libraries may not",
    arguments: ["StorectlMain", "StoredMain", "SimulatorMain"],
  )
  func programs(room: String) {
    #expect(BannedCalls.check(swift("print(1)", in: room)).isEmpty)
    #expect(BannedCalls.check(swift("print(1)", in: "Other\(room)")).count == 1)
  }

  @Test(
    "The protocol has no task, clock or randomness",
    arguments: [
      "Task { }", "Task<Void, Never> { }", "let a = Date()", "let a = Date.now",
      "ContinuousClock().now", "let c: SuspendingClock", "Int.random(in: 1...2)", "UUID()",
      "var g = SystemRandomNumberGenerator()", "FileManager.default",
    ],
  )
  func replication(text: String) {
    #expect(BannedCalls.check(swift(text, in: "StoreServer")).count == 1)
    #expect(BannedCalls.check(swift(text)).isEmpty)
  }

  @Test("Names that only contain a banned word are allowed in the protocol")
  func replicationNames() {
    let text = """
      struct TaskID { var task: Int; var id: UUID; var date: Date }
      func random(using generator: inout some RandomNumberGenerator) {}
      """
    #expect(BannedCalls.check(swift(text, in: "StoreServer")).isEmpty)
  }

  @Test(
    "No test sleeps",
    arguments: ["try await Task.sleep(for: .seconds(1))", "Thread.sleep(1)", "usleep(1)"],
  )
  func tests(text: String) {
    #expect(BannedCalls.check(test(text)).count == 1)
  }

  @Test("Tests may use calls that only the product must not use")
  func freedomOfTests() {
    #expect(BannedCalls.check(test("fatalError(\"\"); print(1)")).isEmpty)
  }

  @Test("Every ban has a remedy, and no two are equal")
  func bans() {
    let rules = BannedCalls.bans.map(\.rule)
    #expect(Set(rules).count == rules.count)
    #expect(BannedCalls.bans.allSatisfy { $0.instead.hasSuffix(".") })
  }
}
