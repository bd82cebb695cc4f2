#if !canImport(SwiftUI)
extension Store {
  /// Sends an action; there is nothing to animate here.
  ///
  /// - Parameters:
  ///   - action: What happened.
  ///   - animation: Is ignored.
  /// - Returns: The work that follows from the action.
  @discardableResult
  public func send(_ action: Action, animation: Animation?) -> StoreTask {
    send(action)
  }

  /// Sends an action; there is nothing to animate here.
  ///
  /// - Parameters:
  ///   - action: What happened.
  ///   - transaction: Is ignored.
  /// - Returns: The work that follows from the action.
  @discardableResult
  public func send(_ action: Action, transaction: Transaction) -> StoreTask {
    send(action)
  }
}

extension Send {
  /// Sends an action; there is nothing to animate here.
  public func callAsFunction(_ action: Action, animation: Animation?) {
    callAsFunction(action)
  }

  /// Sends an action; there is nothing to animate here.
  public func callAsFunction(_ action: Action, transaction: Transaction) {
    callAsFunction(action)
  }
}

extension ButtonStateAction {
  /// Sends an action, or nothing; there is nothing to animate here.
  public static func send(_ action: Action?, animation: Animation?) -> Self {
    send(action)
  }
}

extension Effect {
  /// Delivers an action; there is nothing to animate here.
  public static func send(_ action: Action, animation: Animation?) -> Self {
    send(action)
  }

  /// The same effect; there is nothing to animate here.
  public func animation(_ animation: Animation? = .default) -> Self {
    self
  }

  /// The same effect; there is nothing to animate here.
  public func transaction(_ transaction: Transaction) -> Self {
    self
  }
}
#endif
