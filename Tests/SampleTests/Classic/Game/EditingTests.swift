import StoreActor
import StoreActorClassic
import StoreTesting
import TerminalViews
import Testing

// The wire forms of the results, added outside of the sample.

// A value of Sendable parts; the sample's own file does not declare this.
extension Counter: ReplicatedRecord, @unchecked Sendable {
  static let layout = RecordLayout<Self>(
    "Counter",
    [.field("count", \.count), .field("secret", \.secret), .field("id", \.id)],
  )
}

// A value of Sendable parts; the sample's own file does not declare this.
extension GameResult: ReplicatedRecord, @unchecked Sendable {
  init() { self.init(counter: Counter(), timeSpent: 0) }
  static let layout = RecordLayout<Self>(
    "GameResult",
    [
      .field("id", \.counter.id), .field("counter", \.counter), .field("timeSpent", \.timeSpent),
    ],
  )
}

// A value of Sendable parts; the sample's own file does not declare this.
extension ResultsState: ReplicatedRecord, @unchecked Sendable {
  static let layout = RecordLayout<Self>(
    "ResultsState",
    [.field("results", \.results), .field("edited", \.edited)],
  )
}

// A value of Sendable parts; the sample's own file does not declare this.
extension CounterAction: WireChoiceAction, @unchecked Sendable {
  static let layout = ActionLayout<Self>(
    "CounterAction",
    [
      .case("increment", .increment),
      .case("decrement", .decrement),
      .case("playNext", .playNext),
    ],
  )
}

// A value of Sendable parts; the sample's own file does not declare this.
extension ResultsAction: WireChoiceAction, @unchecked Sendable {
  static let layout = ActionLayout<Self>(
    "ResultsAction",
    [
      .case("edit", embed: Self.edit) { if case .edit(let id) = $0 { id } else { nil } },
      .case("result", "id", "action", embed: Self.result(id:action:)) {
        if case .result(let id, let action) = $0 { (id, action) } else { nil }
      },
    ],
  )
}

@MainActor
@Suite("The game's exercises with a sheet and with edited guesses", .timeLimit(.minutes(1)))
struct EditingTests {
  private let results: GameResultListState = [
    GameResult(counter: Counter(count: 20, secret: 20, id: UUID()), timeSpent: 1),
    GameResult(counter: Counter(count: 5, secret: 6, id: UUID()), timeSpent: 2),
  ]

  @Test("Results are shown in a sheet while the state has them; closing it asks to save changes")
  func sheet() {
    let store = StoreActorClassic.Store(
      initialState: GameState(
        counter: Counter(count: 0, secret: 1, id: UUID()),
        results: results,
      ),
      reducer: gameReducer,
      environment: .live,
    )
    let view = GameSheetView(store: store)
    #expect(Screen(of: view).lines == ["[-] 0 [+] [Next]", "[Results]"])
    Screen(of: view).tap("Results")
    #expect(
      Screen(of: view).lines.suffix(4) == [
        "• (checkmark.circle) Secret: 20 Answer: 20", "• (x.circle) Secret: 6 Answer: 5",
        "[Edit]", "[Close]",
      ]
    )
    Screen(of: view).tap("Close")
    #expect(Screen(of: view).lines.count == 2)
    Screen(of: view).tap("Results")
    Screen(of: view).tap("delete 0")
    Screen(of: view).tap("Close")
    #expect(Screen(of: view).lines.contains("! Save Changes?"))
  }

  @Test("A past guess is edited in its own view")
  func editing() {
    let store = StoreActorClassic.Store(
      initialState: ResultsState(results: results),
      reducer: resultsReducer,
      environment: (),
    )
    let view = ResultsView(store: store)
    #expect(
      Screen(of: view).lines == ["[Secret: 20 Answer: 20]", "[Secret: 6 Answer: 5]"]
    )
    Screen(of: view).tap("Secret: 6 Answer: 5")
    Screen(of: view).tap("+")
    Screen(of: view).tap("Next")
    Screen(of: view).tap("Back")
    #expect(
      Screen(of: view).lines == ["[Secret: 20 Answer: 20]", "[Secret: 6 Answer: 6]"]
    )
  }

  @Test("A client of a daemon can edit guesses")
  func remote() async {
    let ids = Array(results.ids)
    let store = StoreActor.TestStore(remote: ResultsState(results: results)) {
      resultsReducer.feature(environment: ())
    }
    await store.send(.edit(ids[1])) { $0.edited = ids[1] }
    await store.send(.result(id: ids[1], action: .increment)) {
      $0.results[id: ids[1]]?.counter.count = 6
    }
    await store.send(.edit(nil)) { $0.edited = nil }
    await store.finish()
  }
}
