@_spi(Internals) import StoreActor
import Testing

@Suite("Effects", .timeLimit(.minutes(1)))
@MainActor
struct EffectTests {
  struct Failure: Error, Equatable {}

  private func states(
    of effect: @escaping @Sendable () -> Effect<Int>
  ) async -> [Int] {
    let store = Store(initialState: [Int]()) {
      Reduce<[Int], Int> { state, action in
        state.append(action)
        return action == 0 ? effect() : .none
      }
    }
    await store.send(0).finish()
    return store.state
  }

  @Test("A run effect sends any number of actions, in order")
  func run() async {
    let states = await states {
      .run { send in
        for number in 1...3 { await send(number) }
      }
    }
    #expect(states == [0, 1, 2, 3])
  }

  @Test("A run effect does not run on the main actor")
  func isolation() async {
    let isOnMain = LockIsolated<Bool?>(nil)
    _ = await states {
      .run { _ in isOnMain.setValue(#isolation === MainActor.shared) }
    }
    #expect(isOnMain.value == false)
  }

  @Test("A concatenated effect begins when the previous one has ended, for any kind of effect")
  func concatenate() async {
    let states = await states {
      .concatenate(
        .send(1),
        .run { await $0(2) },
        .merge(.send(3), .run { await $0(4) }),
        .send(5),
        .concatenate(.run { await $0(6) }, .send(7)),
        .send(8),
      )
    }
    #expect(states == [0, 1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test("Merged effects run at the same time")
  func merge() async {
    let states = await states {
      let (stream, continuation) = AsyncStream<Int>.makeStream()
      return .merge(
        .run { send in
          for await number in stream { await send(number) }
        },
        .run { _ in
          continuation.yield(1)
          continuation.finish()
        },
      )
    }
    #expect(states == [0, 1])
  }

  @Test("A merge of empty effects is empty")
  func mergeNone() {
    #expect(Effect<Int>.merge().isNone)
    #expect(Effect<Int>.merge(.none, .none).isNone)
    #expect(Effect<Int>.concatenate(.none, .none).isNone)
    #expect(Effect<Int>.none.merge(with: .none).isNone)
    #expect(Effect<Int>.none.map { "\($0)" }.isNone)
  }

  @Test("A mapped effect sends mapped actions, for any kind of effect")
  func map() async {
    let states = await states {
      Effect<String>.concatenate(
        .send("1"),
        .merge(.run { await $0("2") }.cancellable(id: 1), .cancel(id: 2)),
        .send("3").debounce(id: 3, for: .zero, clock: .immediate),
        .run { await $0("4") }.throttle(id: 4, for: .zero, clock: .immediate, latest: true),
      )
      .map { Int($0) ?? -1 }
    }
    #expect(states == [0, 1, 2, 3, 4])
  }

  @Test("The handler receives an error, but no cancellation")
  func catching() async {
    let states = await states {
      .merge(
        .run { _ in
          throw Failure()
        } catch: { error, send in
          if error is Failure { await send(1) }
        },
        .run { _ in
          throw CancellationError()
        } catch: { _, send in
          await send(2)
        },
      )
    }
    #expect(states == [0, 1])
  }

  @Test("An error without a handler is reported at the creation of the effect")
  func unhandled() async {
    let line = #line + 4
    await withKnownIssue {
      _ = await states {
        // The effect's place:
        .run { _ in throw Failure() }
      }
    } matching: { issue in
      issue.description.contains("An \"Effect.run\" returned from")
        && issue.description.contains("EffectTests.swift:\(line)\" threw an unhandled error. …")
        && issue.description.contains("EffectTests.Failure()")
    }
  }

  @Test("An action sent after the effect has ended is reported, and reduced")
  func sendAfterEnd() async {
    let escaped = LockIsolated<Send<Int>?>(nil)
    let store = Store(initialState: [Int]()) {
      Reduce<[Int], Int> { state, action in
        state.append(action)
        return action == 0 ? .run { send in escaped.setValue(send) } : .none
      }
    }
    await store.send(0).finish()
    await eventually { escaped.value != nil }
    withKnownIssue {
      escaped.value?(1)
    } matching: { issue in
      issue.description.contains("An action was sent from a completed effect.")
        && issue.description.contains("EffectTests.swift:")
    }
    #expect(store.state == [0, 1])
  }

  @Test("An effect has the dependencies that applied at its creation")
  func dependencies() async {
    let clock = TestClock()
    let store = Store(initialState: 0) {
      Reduce<Int, Int> { state, action in
        state = action
        guard action == 0 else { return .none }
        @Dependency(\.continuousClock) var continuousClock
        return .run { send in
          @Dependency(\.continuousClock) var continuousClock
          try await continuousClock.sleep(for: .seconds(1))
          await send(1)
        }
      }
    } withDependencies: {
      $0.continuousClock = clock
    }
    let task = store.send(0)
    await clock.advance(by: .seconds(1))
    await task.finish()
    #expect(store.state == 1)
  }

  @Test("A sender can be created from a function, to call a feature's effects separately")
  func sendOfFunction() {
    var sent: [Int] = []
    let send = Send<Int> { sent.append($0) }
    send(1)
    #expect(sent == [1])
  }

  @Test("The actions that an effect sends can be read without a store")
  func actions() async {
    let effect = Effect<Int>.concatenate(
      .send(1),
      .run { send in
        await send(2)
        await send(3)
      },
      .merge(.send(4), .none),
      Effect<String>.send("5").map { Int($0) ?? 0 },
    )
    var actions: [Int] = []
    for await action in effect.actions { actions.append(action) }
    #expect(actions == [1, 2, 3, 4, 5])
    for await _ in Effect<Int>.none.actions { Issue.record("An empty effect sent an action.") }
  }

  @Test("Releasing an effect's actions cancels the effect")
  func cancelActions() async {
    let isCancelled = LockIsolated(false)
    let effect = Effect<Int>.run { send in
      await send(1)
      try? await Task.never()
      isCancelled.setValue(Task.isCancelled)
    }
    for await action in effect.actions {
      #expect(action == 1)
      break
    }
    await eventually { isCancelled.value }
  }

  @Test("A run effect's task has the given priority and name")
  @available(macOS 26.0, *)
  func taskName() async {
    let seen = LockIsolated<[String]>([])
    let store = Store(initialState: 0) {
      Reduce<Int, Int> { _, _ in
        .run(priority: .high, name: "refresh") { _ in
          seen.withValue { $0 = [Task.name ?? "", "\(Task.currentPriority == .high)"] }
        }
      }
    }
    await store.send(0).finish()
    #expect(seen.value == ["refresh", "true"])
  }
}
