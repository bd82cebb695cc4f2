package import StoreActor

/// A storage for the game's results.
///
/// The live value is in `StoredWorkspaceLive`.
@DependencyClient
package struct GameResultsClient: Sendable {
  /// Saves all results; they replace the results that were saved before.
  ///
  /// Users see every error except a cancellation.
  package var save: @Sendable (_ results: [GameResult.State]) async throws -> Void
}

extension GameResultsClient: TestDependencyKey {
  /// Reports that the test has no implementation of the client, and fails.
  package static let testValue = GameResultsClient()
}

extension DependencyValues {
  /// The storage for the game's results.
  package var gameResults: GameResultsClient {
    get { self[GameResultsClient.self] }
    set { self[GameResultsClient.self] = newValue }
  }
}

/// The reason for which results could not be saved, as a sentence for the users.
@ObservableState
package struct SaveError: Error, Equatable, ReplicatedState {
  /// The reason as a sentence.
  package var message: String

  package init(_ message: String) { self.message = message }
}
