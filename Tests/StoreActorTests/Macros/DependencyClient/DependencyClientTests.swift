import StoreActor
import Testing

@DependencyClient
struct FactClient: Sendable {
  var fetch: @Sendable (_ number: Int, _ isShort: Bool) async throws -> String
  var isAvailable: @Sendable () -> Bool = { false }
  var count: @Sendable (_ in: String) -> Int = { text in
    let length = text.count
    return length
  }
  var log: @Sendable (String) -> Void
  var last: @Sendable () -> String?
}

@DependencyClient
private struct DiceClient: Sendable {
  var roll: @Sendable () -> Int = { fatalError("No dice are thrown in tests.") }
}

@Suite("Dependency clients")
struct DependencyClientTests {
  @Test("An endpoint without an implementation throws, and reports its name")
  func unimplementedThrows() async {
    let client = FactClient()
    await withExpectedIssue {
      await #expect(throws: Unimplemented("FactClient.fetch")) {
        try await client.fetch(number: 3, isShort: true)
      }
    }
  }

  @Test("An endpoint that cannot throw reports and returns its default")
  func unimplementedDefault() {
    let client = FactClient()
    withExpectedIssue {
      #expect(client.isAvailable() == false)
    }
    withExpectedIssue {
      #expect(client.count(in: "four") == 4)
    }
    withExpectedIssue {
      client.log("a")
    }
    withExpectedIssue {
      #expect(client.last() == nil)
    }
  }

  @Test("An implemented endpoint is called, also by its labels")
  func given() async throws {
    var client = FactClient()
    client.fetch = { number, isShort in "\(number) \(isShort)" }
    #expect(try await client.fetch(number: 3, isShort: true) == "3 true")
    #expect(try await client.fetch(4, false) == "4 false")
  }

  @Test("A default may be an expression that does not return")
  func endingDefault() {
    #expect(DiceClient(roll: { 3 }).roll() == 3)
  }

  @Test("The memberwise initializer takes every endpoint")
  func memberwise() {
    let client = FactClient(
      fetch: { number, _ in "\(number)" },
      isAvailable: { true },
      count: { _ in 7 },
      log: { _ in },
      last: { "b" },
    )
    #expect(client.isAvailable())
    #expect(client.count(in: "") == 7)
    #expect(client.last() == "b")
  }
}
