import Testing

@testable import TerminalViews

@MainActor
@Suite struct RowTests {
  /// A collection that counts the requests for its elements.
  private final class Counted: RandomAccessCollection {
    let endIndex: Int
    var asked = 0
    var startIndex: Int { 0 }

    init(_ count: Int) { endIndex = count }

    subscript(position: Int) -> Row {
      asked += 1
      return Row(id: position)
    }
  }

  private struct Row: Identifiable {
    let id: Int
  }

  private final class Box<Value> {
    var value: Value

    init(_ value: Value) { self.value = value }

    @MainActor var binding: Binding<Value> {
      Binding(get: { self.value }, set: { self.value = $0 })
    }
  }

  @Test func `Of a long list only what is to be seen is asked for`() {
    let rows = Counted(100_000)
    let selection = Box(RowSelection<Int>())
    selection.value.select(50_000, id: 50_000)
    let list = RowList(rows, id: \.id, selection: selection.binding) { Text("row \($0.id)") }
    let frame = Frame(size: Size(width: 20, height: 5), memory: ViewMemory())
    list.drawn(in: frame.canvas)
    #expect(frame.grid.lines == (49_996...50_000).map { "row \($0)" })
    #expect(rows.asked < 20)
    let table = Table(
      rows,
      id: \.id,
      selection: selection.binding,
      columns: [TableColumn("Row", isNumber: true) { "\($0.id)" }],
    )
    let other = Frame(size: Size(width: 20, height: 3), memory: ViewMemory())
    table.drawn(in: other.canvas)
    #expect(other.grid.lines == ["  Row", "49999", "50000"])
    #expect(rows.asked < 50)
  }

  /// Returns a table of one row, which has room in 40 columns.
  private func wideTable(_ selection: Box<RowSelection<Int>>) -> Table<[Int], Int> {
    Table(
      [7],
      id: \.self,
      selection: selection.binding,
      columns: [
        TableColumn("No", isNumber: true) { "\($0)" },
        TableColumn("Action") { _ in "a very long action" },
        TableColumn("By") { _ in "someone" },
        TableColumn("Took", isNumber: true) { _ in "1234 ms" },
      ],
    )
  }

  @Test func `Of a table without room the widest texts are cut off, and numbers and others stay`() {
    let selection = Box(RowSelection<Int>())
    let table = wideTable(selection)
    func lines(_ width: Int) -> [String] {
      let frame = Frame(size: Size(width: width, height: 2), memory: ViewMemory())
      table.drawn(in: frame.canvas)
      return frame.grid.lines
    }
    #expect(lines(40).last == " 7  a very long action  someone  1234 ms")
    #expect(lines(32).last == " 7  a very lo…  someone  1234 ms")
    #expect(lines(26).last == " 7  a ver…  some…  1234 ms")
    #expect(lines(9).last == " 7  a ve…")
  }

  @Test func `A table that has no room is scrolled sideways, and its first column stays`() {
    let selection = Box(RowSelection<Int>())
    let table = wideTable(selection)
    func lines(_ width: Int, _ keys: Key...) -> [String] {
      var frame = Frame(size: Size(width: width, height: 2), memory: ViewMemory())
      table.drawn(in: frame.canvas)
      for key in keys {
        _ = frame.responders.contains { $0.onKey(key) }
        frame = Frame(size: Size(width: width, height: 2), memory: ViewMemory())
        table.drawn(in: frame.canvas)
      }
      return frame.grid.lines
    }
    // If all columns are visible, the keys have no effect.
    #expect(lines(40, .right) == lines(40))
    #expect(lines(40).first == "No  Action              By          Took")
    #expect(lines(20).first == "No  Action  By     …")
    #expect(lines(20).last == " 7  a ver…  s…  123…")
    #expect(lines(20, .right) == ["No ‹By          Took", " 7  someone  1234 ms"])
    // The table scrolls no further than the last column requires.
    #expect(lines(20, .right, "l") == ["No ‹By          Took", " 7  someone  1234 ms"])
    #expect(lines(13, .right) == ["No ‹   Took", " 7  1234 ms"])
    #expect(lines(20) == ["No ‹By          Took", " 7  someone  1234 ms"])
    #expect(lines(20, .left, "h").first == "No  Action  By     …")
    // With enough room, all columns are shown again.
    _ = lines(20, .right)
    #expect(lines(40).last == " 7  a very long action  someone  1234 ms")
  }

