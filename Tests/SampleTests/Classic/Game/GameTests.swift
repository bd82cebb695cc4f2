import StoreActorClassic
import TerminalViews
import Testing

@MainActor
@Suite("The guessing game", .timeLimit(.minutes(1)))
struct GameTests {
  let scheduler = DispatchQueue.test

  private var environment: GameEnvironment {
    GameEnvironment(
      generateRandom: { $0.upperBound },
      uuid: { UUID() },
      date: { Date(timeIntervalSince1970: 0) },
      mainQueue: scheduler.eraseToAnyScheduler(),
    )
  }

  private let results: GameResultListState = [
    GameResult(counter: Counter(count: 20, secret: 20), timeSpent: 1),
    GameResult(counter: Counter(count: 5, secret: 6), timeSpent: 2),
    GameResult(counter: Counter(count: -3, secret: -3), timeSpent: 3),
  ]

  private func store(_ state: GameState) -> Store<GameState, GameAction> {
    Store(initialState: state, reducer: gameReducer, environment: environment)
  }

  @Test("Results are removed by an index set")
  func removal() {
    let store = TestStore(
      initialState: results,
      reducer: gameResultListReducer,
      environment: .init(),
    )
    store.send(.remove(offset: IndexSet([0, 2]))) {
      $0 = [results[1]]
    }
  }

  @Test("The list view shows the results, and deletes them")
  func listView() {
    let view = GameResultListView(
      store: .init(
        initialState: results,
        reducer: gameResultListReducer,
        environment: .init(),
      )
    )
    #expect(
      Screen(of: view).lines == [
        "• (checkmark.circle) Secret: 20 Answer: 20",
        "• (x.circle) Secret: 6 Answer: 5",
        "• (checkmark.circle) Secret: -3 Answer: -3",
        "[Edit]",
      ]
    )
    Screen(of: view).tap("delete 1")
    #expect(
      Screen(of: view).lines == [
        "• (checkmark.circle) Secret: 20 Answer: 20",
        "• (checkmark.circle) Secret: -3 Answer: -3",
        "[Edit]",
      ]
    )
  }

  @Test("A guess is added to the results, with its duration")
  func playing() {
    let viewStore = ViewStore(store(GameState(counter: Counter(count: 0, secret: 1))))
    viewStore.send(.timer(.start))
    scheduler.advance(by: .milliseconds(20))
    viewStore.send(.counter(.increment))
    viewStore.send(.counter(.playNext))
    #expect(viewStore.results.map(\.correct) == [true])
    #expect(viewStore.results.map(\.timeSpent) == [0.02])
    #expect(viewStore.counter.count == 0)
    #expect(viewStore.counter.secret == 100)
    viewStore.send(.timer(.stop))
    scheduler.run()
    #expect(viewStore.timer.duration == 0.02)
  }

  @Test("Navigation is state: the list is a copy with an id, and closes if it is unchanged")
  func navigation() {
    let store = TestStore(
      initialState: GameState(results: results),
      reducer: gameReducer,
      environment: environment,
    )
    store.send(.setNavigation(resultListStateTag)) {
      $0.resultListState = Identified(results, id: resultListStateTag)
    }
    store.send(.setNavigation(nil)) {
      $0.resultListState = nil
    }
  }

  @Test("An alert asks about changes, and cancelling it discards them")
  func cancelling() {
    let store = TestStore(
      initialState: GameState(results: results),
      reducer: gameReducer,
      environment: environment,
    )
    store.send(.setNavigation(resultListStateTag)) {
      $0.resultListState = Identified(results, id: resultListStateTag)
    }
    store.send(.listResult(.remove(offset: IndexSet(integer: 0)))) {
      $0.resultListState?.value.remove(at: 0)
    }
    store.send(.setNavigation(nil)) {
      $0.alert = AlertState(
        title: TextState("Save Changes?"),
        primaryButton: .default(TextState("OK"), action: .send(.alertSaveButtonTapped)),
        secondaryButton: .cancel(TextState("Cancel"), action: .send(.alertCancelButtonTapped)),
      )
    }
    store.send(.alertAction(.alertDismiss)) {
      $0.alert = nil
    }
    store.send(.alertAction(.alertCancelButtonTapped)) {
      $0.resultListState = nil
    }
  }

  @Test("Saving takes time, and the view shows its progress")
  func saving() {
    let store = store(GameState(counter: Counter(count: 1, secret: 2), results: results))
    let view = GameView(store: store)
    Screen(of: view).tap("Detail")
    #expect(Screen(of: view).lines.contains("— Detail —"))
    Screen(of: view).tap("delete 0")
    Screen(of: view).tap("Back")
    #expect(Screen(of: view).lines.suffix(3) == ["! Save Changes?", "[OK]", "[Cancel]"])
    Screen(of: view).tap("OK")
    #expect(
      Screen(of: view).lines.prefix(4) == [
        "Result: 2/3 correct", "---", "[-] 1 [+] [Next]", "[…]",
      ]
    )
    scheduler.advance(by: 2)
    #expect(
      Screen(of: view).lines == [
        "Result: 1/2 correct", "---", "[-] 1 [+] [Next]", "[Detail]",
      ]
    )
  }

  @Test("A state with a list opens the app at the list")
  func deepLink() {
    let lines = Screen(of: CounterDemoApp().body).lines
    #expect(lines.first?.hasPrefix("Result: ") == true)
    #expect(lines.contains("• (checkmark.circle) Secret: 10 Answer: 10"))
    #expect(lines.last == "[Back]")
  }

  @Test("As the document warns, results that arrive during saving are lost")
  func losing() {
    let viewStore = ViewStore(store(GameState(counter: Counter(count: 4, secret: 4))))
    viewStore.send(.setNavigation(resultListStateTag))
    viewStore.send(.alertAction(.alertSaveButtonTapped))
    viewStore.send(.counter(.playNext))
    #expect(viewStore.results.count == 1)
    scheduler.advance(by: 2)
    #expect(viewStore.results.isEmpty)
  }
}

