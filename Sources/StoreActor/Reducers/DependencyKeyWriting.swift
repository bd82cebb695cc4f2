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
  ///   - transform: Changes the value that holds around this reducer.
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

/// What `dependency` and `transformDependency` make.
///
/// Several of them in a row are one, so that the values are changed once for each action.
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

  /// Tells the reducer that this one is made of.
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

  /// What is written further out is in force first, and what is written further in has the last
  /// word.
  private func before(_ outer: @escaping (inout DependencyValues) -> Void) -> Self {
    Self(base: base) { [update] values in
      outer(&values)
      update(&values)
    }
  }
}
