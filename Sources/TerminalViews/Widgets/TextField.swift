/// A line for text to be typed in.
public struct TextField: PrimitiveView {
  private let title: String
  private let text: Binding<String>
  private let onSubmit: (@MainActor () -> Void)?

  /// Creates a line for text.
  ///
  /// - Parameters:
  ///   - title: What it asks for.
  ///   - text: The text.
  ///   - onSubmit: What is done when enter is pressed; nil where that is not for the field.
  public init(
    _ title: String,
    text: Binding<String>,
    onSubmit: (@MainActor () -> Void)? = nil,
  ) {
    self.title = title
    self.text = text
    self.onSubmit = onSubmit
  }

  /// As wide as there is room.
  public var flexibility: Axes { .horizontal }

  /// The room of the text on one line.
  public func size(in proposal: Size) -> Size {
    let width = Glyph.columns(of: "\(title): \(text.wrappedValue)")
    return Size(width: min(width, proposal.width), height: 1)
  }

  /// Writes the line, and takes what is typed while it has the focus.
  public func draw(in canvas: Canvas) {
    guard let memory = canvas.frame.memory else {
      canvas.write("\(title): \(text.wrappedValue)")
      return
    }
    let key = "\(canvas.frame.depth) \(title)"
    let isFocused = canvas.takeFocus { [text, onSubmit] pressed in
      if pressed == .enter, let onSubmit {
        onSubmit()
        return true
      }
      var line = EditedLine(text.wrappedValue, cursor: memory.cursors[key])
      guard line.take(pressed) else { return false }
      memory.cursors[key] = line.cursor
      if line.text != text.wrappedValue { text.wrappedValue = line.text }
      return true
    }
    let start = canvas.write("\(title): ", Style(isBold: isFocused))
    let line = EditedLine(text.wrappedValue, cursor: memory.cursors[key])
    let room = max(1, canvas.size.width - start)
    // What stands before the cursor moves to the left when there is no room for it.
    var before = line.beforeCursor[...]
    while Glyph.columns(of: before) >= room { before = before.dropFirst() }
    let cursor = canvas.write(before, x: start)
    canvas.write(line.afterCursor, x: cursor)
    if isFocused { canvas.showCursor(x: cursor, y: 0) }
  }
}

/// A text that is edited, and where.
struct EditedLine {
  private(set) var beforeCursor: String
  private(set) var afterCursor: String

  // Before the cursor stand so many characters; all unless told otherwise.
  init(_ text: String, cursor: Int?) {
    let end = text.index(text.startIndex, offsetBy: cursor ?? .max, limitedBy: text.endIndex)
    beforeCursor = String(text[..<(end ?? text.endIndex)])
    afterCursor = String(text[(end ?? text.endIndex)...])
  }

  var text: String { beforeCursor + afterCursor }

  /// How many characters stand before the cursor; nil at the end, where it stays.
  var cursor: Int? { afterCursor.isEmpty ? nil : beforeCursor.count }

  /// Does what a key is for.
  ///
  /// - Returns: Whether it is for something.
  mutating func take(_ key: Key) -> Bool {
    switch key {
    case .character(let character): beforeCursor.append(character)
    case .backspace: _ = beforeCursor.popLast()
    case .delete, .control("d"): if !afterCursor.isEmpty { afterCursor.removeFirst() }
    case .left, .control("b"):
      if let character = beforeCursor.popLast() { afterCursor = String(character) + afterCursor }
    case .right, .control("f"):
      if !afterCursor.isEmpty { beforeCursor.append(afterCursor.removeFirst()) }
    case .home, .control("a"): (beforeCursor, afterCursor) = ("", text)
    case .end, .control("e"): (beforeCursor, afterCursor) = (text, "")
    case .control("u"): beforeCursor = ""
    case .control("k"): afterCursor = ""
    case .control("w"):
      while beforeCursor.last == " " { beforeCursor.removeLast() }
      while let last = beforeCursor.last, last != " " { beforeCursor.removeLast() }
    default: return false
    }
    return true
  }
}
