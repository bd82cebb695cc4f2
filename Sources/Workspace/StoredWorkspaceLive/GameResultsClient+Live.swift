import StoreActor
package import StoredWorkspace

extension GameResultsClient: DependencyKey {
  /// A client that takes its time, as a service elsewhere would: the results themselves are kept
  /// with the daemon's state.
  package static let liveValue = GameResultsClient { _ in
    try await ContinuousClock().sleep(for: .seconds(1))
  }
}
