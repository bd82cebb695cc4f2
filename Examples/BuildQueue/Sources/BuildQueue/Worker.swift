public import StoreActor

/// Builds what waits, one at a time, for as long as the store lives.
///
/// It looks at the state and not at actions, so it does not matter who has added a build, nor
/// whether that was before a restart. And it is nobody's effect: an effect would end with the
/// session of the client whose action began it.
///
/// - Parameters:
///   - store: The daemon's own store.
///   - build: Builds; says whether that has passed. Its task is canceled when the build is.
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
