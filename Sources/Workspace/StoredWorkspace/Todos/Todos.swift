package import StoreActor

/// A list of tasks that several people edit at the same time.
///
/// Every action on a row identifies it by its id, not by its position: positions shift while an
/// action is under way. An absent id is not a mistake, because another client may have removed the
/// row: the action then has no effect.
@Reducer
package struct Todos {
  @ObservableState
  package struct State: Equatable, ReplicatedState, Sendable {
    /// All rows in the order that the users chose, regardless of the filter.
    package var items: IdentifiedArrayOf<Todo.State>
    /// The filter that all clients share.
    package var filter: Filter

    package init(items: IdentifiedArrayOf<Todo.State> = [], filter: Filter = .all) {
      self.items = items
      self.filter = filter
    }

    /// The rows that match the filter.
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
    /// Removes all completed rows, regardless of the filter.
    case clearCompletedButtonTapped
    case filterPicked(filter: Filter)
    case items(IdentifiedActionOf<Todo>)
    /// Moves a row before the row at an offset among all rows, regardless of the filter.
    ///
    /// The offset is counted before the move. An offset of at least the number of rows means the
    /// end, a negative one the beginning.
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
      // `forEach` reports an absent row as a mistake of the feature. Here it is a race: another
      // client removed the row while the action was under way.
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
