extension Reducer {
  /// Runs a function when this reducer has changed a value.
  ///
  /// ```swift
  /// Reduce { state, action in … }
  ///   .onChange(of: \.query) { oldValue, state in
  ///     state.isSearching = !state.query.isEmpty
  ///     return .send(.search)
  ///   }
  /// ```
  ///
  /// It sees only changes by the reducer to which it is attached. The value is compared at every
  /// action: choose one whose comparison is fast.
  ///
  /// - Parameters:
  ///   - toValue: The value that is compared before and after.
  ///   - perform: Called with the old value and the state when they differ.
  /// - Returns: This reducer and the function as one.
  @inlinable
  public func onChange<V: Equatable>(
    of toValue: @escaping (State) -> V,
    _ perform: @escaping (_ oldValue: V, _ state: inout State) -> Effect<Action>,
  ) -> some Reducer<State, Action> {
    _OnChangeReducer(base: self, toValue: toValue, isDuplicate: ==) { old, _, state, _ in
      perform(old, &state)
    }
  }

  /// Runs a reducer when this reducer has changed a value.
  ///
  /// - Parameters:
  ///   - toValue: The value that is compared before and after.
  ///   - reducer: Creates the reducer from the old value and the new one.
  /// - Returns: This reducer and the other one as one.
  @inlinable
  public func onChange<V: Equatable, R: Reducer<State, Action>>(
    of toValue: @escaping (State) -> V,
    @ReducerBuilder<State, Action> _ reducer: @escaping (_ oldValue: V, _ newValue: V) -> R,
  ) -> some Reducer<State, Action> {
    onChange(of: toValue, removeDuplicates: ==, reducer)
  }

  /// Runs a reducer when this reducer has changed a value, as a function determines it.
  ///
  /// - Parameters:
  ///   - toValue: The value that is compared before and after.
  ///   - isDuplicate: Whether two values count as the same.
  ///   - reducer: Creates the reducer from the old value and the new one.
  /// - Returns: This reducer and the other one as one.
  @inlinable
  public func onChange<V, R: Reducer<State, Action>>(
    of toValue: @escaping (State) -> V,
    removeDuplicates isDuplicate: @escaping (V, V) -> Bool,
    @ReducerBuilder<State, Action> _ reducer: @escaping (_ oldValue: V, _ newValue: V) -> R,
  ) -> some Reducer<State, Action> {
    _OnChangeReducer(base: self, toValue: toValue, isDuplicate: isDuplicate) {
      old,
      new,
      state,
      action in
      reducer(old, new)._reduce(into: &state, action: action)
    }
  }
}

/// The result of `onChange`.
public struct _OnChangeReducer<Base: Reducer, Value>: Reducer {
  @usableFromInline typealias Perform = (Value, Value, inout Base.State, Base.Action) -> Effect<
    Base.Action
  >

  @usableFromInline let base: Reduce<Base.State, Base.Action>
  @usableFromInline let toValue: (Base.State) -> Value
  @usableFromInline let isDuplicate: (Value, Value) -> Bool
  @usableFromInline let perform: Perform

  @usableFromInline
  init(
    base: Base,
    toValue: @escaping (Base.State) -> Value,
    isDuplicate: @escaping (Value, Value) -> Bool,
    perform: @escaping Perform,
  ) {
    self.base = base._prepared()
    self.toValue = toValue
    self.isDuplicate = isDuplicate
    self.perform = perform
  }

  /// Runs the reducer, and the function after a change.
  @inlinable
  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    let oldValue = value(of: state)
    let effects = base.reduce(&state, action)
    if effects.isRefusal { return effects }
    let newValue = value(of: state)
    if isDuplicate(oldValue, newValue) { return effects }
    return effects.merge(with: perform(oldValue, newValue, &state, action))
  }

  /// The present value, with updated shared values.
  @usableFromInline
  func value(of state: Base.State) -> Value {
    var value = toValue(state)
    SharedStates.updateSnapshots(&value)
    return value
  }

  /// Passes the restoration to the base reducer.
  public func _restored(
    _ state: inout Base.State,
    _ restoration: Restoration,
  ) -> Effect<Base.Action> {
    base._restored(&state, restoration)
  }
}
