extension View {
  /// The view, with another one over it while there is something to show it for.
  ///
  /// - Parameters:
  ///   - item: What to show it for; closing the sheet sets it to nil.
  ///   - onDismiss: What is done when the sheet was closed.
  ///   - content: The other view, without the button that closes it.
  /// - Returns: The view.
  public func sheet<Item: Identifiable, Content: View>(
    item: Binding<Item?>,
    onDismiss: (@MainActor () -> Void)? = nil,
    @ViewBuilder content: @escaping @MainActor (Item) -> Content,
  ) -> some View {
    overlay {
      item.wrappedValue.map { value in
        Pair(
          first: content(value),
          second: Button("Close") {
            item.wrappedValue = nil
            onDismiss?()
          },
        )
      }
    }
  }
}