@MainActor
@Suite("The game with the solved exercises", .timeLimit(.minutes(1)))
struct SavingTests {
  let scheduler = DispatchQueue.test

  private func viewStore(
    _ results: GameResultListState,
    save: @escaping (GameResultListState) -> Effect<Void, URLError>,
  ) -> ViewStore<SavingState, GameAction> {
    let store = Store(
      initialState: SavingState(
        game: GameState(counter: Counter(count: 9, secret: 9), results: results)
      ),
      reducer: savingReducer,
      environment: SavingEnvironment(
        game: GameEnvironment(
          generateRandom: { $0.lowerBound },
          uuid: { UUID() },
          date: { Date(timeIntervalSince1970: 0) },
          mainQueue: scheduler.eraseToAnyScheduler(),
        ),
        save: save,
      ),
    )
    return ViewStore(store)
  }

  private let results: GameResultListState = [
    GameResult(counter: Counter(count: 1, secret: 1), timeSpent: 1),
    GameResult(counter: Counter(count: 2, secret: 3), timeSpent: 1),
  ]

  @Test("Results that arrive during saving are merged with the edited ones")
  func merging() {
    let saved = LockIsolated<GameResultListState?>(nil)
    let scheduler = scheduler
    let viewStore = viewStore(results) { list in
      saved.setValue(list)
      return Effect(value: ()).delay(for: 2, scheduler: scheduler)
    }
    viewStore.send(.setNavigation(resultListStateTag))
    viewStore.send(.listResult(.remove(offset: IndexSet(integer: 1))))
    viewStore.send(.setNavigation(nil))
    viewStore.send(.alertAction(.alertDismiss))
    viewStore.send(.alertAction(.alertSaveButtonTapped))
    let arriving = viewStore.game.counter.id
    viewStore.send(.counter(.playNext))
    #expect(viewStore.game.results.count == 3)

    scheduler.advance(by: 2)
    #expect(Array(viewStore.game.results.ids) == [results[0].id, arriving])
    #expect(saved.value?.map(\.id) == [results[0].id])
    #expect(!viewStore.game.savingResults)
  }

  @Test("If saving fails, all results remain, and an alert reports the failure")
  func failing() {
    let viewStore = viewStore(results) { _ in Effect(error: URLError(.timedOut)) }
    viewStore.send(.setNavigation(resultListStateTag))
    viewStore.send(.listResult(.remove(offset: IndexSet(integer: 1))))
    viewStore.send(.alertAction(.alertSaveButtonTapped))
    viewStore.send(.counter(.playNext))
    scheduler.advance()
    #expect(viewStore.game.results.count == 3)
    #expect(viewStore.game.alert?.title == TextState("Could not save the changes."))
  }
}
