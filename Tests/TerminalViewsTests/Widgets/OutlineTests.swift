import Observation
import Testing

@testable import TerminalViews

/// The effects of keys in a tree.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct OutlineTests {
  /// A node whose parts have three parts each.
  struct Node: OutlineNode {
    let parts: [Int]
    let depth: Int

    var partCount: Int { parts.count }
    func part(at offset: Int) -> Node {
      Node(parts: depth > 0 ? [0, 1, 2] : [], depth: depth - 1)
    }
    func key(at offset: Int) -> Int { parts[offset] }
    func offset(of key: Int) -> Int? { parts.firstIndex(of: key) }
  }

  @MainActor
  @Observable
  final class Model {
    var parts = [0, 1, 2, 3]
    var expansion = OutlineExpansion<Int>()
    var selection = RowSelection<[Int]>()
    var misses = 0

    var expansionBinding: Binding<OutlineExpansion<Int>> {
      Binding {
        self.expansion
      } set: {
        self.expansion = $0
      }
    }

    var selectionBinding: Binding<RowSelection<[Int]>> {
      Binding {
        self.selection
      } set: {
        self.selection = $0
      }
    }
  }

  private let model = Model()
  private let terminal = MemoryTerminal(width: 12, height: 4)

  private func session() async -> TerminalSession {
    let session = TerminalSession(on: terminal, framesPerSecond: 10_000) { [model] in
      Outline(
        Node(parts: model.parts, depth: 1),
        expansion: model.expansionBinding,
        selection: model.selectionBinding,
      ) { _, path in
        Text(path.map(String.init).joined(separator: "."))
      }
    }
    session.onMiss = { [model] in model.misses += 1 }
    session.start()
    await session.idle()
    return session
  }

  @Test func `The way to a node's parent scrolls no further than needed`() async {
    let session = await session()
    terminal.press(.down, .down, .right)
    await session.idle()
    terminal.press(.down, .down)
    await session.idle()
    let lines = terminal.lines
    #expect(lines == ["▸ 1", "▾ 2", "    2.0", "    2.1"])
    terminal.press(.left)
    await session.idle()
    #expect(model.selection.id == [2])
    #expect(terminal.lines == lines)
    session.end()
  }

  @Test(arguments: [Key.right, " ", .enter])
  func `A key opens no node that has gone, and that is told`(key: Key) async {
    let session = await session()
    terminal.press(.down)
    await session.idle()
    model.parts = [0, 2, 3]
    terminal.press(key)
    await session.idle()
    #expect(model.misses == 1)
    #expect(model.expansion == OutlineExpansion())
    session.end()
  }
}
