/// A core of a part of another core's state: it shows a node of the tree and forwards actions.
///
/// A part of a part has the same base and a longer path of actions, so the cost of sending is the
/// same at any depth.
@MainActor
final class ChildCore<Base: StoreCore, State, Action>: StoreCore {
  let node: StoreNode<State>
  private let base: Base
  private let action: AnyCasePath<Base.Action, Action>
  /// The nearest part that may become absent together with this one; nil if no part can.
  private let mayGo: AnyStoreNode?
  /// Holds the nodes above.
  private let above: (node: AnyStoreNode?, core: AnyObject)

  init(
    base: Base,
    action: AnyCasePath<Base.Action, Action>,
    node: StoreNode<State>,
    of parent: AnyObject,
  ) {
    self.base = base
    self.action = action
    self.node = node
    mayGo = node.nearestThatMayGo
    above = (node.parent, parent)
  }

  func send(_ action: Action) -> StoreTask {
    forward(action) { base.send($0) }
  }

  func sendIfUnchanged(_ action: Action) -> StoreTask {
    forward(action) { base.sendIfUnchanged($0) }
  }

  private func forward(_ action: Action, _ send: (Base.Action) -> StoreTask) -> StoreTask {
    guard let mayGo, mayGo.end == .gone else { return send(self.action.embed(action)) }
    // In a client this is expected: a daemon's state changes at any time.
    if base is RootCore<Base.State, Base.Action> { reportEndedStore(of: State.self, action) }
    return .forNobody
  }

  func observeChanges(_ onChange: @escaping @MainActor () -> Void) -> StoreSubscription {
    base.observeChanges(onChange)
  }

  /// Observes while the child is present: an output at the child's end belongs to its parent.
  func observeOutputs(
    _ onOutput: @escaping @MainActor (StoreOutput<Action>) -> Void
  ) -> StoreSubscription {
    base.observeOutputs { [action, weak node] output in
      guard let node, node.end == nil else { return }
      if let output = output.narrowed(to: action) { onOutput(output) }
    }
  }

  func child<ChildState, ChildAction>(
    _ node: StoreNode<ChildState>,
    _ action: AnyCasePath<Action, ChildAction>,
  ) -> any StoreCore<ChildState, ChildAction> {
    ChildCore<Base, ChildState, ChildAction>(
      base: base,
      action: self.action.appending(action),
      node: node,
      of: self,
    )
  }
}
