#if !canImport(SwiftUI)
extension Store {
  /// Sends an action without an animation.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - animation: Ignored.
  /// - Returns: The task of the action's effects.
  @discardableResult
  public func send(_ action: Action, animation: Animation?) -> StoreTask {
    send(action)
  }

  /// Sends an action without an animation.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - transaction: Ignored.
  /// - Returns: The task of the action's effects.
  @discardableResult
  public func send(_ action: Action, transaction: Transaction) -> StoreTask {
    send(action)
  }
}

extension Send {
  /// Sends an action without an animation.
  public func callAsFunction(_ action: Action, animation: Animation?) {
    callAsFunction(action)
  }

  /// Sends an action without an animation.
  public func callAsFunction(_ action: Action, transaction: Transaction) {
    callAsFunction(action)
  }
}

extension ButtonStateAction {
  /// Sends an action, if any, without an animation.
  public static func send(_ action: Action?, animation: Animation?) -> Self {
    send(action)
  }
}

extension Effect {
  /// Delivers an action without an animation.
  public static func send(_ action: Action, animation: Animation?) -> Self {
    send(action)
  }

  /// The same effect, without an animation.
  public func animation(_ animation: Animation? = .default) -> Self {
    self
  }

  /// The same effect, without an animation.
  public func transaction(_ transaction: Transaction) -> Self {
    self
  }
}
#endif
