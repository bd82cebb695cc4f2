public import TerminalViews

extension ViewStore {
  /// Returns a binding that shows a part of the state and sends an action for each new value.
  ///
  /// - Parameters:
  ///   - get: Returns the part of the state.
  ///   - localStateToViewAction: Returns the action for a new value.
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

  /// Returns a binding that shows a part of the state and sends the same action for every
  /// new value.
  ///
  /// - Parameters:
  ///   - get: Returns the part of the state.
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

  /// Returns a binding that shows the state and sends an action for each new state.
  public func binding(
    send localStateToViewAction: @escaping @MainActor (State) -> Action
  ) -> Binding<State> {
    binding(get: { $0 }, send: localStateToViewAction)
  }

  /// Returns a binding that shows the state and sends the same action for every new state.
  public func binding(send action: Action) -> Binding<State> {
    binding(get: { $0 }, send: action)
  }
}
