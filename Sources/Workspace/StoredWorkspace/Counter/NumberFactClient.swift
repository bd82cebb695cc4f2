package import StoreActor

/// A source of facts about numbers.
///
/// The live value needs the network and is in `StoredWorkspaceLive`.
package struct NumberFactClient: Sendable {
  /// A fact about a number.
  ///
  /// Users see every error except a cancellation.
  package var fetch: @Sendable (_ number: Int) async throws -> String

  package init(fetch: @escaping @Sendable (_ number: Int) async throws -> String) {
    self.fetch = fetch
  }
}

extension NumberFactClient: TestDependencyKey {
  /// Reports that the test has no implementation of the client, and fails.
  package static let testValue = NumberFactClient { number in
    reportIssue("Unimplemented: NumberFactClient.fetch was asked for a fact about \(number)")
    throw NumberFactError("NumberFactClient.fetch has no implementation in this test")
  }
}

extension DependencyValues {
  /// The counter's source of facts.
  package var numberFact: NumberFactClient {
    get { self[NumberFactClient.self] }
    set { self[NumberFactClient.self] = newValue }
  }
}

/// The reason for which a fact is missing, in words for the users.
@ObservableState
package struct NumberFactError: Error, Hashable, ReplicatedState, CustomStringConvertible {
  /// The fault, the expectation and, if one helps, the remedy.
  package var message: String

  package init(_ message: String) {
    self.message = message
  }

  /// Converts a client's error: keeps an error of this type, and describes any other.
  package init(_ error: any Error, about number: Int) {
    self = error as? Self ?? Self("No fact about \(number): \(error)")
  }

  package var description: String { message }
}
