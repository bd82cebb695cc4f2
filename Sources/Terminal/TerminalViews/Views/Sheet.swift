extension View {
  /// The view, with another one over it while there is something to show it for.
  ///
  /// - Parameters:
  ///   - item: What to show it for; closing the sheet sets it to nil.
  ///   - onDismiss: What is done when the sheet has gone, whoever closed it: a session does it
  ///     after the first drawing without it.
  ///   - content: The other view, without the button that closes it.
  /// - Returns: The view.
  public func sheet<Item: Identifiable, Content: View>(
    item: Binding<Item?>,
    onDismiss: (@MainActor () -> Void)? = nil,
    @ViewBuilder content: @escaping @MainActor (Item) -> Content,
  ) -> some View {
    Modified(content: self) { canvas in
      guard let value = item.wrappedValue else { return }
      // After the one drawing of a `Screen` there is none without it.
      let isOnlyDrawing = canvas.frame.memory == nil
      let sheet = Pair(
        first: content(value),
        second: Button("Close") {
          item.wrappedValue = nil
          if isOnlyDrawing { onDismiss?() }
        },
      )
      canvas.overlay(sheet.id(value.id))
      canvas.frame.addDismissal(of: value.id, onDismiss)
    }
  }
}
