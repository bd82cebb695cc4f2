import Observation
import Testing

@testable import TerminalViews

/// A change causes few drawings, even if drawings change observed values.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct SettlingTests {
  enum Kind: CaseIterable {
    case list
    case table
    case tree
  }

  @MainActor
  @Observable
  final class Selection {
    var rows = RowSelection<Int>()
    var paths = RowSelection<[Int]>()
    var expansion = OutlineExpansion<Int>()

    var rowBinding: Binding<RowSelection<Int>> {
      Binding {
        self.rows
      } set: {
        self.rows = $0
      }
    }

    var pathBinding: Binding<RowSelection<[Int]>> {
      Binding {
        self.paths
      } set: {
        self.paths = $0
      }
    }

    var expansionBinding: Binding<OutlineExpansion<Int>> {
      Binding {
        self.expansion
      } set: {
        self.expansion = $0
      }
    }

    var selected: Int? { rows.id ?? paths.id?.last }
  }

  @MainActor
  @Observable
  final class Model {
    var rows = [1, 2, 3]
    var canceled: [Int?] = []
    @ObservationIgnored var drawings = 0
  }

  /// A root whose parts are numbers.
  struct Numbers: OutlineNode {
    let parts: [Int]

    var partCount: Int { parts.count }
    func part(at offset: Int) -> Self { Numbers(parts: []) }
    func key(at offset: Int) -> Int { parts[offset] }
    func offset(of key: Int) -> Int? { parts.firstIndex(of: key) }
  }

  struct Rows: View {
    let kind: Kind
    let model: Model
    let selection: Selection

    var body: some View {
      VStack {
        Text("selected \(selection.selected.map(String.init) ?? "none")")
        rows
      }
      .onKeys { key in
        switch key {
        case "c": model.rows.removeFirst(2)
        case "x": model.canceled.append(selection.selected)
        default: return false
        }
        return true
      }
    }

    @ViewBuilder private var rows: some View {
      switch kind {
      case .list:
        RowList(model.rows, id: \.self, selection: selection.rowBinding) { Text("row \($0)") }
      case .table:
        Table(
          model.rows,
          id: \.self,
          selection: selection.rowBinding,
          columns: [TableColumn("number") { "row \($0)" }],
        )
      case .tree:
        Outline(
          Numbers(parts: model.rows),
          expansion: selection.expansionBinding,
          selection: selection.pathBinding,
        ) { _, path in Text("row \(path.last ?? 0)") }
      }
    }
  }

  private let model = Model()
  private let terminal = MemoryTerminal(width: 20, height: 8)

  /// Starts a session whose selection is kept, or recreated in each drawing.
  private func session(_ kind: Kind, isKept: Bool) -> TerminalSession {
    let kept = Selection()
    let session = TerminalSession(on: terminal, framesPerSecond: 10_000) { [model] in
      model.drawings += 1
      return Rows(kind: kind, model: model, selection: isKept ? kept : Selection())
    }
    session.start()
    return session
  }

  /// Returns the number of drawings until the newest state is displayed.
  ///
  /// A session that does not stop drawing is ended after 100 drawings.
  private func drawings(of session: TerminalSession) async -> Int {
    let before = model.drawings
    let watch = Task {
      while !Task.isCancelled, model.drawings < before + 100 { await Task.yield() }
      if !Task.isCancelled { session.end() }
    }
    await session.idle()
    watch.cancel()
    await watch.value
    return model.drawings - before
  }

  private var shownRows: [String] {
    terminal.lines.filter { $0.contains("row ") }.map { $0.drop { $0 == " " } }.map(String.init)
  }

  @Test(arguments: Kind.allCases, [true, false])
  func `A change by anybody is drawn a few times`(kind: Kind, isKept: Bool) async {
    let session = session(kind, isKept: isKept)
    #expect(await drawings(of: session) <= 3)
    terminal.press("c")
    #expect(await drawings(of: session) <= 4)
    #expect(shownRows == ["row 3"])
    // The change is another client's.
    model.rows.append(4)
    #expect(await drawings(of: session) <= 4)
    #expect(shownRows == ["row 3", "row 4"])
    model.rows.removeAll()
    #expect(await drawings(of: session) <= 4)
    model.rows = [5, 6]
    #expect(await drawings(of: session) <= 4)
    #expect(shownRows == ["row 5", "row 6"])
    terminal.press("x")
    #expect(await drawings(of: session) <= 4)
    session.end()
  }

  @Test(arguments: Kind.allCases)
  func `A key is for the displayed row where each drawing has a new selection`(
    kind: Kind
  ) async {
    let session = session(kind, isKept: false)
    await session.idle()
    model.rows.append(4)
    #expect(await drawings(of: session) <= 4)
    terminal.press("x")
    #expect(model.canceled == [1])
    session.end()
  }

  @Test(arguments: Kind.allCases)
  func `What is drawn above rows shows what these have selected`(kind: Kind) async {
    let session = session(kind, isKept: true)
    await session.idle()
    #expect(terminal.lines[0] == "selected 1")
    terminal.press("c")
    await session.idle()
    #expect(terminal.lines[0] == "selected 3")
    terminal.press("x")
    #expect(model.canceled == [3])
    session.end()
  }
}
