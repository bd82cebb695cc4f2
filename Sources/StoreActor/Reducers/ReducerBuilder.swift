/// Combines the list of reducers in a `body` into one reducer that runs them in order.
@resultBuilder
public enum ReducerBuilder<State, Action> {
  /// Takes a reducer unchanged.
  @inlinable
  public static func buildExpression<R: Reducer<State, Action>>(_ expression: R) -> R {
    expression
  }

  /// Takes a reducer with a hidden type.
  @inlinable
  @_disfavoredOverload
  public static func buildExpression(
    _ expression: any Reducer<State, Action>
  ) -> Reduce<State, Action> {
    Reduce(expression)
  }

  /// An empty list becomes an empty reducer.
  @inlinable
  public static func buildBlock() -> EmptyReducer<State, Action> {
    EmptyReducer()
  }

  /// A list of one reducer becomes that reducer.
  @inlinable
  public static func buildBlock<R: Reducer<State, Action>>(_ reducer: R) -> R {
    reducer
  }

  /// The first of a list.
  @inlinable
  public static func buildPartialBlock<R: Reducer<State, Action>>(first: R) -> R {
    first
  }

  /// The next reducer of a list runs after the previous ones.
  @inlinable
  public static func buildPartialBlock<
    R0: Reducer<State, Action>,
    R1: Reducer<State, Action>,
  >(accumulated: R0, next: R1) -> _Sequence<R0, R1> {
    _Sequence(accumulated, next)
  }

  /// The first branch of an `if` with `else`, or of a `switch`.
  @inlinable
  public static func buildEither<
    R0: Reducer<State, Action>,
    R1: Reducer<State, Action>,
  >(first reducer: R0) -> _Conditional<R0, R1> {
    BodyEvaluation.noteChoice()
    return .first(reducer)
  }

  /// The second branch of an `if` with `else`, or of a `switch`.
  @inlinable
  public static func buildEither<
    R0: Reducer<State, Action>,
    R1: Reducer<State, Action>,
  >(second reducer: R1) -> _Conditional<R0, R1> {
    BodyEvaluation.noteChoice()
    return .second(reducer)
  }

  /// An `if` without `else`.
  @inlinable
  public static func buildOptional<R: Reducer<State, Action>>(_ wrapped: R?) -> R? {
    BodyEvaluation.noteChoice()
    return wrapped
  }

  /// A `for` loop.
  @inlinable
  public static func buildArray<R: Reducer<State, Action>>(_ reducers: [R]) -> _SequenceMany<R> {
    BodyEvaluation.noteChoice()
    return _SequenceMany(reducers)
  }

  /// An `if #available`.
  @inlinable
  public static func buildLimitedAvailability<R: Reducer<State, Action>>(
    _ wrapped: R
  ) -> Reduce<State, Action> {
    Reduce(wrapped)
  }

  /// The list as a whole.
  @inlinable
  public static func buildFinalResult<R: Reducer<State, Action>>(_ reducer: R) -> R {
    reducer
  }
}

extension ReducerBuilder {
  /// One of two reducers.
  public enum _Conditional<First: Reducer, Second: Reducer<First.State, First.Action>>: Reducer {
    /// The first branch.
    case first(First)

    /// The second branch.
    case second(Second)

    /// Runs the selected branch.
    @inlinable
    public func reduce(
      into state: inout First.State,
      action: First.Action,
    ) -> Effect<First.Action> {
      switch self {
      case .first(let first): first._reduce(into: &state, action: action)
      case .second(let second): second._reduce(into: &state, action: action)
      }
    }

    /// Passes the restoration to the selected branch.
    public func _restored(
      _ state: inout First.State,
      _ restoration: Restoration,
    ) -> Effect<First.Action> {
      switch self {
      case .first(let first): first._restored(&state, restoration)
      case .second(let second): second._restored(&state, restoration)
      }
    }

    /// The selected branch, as a ``Reduce``.
    @inlinable
    public func _prepared() -> Reduce<First.State, First.Action> {
      switch self {
      case .first(let first): first._prepared()
      case .second(let second): second._prepared()
      }
    }
  }

  /// Two reducers, one after the other.
  public struct _Sequence<R0: Reducer, R1: Reducer<R0.State, R0.Action>>: Reducer {
    @usableFromInline let r0: R0
    @usableFromInline let r1: R1

    @usableFromInline
    init(_ r0: R0, _ r1: R1) {
      self.r0 = r0
      self.r1 = r1
    }

    /// Runs both in order and merges their effects.
    @inlinable
    public func reduce(into state: inout R0.State, action: R0.Action) -> Effect<R0.Action> {
      let first = r0._reduce(into: &state, action: action)
      // The first effect is usually empty; then the second is returned without a copy.
      if first.isNone { return r1._reduce(into: &state, action: action) }
      if first.isRefusal { return first }
      return first.merge(with: r1._reduce(into: &state, action: action))
    }

    /// Passes the restoration to both.
    public func _restored(
      _ state: inout R0.State,
      _ restoration: Restoration,
    ) -> Effect<R0.Action> {
      let first = r0._restored(&state, restoration)
      return first.merge(with: r1._restored(&state, restoration))
    }

    /// Both as one ``Reduce``.
    @inlinable
    public func _prepared() -> Reduce<R0.State, R0.Action> {
      let r0 = r0._prepared()
      let r1 = r1._prepared()
      // Only the functions: a copy of a Reduce retains both of its functions.
      let (reduce0, reduce1) = (r0.reduce, r1.reduce)
      return Reduce { state, action in
        let first = reduce0(&state, action)
        if first.isNone { return reduce1(&state, action) }
        if first.isRefusal { return first }
        return first.merge(with: reduce1(&state, action))
      } restored: { state, restoration in
        let first = r0._restored(&state, restoration)
        return first.merge(with: r1._restored(&state, restoration))
      }
    }
  }

  /// Any number of reducers of one type, one after the other.
  public struct _SequenceMany<Element: Reducer>: Reducer {
    @usableFromInline let reducers: [Reduce<Element.State, Element.Action>]

    @usableFromInline
    init(_ reducers: [Element]) {
      self.reducers = reducers.map { $0._prepared() }
    }

    /// Runs all in order and merges their effects.
    @inlinable
    public func reduce(
      into state: inout Element.State,
      action: Element.Action,
    ) -> Effect<Element.Action> {
      var effects = Effect<Element.Action>.none
      for reducer in reducers {
        effects = effects.merge(with: reducer.reduce(&state, action))
        if effects.isRefusal { break }
      }
      return effects
    }

    /// Passes the restoration to all of them.
    public func _restored(
      _ state: inout Element.State,
      _ restoration: Restoration,
    ) -> Effect<Element.Action> {
      reducers.reduce(.none) { $0.merge(with: $1._restored(&state, restoration)) }
    }
  }
}
