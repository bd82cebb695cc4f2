import Testing

@testable import TerminalViews

@Suite struct GlyphTests {
  @Test(arguments: [
    ("a", 1), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("", 0), ("─", 1), ("ﬁ", 1), ("🙂", 2),
    // Some terminals show this as one picture; only the widths of its parts are known.
    ("👩\u{200D}💻", 4),
  ])
  func `A text has the columns of its scalars`(text: String, columns: Int) {
    #expect(Canvas.columns(of: text) == columns)
    #expect(Glyph.glyphs(of: text).reduce(0) { $0 + $1.width } == columns)
  }

  @Test func `What has no width belongs to the cell before it, up to five scalars`() {
    let glyphs = Glyph.glyphs(of: "a\u{301}b" + String(repeating: "\u{301}", count: 9))
    #expect(glyphs.map { $0.text.unicodeScalars.count } == [2, 5])
    // At the beginning there is no cell before it.
    #expect(Glyph.glyphs(of: "\u{301}a").map(\.text) == ["a"])
  }

  @Test(arguments: ["\u{1B}", "\n", "\u{9B}", "\u{7F}", "\u{202E}", "\u{2066}", "\u{200F}"])
  func `Nothing that controls a terminal gets into a cell`(control: String) {
    #expect(Glyph.glyphs(of: "a\(control)b").map(\.text) == ["a", "\u{FFFD}", "b"])
  }

  @Test(arguments: [
    ("short", 5, "short"), ("longer", 5, "long…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
    ("ab", 1, "…"), ("ab", 0, ""),
  ])
  func `A text without room ends with a sign`(text: String, width: Int, expected: String) {
    #expect(text.truncated(to: width) == expected)
    #expect(Canvas.columns(of: expected) <= width)
  }
}
