import Testing

@testable import TerminalViews

@MainActor
@Suite struct LayoutTests {
  private func lines(_ width: Int, _ height: Int, _ view: some View) -> [String] {
    let frame = Frame(size: Size(width: width, height: height))
    view.drawn(in: frame.canvas)
    return frame.grid.lines
  }

  @Test func `Views stand beside and below each other`() {
    let view = VStack(spacing: 1) {
      HStack {
        Text("a")
        if Bool(true) { Text("bb") }
        ForEach([1, 2], id: \.self) { Text("\($0)") }
      }
      Text("c\nd")
    }
    #expect(lines(9, 4, view) == ["a bb 1 2", "", "c", "d"])
    #expect(view.measured(in: .unlimited) == Size(width: 8, height: 4))
  }

  @Test func `What stretches shares what the others leave`() {
    let row = HStack(spacing: 0) {
      Text("a")
      Spacer()
      Text("b")
      Spacer()
      Text("c")
    }
    #expect(lines(9, 1, row) == ["a   b   c"])
    let column = VStack {
      Text("top")
      Text("middle").filling()
      Text("bottom")
    }
    #expect(lines(9, 5, column) == ["top", "middle", "", "", "bottom"])
  }

  @Test func `A text with more lines than there is room for ends with a sign`() {
    #expect(lines(9, 1, Text("Milk\nEggs")) == ["Milk…"])
    #expect(lines(9, 2, Text("a\nb\nc")) == ["a", "b…"])
    #expect(lines(9, 2, Text("a\nb\n")) == ["a", "b"])
    #expect(lines(4, 1, Text("Milk\nEggs")) == ["Mil…"])
    // Also beside another view.
    let row = HStack(spacing: 0) {
      Text("Milk\nEggs")
      Text("!")
    }
    #expect(lines(9, 1, row) == ["Milk…!"])
  }

  @Test func `A border has a title, and what is in it its room`() {
    let view = Text("text").border("T").frame(width: 10, height: 3)
    #expect(lines(12, 4, view) == ["┌─ T ────┐", "│ text   │", "└────────┘", ""])
  }

  @Test func `A paragraph goes on in the next line`() {
    let view = Paragraph("one two three\nfour")
    #expect(lines(8, 4, view) == ["one two", "three", "four", ""])
    #expect(view.measured(in: Size(width: 8, height: 9)) == Size(width: 7, height: 3))
    #expect(lines(8, 2, view) == ["one two", "three…"])
    #expect(lines(7, 1, view) == ["one tw…"])
  }

  @Test func `A word that is wider than the line is broken, and none of it is lost`() {
    let view = Paragraph("see /run/user/1000/storeactor.sock there")
    #expect(lines(10, 5, view) == ["see", "/run/user/", "1000/store", "actor.sock", "there"])
    #expect(Paragraph.lines(of: "日本語 a", width: 4) == ["日本", "語 a"])
    #expect(Paragraph.lines(of: "ab", width: 0) == ["a", "b"])
    // An indivisible character has its own line.
    #expect(Paragraph.lines(of: "日本", width: 1) == ["日", "本"])
    #expect(Paragraph.lines(of: "a\n\nb", width: 3) == ["a", "", "b"])
  }

  @Test func `Columns show the numbers, and something of whatever is more than nothing`() {
    #expect(lines(4, 1, Sparkline([9, 0, 1, 4, 8])) == [" ▁▄█"])
    #expect(lines(4, 2, Sparkline([8, 4, 2, 0.01], height: 2)) == ["█", "██▄▁"])
    #expect(lines(4, 1, Sparkline([0, 0])) == [""])
    #expect(lines(4, 1, Sparkline([.infinity, 1])) == [""])
  }

  @Test func `Tabs move out at the left until the chosen one has room`() {
    #expect(
      lines(12, 1, Tabs(["One", "Two", "Three"], selection: .constant(0))) == [" 1 One  2 T…"]
    )
    #expect(
      lines(12, 1, Tabs(["One", "Two", "Three"], selection: .constant(2))) == [" 3 Three"]
    )
  }

  @Test func `Hints are shown as far as there is room for whole ones, and a sign for the others`() {
    let bar = HelpBar([HelpBar.Hint("q", "quit"), HelpBar.Hint("?", "help")])
    #expect(lines(14, 1, bar) == ["q quit  ? help"])
    #expect(lines(13, 1, bar) == ["q quit  …"])
    #expect(lines(9, 1, bar) == ["q quit  …"])
    #expect(lines(8, 1, bar) == ["…"])
    #expect(lines(6, 1, HelpBar([HelpBar.Hint("q", "quit")])) == ["q quit"])
  }

  @Test func `A palette finds names by characters in their order`() {
    #expect(Palette.rank(of: "gtd", in: "Go to Todos") == .characters)
    #expect(Palette.rank(of: "go todos", in: "Go to Todos") == .characters)
    #expect(Palette.rank(of: "sg", in: "Go to Todos") == nil)
    #expect(Palette.rank(of: "odo", in: "Go to Todos") == .part)
    #expect(Palette.rank(of: "todo", in: "Go to Todos") == .word)
    #expect(Palette.rank(of: "go", in: "Go to Todos") == .beginning)
    #expect(Palette.rank(of: "go to todos", in: "Go to Todos") == .name)
  }
}
