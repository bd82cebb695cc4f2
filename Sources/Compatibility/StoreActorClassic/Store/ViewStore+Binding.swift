public import TerminalViews

extension ViewStore {
  /// A binding that shows a part of the state and sends an action of each new value.
  ///
  /// - Parameters:
  ///   - get: The part of the state.
  ///   - localStateToViewAction: Makes an action of a new value.
  /// - Returns: The binding.
  public func binding<LocalState>(
    get: @escaping @MainActor (State) -> LocalState,
    send localStateToViewAction: @escaping @MainActor (LocalState) -> Action,
  ) -> Binding<LocalState> {
    Binding {
      get(self.state)
    } set: {
      self.send(localStateToViewAction($0))
    }
  }

  /// A binding that shows a part of the state and sends one action, whatever the new value.
  ///
  /// - Parameters:
  ///   - get: The part of the state.
  ///   - action: The action.
  /// - Returns: The binding.
  public func binding<LocalState>(
    get: @escaping @MainActor (State) -> LocalState,
    send action: Action,
  ) -> Binding<LocalState> {
    Binding {
      get(self.state)
    } set: { _ in
      self.send(action)
    }
  }

  /// A binding that shows the state and sends an action of each new one.
  public func binding(
    send localStateToViewAction: @escaping @MainActor (State) -> Action
  ) -> Binding<State> {
    binding(get: { $0 }, send: localStateToViewAction)
  }

  /// A binding that shows the state and sends one action, whatever the new state.
  public func binding(send action: Action) -> Binding<State> {
    binding(get: { $0 }, send: action)
  }
}
