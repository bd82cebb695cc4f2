import StoreActor
package import StoredWorkspace

extension GameResultsClient: DependencyKey {
  /// A client that waits for a second, as a remote service would.
  ///
  /// The daemon's state already contains the results.
  package static let liveValue = GameResultsClient { _ in
    try await ContinuousClock().sleep(for: .seconds(1))
  }
}
