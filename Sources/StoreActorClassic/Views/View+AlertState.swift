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
    AlertView(base: self, store: store, dismiss: dismiss)
  }
}

private struct AlertView<Base: View, Action>: PrimitiveView {
  let base: Base
  let store: Store<AlertState<Action>?, Action>
  let dismiss: Action

  func render(on screen: inout Screen) {
    base.renderTree(on: &screen)
    guard let alert = store.state else { return }
    screen.addOverlay { screen in
      screen.write("! \(alert.title.plainText)")
      if let message = alert.message { screen.write("  \(message.plainText)") }
      for button in alert.buttons { show(button, on: &screen) }
    }
  }

  private func show(_ button: ButtonState<Action>, on screen: inout Screen) {
    screen.write(button: button.label.plainText) {
      _ = store.submit(dismiss)
      if let action = button.action.action { _ = store.submit(action) }
    }
  }
}
