public import StoreActor

/// Performs the waiting builds, one at a time, until the store ends.
///
/// The worker observes the state instead of actions, so it also performs builds that were added
/// before a restart. It is not an effect: an effect ends with the session of the client whose
/// action began it.
///
/// - Parameters:
///   - store: The daemon's own store.
///   - build: Performs a build and returns whether it has passed. Canceling the build cancels its
///     task.
@MainActor
public func work(
  on store: StoreOf<BuildQueue>,
  build: @escaping @MainActor (Build) async -> Bool,
) async {
  var current: (number: Int, task: Task<Void, Never>)?
  for await state in AsyncStream(statesOf: store) {
    if let running = current, state.builds[id: running.number]?.status != .building {
      running.task.cancel()
      current = nil
    }
    guard let next = state.next else { continue }
    store.send(.began(number: next.id))
    current = (
      next.id,
      Task {
        let hasPassed = await build(next)
        store.send(.ended(number: next.id, hasPassed: hasPassed))
      },
    )
  }
  current?.task.cancel()
}
