import StoreActor
import Testing

@testable import StoredWorkspace

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct GameTests {
  @Test("A guess is lower, equal or higher than the secret")
  func verdicts() async {
    let store = makeStore(secret: 2)

    await store.send(.counter(.incrementButtonTapped)) { $0.counter.count = 1 }
    await store.send(.counter(.guessChanged(guess: 2))) {
      $0.counter.count = 2
      $0.counter.verdict = .equal
    }
    await store.send(.counter(.incrementButtonTapped)) {
      $0.counter.count = 3
      $0.counter.verdict = .higher
    }
    await store.send(.counter(.decrementButtonTapped)) {
      $0.counter.count = 2
      $0.counter.verdict = .equal
    }
  }

  @Test("A guess stays in the range of secrets")
  func range() async {
    let store = makeStore(secret: 0)

    await store.send(.counter(.guessChanged(guess: .max))) {
      $0.counter.count = 100
      $0.counter.verdict = .higher
    }
    await store.send(.counter(.incrementButtonTapped))
  }

  @Test("A round that ends becomes a result with its time, and the next one has a new secret")
  func playsNext() async {
    let clock = TestClock()
    let store = makeStore(secret: 1, clock: clock)
    store.exhaustivity = .off

    let timer = await store.send(.timer(.startButtonTapped))
    await clock.advance(by: .milliseconds(300))
    for _ in 0..<3 { await store.receive(\.timer.ticked) }
    await store.send(.counter(.playNextButtonTapped)) {
      $0.results = [
        GameResult.State(id: UUID(99), guess: 0, secret: 1, timeSpent: .milliseconds(300))
      ]
    }
    #expect(store.state.counter.id == UUID(0))
    #expect(GuessCounter.State.range.contains(store.state.counter.secret))

    await clock.advance(by: .milliseconds(100))
    await store.receive(\.timer.ticked)
    await store.send(.counter(.playNextButtonTapped))
    #expect(store.state.results.last?.timeSpent == .milliseconds(100))
    await store.send(.timer(.pauseButtonTapped))
    await timer.finish()
  }

  @Test("Results are edited on a copy, and leaving it unchanged shows no alert")
  func unchanged() async {
    let store = makeStore(results: [1, 2])

    await store.send(.resultsButtonTapped) { $0.resultList = ResultList.State($0.results) }
    await store.send(.resultsDismissed) { $0.resultList = nil }
  }

  @Test("Leaving a changed copy shows an alert; discarding keeps the former results")
  func discards() async {
    let store = makeStore(results: [1, 2])

    await store.send(.resultsButtonTapped) { $0.resultList = ResultList.State($0.results) }
    await store.send(.resultList(.removed(id: UUID(1)))) {
      $0.resultList?.rows.remove(id: UUID(1))
    }
    await store.send(.resultsDismissed) { $0.alert = .saveChanges }
    await store.send(.alert(.presented(.discardButtonTapped))) {
      $0.alert = nil
      $0.resultList = nil
    }
    #expect(store.state.results.count == 2)
  }

  @Test("A guess of an earlier round can be edited in the list")
  func editsARow() async {
    let store = makeStore(results: [1])

    await store.send(.resultsButtonTapped) { $0.resultList = ResultList.State($0.results) }
    await store.send(\.resultList.rows[id: UUID(1)].guessChanged, 7) {
      $0.resultList?.rows[id: UUID(1)]?.guess = 7
    }
  }

  @Test("Results that are added during a save are merged, not lost")
  func merges() async {
    let gate = AsyncStream.makeStream(of: Void.self)
    let saved = LockIsolated<[Int]>([])
    let store = makeStore(results: [1, 2]) { results in
      saved.setValue(results.map(\.guess))
      for await _ in gate.stream { break }
    }
    store.exhaustivity = .off

    await store.send(.resultsButtonTapped)
    await store.send(.resultList(.removed(id: UUID(1))))
    await store.send(.resultsDismissed)
    await store.send(.alert(.presented(.saveButtonTapped))) {
      $0.alert = nil
      $0.isSaving = true
    }
    await store.send(.counter(.guessChanged(guess: 50)))
    await store.send(.counter(.playNextButtonTapped))
    gate.continuation.yield()
    await store.receive(\.saveResponse.success) {
      $0.isSaving = false
      $0.resultList = nil
    }
    #expect(saved.value == [2])
    #expect(store.state.results.map(\.guess) == [2, 50])
  }

  @Test("Edits during a save stay in the list, unsaved")
  func editsWhileSaving() async {
    let gate = AsyncStream.makeStream(of: Void.self)
    let store = makeStore(results: [1, 2, 3]) { _ in for await _ in gate.stream { break } }
    store.exhaustivity = .off

    await store.send(.resultsButtonTapped)
    await store.send(.resultList(.removed(id: UUID(1))))
    await store.send(.resultsDismissed)
    await store.send(.alert(.presented(.saveButtonTapped)))
    await store.send(.resultList(.removed(id: UUID(2))))
    gate.continuation.yield()
    await store.receive(\.saveResponse.success)
    #expect(store.state.results.map(\.guess) == [2, 3])
    #expect(store.state.resultList?.rows.map(\.guess) == [3])
    #expect(store.state.resultList?.isChanged == true)
  }

  @Test("A failed save shows its reason to all clients, and can be repeated")
  func fails() async {
    let attempts = LockIsolated(0)
    let store = makeStore(results: [1]) { _ in
      let attempt = attempts.withValue { value in
        value += 1
        return value
      }
      if attempt == 1 { throw SaveError("The disk is full.") }
    }
    store.exhaustivity = .off

    await store.send(.resultsButtonTapped)
    await store.send(.resultList(.removed(id: UUID(1))))
    await store.send(.resultsDismissed)
    await store.send(.alert(.presented(.saveButtonTapped)))
    await store.receive(\.saveResponse.failure) {
      $0.alert = .notSaved(SaveError("The disk is full."))
      $0.isSaving = false
    }
    await store.send(.alert(.presented(.saveButtonTapped)))
    await store.receive(\.saveResponse.success) { $0.results = [] }
    #expect(store.state.resultList == nil)
  }

  private func makeStore(
    secret: Int = 1,
    results: [Int] = [],
    clock: TestClock<Duration> = TestClock(),
    save: @escaping @Sendable ([GameResult.State]) async throws -> Void = { _ in
      Issue.record("Nothing was to be saved")
    },
  ) -> TestStoreOf<Game> {
    let rows = results.map {
      GameResult.State(id: UUID($0), guess: $0, secret: 0, timeSpent: .zero)
    }
    return TestStore(
      initialState: Game.State(
        counter: GuessCounter.State(id: UUID(99), secret: secret),
        results: IdentifiedArray(uniqueElements: rows),
      )
    ) {
      Game()
    } withDependencies: {
      $0.continuousClock = clock
      $0.gameResults.save = save
      $0.uuid = .incrementing
      $0.withRandomNumberGenerator = WithRandomNumberGenerator(SeededGenerator(seed: 1))
    }
  }
}
