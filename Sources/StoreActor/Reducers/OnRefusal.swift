extension Reducer {
  /// Decides the outcome of an action when this reducer refuses it.
  ///
  /// ```swift
  /// Scope(\.queue, action: \.queue) { JobQueue() }
  ///   .onRefusal { state, _, refusal in
  ///     state.reasons.append(refusal.reason)
  ///     return .none
  ///   }
  /// ```
  ///
  /// The function receives the state as it was before this reducer ran; the changes of shared
  /// values and of children's ids are reverted, too. It decides the outcome: the action is refused
  /// if it returns `.refuse(refusal)` or another refusal. Otherwise the action is accepted, with
  /// the function's changes and effects, and the reducers that follow in a list run.
  ///
  /// - Parameter body: Changes the state, and returns the effects that follow.
  /// - Returns: The reducer.
  public func onRefusal(
    _ body:
      @escaping (
        _ state: inout State, _ action: Action, _ refusal: Refusal
      ) -> Effect<Action>
  ) -> _RefusalReducer<Self> {
    _RefusalReducer(base: self, body: body)
  }
}

/// The result of ``Reducer/onRefusal(_:)``.
public struct _RefusalReducer<Base: Reducer>: Reducer {
  private let base: Reduce<Base.State, Base.Action>
  private let onRefusal: (inout Base.State, Base.Action, Refusal) -> Effect<Base.Action>

  init(
    base: Base,
    body: @escaping (inout Base.State, Base.Action, Refusal) -> Effect<Base.Action>,
  ) {
    self.base = base._prepared()
    onRefusal = body
  }

  /// Runs the base reducer, and the function if it refuses.
  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    let before = state
    let part = StepPart()
    let effect = base.reduce(&state, action)
    part.end(isKept: !effect.isRefusal)
    guard case .refuse(let refusal) = effect.operation else { return effect }
    state = before
    return onRefusal(&state, action, refusal)
  }

  /// Passes the restoration to the base reducer.
  public func _restored(
    _ state: inout Base.State,
    _ restoration: Restoration,
  ) -> Effect<Base.Action> {
    base._restored(&state, restoration)
  }
}
