public import TerminalViews

/// Shows one view while an optional state is present, and another one while it is nil.
public struct IfLetStore<Wrapped, Action, IfContent: View, ElseContent: View>: View {
  private let store: Store<Wrapped?, Action>
  private let ifContent: @MainActor (Store<Wrapped, Action>) -> IfContent
  private let elseContent: @MainActor () -> ElseContent

  /// Creates the two views.
  ///
  /// - Parameters:
  ///   - store: The store of the optional state.
  ///   - ifContent: Creates the view for a present state.
  ///   - elseContent: Creates the view for a nil state.
  public init(
    _ store: Store<Wrapped?, Action>,
    @ViewBuilder then ifContent: @escaping @MainActor (Store<Wrapped, Action>) -> IfContent,
    @ViewBuilder else elseContent: @escaping @MainActor () -> ElseContent,
  ) {
    self.store = store
    self.ifContent = ifContent
    self.elseContent = elseContent
  }

  /// Creates a view that is shown while the state is present.
  ///
  /// - Parameters:
  ///   - store: The store of the optional state.
  ///   - ifContent: Creates the view.
  public init(
    _ store: Store<Wrapped?, Action>,
    @ViewBuilder then ifContent: @escaping @MainActor (Store<Wrapped, Action>) -> IfContent,
  ) where ElseContent == EmptyView {
    self.init(store, then: ifContent, else: { EmptyView() })
  }

  /// The view for the current state.
  public var body: some View {
    if let store = store.unwrapped() {
      ifContent(store)
    } else {
      elseContent()
    }
  }
}
