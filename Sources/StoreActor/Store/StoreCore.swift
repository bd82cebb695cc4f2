/// What a ``Store`` is a face of: the root of a tree of features, a part of another core, or a copy
/// of a scope that lives in another process.
///
/// A core is used on the main actor only. Its state is that of the last commit.
@MainActor
@usableFromInline
package protocol StoreCore<State, Action>: AnyObject {
  associatedtype State
  associatedtype Action

  /// The state after the last commit.
  var state: State { get }

  /// Whether what this is a core of is gone for good: an absent child, a closed connection.
  var isInvalid: Bool { get }

  /// Sends an action. In process it has been reduced when this returns.
  @discardableResult
  func send(_ action: Action) -> StoreTask

  /// Calls a closure after each commit, until the subscription is cancelled or let go.
  ///
  /// A core holds the closure for as long as both live; the closure should not hold the core.
  func observeChanges(_ onChange: @escaping @MainActor () -> Void) -> StoreSubscription

  /// Calls a closure for each output that belongs to this core, until the subscription is cancelled
  /// or let go. A core that hears of no outputs need not do anything.
  func observeOutputs(
    _ onOutput: @escaping @MainActor (StoreOutput<Action>) -> Void
  ) -> StoreSubscription

  /// A core of a part of this core's state.
  func scoped<ChildState, ChildAction>(
    state: KeyPath<State, ChildState>,
    action: AnyCasePath<Action, ChildAction>,
  ) -> any StoreCore<ChildState, ChildAction>

  /// A core of a part of this core's state that may be absent; nil when it is absent now.
  func scoped<ChildState, ChildAction>(
    optional state: KeyPath<State, ChildState?>,
    action: AnyCasePath<Action, ChildAction>,
  ) -> (any StoreCore<ChildState, ChildAction>)?
}

extension StoreCore {
  @usableFromInline
  package func observeOutputs(
    _: @escaping @MainActor (StoreOutput<Action>) -> Void
  ) -> StoreSubscription {
    StoreSubscription {}
  }

  @usableFromInline
  package func scoped<ChildState, ChildAction>(
    state: KeyPath<State, ChildState>,
    action: AnyCasePath<Action, ChildAction>,
  ) -> any StoreCore<ChildState, ChildAction> {
    let path: KeyPath<Self, State> = \.state
    return ScopedCore(base: self, path: path.appending(path: state), action: action)
  }

  @usableFromInline
  package func scoped<ChildState, ChildAction>(
    optional state: KeyPath<State, ChildState?>,
    action: AnyCasePath<Action, ChildAction>,
  ) -> (any StoreCore<ChildState, ChildAction>)? {
    let path: KeyPath<Self, State> = \.state
    return OptionalCore(base: self, path: path.appending(path: state), action: action)
  }
}
