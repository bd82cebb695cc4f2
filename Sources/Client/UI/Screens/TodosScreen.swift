import StoreActor
import StoredWorkspace
import TerminalViews

/// The list of todos.
struct TodosScreen: View {
  let store: StoreOf<Todos>
  let daemon: DaemonModel
  let state: ScreenState<Todo.State.ID>

  var commands: [ScreenCommand] {
    [
      ScreenCommand(["a"], "add") { askForTitle("New todo") { send(.addButtonTapped(title: $0)) } },
      ScreenCommand([" ", "x", .enter], "done") { withSelected { toggle($0) } },
      ScreenCommand(["e"], "edit") { withSelected { edit($0) } },
      ScreenCommand(["d", .delete], "delete") { withSelected { delete($0) } },
      ScreenCommand(["K"], "move up") { move(by: -1) },
      ScreenCommand(["J"], "move down") { move(by: 1) },
      ScreenCommand(["f"], "next filter") { state.afterSent { pickNextFilter() } },
      ScreenCommand(["c"], "clear completed") { state.afterSent { clearCompleted() } },
    ] + state.filterCommands("search")
  }

  private func pickNextFilter() {
    let filters = Todos.Filter.allCases
    let place = (filters.firstIndex(of: store.filter) ?? 0) + 1
    send(.filterPicked(filter: filters[place % filters.count]))
  }

  private func toggle(_ todo: Todo.State) {
    let action = Todos.Action.items(.element(id: todo.id, action: .toggleButtonTapped))
    // Under a filter other than `all`, the toggled row leaves the list.
    state.send(action, to: store, leaving: store.filter == .all ? nil : todo.id)
  }

  /// Deletes a row after confirmation, since a deletion cannot be undone.
  private func delete(_ todo: Todo.State) {
    state.confirm("Delete \"\(todo.title)\"?") {
      ifPresent(todo) { state.send(.removed(id: todo.id), to: store, leaving: todo.id) }
    }
  }

  /// Clears completed todos after confirmation, since this cannot be undone.
  private func clearCompleted() {
    let count = store.items.count { $0.isCompleted }
    guard count > 0 else { return }
    state.confirm("Clear \(Counted.text(count, "completed todo"))?") {
      send(.clearCompletedButtonTapped)
    }
  }

  /// Calls a closure if the row still exists; otherwise reports that it is missing.
  private func ifPresent(_ todo: Todo.State, _ body: () -> Void) {
    if store.items[id: todo.id] == nil { state.tellMissing() } else { body() }
  }

  var body: some View {
    // Computed once: this takes time proportional to the list.
    let rows = rows
    VStack {
      HStack {
        Text("Filter: \(store.filter.rawValue)", Style(.cyan))
        Text("\(rows.count) of \(store.items.count)", Style(.secondary))
        SearchText(search: state.search)
      }
      if rows.isEmpty { Text("No todos here.", Style(.secondary)) }
      RowList(rows, id: \.id, selection: state.selectionBinding) { todo in
        Text(
          "[\(todo.isCompleted ? "x" : " ")] \(todo.title)",
          Style(todo.isCompleted ? .secondary : .primary),
        )
      }
    }
    .onKeys(commands)
  }

  private var rows: IdentifiedArrayOf<Todo.State> {
    let (items, filter) = (store.items, store.filter)
    let shown = filter == .all ? items : Todos.State(items: items, filter: filter).filteredItems
    let leaving = state.leaving
    guard !state.search.isEmpty || !leaving.isEmpty else { return shown }
    let search = TextSearch(state.search)
    return shown.filter { !leaving.contains($0.id) && search.isFound(in: $0.title) }
  }

  private func withSelected(_ body: (Todo.State) -> Void) { state.withSelected(in: rows, body) }

  private func edit(_ todo: Todo.State) {
    askForTitle("Title", todo.title) { title in
      ifPresent(todo) {
        send(.items(.element(id: todo.id, action: .titleChanged(title: title))))
      }
    }
  }

  /// Prompts for a title until one is entered.
  private func askForTitle(
    _ title: String,
    _ text: String = "",
    then take: @escaping @MainActor (String) -> Void,
  ) {
    daemon.leaveScreen()
    state.ask(title, text) { [daemon] text in
      if text.contains(where: { !$0.isWhitespace }) {
        daemon.leaveScreen()
        return take(text)
      }
      askForTitle(title, text, then: take)
      daemon.say("A todo needs a title.", isFailure: true, isOfScreen: true)
    }
  }

  /// Moves the selected row before the visible row above it, or after the one below it.
  ///
  /// Rows that a search or a filter hides between them are passed as well.
  private func move(by distance: Int) {
    withSelected { todo in
      state.afterSent {
        let rows = rows
        guard let place = rows.index(id: todo.id) else { return state.tellMissing() }
        guard rows.indices.contains(place + distance),
          let other = store.items.index(id: rows[place + distance].id)
        else { return }
        send(.moved(id: todo.id, toOffset: distance < 0 ? other : other + 1))
      }
    }
  }

  private func send(_ action: Todos.Action) { state.send(action, to: store) }
}
