/// The part of a grid that a view draws into.
///
/// The view also registers its input handlers here.
@MainActor
public struct Canvas {
  let frame: Frame
  /// The canvas's area in the grid; a part of it may be outside the visible area.
  let rect: Rect
  let clip: Rect
  let style: Style

  /// The columns and rows of the canvas.
  public var size: Size { rect.size }

  /// Returns the number of columns that a text takes.
  public nonisolated static func columns(of text: some StringProtocol) -> Int {
    Glyph.columns(of: text)
  }

  /// Writes a text on one line, and cuts it off at the canvas's edge.
  ///
  /// - Parameters:
  ///   - text: The text; characters that could control a terminal become U+FFFD.
  ///   - x: The column of its first character.
  ///   - y: The row.
  ///   - style: The style of the text.
  /// - Returns: The column after the end of the text.
  @discardableResult
  public func write(
    _ text: some StringProtocol,
    x: Int = 0,
    y: Int = 0,
    _ style: Style = .plain,
  ) -> Int {
    let style = style.within(self.style)
    var column = x
    for glyph in Glyph.glyphs(of: text.prefix(size.width * 2 + 2)) {
      frame.grid.put(glyph, x: rect.origin.x + column, y: rect.origin.y + y, style, in: clip)
      column += glyph.width
    }
    return column
  }

  /// Writes a text, shortened with `…` if it has no room.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - x: The column of its first character.
  ///   - y: The row.
  ///   - width: The columns for the text; nil for all columns up to the end.
  ///   - style: The style of the text.
  public func writeTruncated(
    _ text: String,
    x: Int = 0,
    y: Int = 0,
    width: Int? = nil,
    _ style: Style = .plain,
  ) {
    let width = min(width ?? .max, size.width - x)
    guard width > 0 else { return }
    write(text.truncated(to: width), x: x, y: y, style)
  }

  /// Fills the canvas with a style.
  public func fill(_ style: Style = .plain) {
    let style = style.within(self.style)
    for y in rect.rows.clamped(to: clip.rows) {
      for x in rect.columns.clamped(to: clip.columns) {
        frame.grid.put(Glyph(text: " ", width: 1), x: x, y: y, style, in: clip)
      }
    }
  }

  /// Returns a part of the canvas.
  ///
  /// - Parameters:
  ///   - x: The part's first column.
  ///   - y: The part's first row.
  ///   - width: The part's columns; nil for all columns up to the end.
  ///   - height: The part's rows; nil for all rows up to the end.
  /// - Returns: The part.
  public func part(x: Int = 0, y: Int = 0, width: Int? = nil, height: Int? = nil) -> Canvas {
    let part = Rect(
      x: rect.origin.x + x,
      y: rect.origin.y + y,
      width: width ?? size.width - x,
      height: height ?? size.height - y,
    )
    return Canvas(frame: frame, rect: part, clip: clip.intersection(part), style: style)
  }

  /// Returns the same canvas with a default style.
  public func styled(_ style: Style) -> Canvas {
    Canvas(frame: frame, rect: rect, clip: clip, style: style.within(self.style))
  }

  /// Shows the terminal's cursor at a place, if the place is visible.
  public func showCursor(x: Int, y: Int) {
    let place = Point(x: rect.origin.x + x, y: rect.origin.y + y)
    if clip.contains(place) { frame.cursor = place }
  }

  /// Draws a view over all other views; then only that view takes input.
  public func overlay(_ view: any View) { frame.addOverlay(view) }

  /// Takes keys that neither the focused view nor an earlier drawn view has handled.
  ///
  /// - Parameter handle: Handles a key, and returns whether it did.
  public func onKey(_ handle: @escaping @MainActor (Key) -> Bool) {
    _ = add(isFocusable: false, onKey: handle, onMouse: nil)
  }

  /// Takes mouse events in this part.
  ///
  /// - Parameter handle: Handles a mouse event, and returns whether it did. Its places are relative
  ///   to this part.
  public func onMouse(_ handle: @escaping @MainActor (MouseEvent) -> Bool) {
    _ = add(isFocusable: false, onKey: { _ in false }, onMouse: handle)
  }

  /// Takes input as a focusable view, which the tabulator reaches.
  ///
  /// - Parameters:
  ///   - onKey: Handles a key while the view has the focus, and returns whether it did.
  ///   - onText: Takes typed characters, all pending ones at once, and pasted text, while the view
  ///     has the focus; nil to receive characters as keys and to refuse pastes.
  ///   - onMouse: Handles a mouse event in this part, and returns whether it did. Its places are
  ///     relative to this part.
  /// - Returns: Whether the view has the focus.
  public func takeFocus(
    onKey: @escaping @MainActor (Key) -> Bool,
    onText: (@MainActor (String) -> Void)? = nil,
    onMouse: @escaping @MainActor (MouseEvent) -> Bool = { _ in false },
  ) -> Bool {
    add(isFocusable: true, onKey: onKey, onText: onText, onMouse: onMouse)
  }

  private func add(
    isFocusable: Bool,
    onKey: @escaping @MainActor (Key) -> Bool,
    onText: (@MainActor (String) -> Void)? = nil,
    onMouse: (@MainActor (MouseEvent) -> Bool)?,
  ) -> Bool {
    frame.add(
      clip,
      origin: rect.origin,
      isFocusable: isFocusable,
      onKey: onKey,
      onText: onText,
      onMouse: onMouse,
    )
  }
}

extension String {
  /// Returns the text if it has room, otherwise its beginning and `…`.
  func truncated(to width: Int) -> String {
    guard Glyph.columns(of: unicodeScalars, upTo: width) > width else { return self }
    guard width > 0 else { return "" }
    var (result, columns) = ("", 0)
    for glyph in Glyph.glyphs(of: prefix(width * 2 + 2)) {
      guard columns + glyph.width < width else { break }
      result += glyph.text
      columns += glyph.width
    }
    return result + "…"
  }
}
