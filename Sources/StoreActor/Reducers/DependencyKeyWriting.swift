extension Reducer {
  /// Sets a dependency for this reducer and its children.
  ///
  /// - Parameters:
  ///   - keyPath: The dependency.
  ///   - value: Its value.
  /// - Returns: The reducer, which sees the value.
  public func dependency<Value>(
    _ keyPath: WritableKeyPath<DependencyValues, Value>,
    _ value: Value,
  ) -> _DependencyKeyWritingReducer<Self> {
    _DependencyKeyWritingReducer(base: self) { $0[keyPath: keyPath] = value }
  }

  /// Sets a dependency that is its own key for this reducer and its children.
  public func dependency<Value: TestDependencyKey>(
    _ value: Value
  ) -> _DependencyKeyWritingReducer<Self> where Value.Value == Value {
    _DependencyKeyWritingReducer(base: self) { $0[Value.self] = value }
  }

  /// Changes a dependency for this reducer and its children.
  ///
  /// - Parameters:
  ///   - keyPath: The dependency, or `\.self`.
  ///   - transform: Changes the value that is in force around this reducer.
  /// - Returns: The reducer, which sees the changed value.
  public func transformDependency<Value>(
    _ keyPath: WritableKeyPath<DependencyValues, Value>,
    transform: @escaping (_ dependency: inout Value) -> Void,
  ) -> _DependencyKeyWritingReducer<Self> {
    _DependencyKeyWritingReducer(base: self) { transform(&$0[keyPath: keyPath]) }
  }

  /// Changes a dependency that is its own key for this reducer and its children.
  public func transformDependency<Value: TestDependencyKey>(
    _: Value.Type,
    transform: @escaping (_ dependency: inout Value) -> Void,
  ) -> _DependencyKeyWritingReducer<Self> where Value.Value == Value {
    _DependencyKeyWritingReducer(base: self) { transform(&$0[Value.self]) }
  }
}

/// The result of `dependency` and `transformDependency`.
///
/// Several of them in a row are merged, so that the values are changed once for each action.
public struct _DependencyKeyWritingReducer<Base: Reducer>: Reducer {
  private let base: Base
  private let prepared: Reduce<Base.State, Base.Action>
  private let update: (inout DependencyValues) -> Void

  init(base: Base, update: @escaping (inout DependencyValues) -> Void) {
    self.base = base
    prepared = withDependencies(update) { base._prepared() }
    self.update = update
  }

  /// Runs the reducer with the changed dependencies.
  public func reduce(
    into state: inout Base.State,
    action: Base.Action,
  ) -> Effect<Base.Action> {
    withDependencies(update) { prepared.reduce(&state, action) }
  }

  /// Passes the restoration to the base reducer.
  public func _restored(
    _ state: inout Base.State,
    _ restoration: Restoration,
  ) -> Effect<Base.Action> {
    withDependencies(update) { prepared._restored(&state, restoration) }
  }

  /// Sets one more dependency.
  public func dependency<Value>(
    _ keyPath: WritableKeyPath<DependencyValues, Value>,
    _ value: Value,
  ) -> Self {
    before { $0[keyPath: keyPath] = value }
  }

  /// Sets one more dependency that is its own key.
  public func dependency<Value: TestDependencyKey>(_ value: Value) -> Self
  where Value.Value == Value {
    before { $0[Value.self] = value }
  }

  /// Changes one more dependency.
  public func transformDependency<Value>(
    _ keyPath: WritableKeyPath<DependencyValues, Value>,
    transform: @escaping (_ dependency: inout Value) -> Void,
  ) -> Self {
    before { transform(&$0[keyPath: keyPath]) }
  }

  /// Changes one more dependency that is its own key.
  public func transformDependency<Value: TestDependencyKey>(
    _: Value.Type,
    transform: @escaping (_ dependency: inout Value) -> Void,
  ) -> Self where Value.Value == Value {
    before { transform(&$0[Value.self]) }
  }

  /// Adds an outer change, which is applied before the existing inner ones: inner changes
  /// override it.
  private func before(_ outer: @escaping (inout DependencyValues) -> Void) -> Self {
    Self(base: base) { [update] values in
      outer(&values)
      update(&values)
    }
  }
}
