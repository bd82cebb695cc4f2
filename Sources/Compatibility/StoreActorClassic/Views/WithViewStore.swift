public import TerminalViews

/// A view of a store's state: `WithViewStore(store) { viewStore in … }`.
public struct WithViewStore<State, Action, Content: View>: View {
  private let viewStore: ViewStore<State, Action>
  private let content: @MainActor (ViewStore<State, Action>) -> Content

  /// Creates a view of a store's state.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - content: Creates the view.
  public init(
    _ store: Store<State, Action>,
    @ViewBuilder content: @escaping @MainActor (ViewStore<State, Action>) -> Content,
  ) where State: Equatable {
    viewStore = ViewStore(store)
    self.content = content
  }

  /// The view of the current state.
  public var body: Content { content(viewStore) }
}
