extension Reducer {
  /// Runs a function when the feature's daemon has restarted, with the interrupted effects.
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
  /// A daemon with a journal runs it at each start, before clients may connect, also after a clean
  /// stop. It is a part of the first revision, in which `@DurableIgnored` properties have their
  /// defaults again. An interrupted effect may have completed its work if the daemon ended before
  /// the effect's end was recorded: its work is done at least once.
  ///
  /// Children run it before their parents. In a list or a stack, only elements with interrupted
  /// effects run it.
  ///
  /// - Parameter body: Changes the state, and returns the effects that follow.
  /// - Returns: The reducer.
  public func onRestored(
    _ body: @escaping (_ state: inout State, _ restoration: Restoration) -> Effect<Action>
  ) -> _RestoredReducer<Self> {
    _RestoredReducer(base: self, tell: body, isForEachStart: false)
  }

  /// Runs a function when the feature's daemon starts, for the first time or again.
  ///
  /// ```swift
  /// Reduce { state, action in
  ///   …
  /// }
  /// .onStart { state, start in
  ///   if start.isFirst { state.openedAt = date.now }
  ///   return .run(name: "poll") { send in
  ///     …
  ///   }
  /// }
  /// ```
  ///
  /// It is a part of the first revision, before clients may connect. A daemon without a journal has
  /// no earlier one, so each of its starts is the first. A daemon that ends before this revision is
  /// kept starts for the first time again. A store without a daemon does not run it.
  ///
  /// For the root, and for children that every state has: in a list or a stack, only elements with
  /// interrupted effects run it. It runs after ``onRestored(_:)`` of the reducer that it modifies.
  ///
  /// - Parameter body: Changes the state, and returns the effects that follow.
  /// - Returns: The reducer.
  public func onStart(
    _ body: @escaping (_ state: inout State, _ start: Restoration) -> Effect<Action>
  ) -> _RestoredReducer<Self> {
    _RestoredReducer(base: self, tell: body, isForEachStart: true)
  }
}

/// The result of ``Reducer/onRestored(_:)`` and ``Reducer/onStart(_:)``.
public struct _RestoredReducer<Base: Reducer>: Reducer {
  @usableFromInline let base: Reduce<Base.State, Base.Action>
  private let tell: (inout Base.State, Restoration) -> Effect<Base.Action>
  /// Whether the closure also runs at a start that is no restart.
  private let isForEachStart: Bool

  init(
    base: Base,
    tell: @escaping (inout Base.State, Restoration) -> Effect<Base.Action>,
    isForEachStart: Bool,
  ) {
    self.base = base._prepared()
    self.tell = tell
    self.isForEachStart = isForEachStart
  }

  /// Runs the base reducer.
  @inlinable
  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    base.reduce(&state, action)
  }

  /// Passes the restoration to the base reducer, then calls the closure.
  public func _restored(
    _ state: inout Base.State,
    _ restoration: Restoration,
  ) -> Effect<Base.Action> {
    let effects = base._restored(&state, restoration)
    guard restoration.informs, isForEachStart || restoration.isRestart else { return effects }
    EffectPlace.current.registry.hasStarted = true
    let path = restoration.place + [isForEachStart ? "onStart" : "onRestored"]
    let before = state
    let part = StepPart()
    let following = tell(&state, restoration)
    part.end(isKept: !following.isRefusal)
    if case .refuse(let refusal) = following.operation {
      reportLateRefusal(refusal)
      state = before
      return effects
    }
    return effects.merge(with: following.mapRuns { $0.beginning(at: path) })
  }
}
