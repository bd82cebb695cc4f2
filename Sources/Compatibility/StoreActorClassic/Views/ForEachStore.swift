public import StoreState
public import TerminalViews

/// A view of each element of a list, with the element's own store.
public struct ForEachStore<ID: Hashable, EachState, EachAction, Content: View>: View {
  private let store: Store<IdentifiedArray<ID, EachState>, (ID, EachAction)>
  private let content: @MainActor (Store<EachState, EachAction>) -> Content

  /// Creates a view of each element.
  ///
  /// - Parameters:
  ///   - store: The list's store, whose actions are pairs of an id and an element's action.
  ///   - content: Creates the view of an element.
  public init(
    _ store: Store<IdentifiedArray<ID, EachState>, (ID, EachAction)>,
    @ViewBuilder content: @escaping @MainActor (Store<EachState, EachAction>) -> Content,
  ) {
    self.store = store
    self.content = content
  }

  /// The views of all elements.
  public var body: some View {
    ForEach(Array(store.state.ids), id: \.self) { id in
      element(id).map(content)
    }
  }

  private func element(_ id: ID) -> Store<EachState, EachAction>? {
    let element: Store<EachState?, EachAction> = store.scope {
      $0[id: id]
    } action: {
      (id, $0)
    }
    return element.unwrapped()
  }
}
