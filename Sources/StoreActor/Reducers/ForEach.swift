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
  /// row is removed, its effects are cancelled. An action for a row that is not there is reported
  /// and ignored.
  ///
  /// - `toElementsState`: The list.
  /// - `toElementAction`: The case of the action that holds the rows'.
  /// - `element`: The feature of one row.
  @inlinable
  public func forEach<ElementState, ElementAction, ID, Element>(
    _ toElementsState: WritableKeyPath<State, IdentifiedArray<ID, ElementState>>,
    action toElementAction: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
    @ReducerBuilder<ElementState, ElementAction> element: () -> Element,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
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
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }
}

/// What ``Reducer/forEach(_:action:element:fileID:filePath:line:column:)`` makes.
public struct _ForEachReducer<Parent: Reducer, ID: Hashable & Sendable, Element: Reducer>: Reducer {
  @usableFromInline let parent: Reduce<Parent.State, Parent.Action>
  @usableFromInline let element: Reduce<Element.State, Element.Action>
  @usableFromInline let state: WritableKeyPath<Parent.State, IdentifiedArray<ID, Element.State>>
  @usableFromInline
  let action: AnyCasePath<Parent.Action, IdentifiedAction<ID, Element.Action>>
  @usableFromInline let location: IssueLocation

  @inlinable
  init(
    parent: Parent,
    element: Element,
    state: WritableKeyPath<Parent.State, IdentifiedArray<ID, Element.State>>,
    action: AnyCasePath<Parent.Action, IdentifiedAction<ID, Element.Action>>,
    location: IssueLocation,
  ) {
    self.parent = parent._prepared()
    self.element = element._prepared()
    self.state = state
    self.action = action
    self.location = location
  }

  /// Runs the row, then the parent, and cancels what is left of rows that have gone.
  @inlinable
  public func reduce(
    into state: inout Parent.State,
    action: Parent.Action,
  ) -> Effect<Parent.Action> {
    let elementEffects = reduceElement(into: &state, action: action)
    let parentEffects = parent.reduce(&state, action)
    let effects = elementEffects.merge(with: parentEffects)
    // Rows are looked for only where some have effects: those of this action, or of earlier ones.
    if elementEffects.isNone, !EffectRegistry.hasChildren(at: self.state) { return effects }
    return effects.merge(with: .cancelRows(at: self.state, except: state[keyPath: self.state]))
  }

  @inlinable
  func reduceElement(
    into state: inout Parent.State,
    action: Parent.Action,
  ) -> Effect<Parent.Action> {
    guard case .element(let id, let elementAction)? = self.action.extract(from: action) else {
      return .none
    }
    let path = ChildPath(at: self.state, id: id)
    var effects = Effect<Element.Action>.none
    var isPresent = false
    path.run {
      isPresent = state[keyPath: self.state][id: id].modifyIfPresent {
        effects = element.reduce(&$0, elementAction)
      }
    }
    if !isPresent { reportAbsentChild(.forEach(id: "\(id)"), action: elementAction, at: location) }
    if effects.isNone { return .none }
    return
      effects
      .map { [action = self.action] in action.embed(.element(id: id, action: $0)) }
      .cancellable(child: path)
  }
}

extension Effect {
  /// Cancels what rows have running that are not in a list any more.
  @usableFromInline
  static func cancelRows<ID: Hashable, Row>(
    at keyPath: AnyKeyPath,
    except rows: IdentifiedArray<ID, Row>,
  ) -> Self {
    let scope = NavigationIDPath.Scope(keyPath)
    // Sound: the rows are looked at once more, right after the reducer has returned them.
    let rows = UncheckedSendable(rows)
    return Self(
      .resolve { registry in
        registry.cancelChildren(at: scope) { (id: ID) in rows.value.contains(id: id) }
        return .none
      }
    )
  }
}
