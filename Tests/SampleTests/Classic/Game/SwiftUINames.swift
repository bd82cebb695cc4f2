import TerminalViews

// Names of SwiftUI that the sample has and that mean nothing on a terminal.

/// A place for navigation.
struct NavigationView<Content: View>: View {
  let body: Content

  init(@ViewBuilder content: () -> Content) {
    body = content()
  }
}

/// A view in a toolbar, wherever the sample wants it.
struct ToolbarItem<Content: View>: View {
  enum Placement {
    case navigationBarTrailing
  }

  let body: Content

  init(placement _: Placement, @ViewBuilder content: () -> Content) {
    body = content()
  }
}

/// The button that lets the rows of a list be deleted, though here they always can be.
struct EditButton: View {
  var body: some View { Button("Edit") {} }
}
