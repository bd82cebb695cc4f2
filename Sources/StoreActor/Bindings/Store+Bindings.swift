import CustomDump
import IssueReporting
import Synchronization

extension Store where Action: BindableAction, Action.State == State {
  /// A property of the feature's state; setting it sends the corresponding action.
  ///
  /// `store.name = "Blob"` is `store.send(.binding(.set(\.name, "Blob")))`, and so requires a
  /// ``BindingReducer`` in the feature.
  ///
  /// If the feature is in another process, this shows a set value until its outcome is known, so
  /// that a text field does not lose input. ``state``, streams and all other readers show the
  /// daemon's value.
  public subscript<Value: Equatable & Sendable>(
    dynamicMember keyPath: WritableKeyPath<State, Value>
  ) -> Value {
    get { bound(keyPath) }
    set { set(keyPath, newValue) { .binding($0) } }
  }
}

extension Store
where Action: ViewAction, Action.ViewAction: BindableAction, Action.ViewAction.State == State {
  /// A property of the feature's state; setting it sends the corresponding action of the view.
  ///
  /// `store.name = "Blob"` is `store.send(.view(.binding(.set(\.name, "Blob"))))`, and so requires
  /// a `BindingReducer(action: \.view)` in the feature.
  public subscript<Value: Equatable & Sendable>(
    dynamicMember keyPath: WritableKeyPath<State, Value>
  ) -> Value {
    get { bound(keyPath) }
    set { set(keyPath, newValue) { .view(.binding($0)) } }
  }
}

extension Store {
  /// The value that a binding shows.
  private func bound<Value>(_ keyPath: KeyPath<State, Value>) -> Value {
    guard node.tree.isElsewhere else { return observed(keyPath) }
    if ObservationProbe.isTracking { node.noteBinding(keyPath) }
    return node.pendingValue(at: keyPath) ?? node.state[keyPath: keyPath]
  }

  /// Shows a value in a binding until the outcome of its action is known.
  ///
  /// The node and those above it live until then.
  private func show<Value>(
    _ value: Value,
    at keyPath: KeyPath<State, Value>,
    until task: StoreTask,
  ) {
    let number = node.addPending(value, at: keyPath)
    task.whenSettled { [core] in core.node.removePending(number) }
  }

  /// Sends the setting of a property, and reports a setting that no reducer of this
  /// process handled.
  private func set<Value: Equatable & Sendable>(
    _ keyPath: WritableKeyPath<State, Value>,
    _ value: Value,
    embed: (BindingAction<State>) -> Action,
  ) {
    // A text field sets its value again when its screen closes: then there is no state to set.
    guard node.end == nil else { return }
    let handling = BindingHandling()
    var binding = BindingAction<State>.set(keyPath, value)
    binding.handling = handling
    let action = embed(binding)
    let task = send(action)
    if !task.isReducedHere { show(value, at: keyPath, until: task) }
    // A queued action is not reduced yet; sending it while reducers run was reported.
    if task.isReducedHere, !task.isQueued, !handling.isHandled.load(ordering: .relaxed) {
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
    it. …

      Action:
    \(dump)

    The state is as it was.

    To fix, put a "BindingReducer()" into the feature's body, first of all; where only one case of \
    the action is bindable, "BindingReducer(action: \\.view)".
    """
  )
}
