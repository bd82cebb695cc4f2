/// A line in which the user edits a text.
public struct TextField: PrimitiveView {
  private let title: String
  private let text: Binding<String>
  private let isSelected: Binding<Bool>?
  private let onSubmit: (@MainActor () -> Void)?

  /// Creates a field.
  ///
  /// - Parameters:
  ///   - title: The title, which names the requested text.
  ///   - text: The text.
  ///   - isSelected: Whether the whole text is selected, so that typed text replaces it. Any
  ///     editing key ends the selection. Nil for no selection.
  ///   - onSubmit: The action for enter; nil if the field does not handle enter.
  public init(
    _ title: String,
    text: Binding<String>,
    isSelected: Binding<Bool>? = nil,
    onSubmit: (@MainActor () -> Void)? = nil,
  ) {
    self.title = title
    self.text = text
    self.isSelected = isSelected
    self.onSubmit = onSubmit
  }

  /// The horizontal direction: the field takes the available width.
  public var flexibility: Axes { .horizontal }

  /// Returns the size of the title and the text, on one line.
  public func size(in proposal: Size) -> Size {
    let start = Glyph.columns(of: "\(title): ")
    let rest = Glyph.columns(of: text.wrappedValue.unicodeScalars, upTo: proposal.width)
    return Size(width: min(start + rest, proposal.width), height: 1)
  }

  /// Writes the line, and takes typed text while the field has the focus.
  public func draw(in canvas: Canvas) {
    guard let memory = canvas.frame.memory else {
      canvas.write(text.wrappedValue, x: canvas.write("\(title): "))
      return
    }
    let path = canvas.frame.path(of: .cursor)
    let cursor = memory.cursor(at: path)
    func edit(replaces: Bool = false, _ change: (inout EditedLine) -> Bool) -> Bool {
      let isSelected = isSelected?.wrappedValue ?? false
      var line =
        isSelected && replaces
        ? EditedLine("", cursor: nil)
        : EditedLine(text.wrappedValue, cursor: memory.cursor(at: path))
      guard change(&line) else { return false }
      if isSelected { self.isSelected?.wrappedValue = false }
      memory.setCursor(line.cursor, at: path)
      if line.text != text.wrappedValue { text.wrappedValue = line.text }
      return true
    }
    let isFocused = canvas.takeFocus { [onSubmit] pressed in
      guard pressed == .enter, let onSubmit else {
        return edit(replaces: pressed == .backspace || pressed == .delete) { $0.take(pressed) }
      }
      onSubmit()
      return true
    } onText: { typed in
      _ = edit(replaces: true) {
        $0.insert(typed)
        return true
      }
    }
    let start = canvas.write("\(title): ", Style(isBold: isFocused))
    let line = EditedLine(text.wrappedValue, cursor: cursor)
    let room = max(1, canvas.size.width - start)
    let style = Style(isReversed: isFocused && isSelected?.wrappedValue == true)
    let column = canvas.write(line.seenBeforeCursor(in: room), x: start, style)
    canvas.write(line.afterCursor, x: column, style)
    if isFocused { canvas.showCursor(x: column, y: 0) }
  }
}

/// A text with a cursor.
///
/// Edits examine only the text around the cursor.
struct EditedLine {
  private(set) var text: String
  private var place: String.Index

  // The cursor is a number of bytes of UTF-8 before it; nil for the end.
  init(_ text: String, cursor: Int?) {
    self.text = text
    place = text.endIndex
    if let cursor { place = character(at: cursor) }
  }

  /// Returns the beginning of the character at a UTF-8 offset, or of the next one if the offset is
  /// within a character.
  private func character(at offset: Int) -> String.Index {
    let place = text.utf8.index(text.startIndex, offsetBy: min(offset, text.utf8.count))
    guard place < text.endIndex else { return text.endIndex }
    let next = text.index(after: place)
    return text.index(before: next) == place ? place : next
  }

  var beforeCursor: Substring { text[..<place] }
  var afterCursor: Substring { text[place...] }

  /// The bytes of UTF-8 before the cursor; nil at the end, so that the cursor stays there.
  var cursor: Int? { place == text.endIndex ? nil : offset(of: place) }

  private func offset(of place: String.Index) -> Int {
    text.utf8.distance(from: text.startIndex, to: place)
  }

  /// Returns the visible text before the cursor, in a number of columns of which the cursor takes
  /// the last.
  ///
  /// - Parameters:
  ///   - room: The available columns.
  ///   - columns: Measures the columns of a character.
  /// - Returns: The end of the text before the cursor.
  func seenBeforeCursor(
    in room: Int,
    columns: (Character) -> Int = { Glyph.columns(of: String($0)) },
  ) -> Substring {
    var (start, width) = (place, 0)
    // The limit for characters, including those without width, matches the canvas's.
    for _ in 0..<(room * 2) {
      guard start > text.startIndex else { break }
      let previous = text.index(before: start)
      width += columns(text[previous])
      guard width < room else { break }
      start = previous
    }
    return text[start..<place]
  }

  /// Inserts a text at the cursor, on one line.
  ///
  /// Line breaks and tabulators become spaces, and other control characters are dropped.
  mutating func insert(_ new: String) {
    let line = String(
      new.compactMap { character in
        if character.isNewline || character == "\t" { return " " }
        let isControl = character.unicodeScalars.first?.properties.generalCategory == .control
        return isControl ? nil : character
      }
    )
    replace(place..<place, with: line)
  }

  private mutating func replace(_ range: Range<String.Index>, with new: String = "") {
    let offset = offset(of: range.lowerBound)
    text.replaceSubrange(range, with: new)
    place = character(at: offset + new.utf8.count)
  }

  /// The places before and after the adjacent characters: the cursor's next places.
  private var previous: String.Index {
    place > text.startIndex ? text.index(before: place) : place
  }
  private var next: String.Index { place < text.endIndex ? text.index(after: place) : place }

  /// Performs the edit of a key.
  ///
  /// - Returns: Whether the key edits the line.
  mutating func take(_ key: Key) -> Bool {
    switch key {
    case .backspace: replace(previous..<place)
    case .delete, .control("d"): replace(place..<next)
    case .left, .control("b"): place = previous
    case .right, .control("f"): place = next
    case .home, .control("a"): place = text.startIndex
    case .end, .control("e"): place = text.endIndex
    case .control("u"): replace(text.startIndex..<place)
    case .control("k"): replace(place..<text.endIndex)
    case .control("w"):
      let word = beforeCursor.lastIndex { $0 != " " }
      let space = word.flatMap { text[..<$0].lastIndex(of: " ") }
      replace((space.map(text.index(after:)) ?? text.startIndex)..<place)
    default: return false
    }
    return true
  }
}
