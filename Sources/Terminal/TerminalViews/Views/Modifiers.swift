extension View {
  /// Performs an action when the view appears: when a drawing contains it and the previous one
  /// did not.
  public func onAppear(perform action: @escaping @MainActor () -> Void) -> some View {
    Modified(content: self) { $0.frame.addAppearance(action) }
  }

  /// Performs an action when a key is pressed that no other view handles first.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - action: The action.
  /// - Returns: The view.
  public func onKey(_ key: Key, perform action: @escaping @MainActor () -> Void) -> some View {
    onKeys { pressed in
      guard pressed == key else { return false }
      action()
      return true
    }
  }

  /// Handles keys that no other view handles first.
  ///
  /// - Parameter handle: Handles a key, and returns whether it did.
  /// - Returns: The view.
  public func onKeys(_ handle: @escaping @MainActor (Key) -> Bool) -> some View {
    Modified(content: self) { $0.onKey(handle) }
  }

  /// Gives the view its own identity among the children of its parent.
  ///
  /// The focus, a field's cursor and `@State` belong to a view's identity. By default that is the
  /// view's place in the view builder, or the id of the element that it shows. A view with another
  /// id is another view.
  ///
  /// - Parameter id: A value that is unique among the parent's children.
  /// - Returns: The view.
  public func id(_ id: some Hashable) -> some View {
    Identified(content: self, component: .id(id))
  }

  /// Draws the view in a style, unless a part of it has its own.
  public func style(_ style: Style) -> some View { Styled(content: self, style: style) }

  /// Draws the view in a colour.
  public func foregroundColor(_ color: Color) -> some View { style(Style(color)) }

  /// Adds a bar with other views below the view.
  public func toolbar(@ViewBuilder content: () -> some View) -> some View {
    Pair(first: self, second: content())
  }

  /// Gives the view fixed columns and rows; nil for its own length.
  ///
  /// - Parameters:
  ///   - width: The columns.
  ///   - height: The rows.
  /// - Returns: The view.
  public func frame(width: Int? = nil, height: Int? = nil) -> some View {
    Framed(content: self, width: width, height: height)
  }

  /// Places the view at the top left of all available room.
  public func filling() -> some View { Filling(content: self) }

  /// Draws a border around the view, with a title in its upper line.
  public func border(_ title: String = "") -> some View { Bordered(content: self, label: title) }

  /// Shows an alert over the view while an item is present.
  ///
  /// - Parameters:
  ///   - item: The item; pressing any button sets it to nil.
  ///   - content: Creates the alert for an item.
  /// - Returns: The view.
  public func alert<Item: Identifiable>(
    item: Binding<Item?>,
    content: @escaping @MainActor (Item) -> Alert,
  ) -> some View {
    overlay {
      item.wrappedValue.map { value in
        content(value).dismissing { item.wrappedValue = nil }.id(value.id)
      }
    }
  }

  /// Shows another view over all views while a closure returns one.
  public func overlay<Content: View>(
    _ content: @escaping @MainActor () -> Content?
  ) -> some View {
    Modified(content: self) { canvas in
      if let view = content() { canvas.overlay(view) }
    }
  }
}

private struct Identified<Content: View>: PrimitiveView {
  let content: Content
  let component: ViewComponent

  var flexibility: Axes { ViewMemory.within(component) { content.stretch } }

  func size(in proposal: Size) -> Size {
    ViewMemory.within(component) { content.measured(in: proposal) }
  }

  func draw(in canvas: Canvas) { ViewMemory.within(component) { content.drawn(in: canvas) } }
}

private struct Styled<Content: View>: PrimitiveView {
  let content: Content
  let style: Style

  var flexibility: Axes { content.stretch }
  func size(in proposal: Size) -> Size { content.measured(in: proposal) }
  func draw(in canvas: Canvas) { content.drawn(in: canvas.styled(style)) }
}

private struct Framed<Content: View>: PrimitiveView {
  let content: Content
  let width: Int?
  let height: Int?

