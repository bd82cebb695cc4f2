package import StoreActor

/// Where the game's results are saved.
///
/// The value for programs stands in `WorkspaceLive`.
@DependencyClient
package struct GameResultsClient: Sendable {
  /// Saves all results, instead of those saved before.
  ///
  /// Any error is shown to the users, except for a cancellation.
  package var save: @Sendable (_ results: [GameResult.State]) async throws -> Void
}

extension GameResultsClient: TestDependencyKey {
  /// Reports that the test did not say what saving does, and fails.
  package static let testValue = GameResultsClient()
}

extension DependencyValues {
  /// Where the game's results are saved.
  package var gameResults: GameResultsClient {
    get { self[GameResultsClient.self] }
    set { self[GameResultsClient.self] = newValue }
  }
}

/// Why results could not be saved, as a sentence for those who wait.
package struct SaveError: Error, Equatable, Sendable {
  /// The sentence.
  package var message: String

  package init(_ message: String) { self.message = message }
}
