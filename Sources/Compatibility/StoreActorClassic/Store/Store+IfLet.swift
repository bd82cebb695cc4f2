import StoreActor
public import StoreActorSchedulers

extension Store {
  /// Calls a closure each time an optional state becomes present, and another one each time it
  /// becomes nil.
  ///
  /// - Parameters:
  ///   - unwrap: Receives a store of the state, now if the state is present, and then each time it
  ///     becomes present.
  ///   - else: Called now if the state is nil, and then each time it becomes nil.
  /// - Returns: A cancellable that ends the calls when it is cancelled or released.
  public func ifLet<Wrapped>(
    then unwrap: @escaping @MainActor (Store<Wrapped, Action>) -> Void,
    else: @escaping @MainActor () -> Void = {},
  ) -> AnyCancellable where State == Wrapped? {
    var isThere: Bool?
    let update = { @MainActor [self] in
      let store: Store<Wrapped, Action>? = unwrapped()
      guard isThere != (store != nil) else { return }
      isThere = store != nil
      if let store { unwrap(store) } else { `else`() }
    }
    update()
    let subscription = observe(update)
    return AnyCancellable { subscription.cancel() }
  }

  /// Returns a store of a present optional state; nil if the state is nil.
  ///
  /// When the state becomes nil, the store keeps the last value.
  public func unwrapped<Wrapped>() -> Store<Wrapped, Action>? where State == Wrapped? {
    guard var last = read() else { return nil }
    return scope { state in
      if let state { last = state }
      return last
    }
  }
}