  var flexibility: Axes {
    var axes = content.stretch
    if width != nil { axes.remove(.horizontal) }
    if height != nil { axes.remove(.vertical) }
    return axes
  }

  func size(in proposal: Size) -> Size {
    let room = Size(
      width: min(width ?? .max, proposal.width),
      height: min(height ?? .max, proposal.height),
    )
    let size = content.measured(in: room)
    return Size(
      width: width == nil ? size.width : room.width,
      height: height == nil ? size.height : room.height,
    )
  }

  func draw(in canvas: Canvas) {
    content.drawn(
      in: canvas.part(
        width: min(width ?? .max, canvas.size.width),
        height: min(height ?? .max, canvas.size.height),
      )
    )
  }
}

private struct Filling<Content: View>: PrimitiveView {
  let content: Content

  var flexibility: Axes { [.horizontal, .vertical] }
  func size(in proposal: Size) -> Size { content.measured(in: proposal) }
  func draw(in canvas: Canvas) { content.drawn(in: canvas) }
}

private struct Bordered<Content: View>: PrimitiveView {
  let content: Content
  let label: String

  var flexibility: Axes { content.stretch }

  func size(in proposal: Size) -> Size {
    let inner = content.measured(
      in: Size(width: proposal.width - 4, height: proposal.height - 2)
    )
    let width = max(inner.width, label.isEmpty ? 0 : Glyph.columns(of: label) + 2)
    return Size(width: width + 4, height: inner.height + 2)
  }

  func draw(in canvas: Canvas) {
    let size = canvas.size
    guard size.width >= 4, size.height >= 2 else { return content.drawn(in: canvas) }
    let line = String(repeating: "─", count: size.width - 2)
    canvas.write("┌\(line)┐", Style(.secondary))
    for row in 1..<(size.height - 1) {
      canvas.write("│", y: row, Style(.secondary))
      canvas.write("│", x: size.width - 1, y: row, Style(.secondary))
    }
    canvas.write("└\(line)┘", y: size.height - 1, Style(.secondary))
    if !label.isEmpty {
      canvas.writeTruncated(" \(label) ", x: 2, width: size.width - 4, Style(isBold: true))
    }
    content.drawn(in: canvas.part(x: 2, y: 1, width: size.width - 4, height: size.height - 2))
  }
}

/// A question or a message over a view.
public struct Alert: View {
  /// A button in an alert.
  @MainActor
  public struct Button {
    let title: String
    let action: @MainActor () -> Void

    /// Creates a button with a title and an action.
    public static func `default`(
      _ title: Text,
      action: @escaping @MainActor () -> Void = {},
    ) -> Self {
      Self(title: title.content, action: action)
    }

    /// Creates a button to cancel, which has no action by default.
    public static func cancel(
      _ title: Text = Text("Cancel"),
      action: @escaping @MainActor () -> Void = {},
    ) -> Self {
      Self(title: title.content, action: action)
    }
  }

  private let title: Text
  private let message: Text?
  private let buttons: [Button]
  private var dismiss: @MainActor () -> Void

  /// Creates an alert; without buttons it has an "OK" button.
  public init(title: Text, message: Text? = nil, buttons: [Button] = []) {
    self.title = title
    self.message = message
    dismiss = {}
    self.buttons = buttons.isEmpty ? [.default(Text("OK"))] : buttons
  }

  /// Adds an action that each button performs before its own.
  public func dismissing(_ dismiss: @escaping @MainActor () -> Void) -> Self {
    var alert = self
    alert.dismiss = dismiss
    return alert
  }

  /// The title, the message and the buttons.
  public var body: some View {
    Text("! \(title.content)")
    if let message { Text("  \(message.content)") }
    ForEach(Array(buttons.indices), id: \.self) { index in
      TerminalViews.Button(buttons[index].title) { [dismiss] in
        dismiss()
        buttons[index].action()
      }
    }
  }
}
