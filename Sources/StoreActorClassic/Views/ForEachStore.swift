public import StoreState
public import TerminalViews

/// A view of each element of a list, with a store of its own.
public struct ForEachStore<ID: Hashable, EachState, EachAction, Content: View>: PrimitiveView {
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

  /// Writes the views.
  public func render(on screen: inout Screen) {
    for id in store.state.ids {
      let element: Store<EachState?, EachAction> = store.scope {
        $0[id: id]
      } action: {
        (id, $0)
      }
      guard let element = element.unwrapped() else { continue }
      content(element).renderTree(on: &screen)
    }
  }
}
