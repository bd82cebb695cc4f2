import Testing

@testable import StoreActor

@Suite("Programs that share nothing")
struct UnsharedTests {
  @Test("Where nothing is shared, nobody looks for what is")
  func unused() async {
    // In a process of its own: any other test may share something.
    await #expect(processExitsWith: .success) {
      await MainActor.run {
        let store = Store(initialState: 0) {
          Reduce<Int, Int> { state, _ in
            state += 1
            return .none
          }
        }
        store.send(1)
        precondition(store.withState { $0 } == 1 && !SharedLock.isUsed)
        let shared = Shared(value: 1)
        precondition(shared.wrappedValue == 1 && SharedLock.isUsed)
      }
    }
  }
}
