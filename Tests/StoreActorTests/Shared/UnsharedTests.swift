import Testing

@testable import StoreActor

@Suite("Programs without shared values")
struct UnsharedTests {
  @Test("Without shared values no state is searched for them")
  func unused() async {
    // In a separate process, since any other test may share a value.
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
