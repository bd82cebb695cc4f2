import StoreActorClassic
import Testing

/// A feature that returns the effect that a test chooses, and keeps its outputs.
private struct Bench: Equatable {
  var values: [Int] = []
}

private enum BenchAction: Equatable {
  case run(Int)
  case value(Int)
}

@MainActor
private func bench(
  _ effect: @escaping @MainActor (Int) -> Effect<Int, Never>
) -> ViewStore<Bench, BenchAction> {
  ViewStore(
    Store(
      initialState: Bench(),
      reducer: Reducer<Bench, BenchAction, Void> { state, action, _ in
        switch action {
        case .run(let number):
          return effect(number).map(BenchAction.value)
        case .value(let value):
          state.values.append(value)
          return .none
        }
      },
      environment: (),
    )
  )
}

private struct Failure: Error, Equatable {}

@MainActor
@Suite("Effects", .timeLimit(.minutes(1)))
struct EffectTests {
  private struct ID: Hashable {}

  let scheduler = DispatchQueue.test

  /// The outputs of an effect by the return of `send`.
  private func outputs(_ effect: Effect<Int, Never>) -> [Int] {
    let store = bench { _ in effect }
    store.send(.run(0))
    return store.values
  }

  @Test("Simple effects have their outputs before send returns")
  func simple() {
    #expect(outputs(.none) == [])
    #expect(outputs(Effect(value: 1)) == [1])
    #expect(outputs(.merge(Effect(value: 1), .none, Effect(value: 2))) == [1, 2])
    #expect(outputs(.concatenate(Effect(value: 1), Effect(value: 2))) == [1, 2])
    #expect(outputs(Effect(value: 1).merge(with: Effect(value: 2))) == [1, 2])
    #expect(outputs(Effect(value: 1).concatenate(with: Effect(value: 2))) == [1, 2])
    #expect(outputs(.result { .success(3) }) == [3])
    #expect(outputs(.future { $0(.success(4)) }) == [4])
  }

  @Test("Outputs can be changed, dropped and chosen")
  func transforming() {
    let both = Effect<Int, Never>.merge(Effect(value: 1), Effect(value: 2))
    #expect(outputs(both.map { $0 * 10 }) == [10, 20])
    #expect(outputs(both.filter { $0 > 1 }) == [2])
    #expect(outputs(both.compactMap { $0 == 1 ? 7 : nil }) == [7])
    #expect(outputs(both.eraseToEffect { $0 + 1 }) == [2, 3])
    #expect(outputs(both.fireAndForget()) == [])
  }

  @Test("Failures become outputs")
  func failures() {
    let failure = Effect<Int, Failure>(error: Failure())
    #expect(outputs(failure.replaceError(with: 5)) == [5])
    #expect(outputs(failure.catchToEffect { $0 == .failure(Failure()) ? 1 : 2 }) == [1])
    #expect(outputs(Effect<Int, Failure>(value: 3).catchToEffect { (try? $0.get()) ?? 0 }) == [3])
    let results = failure.catchToEffect().map { $0 == .failure(Failure()) ? 8 : 9 }
    #expect(outputs(results) == [8])
    let mapped = Effect<Int, CancellationError>(error: CancellationError()).mapError { _ in
      Failure()
    }
    #expect(outputs(mapped.catchToEffect { $0 == .failure(Failure()) ? 1 : 2 }) == [1])
  }

