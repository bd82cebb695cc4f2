import StoreActor
import Testing

@Suite("A root store for any isolation", .timeLimit(.minutes(1)))
struct RootStoreTests {
  @Test("Stores are distinguished by identity")
  @MainActor
  func identity() {
    let store = Store(initialState: Office.State()) { Office() }
    let other = Store(initialState: Office.State()) { Office() }
    let boss = store.scope(\.boss, action: \.boss)
    #expect(store != other)
    #expect(boss == store.scope(\.boss, action: \.boss))
    #expect(Set([store, other, store]).count == 2)
  }

  @Test("An observer of a store is notified of the restored state")
  @MainActor
  func restored() async {
    let core = RootCore(
      initialState: { "the state before, too long for a word" },
      reducer: { Reduce<String, Int> { _, _ in .none } },
    )
    let store = Store(core: core)
    var seen: [String] = []
    let token = observe { seen.append(store.state) }
    core.restore("the state afterwards, too long for a word", revision: 7)
    await eventually { seen.count == 2 }
    #expect(seen.last == "the state afterwards, too long for a word")
    #expect(core.revision == 7)
    token.cancel()
  }

  @Test("For any number of senders, reducers never overlap, and they run on the main actor")
  func fiftySenders() async {
    let isReducing = LockIsolated(false)
    let overlaps = LockIsolated(0)
    let root = await RootStore(initialState: [Int: Int]()) {
      Reduce<[Int: Int], Int> { state, sender in
        MainActor.assertIsolated()
        if isReducing.value { overlaps.withValue { $0 += 1 } }
        isReducing.setValue(true)
        state[sender, default: 0] += 1
        isReducing.setValue(false)
        return .none
      }
    }
    await withTaskGroup { group in
      for sender in 0..<50 {
        group.addTask { for _ in 0..<20 { await root.send(sender) } }
      }
    }
    #expect(overlaps.value == 0)
    #expect(await root.state == Dictionary(uniqueKeysWithValues: (0..<50).map { ($0, 20) }))
    #expect(await root.core.revision == 1000)
  }

  @Test("The root and a store of it show the same state")
  @MainActor
  func store() async throws {
    let root = RootStore(initialState: Counter.State()) { Counter() }
    root.store.send(.increment)
    let task = await root.send(.increment)
    #expect(root.store.count == 2)
    #expect(try await task.applied() == 2)
  }
}
