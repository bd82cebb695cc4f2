extension View {
  /// Shows another view over this one while an item is present.
  ///
  /// - Parameters:
  ///   - item: The item; closing the sheet sets it to nil.
  ///   - onDismiss: The action after the sheet has closed for any reason: a session performs it
  ///     after the first drawing without the sheet.
  ///   - content: The sheet's content, without the button that closes it.
  /// - Returns: The view.
  public func sheet<Item: Identifiable, Content: View>(
    item: Binding<Item?>,
    onDismiss: (@MainActor () -> Void)? = nil,
    @ViewBuilder content: @escaping @MainActor (Item) -> Content,
  ) -> some View {
    Modified(content: self) { canvas in
      guard let value = item.wrappedValue else { return }
      // A `Screen` draws once, so no drawing without the sheet follows.
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
