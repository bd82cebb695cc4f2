/// Titles of which the user chooses one, by its number, the mouse, or the keys `[` and `]`.
public struct Tabs: PrimitiveView {
  private let titles: [String]
  private let selection: Binding<Int>

  /// Creates the titles.
  ///
  /// - Parameters:
  ///   - titles: The titles.
  ///   - selection: The place of the chosen title.
  public init(_ titles: [String], selection: Binding<Int>) {
    self.titles = titles
    self.selection = selection
  }

  /// The horizontal direction: the view takes the available width.
  public var flexibility: Axes { .horizontal }

  /// Returns the size of the titles on one line.
  public func size(in proposal: Size) -> Size {
    let width = titles.indices.reduce(0) { $0 + Glyph.columns(of: label($1)) }
    return Size(width: min(width, proposal.width), height: 1)
  }

  private func label(_ place: Int) -> String { " \(place + 1) \(titles[place]) " }

  /// Draws the titles; if they have no room, titles before the chosen one are omitted.
  public func draw(in canvas: Canvas) {
    let chosen = selection.wrappedValue
    canvas.onKey { [selection, titles] key in
      guard case .character(let character) = key else { return false }
      switch character {
      case "]": selection.wrappedValue = (chosen + 1) % max(1, titles.count)
      case "[": selection.wrappedValue = (chosen + titles.count - 1) % max(1, titles.count)
      default:
        guard let number = character.wholeNumberValue, number >= 1, number <= titles.count else {
          return false
        }
        selection.wrappedValue = number - 1
      }
      return true
    }
    var first = 0
    while first < chosen, room(first...chosen) > canvas.size.width { first += 1 }
    var x = 0
    for place in titles.indices.dropFirst(first) {
      let style = place == chosen ? Style(isBold: true, isReversed: true) : Style(.secondary)
      let width = Glyph.columns(of: label(place))
      canvas.writeTruncated(label(place), x: x, style)
      ViewMemory.within(.id(titles[place], at: place)) {
        canvas.part(x: x, width: width).onMouse { [selection] event in
          guard event.kind == .press else { return false }
          selection.wrappedValue = place
          return true
        }
      }
      x += width
    }
  }

  private func room(_ places: ClosedRange<Int>) -> Int {
    places.reduce(0) { $0 + Glyph.columns(of: label($1)) }
  }
}

/// A line of hints about keys.
public struct HelpBar: PrimitiveView {
  /// A key and its meaning.
  public struct Hint {
    let key: String
    let meaning: String

    /// Creates a hint.
    public init(_ key: String, _ meaning: String) {
      self.key = key
      self.meaning = meaning
    }
  }

  private let hints: [Hint]

  /// Creates a line of hints, the most important first.
  public init(_ hints: [Hint]) { self.hints = hints }

  /// The horizontal direction: the view takes the available width.
  public var flexibility: Axes { .horizontal }

  /// Returns the proposed width on one line.
  public func size(in proposal: Size) -> Size { Size(width: proposal.width, height: 1) }

  /// Draws the hints that have room, and `…` for the others.
  public func draw(in canvas: Canvas) {
    var x = 0
    for (place, hint) in hints.enumerated() {
      let width = Glyph.columns(of: hint.key) + 1 + Glyph.columns(of: hint.meaning)
      let sign = place == hints.count - 1 ? 0 : 3
      guard x + width + sign <= canvas.size.width else {
        canvas.write("…", x: x, Style(.secondary))
        return
      }
      let end = canvas.write(hint.key, x: x, Style(.cyan, isBold: true))
      x = canvas.write(hint.meaning, x: end + 1, Style(.secondary)) + 2
    }
  }
}
