/// The state that a reducer changes: the view's, by the names of its properties, and the reducer's
/// private state in ``reducerState``.
@dynamicMemberLookup
public final class StateContainer<Target: ActionSendable> {
  private let source: Source
  private let places: [PartialKeyPath<Target.ViewState>: PartialKeyPath<Target>]
  private var viewState: Target.ViewState?
  private(set) var ownState: Target.Reducer.ReducerState?

  private enum Source {
    /// The view itself: changes apply to its `@State` properties.
    case view(Target)
    /// A value, in which a test states the expected state.
    case value
  }

  /// Creates a container of a view.
  @MainActor
  init(of target: Target, reducerState: Target.Reducer.ReducerState?) {
    source = .view(target)
    places = Target.ViewState.keyPathMap
    ownState = reducerState
  }

  /// Creates a container of a value.
  init(of state: SimplexState<Target>) {
    source = .value
    places = [:]
    viewState = state.viewState
    ownState = state.reducerState
  }

  /// The contained values; the view's state is nil for a container of a view.
  var value: SimplexState<Target> {
    SimplexState(viewState: viewState, reducerState: ownState)
  }

  /// The reducer's private state.
  ///
  /// A change does not affect the view.
  public var reducerState: Target.Reducer.ReducerState {
    get {
      guard let ownState else { preconditionFailure(Self.missingReducerState) }
      return ownState
    }
    set { ownState = newValue }
  }

  /// A property of the view's state.
  public subscript<Value>(dynamicMember keyPath: WritableKeyPath<Target.ViewState, Value>) -> Value
  {
    get {
      switch source {
      case .view(let view): return view[keyPath: place(of: keyPath)]
      case .value:
        guard let viewState else { preconditionFailure("A container of a value has none.") }
        return viewState[keyPath: keyPath]
      }
    }
    set {
      switch source {
      case .view(let view): view[keyPath: place(of: keyPath)] = newValue
      case .value: viewState?[keyPath: keyPath] = newValue
      }
    }
  }

  private func place<Value>(
    of keyPath: WritableKeyPath<Target.ViewState, Value>
  ) -> ReferenceWritableKeyPath<Target, Value> {
    guard let place = places[keyPath] as? ReferenceWritableKeyPath<Target, Value> else {
      preconditionFailure(
        """
        '\(Target.ViewState.self)' has a property of type '\(Value.self)' without a place in \
        '\(Target.self)'. Its 'keyPathMap' has to lead to a '@State' of the view for each property.
        """
      )
    }
    return place
  }

  private static var missingReducerState: String {
    """
    '\(Target.Reducer.self)' has a 'ReducerState', but its store was made without one. Make it \
    with 'Store(reducer:initialReducerState:)'.
    """
  }
}

/// A store's state: its reducer's private state and, in a test, a copy of the view's.
package struct SimplexState<Target: ActionSendable> {
  var viewState: Target.ViewState?
  var reducerState: Target.Reducer.ReducerState?
}
