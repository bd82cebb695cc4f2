/// A view with something done to the screen after it is written.
struct Modified<Content: View>: PrimitiveView {
  let content: Content
  let modify: @MainActor (inout Screen) -> Void

  func render(on screen: inout Screen) {
    content.renderTree(on: &screen)
    modify(&screen)
  }
}

extension View {
  /// The view, with something done when it appears.
  public func onAppear(perform action: @escaping @MainActor () -> Void) -> some View {
    Modified(content: self) { $0.addAppearance(action) }
  }

  /// The view in a colour, which its lines do not show.
  public func foregroundColor(_: Color) -> Self { self }

  /// The view, with others in a bar below it.
  public func toolbar(@ViewBuilder content: () -> some View) -> some View {
    let bar = content()
    return Modified(content: self) { bar.renderTree(on: &$0) }
  }

  /// The view, with another one that lies over it while there is something to show it for.
  ///
  /// - Parameters:
  ///   - item: What to show it for.
  ///   - content: The other view.
  /// - Returns: The view.
  public func alert<Item: Identifiable>(
    item: Binding<Item?>,
    content: @escaping @MainActor (Item) -> Alert,
  ) -> some View {
    Modified(content: self) { screen in
      guard let value = item.wrappedValue else { return }
      let alert = content(value).dismissing { item.wrappedValue = nil }
      screen.addOverlay { alert.renderTree(on: &$0) }
    }
  }
}

/// A view in a toolbar.
public struct ToolbarItem<Content: View>: View {
  /// Where in the toolbar a view stands; all stand in one place.
  public enum Placement: Sendable {
    /// At the right of the title.
    case navigationBarTrailing
    /// At the left of the title.
    case navigationBarLeading
  }

  /// The view.
  public let body: Content

  /// Puts a view into a toolbar.
  public init(placement _: Placement, @ViewBuilder content: () -> Content) {
    body = content()
  }
}

/// The button that lets the rows of a list be deleted, though here they always can be.
public struct EditButton: PrimitiveView {
  /// Creates the button.
  public init() {}

  /// Writes the button.
  public func render(on screen: inout Screen) {
    screen.write(button: "Edit") {}
  }
}

/// A question or a message that lies over a view.
public struct Alert: PrimitiveView {
  /// Something to tap in an alert.
  @MainActor
  public struct Button {
    let title: String
    let action: @MainActor () -> Void

    /// Something to tap.
    public static func `default`(
      _ title: Text,
      action: @escaping @MainActor () -> Void = {},
    ) -> Self {
      Self(title: title.content, action: action)
    }

    /// Something to tap that leaves everything as it is.
    public static func cancel(
      _ title: Text = Text("Cancel"),
      action: @escaping @MainActor () -> Void = {},
    ) -> Self {
      Self(title: title.content, action: action)
    }
  }

  private let title: Text
  private let buttons: [Button]
  private var dismiss: @MainActor () -> Void

  /// Creates an alert; without buttons it has one that says "OK".
  public init(title: Text, buttons: [Button] = []) {
    self.title = title
    dismiss = {}
    self.buttons = buttons.isEmpty ? [.default(Text("OK"))] : buttons
  }

  /// The alert, with something done when any of its buttons is tapped, before what that does.
  public func dismissing(_ dismiss: @escaping @MainActor () -> Void) -> Self {
    var alert = self
    alert.dismiss = dismiss
    return alert
  }

  /// Writes the title and the buttons.
  public func render(on screen: inout Screen) {
    screen.write("! \(title.content)")
    for button in buttons {
      screen.write(button: button.title) { [dismiss] in
        dismiss()
        button.action()
      }
    }
  }
}
