/// Something to tap that leads to another view, and back.
public struct NavigationLink<Label: View, Destination: View>: View {
  private let isActive: @MainActor () -> Bool
  private let setActive: @MainActor (Bool) -> Void
  private let destination: @MainActor () -> Destination
  private let label: Label
  /// Whether a link without a selection is followed.
  private let isFollowed: State<Bool>

  /// Creates a link that is followed while a selection is a tag.
  ///
  /// - Parameters:
  ///   - tag: The tag.
  ///   - selection: The selection; following the link sets it to the tag, going back to nil.
  ///   - destination: Where it leads to.
  ///   - label: What it shows.
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

  /// Creates a link that shows a text and is followed while a selection is a tag.
  ///
  /// - Parameters:
  ///   - title: The text.
  ///   - tag: The tag.
  ///   - selection: The selection; following the link sets it to the tag, going back to nil.
  ///   - destination: Where it leads to.
  public init<V: Hashable>(
    _ title: String,
    tag: V,
    selection: Binding<V?>,
    @ViewBuilder destination: @escaping @MainActor () -> Destination,
  ) where Label == Text {
    self.init(tag: tag, selection: selection, destination: destination) { Text(title) }
  }

  /// Creates a link that shows a text; whether it is followed is its own affair.
  ///
  /// - Parameters:
  ///   - title: The text.
  ///   - destination: Where it leads to.
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

  /// The link, and over everything else what it leads to.
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
