/// A view that has a store and may send actions to it.
///
/// The macro `@ViewState` adds the conformance to a view.
@MainActor
public protocol ActionSendable<Reducer> {
  /// The reducer that receives the actions.
  associatedtype Reducer: ReducerProtocol<Self>
  /// The view's state in one value.
  associatedtype ViewState: ViewStateProtocol<Self>

  /// The store to which the view sends.
  var store: Store<Reducer> { get }
}

extension ActionSendable {
  /// Sends an action.
  ///
  /// When this returns, the view's state includes the changes by the action.
  ///
  /// - Returns: A handle to wait for the action's effects, or to cancel them.
  @discardableResult
  public func send(_ action: Reducer.ViewAction) -> SendTask {
    store.send(Reducer.Action(viewAction: action), target: self)
  }

  /// Forwards each action of this view's store to a parent's store, as an action of the parent.
  ///
  /// The two states are not nested: the parent only receives its child's actions, after they have
  /// been reduced.
  ///
  /// - Parameters:
  ///   - casePath: The case of the parent's action that contains the child's.
  ///   - parent: The parent.
  /// - Returns: This view.
  @discardableResult
  public func pullback<Parent: ActionSendable>(
    to casePath: AnyCasePath<Parent.Reducer.Action, Reducer.Action>,
    parent: Parent,
  ) -> Self {
    store.forward { action in
      parent.store.send(casePath.embed(action), target: parent)
    }
    return self
  }

  /// Forwards each action of this view's store to a parent's store, with an id of the
  /// sending child.
  ///
  /// - Parameters:
  ///   - casePath: The case of the parent's action that contains an id and a child's action.
  ///   - parent: The parent.
  ///   - id: The id.
  /// - Returns: This view.
  @discardableResult
  public func pullback<Parent: ActionSendable, ID: Hashable>(
    to casePath: AnyCasePath<Parent.Reducer.Action, (ID, Reducer.Action)>,
    parent: Parent,
    id: ID,
  ) -> Self {
    store.forward { action in
      parent.store.send(casePath.embed((id, action)), target: parent)
    }
    return self
  }
}
