/// A view that has a store and may send actions to it.
///
/// `@ViewState` makes a view one.
@MainActor
public protocol ActionSendable<Reducer> {
  /// What the actions are sent to.
  associatedtype Reducer: ReducerProtocol<Self>
  /// The view's state in one value.
  associatedtype ViewState: ViewStateProtocol<Self>

  /// The store.
  var store: Store<Reducer> { get }
}

extension ActionSendable {
  /// Sends an action: the view's state includes it when this returns.
  ///
  /// - Returns: What follows from it; wait for its effects, or cancel them.
  @discardableResult
  public func send(_ action: Reducer.ViewAction) -> SendTask {
    store.send(Reducer.Action(viewAction: action), target: self)
  }

  /// Forwards every action of this view's store to a parent's, as an action of the parent.
  ///
  /// The states of the two are not nested: the parent hears of its child's actions, after they have
  /// been reduced, and that is all.
  ///
  /// - Parameters:
  ///   - casePath: The case of the parent's action that holds the child's.
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

  /// Forwards every action of this view's store to a parent's, with an id that tells which of
  /// several children sent it.
  ///
  /// - Parameters:
  ///   - casePath: The case of the parent's action that holds an id and a child's action.
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
