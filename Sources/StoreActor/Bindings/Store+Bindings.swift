import CustomDump
import IssueReporting
import Synchronization

extension Store where Action: BindableAction, Action.State == State {
  /// A property of the feature's state; setting it sends the action that sets it.
  ///
  /// `store.name = "Blob"` is `store.send(.binding(.set(\.name, "Blob")))`, and so needs a
  /// ``BindingReducer`` in the feature.
  public subscript<Value: Equatable & Sendable>(
    dynamicMember keyPath: WritableKeyPath<State, Value>
  ) -> Value {
    get { observed(keyPath) }
    set { set(keyPath, newValue) { .binding($0) } }
  }
}

extension Store
where Action: ViewAction, Action.ViewAction: BindableAction, Action.ViewAction.State == State {
  /// A property of the feature's state; setting it sends the view's action that sets it.
  ///
  /// `store.name = "Blob"` is `store.send(.view(.binding(.set(\.name, "Blob"))))`, and so needs a
  /// `BindingReducer(action: \.view)` in the feature.
  public subscript<Value: Equatable & Sendable>(
    dynamicMember keyPath: WritableKeyPath<State, Value>
  ) -> Value {
    get { observed(keyPath) }
    set { set(keyPath, newValue) { .view(.binding($0)) } }
  }
}

extension Store {
  /// Sends the setting of a property, and reports one that no reducer of this process has made.
  private func set<Value: Equatable & Sendable>(
    _ keyPath: WritableKeyPath<State, Value>,
    _ value: Value,
    embed: (BindingAction<State>) -> Action,
  ) {
    let handling = BindingHandling()
    var binding = BindingAction<State>.set(keyPath, value)
    binding.handling = handling
    let action = embed(binding)
    let task = send(action)
    if task.isReducedHere, !handling.isHandled.load(ordering: .relaxed) {
      reportUnhandledBinding(action, of: State.self)
    }
  }
}

private func reportUnhandledBinding<Action, State>(_ action: Action, of _: State.Type) {
  var dump = ""
  customDump(action, to: &dump, indent: 4)
  reportIssue(
    """
    A property of "\(State.self)" was assigned to through a store, but no "BindingReducer" has set \
    it.

      Action:
    \(dump)

    The state is as it was. Put a "BindingReducer()" into the feature's body, first of all; where \
    only one case of the action is bindable, "BindingReducer(action: \\.view)".
    """
  )
}
