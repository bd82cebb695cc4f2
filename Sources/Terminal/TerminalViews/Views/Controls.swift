/// A text that breaks only at its line breaks.
public struct Text: PrimitiveView {
  /// The text.
  public let content: String
  private let style: Style

  /// Creates a text.
  public init(_ content: String, _ style: Style = .plain) {
    self.content = content
    self.style = style
  }

  /// Returns the size of the text.
  public func size(in proposal: Size) -> Size {
    let lines = lines(proposal.height)
    let widths = lines.map { Glyph.columns(of: $0.unicodeScalars, upTo: proposal.width) }
    return Size(width: min(widths.max() ?? 0, proposal.width), height: lines.count)
  }

  /// Writes the text.
  ///
  /// Lines that are too wide end with `…`, and so does the last visible line if further lines have
  /// no room.
  public func draw(in canvas: Canvas) {
    for (row, line) in lines(canvas.size.height).enumerated() {
      canvas.writeTruncated(String(line), y: row, style)
    }
  }

  /// Returns the first lines; the last one ends with `…` if there are more.
  private func lines(_ count: Int) -> [Substring] {
    // Splits bytes, since splitting characters of a long text costs more.
    var lines = content.utf8.split(
      separator: UInt8(ascii: "\n"),
      maxSplits: count,
      omittingEmptySubsequences: false,
    )
    .map { Substring($0) }
    guard lines.count > count else { return lines }
    // A line break at the end does not begin a line.
    let rest = lines.removeLast()
    if !rest.isEmpty, let last = lines.popLast() { lines.append(last + "…") }
    return lines
  }
}

/// A text that wraps at the end of a line.
public struct Paragraph: PrimitiveView {
  private let content: String
  private let style: Style

  /// Creates a text.
  public init(_ content: String, _ style: Style = .plain) {
    self.content = content
    self.style = style
  }

  /// Returns the size of the text.
  public func size(in proposal: Size) -> Size {
    let lines = lines(in: proposal.width)
    return Size(
      width: lines.map { Glyph.columns(of: $0) }.max() ?? 0,
      height: min(lines.count, proposal.height),
    )
  }

  /// Writes the text; the last visible line ends with `…` if further lines have no room.
  public func draw(in canvas: Canvas) {
    let lines = lines(in: canvas.size.width)
    let height = canvas.size.height
    for (row, line) in lines.prefix(height).enumerated() {
      let isCut = row == height - 1 && lines.count > height
      canvas.writeTruncated(isCut ? "\(line)…" : line, y: row, style)
    }
  }

  private func lines(in width: Int) -> [String] { Self.lines(of: content, width: width) }

  /// Returns a text wrapped to a width: between words, and within a word that is wider than a line.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - width: The columns of a line; at least one is used.
  /// - Returns: The lines.
  public nonisolated static func lines(of text: String, width: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
      var lines = ParagraphLines(width: max(1, width))
      for word in paragraph.split(separator: " ") { lines.add(word) }
      return lines.all
    }
  }
}

/// The lines of a paragraph, built word by word.
private struct ParagraphLines {
  let width: Int
  private var full: [String] = []
  private var line = ""
  /// The columns of the current line.
  private var columns = 0

  init(width: Int) { self.width = width }

  var all: [String] { full + [line] }

  mutating func add(_ word: Substring) {
    let wanted = Glyph.columns(of: word)
    if !line.isEmpty {
      if columns + 1 + wanted <= width {
        line += " \(word)"
        columns += 1 + wanted
        return
      }
      end()
    }
    guard wanted > width else {
      (line, columns) = (String(word), wanted)
      return
    }
    for glyph in Glyph.glyphs(of: word) {
      if columns > 0, columns + glyph.width > width { end() }
      line += glyph.text
      columns += glyph.width
    }
  }

  private mutating func end() {
    full.append(line)
    (line, columns) = ("", 0)
  }
}

/// A button to press with the mouse, or with enter or space while it has the focus: `[+]`.
public struct Button<Label: View>: PrimitiveView {
  private let action: @MainActor () -> Void
  private let label: Label

  /// Creates a button.
  ///
  /// - Parameters:
  ///   - action: The button's action.
  ///   - label: The button's label.
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
  ///   - action: The button's action.
  public init(_ title: String, action: @escaping @MainActor () -> Void) where Label == Text {
    self.init(action: action, label: { Text(title) })
  }

  /// Returns the size of the label in brackets.
  public func size(in _: Size) -> Size {
    Size(width: Glyph.columns(of: label.title) + 2, height: 1)
  }

  /// Writes the button.
  public func draw(in canvas: Canvas) {
    let title = label.title
    let isFocused = canvas.takeFocus { [action] key in
      guard key == .enter || key == " " else { return false }
      action()
      return true
    } onMouse: { [action] event in
      if event.kind == .press { action() }
      return event.kind == .press
    }
    canvas.frame.tappables.append(Frame.Tappable(title: title, action: action))
    canvas.write("[\(title)]", Style(isReversed: isFocused))
  }
}

/// A sign that work is in progress.
public struct ProgressView: PrimitiveView {
  /// Creates the sign.
  public init() {}

  /// Returns one cell.
  public func size(in _: Size) -> Size { Size(width: 1, height: 1) }

  /// Writes the sign.
  public func draw(in canvas: Canvas) { canvas.write("…") }
}

/// A picture, shown as its name.
public struct Image: PrimitiveView {
  private let name: String

  /// Creates a picture with a name.
  public init(systemName name: String) {
    self.name = name
  }

  /// Returns the size of the name in parentheses.
  public func size(in _: Size) -> Size {
    Size(width: Glyph.columns(of: name) + 2, height: 1)
  }

  /// Writes the name.
  public func draw(in canvas: Canvas) { canvas.write("(\(name))") }
}

/// A line between views.
public struct Divider: PrimitiveView {
  /// Creates a line.
  public init() {}

  /// Returns the proposed width, or a short line if the room is unlimited.
  public func size(in proposal: Size) -> Size {
    let isUnlimited = proposal.width >= Size.unlimitedLength / 2
    return Size(width: isUnlimited ? 3 : proposal.width, height: 1)
  }

  /// Draws the line.
  public func draw(in canvas: Canvas) {
    // Without a terminal, three columns stand for the line.
    let width = canvas.frame.memory == nil ? 3 : canvas.size.width
    canvas.write(String(repeating: "-", count: width), Style(.secondary))
  }
}
