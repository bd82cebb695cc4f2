extension View {
  /// The view, with something done when it appears: when a drawing contains it, and the one before
  /// did not.
  public func onAppear(perform action: @escaping @MainActor () -> Void) -> some View {
    Modified(content: self) { $0.frame.addAppearance(action) }
  }

  /// The view, with something done when a key is pressed that nobody else wants.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - action: What is done.
  /// - Returns: The view.
  public func onKey(_ key: Key, perform action: @escaping @MainActor () -> Void) -> some View {
    onKeys { pressed in
      guard pressed == key else { return false }
      action()
      return true
    }
  }

  /// The view, with something done when keys are pressed that nobody else wants.
  ///
  /// - Parameter handle: Does what a key is for, and says whether it is for something.
  /// - Returns: The view.
  public func onKeys(_ handle: @escaping @MainActor (Key) -> Bool) -> some View {
    Modified(content: self) { $0.onKey(handle) }
  }

  /// The view, with an identity of its own among those of the same parent.
  ///
  /// The focus, a field's cursor and `@State` belong to a view's identity. That is the view's place
  /// in the view builder, or the id of the element that it shows; a view with another id is another
  /// view.
  ///
  /// - Parameter id: What tells the view from others.
  /// - Returns: The view.
  public func id(_ id: some Hashable) -> some View {
    Identified(content: self, component: .id(id))
  }

  /// The view in a style, for whatever has none of its own.
  public func style(_ style: Style) -> some View { Styled(content: self, style: style) }

  /// The view in a colour.
  public func foregroundColor(_ color: Color) -> some View { style(Style(color)) }

  /// The view, with others in a bar below it.
  public func toolbar(@ViewBuilder content: () -> some View) -> some View {
    Pair(first: self, second: content())
  }

  /// The view with so many columns and rows; nil for as many as it wants.
  ///
  /// - Parameters:
  ///   - width: The columns.
  ///   - height: The rows.
  /// - Returns: The view.
  public func frame(width: Int? = nil, height: Int? = nil) -> some View {
    Framed(content: self, width: width, height: height)
  }

  /// The view at the top left of all the room that there is.
  public func filling() -> some View { Filling(content: self) }

  /// The view within lines, with a title in the upper one.
  public func border(_ title: String = "") -> some View { Bordered(content: self, label: title) }

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
    overlay {
      item.wrappedValue.map { value in
        content(value).dismissing { item.wrappedValue = nil }.id(value.id)
      }
    }
  }

  /// The view, with another one that lies over everything while it is there.
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

/// A question or a message that lies over a view.
public struct Alert: View {
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
  private let message: Text?
  private let buttons: [Button]
  private var dismiss: @MainActor () -> Void

  /// Creates an alert; without buttons it has one that says "OK".
  public init(title: Text, message: Text? = nil, buttons: [Button] = []) {
    self.title = title
    self.message = message
    dismiss = {}
    self.buttons = buttons.isEmpty ? [.default(Text("OK"))] : buttons
  }

  /// The alert, with something done when any of its buttons is tapped, before what that does.
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
