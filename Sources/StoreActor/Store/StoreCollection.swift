import StoreState

/// The stores of a list's rows, as of the collection's creation.
struct StoreCollection<State, Action, ID: Hashable & Sendable, ElementState, ElementAction>:
  RandomAccessCollection
{
  private let store: Store<State, Action>
  private let list: StoreNode<IdentifiedArray<ID, ElementState>>
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
    self.key = key
    self.action = action
    KnownLists.note(state)
    list = store.node.part(state)
    if ObservationProbe.isTracking { list.noteIDs() }
    rows = list.state
  }

  var startIndex: Int { 0 }

  var endIndex: Int { rows.count }

  subscript(position: Int) -> Store<ElementState, ElementAction> {
    // Stores can be read on the main actor only, so a collection of stores is read there too.
    let collection = UncheckedSendable(self)
    return MainActor.assumeIsolated { collection.value.row(at: position) }
  }

  @MainActor
  private func row(at position: Int) -> Store<ElementState, ElementAction> {
    let id = rows.ids[position]
    // A row that was removed since the list was read has a store that shows its last state.
    let node = list.row(id) ?? list.gone(rows[position])
    return node.store(for: key) {
      let action = action.appending(IdentifiedAction.element(id: id))
      return Store(core: store.core.child(node, action))
    }
  }
}
