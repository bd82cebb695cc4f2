import StoreState

/// The stores of a list's rows, as the list was when the collection was made.
struct StoreCollection<State, Action, ID: Hashable & Sendable, ElementState, ElementAction>:
  RandomAccessCollection
{
  private let store: Store<State, Action>
  private let state: KeyPath<State, IdentifiedArray<ID, ElementState>>
  private let key: AnyKeyPath
  private let action: AnyCasePath<Action, IdentifiedAction<ID, ElementAction>>
  private let rows: IdentifiedArray<ID, ElementState>

  @MainActor
  init(
    store: Store<State, Action>,
    state: KeyPath<State, IdentifiedArray<ID, ElementState>>,
    key: AnyKeyPath,
    action: AnyCasePath<Action, IdentifiedAction<ID, ElementAction>>,
  ) {
    self.store = store
    self.state = state
    self.key = key
    self.action = action
    rows = store.observedRows(state)
  }

  var startIndex: Int { 0 }

  var endIndex: Int { rows.count }

  subscript(position: Int) -> Store<ElementState, ElementAction> {
    // A collection of stores cannot be read but where the stores are: on the main actor.
    let collection = UncheckedSendable(self)
    return MainActor.assumeIsolated { collection.value.row(at: position) }
  }

  @MainActor
  private func row(at position: Int) -> Store<ElementState, ElementAction> {
    let rowID = rows.ids[position]
    let row = rows[position]
    let scope = ScopeID(state: state, action: key, element: AnyHashable(rowID))
    let known = store.children.optional(scope) {
      store.core.scoped(
        optional: state.appending(path: \.[id: rowID]),
        action: action.appending(IdentifiedAction.element(id: rowID)),
      )
    }
    // A row that has gone since the list was read has a store that shows it as it was.
    return known
      ?? Store(
        core: GoneCore(
          state: row,
          send: { [store, action] rowAction in
            store.send(action.embed(.element(id: rowID, action: rowAction)))
          },
        )
      )
  }
}

/// A core of something that has gone: it shows what was seen last.
@MainActor
private final class GoneCore<State, Action>: StoreCore {
  let state: State
  private let forward: @MainActor (Action) -> StoreTask

  init(state: State, send: @escaping @MainActor (Action) -> StoreTask) {
    self.state = state
    forward = send
  }

  var isInvalid: Bool { true }

  func send(_ action: Action) -> StoreTask {
    forward(action)
  }

  func observeChanges(_: @escaping @MainActor () -> Void) -> StoreSubscription {
    StoreSubscription {}
  }
}
