public import TerminalViews

/// One view while an optional state is there, and another one while it is not.
public struct IfLetStore<Wrapped, Action, IfContent: View, ElseContent: View>: View {
  private let store: Store<Wrapped?, Action>
  private let ifContent: @MainActor (Store<Wrapped, Action>) -> IfContent
  private let elseContent: @MainActor () -> ElseContent

  /// Creates the two views.
  ///
  /// - Parameters:
  ///   - store: The store of the optional state.
  ///   - ifContent: The view while the state is there.
  ///   - elseContent: The view while it is not.
  public init(
    _ store: Store<Wrapped?, Action>,
    @ViewBuilder then ifContent: @escaping @MainActor (Store<Wrapped, Action>) -> IfContent,
    @ViewBuilder else elseContent: @escaping @MainActor () -> ElseContent,
  ) {
    self.store = store
    self.ifContent = ifContent
    self.elseContent = elseContent
  }

  /// Creates a view that is there while the state is.
  ///
  /// - Parameters:
  ///   - store: The store of the optional state.
  ///   - ifContent: The view.
  public init(
    _ store: Store<Wrapped?, Action>,
    @ViewBuilder then ifContent: @escaping @MainActor (Store<Wrapped, Action>) -> IfContent,
  ) where ElseContent == EmptyView {
    self.init(store, then: ifContent, else: { EmptyView() })
  }

  /// The view that fits the state.
  public var body: some View {
    if let store = store.unwrapped() {
      ifContent(store)
    } else {
      elseContent()
    }
  }
}
