import Testing

@testable import TerminalViews

@MainActor
@Suite struct CanvasTests {
  private func drawn(_ width: Int, _ height: Int, _ draw: (Canvas) -> Void) -> Grid {
    let frame = Frame(size: Size(width: width, height: height))
    draw(frame.canvas)
    return frame.grid
  }

  @Test func `A wide character takes two cells, and none where it has room for half`() {
    let grid = drawn(4, 1) { $0.write("a日本") }
    #expect(grid.lines == ["a日"])
    #expect(grid.cells.map(\.width) == [1, 2, 0, 1])
  }

  @Test func `Who takes one half of a wide character frees the other`() {
    #expect(
      drawn(4, 1) {
        $0.write("日本")
        $0.write("x", x: 1)
      }.lines == [" x本"]
    )
    #expect(
      drawn(4, 1) {
        $0.write("日本")
        $0.write("x", x: 2)
      }.lines == ["日x"]
    )
    #expect(
      drawn(4, 1) {
        $0.write("日本")
        $0.write("語", x: 1)
      }.lines == [" 語"]
    )
  }

  @Test func `Nothing is written outside of a part, whatever its size`() {
    let grid = drawn(6, 3) { canvas in
      canvas.fill()
      let part = canvas.part(x: 1, y: 1, width: 3, height: 1)
      part.write("abcdef", x: -1)
      part.write("no", y: 1)
      part.write("no", y: -1)
      part.part(x: 5, y: 5).write("no")
      part.part(x: 2, width: 99, height: 99).write("zz")
      canvas.part(x: -2, y: -2).write("x", x: 2, y: 2)
    }
    #expect(grid.lines == ["x", " bcz", ""])
  }

  @Test func `A style goes on inwards until it is said otherwise`() {
    let grid = drawn(3, 1) { canvas in
      let red = canvas.styled(Style(.red, isBold: true))
      red.write("a")
      red.write("b", x: 1, Style(.green))
      canvas.write("c", x: 2)
    }
    #expect(
      grid.cells.map(\.style) == [
        Style(.red, isBold: true), Style(.green, isBold: true), .plain,
      ]
    )
  }

  @Test(arguments: [(0, 0), (1, 1), (2, 1), (1, 9), (9, 0)])
  func `Every view can be drawn into no room at all`(width: Int, height: Int) {
    let view = Gallery()
    let frame = Frame(size: Size(width: width, height: height), memory: ViewMemory())
    view.drawn(in: frame.canvas)
    for overlay in frame.overlays { overlay.view.drawn(in: frame.canvas) }
    #expect(frame.grid.cells.count == width * height)
    let size = view.measured(in: frame.grid.size)
    #expect(size.width <= width && size.height <= height)
  }
}

/// A view that contains one view of each kind.
private struct Gallery: View {
  var body: some View {
    VStack(spacing: 1) {
      Tabs(["One", "Two"], selection: .constant(1))
      HStack {
        Text("日本 text")
        Spacer()
        Button("Press") {}
      }
      .border("Title")
      TextField("Name", text: .constant("long 日本 text"))
      Paragraph("several words")
      Sparkline([1, 2, 3], height: 2)
      Table(
        Array(1...9),
        id: \.self,
        selection: .constant(RowSelection()),
        columns: [TableColumn("Number") { "\($0)" }],
      )
      RowList(Array(1...9), id: \.self, selection: .constant(RowSelection())) { Text("\($0)") }
      Divider()
      HelpBar([HelpBar.Hint("q", "quit")])
    }
    .overlay {
      Palette(
        [PaletteCommand("Do it") {}],
        query: .constant(""),
        selection: .constant(RowSelection()),
        onClose: {},
      )
    }
  }
}

extension Binding {
  /// Returns a binding whose value never changes.
  static func constant(_ value: Value) -> Binding { Binding(get: { value }, set: { _ in }) }
}
