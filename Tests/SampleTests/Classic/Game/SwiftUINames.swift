import TerminalViews

// SwiftUI's names that the sample uses and that have no effect on a terminal.

/// A place for navigation.
struct NavigationView<Content: View>: View {
  let body: Content

  init(@ViewBuilder content: () -> Content) {
    body = content()
  }
}

/// A view in a toolbar, at any placement.
struct ToolbarItem<Content: View>: View {
  enum Placement {
    case navigationBarTrailing
  }

  let body: Content

  init(placement _: Placement, @ViewBuilder content: () -> Content) {
    body = content()
  }
}

/// The button that enables deletion of a list's rows, which is always enabled here.
struct EditButton: View {
  var body: some View { Button("Edit") {} }
}
