import Testing

@testable import TerminalViews

@MainActor
@Suite(.timeLimit(.minutes(1))) struct TextFieldTests {
  /// A text with the number of its changes, and the keys that no view has handled.
  private final class Note {
    var text: String
    var changes = 0
    var drawings = 0
    var keys: [Key] = []

    init(_ text: String) { self.text = text }
  }

  private func session(_ note: Note, _ terminal: MemoryTerminal) -> TerminalSession {
    let session = TerminalSession(on: terminal, framesPerSecond: 10_000) {
      note.drawings += 1
      return VStack {
        TextField(
          "Note",
          text: Binding {
            note.text
          } set: {
            note.text = $0
            note.changes += 1
          },
        )
        RowList(["a", "b"], id: \.self, selection: .constant(RowSelection())) { Text($0) }
      }
      .onKeys { key in
        guard key != .tab else { return false }
        note.keys.append(key)
        return true
      }
    }
    session.start()
    return session
  }

  @Test func `A line is edited in its middle`() {
    var line = EditedLine("two words", cursor: nil)
    for key: Key in [.control("w"), .left, .delete, .home] {
      let isTaken = line.take(key)
      #expect(isTaken)
    }
    line.insert("z")
    #expect(line.text == "ztwo" && line.cursor == 1)
    let isTaken = line.take(.enter)
    #expect(!isTaken)
    for key: Key in [.end, .backspace, .control("b"), .control("u")] { _ = line.take(key) }
    #expect(line.text == "w")
    line.insert("one two  ")
    _ = line.take(.control("w"))
    #expect(line.text == "one w" && line.cursor == 4)
    _ = line.take(.control("k"))
    #expect(line.text == "one " && line.cursor == nil)
  }

  @Test(
    arguments: [
      ([.character("x")], "x"), ([.character("x"), .character("y")], "xy"), ([.backspace], ""),
      ([.delete], ""), ([.left, .character("x")], "alxl"), ([.end, .character("x")], "allx"),
      ([.tab, .character("x")], "all"), ([.tab, .tab, .character("x")], "x"),
    ] as [([Key], String)]
  )
  func `What is typed takes the place of a text that is selected`(
    keys: [Key],
    expected: String,
  ) async {
    let terminal = MemoryTerminal(width: 20, height: 3)
    var (text, isSelected) = ("all", true)
    let session = TerminalSession(on: terminal, framesPerSecond: 10_000) {
      VStack {
        TextField(
          "Filter",
          text: Binding(get: { text }, set: { text = $0 }),
          isSelected: Binding(get: { isSelected }, set: { isSelected = $0 }),
        )
        Button("OK") {}
      }
    }
    session.start()
    await session.idle()
    #expect((8..<11).allSatisfy { terminal.grid[$0, 0].style.isReversed })
    for key in keys { terminal.press(key) }
    await session.idle()
    #expect(text == expected && isSelected == (text == "all"))
    #expect(terminal.grid[8, 0].style == .plain)
    session.end()
  }

  @Test func `A cursor stands between characters, whatever the text has become`() {
    // The cursor is within a letter's bytes, between a letter and its accent, and within a flag.
    for (text, cursor, expected) in [
      ("日本", 1, 3), ("e\u{301}x", 1, 3), ("a🇩🇪b", 5, 9), ("a", 9, nil), ("", 3, nil), ("ab", 1, 1),
    ] {
      #expect(EditedLine(text, cursor: cursor).cursor == expected, "\(text) \(cursor)")
    }
    var line = EditedLine("e", cursor: nil)
    line.insert("\u{301}")
    _ = line.take(.left)
    #expect(line.cursor == 0)
    _ = line.take(.right)
    _ = line.take(.backspace)
    #expect(line.text.isEmpty)
  }

  @Test(arguments: ["x", "日", "\u{301}", "\u{200B}", "e\u{301}"])
  func `Of a long text only what is seen is measured`(unit: String) {
    let line = EditedLine(String(repeating: unit, count: 200_000), cursor: nil)
    var measured = 0
    let seen = line.seenBeforeCursor(in: 20) { character in
      measured += 1
      return Glyph.columns(of: String(character))
    }
    #expect(measured <= 40)
    #expect(Glyph.columns(of: seen) < 20)
    var looks = 0
    let scalars = line.text.unicodeScalars.lazy.map { scalar in
      looks += 1
      return scalar
    }
    let width = Glyph.columns(of: scalars, upTo: 20)
    #expect(width <= 22 && (width == 0 || looks <= 44))
  }

  @Test func `The end of a text that is too long is shown, with its cursor`() async {
    let note = Note(String(repeating: "x", count: 200_000) + "end")
    let terminal = MemoryTerminal(width: 16, height: 3)
    let session = session(note, terminal)
    await session.idle()
    #expect(terminal.lines[0] == "Note: xxxxxxend")
    #expect(terminal.cursor == Point(x: 15, y: 0))
    terminal.press(.home)
    await session.idle()
    #expect(terminal.lines[0] == "Note: xxxxxxxxxx")
    #expect(terminal.cursor == Point(x: 6, y: 0))
    session.end()
  }

  @Test func `Characters that come at once are one change and one drawing`() async {
    let note = Note("")
    let terminal = MemoryTerminal(width: 30, height: 3)
    let session = session(note, terminal)
    await session.idle()
    let drawings = note.drawings
    terminal.type(String(repeating: "abc", count: 700))
    await session.idle()
    #expect(note.text.count == 2_100)
    #expect(note.changes == 1)
    #expect(note.drawings == drawings + 1)
    session.end()
  }

  @Test func `A paste goes into a field on one line, as one change`() async {
    let note = Note("[]")
    let terminal = MemoryTerminal(width: 30, height: 3)
    let session = session(note, terminal)
    terminal.press(.left)
    terminal.paste("shopping\nd\r\nd\te\u{1B}\u{7}\n")
    await session.idle()
    #expect(note.text == "[shopping d d e ]")
    #expect(note.changes == 1)
    #expect(terminal.cursor == Point(x: 22, y: 0))
    session.end()
  }

  @Test func `Nobody but a field takes a paste, not even as keys`() async {
    let note = Note("")
    let terminal = MemoryTerminal(width: 30, height: 3)
    let session = session(note, terminal)
    terminal.press(.tab)
    terminal.paste("shopping\nd\nd\n")
    await session.idle()
    #expect(note.text.isEmpty && note.keys.isEmpty)
    terminal.press("d")
    #expect(note.keys == ["d"])
    session.end()
  }
}
