import StoreState

/// A core of a part of another core's state that may go.
///
/// While its child is there it forwards. When the child has gone, or another child has come in its
/// place, it keeps the state it saw last, so that whoever still reads it sees something that once
/// was true, and it says that it is invalid.
@MainActor
final class OptionalCore<Base: StoreCore, State, Action>: StoreCore {
  private let base: Base
  private let path: KeyPath<Base, State?>
  private let action: AnyCasePath<Base.Action, Action>
  private let identity: ChildIdentity<State>
  private let id: AnyHashable
  private var last: State

  /// A core of the child that is there now; nil when there is none.
  init?(base: Base, path: KeyPath<Base, State?>, action: AnyCasePath<Base.Action, Action>) {
    guard let state = base[keyPath: path] else { return nil }
    self.base = base
    self.path = path
    self.action = action
    identity = ChildIdentity(.idOnly)
    id = identity(state)
    last = state
  }

  private var current: State? {
    guard let state = base[keyPath: path] else { return nil }
    // Comparing identities costs far more than comparing bits.
    return haveSameMemory(state, last) || identity(state) == id ? state : nil
  }

  var state: State {
    if let state = current { last = state }
    return last
  }

  var isInvalid: Bool { base.isInvalid || current == nil }

  func send(_ action: Action) -> StoreTask {
    base.send(self.action.embed(action))
  }

  func observeChanges(_ onChange: @escaping @MainActor () -> Void) -> StoreSubscription {
    base.observeChanges(onChange)
  }

  /// Only while the child is there: what it puts out together with its end is its parent's.
  func observeOutputs(
    _ onOutput: @escaping @MainActor (StoreOutput<Action>) -> Void
  ) -> StoreSubscription {
    base.observeOutputs { [weak self] output in
      guard let self, current != nil else { return }
      if let output = output.narrowed(to: action) { onOutput(output) }
    }
  }
}
