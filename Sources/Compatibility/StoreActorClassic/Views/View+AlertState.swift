public import StoreActor
public import TerminalViews

extension View {
  /// Shows an alert over the view while a store's state contains one.
  ///
  /// - Parameters:
  ///   - store: The store of the alert.
  ///   - dismiss: The action to send when a button is pressed, before the button's own action.
  /// - Returns: The view.
  public func alert<Action>(
    _ store: Store<AlertState<Action>?, Action>,
    dismiss: Action,
  ) -> some View {
    overlay { store.state.map { AlertView(alert: $0, store: store, dismiss: dismiss) } }
  }
}

private struct AlertView<Action>: View {
  let alert: AlertState<Action>
  let store: Store<AlertState<Action>?, Action>
  let dismiss: Action

  var body: some View {
    Text("! \(alert.title.plainText)")
    if let message = alert.message { Text("  \(message.plainText)") }
    ForEach(Array(alert.buttons.indices), id: \.self) { index in
      let button = alert.buttons[index]
      Button(button.label.plainText) {
        _ = store.submit(dismiss)
        if let action = button.action.action { _ = store.submit(action) }
      }
    }
  }
}