  @Test func `The selection stays with its row, and else with its place`() {
    var selection = RowSelection<Int>()
    selection.follow(count: 3) { [10, 20, 30][$0] }
    #expect(selection.id == 10)
    selection.select(1, id: 20)
    selection.follow(count: 5) { [1, 2, 10, 20, 30][$0] }
    #expect(selection.offset == 3 && selection.id == 20)
    selection.follow(count: 2) { [10, 30][$0] }
    #expect(selection.offset == 1 && selection.id == 30)
    selection.follow(count: 0) { $0 }
    #expect(selection.id == nil)
  }

  @Test func `Keys lead to rows, and no further than there are`() {
    var selection = RowSelection<Int>()
    selection.select(5, id: 5)
    let keys: [(Key, Int?)] = [
      (.up, 4), ("k", 4), (.down, 6), ("j", 6), (.pageUp, 0), (.pageDown, 9), (.home, 0),
      ("G", 9), (.left, nil), ("x", nil),
    ]
    for (key, expected) in keys {
      #expect(selection.destination(key, height: 8, count: 10) == expected, "\(key)")
    }
  }

  /// A tree of numbers: part n of each node has n parts.
  private struct Node: OutlineNode {
    var name: String
    var partCount: Int
    func part(at offset: Int) -> Node { Node(name: "\(name)\(offset)", partCount: offset) }
    func key(at offset: Int) -> Int { offset }
    func offset(of key: Int) -> Int? { key < partCount ? key : nil }
  }

  @Test func `The rows of a tree are those of what is open`() {
    var expansion = OutlineExpansion<Int>()
    for path in [[2], [2, 1], [1], [7]] { expansion.set(path, true) }
    let rows = OutlineRows(Node(name: "", partCount: 4), expansion)
    let names = (0..<rows.count).map { rows[$0].node.name }
    #expect(names == ["0", "1", "10", "2", "20", "21", "210", "3"])
    #expect(rows[6].path == [2, 1, 0])
    expansion.set([2], false)
    #expect(!expansion.contains([2, 1]))
    #expect(OutlineRows(Node(name: "", partCount: 4), expansion).count == 5)
  }

  @Test func `Of a tree of any size only what is to be seen is made`() {
    let expansion = Box(OutlineExpansion<Int>())
    let selection = Box(RowSelection<[Int]>())
    let outline = Outline(
      Node(name: "", partCount: 1_000_000),
      expansion: expansion.binding,
      selection: selection.binding,
    ) { node, _ in
      Text(node.name)
    }
    let frame = Frame(size: Size(width: 9, height: 3), memory: ViewMemory())
    outline.drawn(in: frame.canvas)
    #expect(frame.grid.lines == ["  0", "▸ 1", "▸ 2"])
  }

  private final class Content {}

  /// Keeps a weak reference to the content of the newest node.
  @MainActor
  private final class Maker {
    weak var content: Content?

    func node() -> LargeNode {
      let content = Content()
      self.content = content
      return LargeNode(content: content)
    }
  }

  private struct LargeNode: OutlineNode {
    let content: Content
    var partCount: Int { 3 }
    func part(at offset: Int) -> LargeNode { self }
    func key(at offset: Int) -> Int { offset }
    func offset(of key: Int) -> Int? { key }
  }

  @Test func `When a tree is drawn nothing is kept of its nodes`() {
    let maker = Maker()
    let outline = Outline(
      maker.node(),
      expansion: Box(OutlineExpansion<Int>()).binding,
      selection: Box(RowSelection<[Int]>()).binding,
    ) { _, path in
      Text("\(path)")
    }
    let frame = Frame(size: Size(width: 9, height: 3), memory: ViewMemory())
    outline.drawn(in: frame.canvas)
    #expect(frame.grid.lines[0].hasSuffix("[0]"))
    #expect(maker.content == nil)
    // The frame and the outline, with their key handlers, are still alive.
    withExtendedLifetime((outline, frame)) {}
  }
}