  @Test("The first failure ends merged and concatenated effects")
  func firstFailure() {
    let late = Effect<Int, Failure>(value: 1).delay(for: 1, scheduler: scheduler)
    let merged = Effect.merge(late, Effect(error: Failure())).replaceError(with: -1)
    let store = bench { _ in merged }
    store.send(.run(0))
    scheduler.run()
    #expect(store.values == [-1])
    let chain = Effect.concatenate(Effect(error: Failure()), Effect(value: 1))
    #expect(outputs(chain.replaceError(with: -2)) == [-2])
    let typed = Effect<Int, Never>(value: 4).setFailureType(to: Failure.self)
    #expect(
      outputs(Effect.merge(typed, Effect(error: Failure())).replaceError(with: 0)) == [4, 0]
    )
  }

  @Test("Concatenated effects begin one after the other")
  func concatenation() {
    let scheduler = scheduler
    let store = bench { _ in
      .concatenate(
        Effect(value: 1).delay(for: 2, scheduler: scheduler),
        Effect(value: 2).delay(for: 1, scheduler: scheduler),
        Effect(value: 3),
      )
    }
    store.send(.run(0))
    scheduler.advance(by: 2)
    #expect(store.values == [1])
    scheduler.advance(by: 1)
    #expect(store.values == [1, 2, 3])
  }

  @Test("Work can be done without outputs")
  func fireAndForget() async {
    let count = LockIsolated(0)
    let store = bench { number in
      number == 0
        ? .fireAndForget { count.withValue { $0 += 1 } }
        : .fireAndForget {
          await Task.yield()
          count.withValue { $0 += 10 }
        }
    }
    store.send(.run(0))
    #expect(count.value == 1)
    await store.send(.run(1)).finish()
    #expect(count.value == 11)
    #expect(store.values == [])
  }

  @Test("Tasks have one output, or one for their error")
  func tasks() async {
    let store = bench { number in
      .task {
        if number == 0 { throw Failure() }
        return number
      } catch: { _ in
        -1
      }
    }
    await store.send(.run(3)).finish()
    await store.send(.run(0)).finish()
    #expect(store.values == [3, -1])
  }

  @Test("A task that can fail fails with the error that it throws")
  func failingTask() async {
    let store = bench { _ in
      Effect<Int, any Error>.task { throw Failure() }
        .catchToEffect { result in
          if case .failure(let error) = result, error is Failure { return -3 }
          return 0
        }
    }
    await store.send(.run(0)).finish()
    #expect(store.values == [-3])
  }

  @Test("An unhandled error is reported, with the line of the effect")
  func unhandled() async {
    let store = bench { _ in .task { throw Failure() } }
    await withKnownIssue {
      await store.send(.run(0)).finish()
    } matching: {
      $0.description.contains("threw an unhandled error")
    }
  }

  @Test("Runs have any number of outputs")
  func runs() async {
    let store = bench { _ in
      .run { send in
        for number in 1...3 { await send(number) }
      }
    }
    await store.send(.run(0)).finish()
    #expect(store.values == [1, 2, 3])
  }

  @Test("Runs by callbacks may call from any thread, and are notified of a cancellation")
  func callbacks() async {
    let isCancelled = LockIsolated(false)
    let store = bench { _ in
      .run { subscriber in
        DispatchQueue(label: "callbacks").async {
          subscriber.send(1)
          subscriber.send(2)
        }
        return AnyCancellable { isCancelled.setValue(true) }
      }
    }
    let task = store.send(.run(0))
    await store.yield { $0.values.count < 2 }
    #expect(store.values.sorted() == [1, 2])
    await task.cancel()
    #expect(isCancelled.value)
  }

  @Test("A run by callbacks ends when it calls its end")
  func callbackEnd() async {
    let store = bench { _ in
      .run { subscriber in
        subscriber.send(1)
        subscriber.send(completion: .finished)
        subscriber.send(2)
        return AnyCancellable {}
      }
    }
    await store.send(.run(0)).finish()
    #expect(store.values == [1])
  }

  @Test("An unimplemented effect is reported when it begins")
  func unimplemented() {
    let store = bench { _ in .unimplemented("facts") }
    withKnownIssue {
      store.send(.run(0))
    } matching: {
      $0.description.contains("facts - An unimplemented effect ran.")
    }
  }

  @Test("Effects are cancelled when their store is released")
  func lifetime() async {
    let isCancelled = LockIsolated(false)
    var store: ViewStore<Bench, BenchAction>? = bench { _ in
      .run { _ in AnyCancellable { isCancelled.setValue(true) } }
    }
    store?.send(.run(0))
    store = nil
    #expect(isCancelled.value)
  }
}
