/// A button that opens another view, which has a button to return.
public struct NavigationLink<Label: View, Destination: View>: View {
  private let isActive: @MainActor () -> Bool
  private let setActive: @MainActor (Bool) -> Void
  private let destination: @MainActor () -> Destination
  private let label: Label
  /// Whether a link without a selection is open.
  private let isFollowed: State<Bool>

  /// Creates a link that is open while a selection equals a tag.
  ///
  /// - Parameters:
  ///   - tag: The tag.
  ///   - selection: The selection; opening the link sets it to the tag, closing it sets it to nil.
  ///   - destination: The view that the link opens.
  ///   - label: The link's label.
  public init<V: Hashable>(
    tag: V,
    selection: Binding<V?>,
    @ViewBuilder destination: @escaping @MainActor () -> Destination,
    @ViewBuilder label: () -> Label,
  ) {
    isActive = { selection.wrappedValue == tag }
    setActive = { selection.wrappedValue = $0 ? tag : nil }
    self.destination = destination
    self.label = label()
    isFollowed = State(wrappedValue: false)
  }

  /// Creates a link that shows a text and is open while a selection equals a tag.
  ///
  /// - Parameters:
  ///   - title: The text.
  ///   - tag: The tag.
  ///   - selection: The selection; opening the link sets it to the tag, closing it sets it to nil.
  ///   - destination: The view that the link opens.
  public init<V: Hashable>(
    _ title: String,
    tag: V,
    selection: Binding<V?>,
    @ViewBuilder destination: @escaping @MainActor () -> Destination,
  ) where Label == Text {
    self.init(tag: tag, selection: selection, destination: destination) { Text(title) }
  }

  /// Creates a link that shows a text and keeps its own state.
  ///
  /// - Parameters:
  ///   - title: The text.
  ///   - destination: The view that the link opens.
  public init(
    _ title: String,
    @ViewBuilder destination: @escaping @MainActor () -> Destination,
  ) where Label == Text {
    let isFollowed = State(wrappedValue: false)
    isActive = { isFollowed.wrappedValue }
    setActive = { isFollowed.wrappedValue = $0 }
    self.destination = destination
    self.isFollowed = isFollowed
    label = Text(title)
  }

  /// The link, with its destination over all other views while it is open.
  public var body: some View {
    Button {
      setActive(true)
    } label: {
      label
    }
    .overlay { () -> Pair<Pair<Text, Destination>, Button<Text>>? in
      guard isActive() else { return nil }
      return Pair(
        first: Pair(first: Text("— \(label.title) —"), second: destination()),
        second: Button("Back") { setActive(false) },
      )
    }
  }
}
