/// A line of text.
public struct Text: PrimitiveView {
  /// The text.
  public let content: String

  /// Creates a line of text.
  public init(_ content: String) {
    self.content = content
  }

  /// Writes the text.
  public func render(on screen: inout Screen) {
    screen.write(content)
  }
}

/// Something to tap: `[+]`.
public struct Button<Label: View>: PrimitiveView {
  private let action: @MainActor () -> Void
  private let label: Label

  /// Creates a button.
  ///
  /// - Parameters:
  ///   - action: What it does.
  ///   - label: What it shows.
  public init(
    action: @escaping @MainActor () -> Void,
    @ViewBuilder label: () -> Label,
  ) {
    self.action = action
    self.label = label()
  }

  /// Creates a button that shows a text.
  ///
  /// - Parameters:
  ///   - title: The text.
  ///   - action: What it does.
  public init(_ title: String, action: @escaping @MainActor () -> Void) where Label == Text {
    self.init(action: action, label: { Text(title) })
  }

  /// Writes the button.
  public func render(on screen: inout Screen) {
    var title = Screen()
    label.renderTree(on: &title)
    screen.write(button: title.lines.joined(separator: " "), action: action)
  }
}

/// A line for text to be typed in.
public struct TextField: PrimitiveView {
  private let title: String
  private let text: Binding<String>

  /// Creates a line for text.
  ///
  /// - Parameters:
  ///   - title: What it asks for.
  ///   - text: The text.
  public init(_ title: String, text: Binding<String>) {
    self.title = title
    self.text = text
  }

  /// Writes the line.
  public func render(on screen: inout Screen) {
    screen.write("\(title): \(text.wrappedValue)")
  }
}

/// A sign that something is under way.
public struct ProgressView: PrimitiveView {
  /// Creates the sign.
  public init() {}

  /// Writes the sign.
  public func render(on screen: inout Screen) {
    screen.write("…")
  }
}

/// A picture, by its name.
public struct Image: PrimitiveView {
  private let name: String

  /// Names a picture.
  public init(systemName name: String) {
    self.name = name
  }

  /// Writes the name.
  public func render(on screen: inout Screen) {
    screen.write("(\(name))")
  }
}

/// A line between views.
public struct Divider: PrimitiveView {
  /// Creates a line.
  public init() {}

  /// Writes the line.
  public func render(on screen: inout Screen) {
    screen.write("---")
  }
}

/// A colour of text, which lines do not show.
public enum Color: Sendable {
  /// Green.
  case green
  /// Red.
  case red
  /// The usual colour.
  case primary
  /// A less conspicuous colour.
  case secondary
}
