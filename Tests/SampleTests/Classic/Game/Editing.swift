import StoreActorClassic
import TerminalViews

// Two more of the document's exercises: the results in a sheet instead of a link, and past guesses
// that are edited with `CounterView`, by `forEach` and `ForEachStore`.

struct GameSheetView: View {
  let store: Store<GameState, GameAction>
  var body: some View {
    WithViewStore(store) { viewStore in
      VStack {
        CounterView(store: store.scope(state: \.counter, action: GameAction.counter))
        Button("Results") { viewStore.send(.setNavigation(resultListStateTag)) }
      }
      .sheet(
        item: viewStore.binding(
          get: \.resultListState,
          send: { GameAction.setNavigation($0?.id) },
        )
      ) { _ in
        IfLetStore(
          store.scope(state: \.resultListState?.value, action: GameAction.listResult),
          then: { GameResultListView(store: $0) },
        )
      }
    }.alert(
      store.scope(state: \.alert, action: GameAction.alertAction),
      dismiss: .alertDismiss,
    )
  }
}

struct ResultsState: Equatable {
  var results = IdentifiedArrayOf<GameResult>()
  /// The result in the editor.
  var edited: UUID?
}

enum ResultsAction: Equatable {
  case edit(UUID?)
  case result(id: UUID, action: CounterAction)
}

/// An edited guess keeps its secret and its id: a new secret with a new id would be another game.
let gameResultReducer = Reducer<GameResult, CounterAction, Void> { result, action, _ in
  switch action {
  case .increment, .decrement:
    let unused = CounterEnvironment(generateRandom: { $0.lowerBound }, uuid: { UUID() })
    return counterReducer(&result.counter, action, unused)
  case .playNext:
    return .none
  }
}

let resultsReducer = Reducer<ResultsState, ResultsAction, Void>.combine(
  gameResultReducer.forEach(
    state: \.results,
    action: /ResultsAction.result(id:action:),
    environment: { _ in },
  ),
  .init { state, action, _ in
    if case .edit(let id) = action { state.edited = id }
    return .none
  },
)

struct ResultsView: View {
  let store: Store<ResultsState, ResultsAction>
  var body: some View {
    WithViewStore(store.scope(state: \.edited)) { viewStore in
      ForEachStore(
        store.scope(state: \.results, action: ResultsAction.result(id:action:))
      ) { rowStore in
        WithViewStore(rowStore) { row in
          NavigationLink(
            tag: row.id,
            selection: viewStore.binding(get: { $0 }, send: ResultsAction.edit),
            destination: {
              CounterView(store: rowStore.scope(state: \.counter))
            },
            label: {
              Text("Secret: \(row.counter.secret) Answer: \(row.counter.count)")
            },
          )
        }
      }
    }
  }
}
