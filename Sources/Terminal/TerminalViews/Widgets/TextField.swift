/// A line for text to be typed in.
public struct TextField: PrimitiveView {
  private let title: String
  private let text: Binding<String>
  private let isSelected: Binding<Bool>?
  private let onSubmit: (@MainActor () -> Void)?

  /// Creates a line for text.
  ///
  /// - Parameters:
  ///   - title: What it asks for.
  ///   - text: The text.
  ///   - isSelected: Whether all of the text is selected: what is typed takes its place. Any key
  ///     that edits the line ends that. Nil for never.
  ///   - onSubmit: What is done when enter is pressed; nil where that is not for the field.
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

  /// As wide as there is room.
  public var flexibility: Axes { .horizontal }

  /// The room of the text on one line.
  public func size(in proposal: Size) -> Size {
    let start = Glyph.columns(of: "\(title): ")
    let rest = Glyph.columns(of: text.wrappedValue.unicodeScalars, upTo: proposal.width)
    return Size(width: min(start + rest, proposal.width), height: 1)
  }

  /// Writes the line, and takes what is typed while it has the focus.
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

/// A text that is edited, and where: what is done to it looks at what is around the cursor alone.
struct EditedLine {
  private(set) var text: String
  private var place: String.Index

  // Before the cursor stand so many bytes of UTF-8; all unless told otherwise.
  init(_ text: String, cursor: Int?) {
    self.text = text
    place = text.endIndex
    if let cursor { place = character(at: cursor) }
  }

  /// The beginning of the character at a place in UTF-8, or of the next one where it is within one.
  private func character(at offset: Int) -> String.Index {
    let place = text.utf8.index(text.startIndex, offsetBy: min(offset, text.utf8.count))
    guard place < text.endIndex else { return text.endIndex }
    let next = text.index(after: place)
    return text.index(before: next) == place ? place : next
  }

  var beforeCursor: Substring { text[..<place] }
  var afterCursor: Substring { text[place...] }

  /// How many bytes of UTF-8 stand before the cursor; nil at the end, where it stays.
  var cursor: Int? { place == text.endIndex ? nil : offset(of: place) }

  private func offset(of place: String.Index) -> Int {
    text.utf8.distance(from: text.startIndex, to: place)
  }

  /// What is seen before the cursor where there are so many columns, of which it takes the last.
  ///
  /// - Parameters:
  ///   - room: The columns.
  ///   - columns: The columns of a character.
  /// - Returns: The end of what stands before the cursor.
  func seenBeforeCursor(
    in room: Int,
    columns: (Character) -> Int = { Glyph.columns(of: String($0)) },
  ) -> Substring {
    var (start, width) = (place, 0)
    // As many as a canvas writes, of those without a width too.
    for _ in 0..<(room * 2) {
      guard start > text.startIndex else { break }
      let previous = text.index(before: start)
      width += columns(text[previous])
      guard width < room else { break }
      start = previous
    }
    return text[start..<place]
  }

  /// Inserts a text at the cursor, on one line: line breaks and tabulators become spaces, and what
  /// else controls a terminal is left out.
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

  /// The place of the character before the cursor, and of the one behind that at it.
  private var previous: String.Index {
    place > text.startIndex ? text.index(before: place) : place
  }
  private var next: String.Index { place < text.endIndex ? text.index(after: place) : place }

  /// Does what a key is for.
  ///
  /// - Returns: Whether it is for something.
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
