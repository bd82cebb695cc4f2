public import StoreActor
public import TerminalViews

/// Shows a view for each case of an enum state, with a list of ``CaseLet``.
public struct SwitchStore<State, Action, Content: View>: View {
  private let content: () -> Content
  private let store: Store<State, Action>

  /// Creates the views.
  ///
  /// - Parameters:
  ///   - store: The store of the enum.
  ///   - content: The views; each ``CaseLet`` is shown while the state is of its case.
  public init(_ store: Store<State, Action>, @ViewBuilder content: @escaping () -> Content) {
    self.store = store
    self.content = content
  }

  /// The views; a ``CaseLet`` of another case is empty.
  public var body: some View {
    CurrentSwitch(store: store, content: content())
  }
}

/// The view of one case in a ``SwitchStore``.
public struct CaseLet<GlobalState, GlobalAction, LocalState, LocalAction, Content: View>:
  PrimitiveView
{
  private let toLocalState: AnyCasePath<GlobalState, LocalState>
  private let fromLocalAction: @MainActor (LocalAction) -> GlobalAction
  private let content: @MainActor (Store<LocalState, LocalAction>) -> Content

  /// Creates the view of a case.
  ///
  /// - Parameters:
  ///   - toLocalState: The case.
  ///   - fromLocalAction: Embeds an action of the case in an action of the enum.
  ///   - content: Creates the view.
  public init(
    state toLocalState: AnyCasePath<GlobalState, LocalState>,
    action fromLocalAction: @escaping @MainActor (LocalAction) -> GlobalAction,
    @ViewBuilder then content: @escaping @MainActor (Store<LocalState, LocalAction>) -> Content,
  ) {
    self.toLocalState = toLocalState
    self.fromLocalAction = fromLocalAction
    self.content = content
  }

  /// The directions of the view, if the state is of the case.
  public var flexibility: Axes { view?.stretch ?? [] }

  /// Returns the size of the view, if the state is of the case, otherwise zero.
  public func size(in proposal: Size) -> Size { view?.measured(in: proposal) ?? .zero }

  /// Draws the view, if the state is of the case.
  public func draw(in canvas: Canvas) { view?.drawn(in: canvas) }

  private var view: Content? {
    guard let store = SwitchContext.store as? Store<GlobalState, GlobalAction> else { return nil }
    let path = toLocalState
    let local = store.scope(state: { path.extract(from: $0) }, action: fromLocalAction)
    return local.unwrapped().map(content)
  }
}

/// The store of the innermost ``SwitchStore`` that is being drawn.
@MainActor
private enum SwitchContext {
  static var store: AnyObject?

  static func with<Result>(_ store: AnyObject, _ body: () -> Result) -> Result {
    let outer = self.store
    self.store = store
    defer { self.store = outer }
    return body()
  }
}

private struct CurrentSwitch<State, Action, Content: View>: PrimitiveView {
  let store: Store<State, Action>
  let content: Content

  var flexibility: Axes { SwitchContext.with(store) { content.stretch } }

  func size(in proposal: Size) -> Size {
    SwitchContext.with(store) { content.measured(in: proposal) }
  }

  func draw(in canvas: Canvas) { SwitchContext.with(store) { content.drawn(in: canvas) } }
}
