package import StoreActor

/// Where the counter gets its facts.
///
/// The value for programs needs the network and stands in `WorkspaceLive`.
package struct NumberFactClient: Sendable {
  /// A fact about a number.
  ///
  /// Any error is shown to the users, except for a cancellation.
  package var fetch: @Sendable (_ number: Int) async throws -> String

  package init(fetch: @escaping @Sendable (_ number: Int) async throws -> String) {
    self.fetch = fetch
  }
}

extension NumberFactClient: TestDependencyKey {
  /// Reports that the test did not say what facts there are, and fails.
  package static let testValue = NumberFactClient { number in
    reportIssue("Unimplemented: NumberFactClient.fetch was asked for a fact about \(number)")
    throw NumberFactError("NumberFactClient.fetch has no implementation in this test")
  }
}

extension DependencyValues {
  /// Where the counter gets its facts.
  package var numberFact: NumberFactClient {
    get { self[NumberFactClient.self] }
    set { self[NumberFactClient.self] = newValue }
  }
}
