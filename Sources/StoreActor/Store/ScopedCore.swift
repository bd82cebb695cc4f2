/// A core of a part of another core's state; it holds no state and forwards everything.
///
/// A scope of a scope has the same base and a longer path, so that reading costs one key path from
/// the base at any depth.
@MainActor
final class ScopedCore<Base: StoreCore, State, Action>: StoreCore {
  private let base: Base
  private let path: KeyPath<Base, State>
  private let action: AnyCasePath<Base.Action, Action>

  init(base: Base, path: KeyPath<Base, State>, action: AnyCasePath<Base.Action, Action>) {
    self.base = base
    self.path = path
    self.action = action
  }

  var state: State { base[keyPath: path] }

  var isInvalid: Bool { base.isInvalid }

  func send(_ action: Action) -> StoreTask {
    base.send(self.action.embed(action))
  }

  func observeChanges(_ onChange: @escaping @MainActor () -> Void) -> StoreSubscription {
    base.observeChanges(onChange)
  }

  func observeOutputs(
    _ onOutput: @escaping @MainActor (StoreOutput<Action>) -> Void
  ) -> StoreSubscription {
    base.observeOutputs { [action] output in
      if let output = output.narrowed(to: action) { onOutput(output) }
    }
  }

  func scoped<ChildState, ChildAction>(
    state: KeyPath<State, ChildState>,
    action: AnyCasePath<Action, ChildAction>,
  ) -> any StoreCore<ChildState, ChildAction> {
    ScopedCore<Base, ChildState, ChildAction>(
      base: base,
      path: path.appending(path: state),
      action: self.action.appending(action),
    )
  }

  func scoped<ChildState, ChildAction>(
    optional state: KeyPath<State, ChildState?>,
    action: AnyCasePath<Action, ChildAction>,
  ) -> (any StoreCore<ChildState, ChildAction>)? {
    OptionalCore<Base, ChildState, ChildAction>(
      base: base,
      path: path.appending(path: state),
      action: self.action.appending(action),
    )
  }
}
