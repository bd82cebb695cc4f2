import StoreActor
import StoredWorkspace
import TerminalViews

/// The list of things to do.
struct TodosScreen: View {
  let store: StoreOf<Todos>
  let state: ScreenState<Todo.State.ID>

  static let hints = [
    HelpBar.Hint("a", "add"), HelpBar.Hint("space", "done"), HelpBar.Hint("e", "edit"),
    HelpBar.Hint("d", "delete"), HelpBar.Hint("K J", "move"), HelpBar.Hint("f", "filter"),
    HelpBar.Hint("c", "clear completed"), HelpBar.Hint("/", "search"),
  ]

  var body: some View {
    // Each is made once: they are as long as the list.
    let rows = rows
    VStack {
      HStack {
        Text("Filter: \(store.filter.rawValue)", Style(.cyan))
        Text("\(rows.count) of \(store.items.count)", Style(.secondary))
        SearchText(search: state.search)
      }
      if rows.isEmpty { Text("Nothing to do here.", Style(.secondary)) }
      RowList(rows, id: \.id, selection: state.selectionBinding) { todo in
        Text(
          "[\(todo.isCompleted ? "x" : " ")] \(todo.title)",
          Style(todo.isCompleted ? .secondary : .primary),
        )
      }
    }
    .onKeys { key in take(key, rows) }
  }

  private var rows: IdentifiedArrayOf<Todo.State> {
    let (items, filter) = (store.items, store.filter)
    let shown = filter == .all ? items : Todos.State(items: items, filter: filter).filteredItems
    guard !state.search.isEmpty else { return shown }
    let search = TextSearch(state.search)
    return shown.filter { search.isFound(in: $0.title) }
  }

  private func take(_ key: Key, _ rows: IdentifiedArrayOf<Todo.State>) -> Bool {
    let selected = state.selection.id.flatMap { rows[id: $0] }
    switch key {
    case "a": state.ask("New todo") { send(.addButtonTapped(title: $0)) }
    case "c": send(.clearCompletedButtonTapped)
    case "f":
      let filters = Todos.Filter.allCases
      let place = (filters.firstIndex(of: store.filter) ?? 0) + 1
      send(.filterPicked(filter: filters[place % filters.count]))
    default:
      if state.takesFilterKey(key) { return true }
      guard let selected else { return false }
      return take(key, selected)
    }
    return true
  }

  private func take(_ key: Key, _ todo: Todo.State) -> Bool {
    switch key {
    case " ", "x", .enter:
      send(.items(.element(id: todo.id, action: .toggleButtonTapped)))
    case "e":
      state.ask("Title", todo.title) {
        send(.items(.element(id: todo.id, action: .titleChanged(title: $0))))
      }
    case "d", .delete: send(.removed(id: todo.id))
    case "K", "J":
      // Before the row above, or before the one behind that below.
      let place = store.items.index(id: todo.id) ?? 0
      send(.moved(id: todo.id, toOffset: key == "K" ? place - 1 : place + 2))
    default: return false
    }
    return true
  }

  private func send(_ action: Todos.Action) { state.send(action, to: store) }
}
