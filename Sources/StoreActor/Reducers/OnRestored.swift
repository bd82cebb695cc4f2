extension Reducer {
  /// Tells the feature that its daemon has started again, and which effects were interrupted.
  ///
  /// ```swift
  /// Reduce { state, action in
  ///   switch action {
  ///   case .saveButtonTapped:
  ///     state.isSaving = true
  ///     return .run(name: "save") { send in … }
  ///   …
  ///   }
  /// }
  /// .onRestored { state, restoration in
  ///   restoration.interrupted("save") ? .send(.saveButtonTapped) : .none
  /// }
  /// ```
  ///
  /// A daemon that keeps its state tells this at each start, before any client may connect, and
  /// after a clean stop too. It is a part of the first revision, in which `@DurableIgnored`
  /// properties have begun anew. An effect may have done its work and still be among the
  /// interrupted ones, when the daemon ended before its end was kept: what it does is done at least
  /// once.
  ///
  /// Children are told before their parents. Of a list, or of a stack, only those elements are told
  /// that had effects which were interrupted.
  ///
  /// - Parameter body: Changes the state, and returns the effects that follow.
  /// - Returns: The reducer.
  public func onRestored(
    _ body: @escaping (_ state: inout State, _ restoration: Restoration) -> Effect<Action>
  ) -> _RestoredReducer<Self> {
    _RestoredReducer(base: self, tell: body)
  }
}

/// What ``Reducer/onRestored(_:)`` makes.
public struct _RestoredReducer<Base: Reducer>: Reducer {
  @usableFromInline let base: Reduce<Base.State, Base.Action>
  private let tell: (inout Base.State, Restoration) -> Effect<Base.Action>

  init(base: Base, tell: @escaping (inout Base.State, Restoration) -> Effect<Base.Action>) {
    self.base = base._prepared()
    self.tell = tell
  }

  /// Runs the reducer that this one is made of.
  @inlinable
  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    base.reduce(&state, action)
  }

  /// Tells the reducer that this one is made of, then calls the closure.
  public func _restored(
    _ state: inout Base.State,
    _ restoration: Restoration,
  ) -> Effect<Base.Action> {
    let effects = base._restored(&state, restoration)
    let path = restoration.place + ["onRestored"]
    return effects.merge(with: tell(&state, restoration).mapRuns { $0.beginning(at: path) })
  }
}
