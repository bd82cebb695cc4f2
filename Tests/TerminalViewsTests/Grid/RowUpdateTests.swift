import Testing

@testable import TerminalViews

@MainActor
@Suite struct RowUpdateTests {
  private func grid(_ text: String, _ style: Style = .plain) -> Grid {
    let frame = Frame(size: Size(width: 12, height: 1))
    frame.canvas.fill(style)
    frame.canvas.write(text, style)
    return frame.grid
  }

  private func update(_ old: String, _ new: String) -> RowUpdate {
    grid(new).update(ofRow: 0, from: grid(old))
  }

  /// Returns the update that empties and writes a row from a column on.
  private func all(from first: Int, and before: Int..., isEmptied: Bool = true) -> RowUpdate {
    RowUpdate(columns: before + Array(first..<12), emptiedFrom: isEmptied ? first : nil)
  }

  @Test func `Of what has a certain width only what has changed is written`() {
    #expect(update("[ ] 日本 →", "[x] 日本 →") == RowUpdate(columns: [1], emptiedFrom: nil))
    #expect(update("abc", "abc") == RowUpdate(columns: [], emptiedFrom: nil))
  }

  @Test(arguments: [
    "👩\u{200D}💻", "❤\u{FE0F}", "🇩🇪", "e\u{301}", "1\u{FE0F}\u{20E3}", "🏽",
  ])
  func `Where terminals may draw another width the rest of a row is emptied and written`(
    cluster: String
  ) {
    // The cluster stays, disappears and appears.
    #expect(update("abc \(cluster)d", "abc \(cluster)e") == all(from: 3))
    #expect(update("abc \(cluster)d", "abc d") == all(from: 3))
    #expect(update("abc def", "abx \(cluster)d") == all(from: 3, and: 2))
    // A change far before the cluster does not affect it.
    let far = update("abc \(cluster)d", "xbc \(cluster)d")
    #expect(far == RowUpdate(columns: [0], emptiedFrom: nil))
  }

  @Test func `What a cell may have joined is written with it`() {
    #expect(update("a 👍🏽b", "a 👍 b") == all(from: 2))
    #expect(update("a 👍🏽b", "a 👎🏽b") == all(from: 2))
  }

  @Test func `What is empty already is not emptied`() {
    #expect(update("ab", "ab 🇩🇪") == all(from: 2, isEmptied: false))
    let (plain, bar) = (grid("ab"), grid("ab", Style(isReversed: true)))
    #expect(grid("ab 🇩🇪").update(ofRow: 0, from: bar) == all(from: 2, and: 0, 1))
    #expect(bar.update(ofRow: 0, from: plain).emptiedFrom == nil)
  }

  @Test func `No half of a wide character is written`() {
    #expect(update("日本e\u{301}", "日本e") == all(from: 2))
  }
}
