public import StoreState
public import TerminalViews

/// A view of each element of a list, with a store of its own.
public struct ForEachStore<ID: Hashable, EachState, EachAction, Content: View>: View {
  private let store: Store<IdentifiedArray<ID, EachState>, (ID, EachAction)>
  private let content: @MainActor (Store<EachState, EachAction>) -> Content

  /// Creates a view of each element.
  ///
  /// - Parameters:
  ///   - store: The store of the list, whose actions are an element's with its id.
  ///   - content: The view of an element.
  public init(
    _ store: Store<IdentifiedArray<ID, EachState>, (ID, EachAction)>,
    @ViewBuilder content: @escaping @MainActor (Store<EachState, EachAction>) -> Content,
  ) {
    self.store = store
    self.content = content
  }

  /// The views.
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
