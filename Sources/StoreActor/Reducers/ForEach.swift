public import StoreState

extension Reducer {
  /// Runs a child feature on each row of a list.
  ///
  /// ```swift
  /// var body: some ReducerOf<Self> {
  ///   Reduce { state, action in … }
  ///     .forEach(\.rows, action: \.rows) {
  ///       Row()
  ///     }
  /// }
  /// ```
  ///
  /// A row runs before this reducer, so that it handles its action while it is still there. When a
  /// row is removed, its effects are cancelled. An action for a row that is not there is reported and
  /// ignored.
  ///
  /// - Parameters:
  ///   - toElementsState: The list.
  ///   - toElementAction: The case of the action that holds the rows'.
  ///   - element: The feature of one row.
  @inlinable
  public func forEach<ElementState, ElementAction, ID, Element>(
    _ toElementsState: WritableKeyPath<State, IdentifiedArray<ID, ElementState>>,
    action toElementAction: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
    @ReducerBuilder<ElementState, ElementAction> element: () -> Element,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) -> some Reducer<State, Action>
  where
    ID: Hashable & Sendable,
    Element: Reducer<ElementState, ElementAction>
  {
    _ForEachReducer(
      parent: self,
      element: element(),
      state: toElementsState,
      action: AnyCasePath(toElementAction),
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    )
  }
}

/// What ``Reducer/forEach(_:action:element:fileID:filePath:line:column:)`` makes.
public struct _ForEachReducer<Parent: Reducer, ID: Hashable & Sendable, Element: Reducer>: Reducer {
  private let parent: Reduce<Parent.State, Parent.Action>
  private let element: Reduce<Element.State, Element.Action>
  private let state: WritableKeyPath<Parent.State, IdentifiedArray<ID, Element.State>>
  private let action: AnyCasePath<Parent.Action, IdentifiedAction<ID, Element.Action>>
  private let location: IssueLocation

  @usableFromInline
  init(
    parent: Parent,
    element: Element,
    state: WritableKeyPath<Parent.State, IdentifiedArray<ID, Element.State>>,
    action: AnyCasePath<Parent.Action, IdentifiedAction<ID, Element.Action>>,
    location: IssueLocation
  ) {
    self.parent = parent._prepared()
    self.element = element._prepared()
    self.state = state
    self.action = action
    self.location = location
  }

  /// Runs the row, then the parent, and cancels what is left of rows that have gone.
  public func reduce(
    into state: inout Parent.State,
    action: Parent.Action
  ) -> Effect<Parent.Action> {
    let elementEffects = reduceElement(into: &state, action: action)
    let parentEffects = parent.reduce(&state, action)
    let effects = elementEffects.merge(with: parentEffects)
    let scope = NavigationIDPath.Scope(parent: .current, keyPath: self.state)
    // Rows are looked for only where some have effects: those of this action, or of earlier ones.
    guard !elementEffects.isNone || EffectRegistry.current.hasChildren(at: scope) else {
      return effects
    }
    let rows = UncheckedSendable(state[keyPath: self.state])
    let cancel = Effect<Parent.Action>(
      .resolve { registry in
        registry.cancelChildren(at: scope) { id in
          id.as(ID.self).map { rows.value.contains(id: $0) } ?? false
        }
        return .none
      }
    )
    return effects.merge(with: cancel)
  }

  private func reduceElement(
    into state: inout Parent.State,
    action: Parent.Action
  ) -> Effect<Parent.Action> {
    guard case .element(let id, let elementAction)? = self.action.extract(from: action) else {
      return .none
    }
    let path = NavigationIDPath.child(at: self.state, id: ChildID(id))
    let effects = NavigationIDPath.$current.withValue(path) {
      state[keyPath: self.state][id: id].modifyIfPresent { element.reduce(&$0, elementAction) }
    }
    guard let effects else {
      reportAbsentChild(.forEach(id: "\(id)"), action: elementAction, at: location)
      return .none
    }
    if effects.isNone { return .none }
    return
      effects
      .map { [action = self.action] in action.embed(.element(id: id, action: $0)) }
      .cancellable(child: path)
  }
}
