import StoreActorClassic
import TerminalViews
import Testing

private struct Row: Equatable, Identifiable {
  var id: Int
  var count = 0
}

private enum Tab: Equatable {
  case counter(Row)
  case message(String)
}

private struct App: Equatable {
  var rows: IdentifiedArrayOf<Row> = [Row(id: 1), Row(id: 2)]
  var tab = Tab.counter(Row(id: 3))
  var detail: Row?
}

private enum AppAction: Equatable {
  case row(id: Int, action: RowAction)
  case tab(RowAction)
  case detail(RowAction)
  case show(Tab)
  case open(Row?)
}

private enum RowAction: Equatable {
  case increment
}

private let rowReducer = Reducer<Row, RowAction, Void> { state, _, _ in
  state.count += 1
  return .none
}

private let appReducer = Reducer<App, AppAction, Void>.combine(
  rowReducer.forEach(
    state: \.rows,
    action: /AppAction.row(id:action:),
    environment: { $0 },
  ),
  rowReducer.pullback(state: /Tab.counter, action: .self, environment: { $0 })
    .pullback(state: \.tab, action: /AppAction.tab, environment: { $0 }),
  rowReducer.optional().pullback(
    state: \.detail,
    action: /AppAction.detail,
    environment: { $0 },
  ),
  .init { state, action, _ in
    switch action {
    case .show(let tab): state.tab = tab
    case .open(let row): state.detail = row
    default: break
    }
    return .none
  },
)

private struct RowView: View {
  let store: Store<Row, RowAction>

  var body: some View {
    WithViewStore(store) { viewStore in
      HStack {
        Text("\(viewStore.id): \(viewStore.count)")
        Button("+\(viewStore.id)") { viewStore.send(.increment) }
      }
    }
  }
}

private struct AppView: View {
  let store: Store<App, AppAction>

  var body: some View {
    ForEachStore(store.scope(state: \.rows, action: AppAction.row(id:action:))) {
      RowView(store: $0)
    }
    SwitchStore(store.scope(state: \.tab)) {
      CaseLet(state: /Tab.counter, action: AppAction.tab) { RowView(store: $0) }
      CaseLet(state: /Tab.message, action: AppAction.tab) { store in
        WithViewStore(store) { Text($0.state) }
      }
    }
    IfLetStore(
      store.scope(state: \.detail, action: AppAction.detail),
      then: { RowView(store: $0) },
      else: { Text("no detail") },
    )
  }
}

@MainActor
@Suite("Views of stores")
struct StoreViewTests {
  @Test("Each element, the present case and an optional have views with stores of their own")
  func views() {
    let store = Store(initialState: App(), reducer: appReducer, environment: ())
    let view = AppView(store: store)
    #expect(
      Screen(of: view).lines == ["1: 0 [+1]", "2: 0 [+2]", "3: 0 [+3]", "no detail"]
    )
    Screen(of: view).tap("+2")
    Screen(of: view).tap("+3")
    ViewStore(store).send(.open(Row(id: 4)))
    Screen(of: view).tap("+4")
    #expect(Screen(of: view).lines == ["1: 0 [+1]", "2: 1 [+2]", "3: 1 [+3]", "4: 1 [+4]"])

    ViewStore(store).send(.show(.message("hello")))
    ViewStore(store).send(.open(nil))
    #expect(Screen(of: view).lines == ["1: 0 [+1]", "2: 1 [+2]", "hello", "no detail"])
    #expect(!Screen(of: view).tap("+3"))
  }
}
