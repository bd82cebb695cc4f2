/// Returns when the first of some waits has ended.
func waitForFirst(_ waits: [@Sendable () async throws -> Void]) async throws {
  let isDone = Watched(false)
  for wait in waits {
    Task {
      try await wait()
      isDone.update { $0 = true }
    }
  }
  try await isDone.wait(within: .seconds(40), for: "one of \(waits.count) things") {
    $0 ? true : nil
  }
}
