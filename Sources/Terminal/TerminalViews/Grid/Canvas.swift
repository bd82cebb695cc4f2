/// The part of a grid that a view draws into, and the place where it says what it does with input.
@MainActor
public struct Canvas {
  let frame: Frame
  /// Where it is in the grid; a part of it may be beyond what is to be seen.
  let rect: Rect
  let clip: Rect
  let style: Style

  /// The columns and rows that the view has.
  public var size: Size { rect.size }

  /// The columns that a text takes.
  public nonisolated static func columns(of text: some StringProtocol) -> Int {
    Glyph.columns(of: text)
  }

  /// Writes a text on one line; what has no room is left out.
  ///
  /// - Parameters:
  ///   - text: The text; whatever could control a terminal becomes U+FFFD.
  ///   - x: The column of its first character.
  ///   - y: The row.
  ///   - style: How it looks.
  /// - Returns: The column behind its end.
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

  /// Writes a text that ends with `…` where it has no room.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - x: The column of its first character.
  ///   - y: The row.
  ///   - width: The columns that it has; nil for those up to the end.
  ///   - style: How it looks.
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

  /// Fills all of it with a style.
  public func fill(_ style: Style = .plain) {
    let style = style.within(self.style)
    for y in rect.rows.clamped(to: clip.rows) {
      for x in rect.columns.clamped(to: clip.columns) {
        frame.grid.put(Glyph(text: " ", width: 1), x: x, y: y, style, in: clip)
      }
    }
  }

  /// A part of it.
  ///
  /// - Parameters:
  ///   - x: The part's first column.
  ///   - y: The part's first row.
  ///   - width: The part's columns; nil for those up to the end.
  ///   - height: The part's rows; nil for those up to the end.
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

  /// The same, in which everything is of a style unless it says otherwise.
  public func styled(_ style: Style) -> Canvas {
    Canvas(frame: frame, rect: rect, clip: clip, style: style.within(self.style))
  }

  /// Shows the terminal's cursor at a place.
  public func showCursor(x: Int, y: Int) {
    let place = Point(x: rect.origin.x + x, y: rect.origin.y + y)
    if clip.contains(place) { frame.cursor = place }
  }

  /// Puts a view over everything else; it alone takes input then.
  public func overlay(_ view: any View) { frame.addOverlay(view) }

  /// Takes keys that nobody wanted who has the focus or was drawn before.
  ///
  /// - Parameter handle: Does what a key is for, and says whether it is for something.
  public func onKey(_ handle: @escaping @MainActor (Key) -> Bool) {
    _ = add(isFocusable: false, onKey: handle, onMouse: nil)
  }

  /// Takes what is done with the mouse in this part.
  ///
  /// - Parameter handle: Does what the mouse is for, and says whether it is for something. Its
  ///   places are of this part.
  public func onMouse(_ handle: @escaping @MainActor (MouseEvent) -> Bool) {
    _ = add(isFocusable: false, onKey: { _ in false }, onMouse: handle)
  }

  /// Takes input as one of those between which the tabulator goes to and fro.
  ///
  /// - Parameters:
  ///   - onKey: Does what a key is for while it has the focus, and says whether it is for
  ///     something.
  ///   - onText: Takes characters that are typed, as many as there are at once, and what is pasted,
  ///     while it has the focus; nil where characters are keys and nothing can be pasted.
  ///   - onMouse: Does what the mouse is for in this part, and says whether it is for something.
  ///     Its places are of this part.
  /// - Returns: Whether it has the focus.
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
  /// The text as it is where it has room, else its beginning and `…`.
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
