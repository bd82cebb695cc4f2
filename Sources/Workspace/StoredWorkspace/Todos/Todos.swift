package import StoreActor

/// A list of things to do that several people edit at the same time.
///
/// Everything that is done to one row names the row by its id, never by its place: places shift
/// while an action is on its way. An id that is not there any more, because someone else was
/// faster, is no mistake: nothing happens.
@Reducer
package struct Todos {
  @ObservableState
  package struct State: Equatable, ReplicatedState, Sendable {
    /// All rows, in the order that people gave them, whatever the filter is.
    package var items: IdentifiedArrayOf<Todo.State>
    /// Which rows are to be shown, for everyone who looks.
    package var filter: Filter

    package init(items: IdentifiedArrayOf<Todo.State> = [], filter: Filter = .all) {
      self.items = items
      self.filter = filter
    }

    /// The rows that the filter lets through.
    package var filteredItems: IdentifiedArrayOf<Todo.State> {
      switch filter {
      case .all: items
      case .active: items.filter { !$0.isCompleted }
      case .completed: items.filter(\.isCompleted)
      }
    }
  }

  package enum Filter: String, CaseIterable, ReplicatedState {
    case all, active, completed
  }

  package enum Action: Equatable, Sendable, WireAction {
    /// Adds a row at the end.
    case addButtonTapped(title: String)
    /// Removes the completed rows, shown or not.
    case clearCompletedButtonTapped
    case filterPicked(filter: Filter)
    case items(IdentifiedActionOf<Todo>)
    /// Moves a row to before the row that stands at an offset now, among all rows, shown or not.
    ///
    /// The number of rows means the end; what is greater means the end too, and what is negative
    /// the beginning.
    case moved(id: Todo.State.ID, toOffset: Int)
    case removed(id: Todo.State.ID)
  }

  @Dependency(\.uuid) private var uuid

  package init() {}

  package var body: some ReducerOf<Self> {
    let list = Reduce(edit).forEach(\.items, action: \.items) {
      Todo()
    }
    Reduce { state, action in
      // `forEach` reports an absent row as a mistake of the feature, which this one is not: someone
      // else removed it while the action was on its way.
      if case .items(.element(let id, _)) = action, !state.items.contains(id: id) { return .none }
      return list.reduce(into: &state, action: action)
    }
  }

  private func edit(_ state: inout State, _ action: Action) -> Effect<Action> {
    switch action {
    case .addButtonTapped(let title):
      state.items.append(Todo.State(id: uuid(), title: Todo.clamped(title)))
      return .none

    case .clearCompletedButtonTapped:
      state.items.removeAll(where: \.isCompleted)
      return .none

    case .filterPicked(let filter):
      state.filter = filter
      return .none

    case .items:
      return .none

    case .moved(let id, let offset):
      guard let source = state.items.index(id: id) else { return .none }
      let destination = min(max(offset, 0), state.items.count)
      state.items.move(fromOffsets: [source], toOffset: destination)
      return .none

    case .removed(let id):
      state.items.remove(id: id)
      return .none
    }
  }
}
