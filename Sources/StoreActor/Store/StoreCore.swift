/// The implementation of a ``Store``: the root of a tree of features, a part of another core, or a
/// replica of a scope in another process.
///
/// A core is used on the main actor only.
@MainActor
@usableFromInline
package protocol StoreCore<State, Action>: AnyObject {
  associatedtype State
  associatedtype Action

  /// The node of its state in a tree of stores.
  var node: StoreNode<State> { get }

  /// Sends an action. In process it has been reduced when this returns.
  @discardableResult
  func send(_ action: Action) -> StoreTask

  /// Sends an action that is applied only if the state is still the one that this core shows.
  @discardableResult
  func sendIfUnchanged(_ action: Action) -> StoreTask

  /// Calls a closure after each commit, until the subscription is cancelled or released.
  ///
  /// A core holds the closure for as long as both live; the closure should not hold the core.
  func observeChanges(_ onChange: @escaping @MainActor () -> Void) -> StoreSubscription

  /// Calls a closure for each output of this core, until the subscription is cancelled or released.
  func observeOutputs(
    _ onOutput: @escaping @MainActor (StoreOutput<Action>) -> Void
  ) -> StoreSubscription

  /// Creates a core of a part of this core's state.
  ///
  /// - Parameters:
  ///   - node: The part's node, below this core's.
  ///   - action: The case of this core's actions that holds the part's actions.
  /// - Returns: The part's core, which holds the nodes above.
  func child<ChildState, ChildAction>(
    _ node: StoreNode<ChildState>,
    _ action: AnyCasePath<Action, ChildAction>,
  ) -> any StoreCore<ChildState, ChildAction>
}

extension StoreCore {
  /// The state after the last commit.
  @usableFromInline
  package var state: State { node.state }

  /// In this process, no other state can precede the action.
  @usableFromInline
  @discardableResult
  package func sendIfUnchanged(_ action: Action) -> StoreTask { send(action) }

  @usableFromInline
  package func child<ChildState, ChildAction>(
    _ node: StoreNode<ChildState>,
    _ action: AnyCasePath<Action, ChildAction>,
  ) -> any StoreCore<ChildState, ChildAction> {
    ChildCore(base: self, action: action, node: node, of: self)
  }
}
