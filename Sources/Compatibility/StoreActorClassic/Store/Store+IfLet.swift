import StoreActor
public import StoreActorSchedulers

extension Store {
  /// Calls a closure whenever an optional state comes to be there, and another one whenever it has
  /// gone.
  ///
  /// - Parameters:
  ///   - unwrap: Is called with a store of the state, now if the state is there, and then each time
  ///     it comes.
  ///   - else: Is called now if the state is not there, and then each time it goes.
  /// - Returns: What ends the calls; they end too when that is let go.
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

  /// A store of an optional state that is there; nil when it is not.
  ///
  /// When the state goes the store keeps showing the last one.
  public func unwrapped<Wrapped>() -> Store<Wrapped, Action>? where State == Wrapped? {
    guard var last = read() else { return nil }
    return scope { state in
      if let state { last = state }
      return last
    }
  }
}
