public import StoreActor
public import TerminalViews

extension View {
  /// The view, with an alert over it while a store's state has one.
  ///
  /// - Parameters:
  ///   - store: The store of the alert.
  ///   - dismiss: What is sent when the alert goes, before what its button sends.
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
