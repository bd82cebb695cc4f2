import StoreActor
import Testing

@Suite("The task of an action", .timeLimit(.minutes(1)))
@MainActor
struct StoreTaskTests {
  enum Action: Sendable {
    case parent
    case child
    case done
  }

  @Test("An action without effects is finished when send returns, and knows its revision")
  func noEffects() async throws {
    let store = Store(initialState: 0) { Reduce<Int, Action> { _, _ in .none } }
    let task = store.send(.parent)
    #expect(task.isFinished)
    #expect(!task.isCancelled)
    await task.finish()
    task.cancel()
    #expect(!task.isCancelled)
    #expect(try await task.applied() == 1)
    #expect(try await store.send(.done).applied() == 2)
  }

  @Test("Finishing also waits for the effects of the actions that effects sent")
  func finishReachesTheTree() async {
    let clock = TestClock()
    let store = Store(initialState: [String]()) {
      Reduce<[String], Action> { state, action in
        state.append("\(action)")
        switch action {
        case .parent: return .run { await $0(.child) }
        case .child:
          return .run { send in
            try await clock.sleep(for: .seconds(1))
            await send(.done)
          }
        case .done: return .none
        }
      }
    }
    let task = store.send(.parent)
    let finished = LockIsolated(false)
    let waiting = Task {
      await task.finish()
      finished.setValue(true)
    }
    await eventually { store.state == ["parent", "child"] }
    #expect(!task.isFinished)
    #expect(!finished.value)
    await clock.advance(by: .seconds(1))
    await waiting.value
    #expect(store.state == ["parent", "child", "done"])
    #expect(task.isFinished)
  }

  @Test("Cancelling reaches the effects of the actions that effects sent, and no others")
  func cancelReachesTheTree() async {
    let log = Log()
    let store = Store(initialState: 0) {
      Reduce<Int, Action> { _, action in
        switch action {
        case .parent:
          return .run { send in
            await send(.child)
            try? await Task.never()
            log("parent ended")
          }
        case .child:
          return .run { _ in
            log("child runs")
            try? await Task.never()
            log("child ended")
          }
        case .done:
          return .run { _ in
            try? await Task.never()
            log("other ended")
          }
        }
      }
    }
    let other = store.send(.done)
    let task = store.send(.parent)
    await eventually { log.all == ["child runs"] }
    task.cancel()
    #expect(task.isCancelled)
    await task.finish()
    #expect(Set(log.all) == ["child runs", "parent ended", "child ended"])
    #expect(!other.isCancelled)
    #expect(!other.isFinished)
    other.cancel()
    await other.finish()
  }

  @Test("Cancelling the task that waits for the end cancels the effects")
  func cancelWaiting() async {
    let store = Store(initialState: 0) {
      Reduce<Int, Action> { _, _ in .run { _ in try await Task.never() } }
    }
    let task = store.send(.parent)
    let waiting = Task { await task.finish() }
    await Task.megaYield()
    waiting.cancel()
    await waiting.value
    #expect(task.isFinished)
    #expect(task.isCancelled)
  }

  @Test("A closure is called once when the effects have ended, or at once without effects")
  func whenFinished() async {
    let store = Store(initialState: 0) {
      Reduce<Int, Action> { _, action in
        if case .parent = action { .run { _ in } } else { .none }
      }
    }
    var calls: [String] = []
    store.send(.done).whenFinished { calls.append("none") }
    #expect(calls == ["none"])
    let task = store.send(.parent)
    task.whenFinished { calls.append("run") }
    #expect(calls == ["none"])
    await task.finish()
    await eventually { calls.count > 1 }
    #expect(calls == ["none", "run"])
  }

  @Test("Effects of an action that a cancelled tree still sends are cancelled with it")
  func cancelledTreeStaysCancelled() async {
    let log = Log()
    let store = Store(initialState: 0) {
      Reduce<Int, Action> { _, action in
        switch action {
        case .parent:
          return .merge(.send(.child), .run { _ in log("ran") })
        default:
          return .none
        }
      }
    }
    let lineage = EffectLineage()
    lineage.cancel()
    let core = store.core as? RootCore<Int, Action>
    _ = core?.send(.parent, lineage: lineage)
    await eventually { lineage.isFinished }
    #expect(log.all.isEmpty)
  }

  @Test("The effects of a store end with the store")
  func storeGoes() async {
    let log = Log()
    var store: StoreOf<Reduce<Int, Action>>? = Store(initialState: 0) {
      Reduce<Int, Action> { _, _ in
        .run { send in
          log("runs")
          try? await Task.never()
          log("cancelled: \(Task.isCancelled)")
          await send(.done)
        }
      }
    }
    let task = store?.send(.parent)
    await eventually { log.all == ["runs"] }
    store = nil
    await task?.finish()
    #expect(log.all == ["runs", "cancelled: true"])
  }
}
