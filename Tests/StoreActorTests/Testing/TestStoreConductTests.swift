import Foundation
import StoreActor
import Testing

/// A feature that reads a clock, waits for a gate, and can be closed.
private struct Clerk: Reducer {
  struct State: Equatable, Sendable {
    var date: Date?
    var answers = 0
  }

  @CasePathable
  enum Action: Equatable, Sendable {
    case look
    case ask
    case answered
    case close
  }

  let gate: Gate
  @Dependency(\.date.now) var now
  @Dependency(\.dismiss) var dismiss

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .look: state.date = now
      case .ask:
        return .run { send in
          await gate.wait()
          await send(.answered)
        }
      case .answered: state.answers += 1
      case .close: return .run { _ in await dismiss() }
      }
      return .none
    }
  }
}

/// A feature with effects that take several turns before they send.
struct Sleeper: Reducer {
  struct State: Equatable, Sendable {}

  @CasePathable
  enum Action: CaseIterable, Equatable, Sendable {
    case sleep, sleepInTask, sleepInGroup, yieldOften, runOften, woken
  }

  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { _, action in
      switch action {
      case .woken: return .none
      case .sleep:
        return .run { send in
          try await clock.sleep(for: .seconds(1))
          await send(.woken)
        }
      case .sleepInTask:
        return .run { send in
          try await Task { try await clock.sleep(for: .seconds(1)) }.value
          await send(.woken)
        }
      case .sleepInGroup:
        return .run { send in
          try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await clock.sleep(for: .seconds(1)) }
            try await group.waitForAll()
          }
          await send(.woken)
        }
      case .yieldOften:
        return .run { send in
          for _ in 0..<20 { await Task.yield() }
          await send(.woken)
        }
      case .runOften:
        return .run { send in
          for await _ in AsyncStream<Int>(unfolding: { nil }) {}
          await Task { await Task.yield() }.value
          await send(.woken)
        }
      }
    }
  }
}

@Suite("The conduct of a test store", .timeLimit(.minutes(1)))
@MainActor
struct TestStoreConductTests {
  private func store(_ gate: Gate = Gate()) -> TestStoreOf<Clerk> {
    TestStore(initialState: Clerk.State()) {
      Clerk(gate: gate)
    } withDependencies: {
      $0.date.now = Date(timeIntervalSince1970: 5)
    }
  }

  /// Expects the first issue to contain a text, and returns the number of issues.
  private func issues(
    _ text: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @MainActor () async -> Void,
  ) async -> Int {
    let texts = LockIsolated<[String]>([])
    await withKnownIssue {
      await body()
    } matching: { issue in
      texts.withValue { $0.append(issue.description) }
      return true
    }
    #expect(texts.value.first?.contains(text) == true, sourceLocation: sourceLocation)
    return texts.value.count
  }

  @Test("The closure of an assertion has the store's dependencies")
  func dependencies() async {
    let gate = Gate()
    let store = store(gate)
    func check(_ state: inout Clerk.State) {
      @Dependency(\.date.now) var now
      #expect(now == Date(timeIntervalSince1970: 5))
      state.date = now
    }
    await store.send(.look) { check(&$0) }
    store.assert { check(&$0) }
    await store.send(.ask)
    gate.open()
    await store.receive(.answered) {
      check(&$0)
      $0.answers = 1
    }
  }

  @Test("Skipped effects continue")
  func skippedEffects() async {
    let gate = Gate()
    let store = store(gate)
    await store.send(.ask)
    await store.skipInFlightEffects()
    gate.open()
    await store.receive(.answered) { $0.answers = 1 }
  }

  @Test("A feature that dismisses itself ends its effects")
  func dismissal() async {
    let store = TestStore(initialState: 0) {
      Reduce<Int, Bool> { _, close in
        @Dependency(\.dismiss) var dismiss
        return close ? .run { _ in await dismiss() } : .run { _ in try await Task.never() }
      }
    }
    await store.send(false)
    await store.send(true)
    await store.finish()
    #expect(store.isDismissed)
  }

  @Test("Waiting for the end reports unreceived actions, once")
  func finish() async {
    let gate = Gate()
    let store = store(gate)
    gate.open()
    await store.send(.ask).finish()
    let count = await issues("The store received 1 unexpected action") { await store.finish() }
    #expect(count == 1)
    #expect(store.state.answers == 1)
  }

  @Test(
    "An effect's action after a sleep on an immediate clock is sent before `send` returns",
    arguments: Sleeper.Action.allCases.filter { $0 != .woken },
  )
  func hops(_ action: Sleeper.Action) async {
    let store = TestStore(initialState: Sleeper.State()) {
      Sleeper()
    } withDependencies: {
      $0.continuousClock = ImmediateClock()
    }
    await store.send(action)
    let count = await issues("The store received 1 unexpected action by the end of the test") {
      await store.finish()
    }
    #expect(count == 1)
    await store.send(action)
    await store.receive(.woken)
    await store.finish()
  }

  @Test("An unexpected action is one failure, for any change")
  func unexpected() async {
    let gate = Gate()
    let store = store(gate)
    gate.open()
    await store.send(.ask)
    let count = await issues("Received unexpected action") { await store.receive(.look) }
    #expect(count == 1)
  }

  /// Releases the last reference to a test store outside the main actor.
  @concurrent
  nonisolated private func leave(
    _ make: @MainActor @Sendable () async -> TestStoreOf<Clerk>
  ) async {
    let store = await make()
    // Otherwise all tasks use the main actor's executor while the store lives.
    uncheckedUseMainSerialExecutor = false
    await Task.yield()
    withExtendedLifetime(store) {}
  }

  @Test("A test store that is released off the main actor reports on it, to the test that owns it")
  func goesElsewhere() async {
    let (areOnMain, mark) = (LockIsolated<[Bool]>([]), DispatchSpecificKey<Bool>())
    DispatchQueue.main.setSpecific(key: mark, value: true)
    await withKnownIssue {
      await leave {
        let store = store()
        await store.send(.ask)
        return store
      }
    } matching: { issue in
      areOnMain.withValue { $0.append(DispatchQueue.getSpecific(key: mark) == true) }
      return issue.description.contains("An effect returned for this action is still running")
    }
    #expect(areOnMain.value == [true])
  }

  @Test("An optional feature begins with nil, and its actions may have no cases")
  func beginsAsNothing() async {
    let store = TestStore(initialState: Int?.none) {
      EmptyReducer<Int?, Void>().ifLet(\.self, action: \.self) { EmptyReducer<Int, Void>() }
    }
    #expect(store.state == nil)
    let other = TestStore(initialState: .init()) { Clerk(gate: Gate()) }
    #expect(other.state == Clerk.State())
  }
}
