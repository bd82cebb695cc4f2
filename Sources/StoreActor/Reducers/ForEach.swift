public import StoreState

extension Reducer {
  /// Runs a child feature on each row of a list, or on each element of a navigation stack.
  ///
  /// ```swift
  /// var body: some ReducerOf<Self> {
  ///   Reduce { state, action in … }
  ///     .forEach(\.rows, action: \.rows) {
  ///       Row()
  ///     }
  ///     .forEach(\.path, action: \.path) {
  ///       Detail()
  ///     }
  /// }
  /// ```
  ///
  /// - An element runs before this reducer, so that it handles its action while it is present.
  /// - When an element is removed, its effects and those of its presented children are cancelled.
  /// - An action for an absent element is reported; only this reducer handles it.
  ///
  /// An element of a stack can pop itself, and all elements above it, with
  /// `@Dependency(\.dismiss)`. At `popFrom` this reducer runs before the pop. At `push` it runs
  /// with the element on the stack.
  ///
  /// - `toElementsState`: The list, or the stack.
  /// - `toElementsAction`: The case of the action that holds the rows', or the stack's.
  /// - `element`: The feature of one element.
  @inlinable
  public func forEach<
    Elements: IdentifiedArrayOrStackState,
    ElementsAction: IdentifiedOrStackAction,
    Element: Reducer<Elements._ChildState, ElementsAction._ElementAction>,
  >(
    _ toElementsState: WritableKeyPath<State, Elements>,
    action toElementsAction: CaseKeyPath<Action, ElementsAction>,
    @ReducerBuilder<Elements._ChildState, ElementsAction._ElementAction> element: () -> Element,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Reduce<State, Action> where Elements._ElementsForm == ElementsAction._ElementsForm {
    running(
      element(),
      onEachOf: toElementsState,
      action: AnyCasePath(toElementsAction),
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Runs the features of an enum, `@Reducer enum Path`, on each row of a list or on each element
  /// of a navigation stack.
  ///
  /// - `toElementsState`: The list, or the stack.
  /// - `toElementsAction`: The case of the action that holds the rows', or the stack's.
  @inlinable
  public func forEach<
    Elements: IdentifiedArrayOrStackState,
    ElementsAction: IdentifiedOrStackAction,
  >(
    _ toElementsState: WritableKeyPath<State, Elements>,
    action toElementsAction: CaseKeyPath<Action, ElementsAction>,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) -> Reduce<State, Action>
  where
    Elements._ElementsForm == ElementsAction._ElementsForm,
    Elements._ChildState: CaseReducerState,
    Elements._ChildState.StateReducer.Action == ElementsAction._ElementAction
  {
    running(
      Elements._ChildState.StateReducer.body,
      onEachOf: toElementsState,
      action: AnyCasePath(toElementsAction),
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Adds children to this reducer, by the form in which they are held.
  ///
  /// Exactly one form matches, as the forms of state and action are the same.
  @inlinable
  package func running<Elements, ElementsAction: IdentifiedOrStackAction, Element: Reducer>(
    _ element: Element,
    onEachOf state: WritableKeyPath<State, Elements>,
    action: AnyCasePath<Action, ElementsAction>,
    location: IssueLocation,
  ) -> Reduce<State, Action> {
    if let state = state
      as? WritableKeyPath<State, IdentifiedArray<ElementsAction._ElementID, Element.State>>,
      let action = action
        as? AnyCasePath<
          Action, IdentifiedAction<ElementsAction._ElementID, Element.Action>
        >
    {
      return _ForEachReducer(
        parent: self,
        element: element,
        state: state,
        action: action,
        location: location,
      )
      ._prepared()
    }
    guard let state = state as? WritableKeyPath<State, StackState<Element.State>>,
      let action = action as? AnyCasePath<Action, StackAction<Element.State, Element.Action>>
    else {
      preconditionFailure("\(Elements.self) and \(ElementsAction.self) hold no \(Element.self)")
    }
    return _StackReducer(
      parent: self,
      child: element,
      state: state,
      action: action,
      location: location,
    )
    ._prepared()
  }
}

/// The result of `forEach` on a list.
public struct _ForEachReducer<Parent: Reducer, ID: Hashable & Sendable, Element: Reducer>: Reducer {
  @usableFromInline let parent: Reduce<Parent.State, Parent.Action>
  @usableFromInline let element: Reduce<Element.State, Element.Action>
  @usableFromInline let state: WritableKeyPath<Parent.State, IdentifiedArray<ID, Element.State>>
  @usableFromInline
  let action: AnyCasePath<Parent.Action, IdentifiedAction<ID, Element.Action>>
  @usableFromInline let path: ChildrenPath
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
    path = ChildrenPath(state)
    self.action = action
    self.location = location
  }

  /// Runs the row, then the parent, and ends the effects of removed rows.
  @inlinable
  public func reduce(
    into state: inout Parent.State,
    action: Parent.Action,
  ) -> Effect<Parent.Action> {
    let elementEffects = reduceElement(into: &state, action: action)
    if elementEffects.isRefusal { return elementEffects }
    let effects = elementEffects.merge(with: parent.reduce(&state, action))
    return effects.endingChildren(at: path, started: elementEffects) { (id: ID) in
      state[keyPath: self.state].contains(id: id)
    }
  }

  @inlinable
  func reduceElement(
    into state: inout Parent.State,
    action: Parent.Action,
  ) -> Effect<Parent.Action> {
    guard case .element(let id, let elementAction)? = self.action.extract(from: action) else {
      return .none
    }
    let place = ChildPlace(at: path, id: id)
    var effects = Effect<Element.Action>.none
    var isPresent = false
    place.run {
      isPresent = state[keyPath: self.state][id: id].modifyIfPresent {
        effects = element.reduce(&$0, elementAction)
      }
    }
    if !isPresent { reportAbsentChild(.forEach(id: "\(id)"), action: elementAction, at: location) }
    if effects.isNone { return .none }
    return effects.ofChild(at: place) { [action = self.action] in
      action.embed(.element(id: id, action: $0))
    }
  }

  /// Passes the restoration to rows with interrupted effects, then to the parent.
  public func _restored(
    _ state: inout Parent.State,
    _ restoration: Restoration,
  ) -> Effect<Parent.Action> {
    var elementEffects = Effect<Parent.Action>.none
    let elements = restoration.narrowed(to: action.name).elements
    for id in elements.isEmpty ? [] : Array(state[keyPath: self.state].ids) {
      guard let restoration = elements["\(id)"] else { continue }
      let place = ChildPlace(at: path, id: id)
      var effects = Effect<Element.Action>.none
      place.run {
        _ = state[keyPath: self.state][id: id].modifyIfPresent {
          effects = element.restoreChild(&$0, restoration)
        }
      }
      elementEffects = elementEffects.merge(
        with: effects.ofChild(at: place) { [action] in action.embed(.element(id: id, action: $0)) }
      )
    }
    let effects = elementEffects.merge(with: parent._restored(&state, restoration))
    return effects.endingChildren(at: path, started: elementEffects) { (id: ID) in
      state[keyPath: self.state].contains(id: id)
    }
  }
}
