import Observation
import StoreActor
import Testing

@testable import TerminalViews

/// The session stops endless drawings, by views that change a value in each drawing, and
/// reports them.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct FaultTests {
  @MainActor
  @Observable
  final class Model {
    struct Item: Identifiable {
      var id = UUID()
      var number = 0
    }

    var rows = Array(0..<10)
    var selection = RowSelection<Int>()
    var itemSelection = RowSelection<UUID>()
    var isQuestionShown = false
    var question: Item?
    var submitted: [Int] = []
    var appeared: [String] = []
    var dismissals = 0
    var isFirstPage = true
    var text = ""
    @ObservationIgnored var drawings = 0

    func binding<Value>(
      _ keyPath: ReferenceWritableKeyPath<Model, Value>
    ) -> Binding<Value> {
      Binding {
        self[keyPath: keyPath]
      } set: {
        self[keyPath: keyPath] = $0
      }
    }
  }

  private final class Faults {
    var texts: [String] = []
  }

  private let model = Model()
  private let faults = Faults()
  private let terminal = MemoryTerminal(width: 30, height: 12)

  private func session(
    on terminal: MemoryTerminal? = nil,
    clock: any Clock<Duration> = ContinuousClock(),
    @ViewBuilder _ root: @escaping @MainActor () -> some View,
  ) -> TerminalSession {
    let session = TerminalSession(
      on: terminal ?? self.terminal,
      framesPerSecond: 10_000,
      clock: AnyClock(clock),
    ) { [model] in
      model.drawings += 1
      return root()
    }
    session.onFault = { [faults] in faults.texts.append($0) }
    session.start()
    return session
  }

  /// Returns the number of drawings until all sessions are idle; sessions that do not stop
  /// are ended.
  private func drawings(of sessions: TerminalSession...) async -> Int {
    let before = model.drawings
    let watch = Task {
      while !Task.isCancelled, model.drawings < before + 1_000 { await Task.yield() }
      if !Task.isCancelled { for session in sessions { session.end() } }
    }
    // Each session may cause a drawing of another one, which is then no longer idle.
    var last = -1
    while model.drawings != last {
      last = model.drawings
      for session in sessions { await session.idle() }
      for _ in 0..<50 { await Task.yield() }
    }
    watch.cancel()
    await watch.value
    return model.drawings - before
  }

  // MARK: - Selections

  @Test(arguments: ["list", "table"])
  func `Sessions that share a selection come to rest, and one tells of it once`(
    kind: String
  ) async {
    func view() -> some View {
      Group {
        if kind == "list" {
          RowList(model.rows, id: \.self, selection: model.binding(\.selection)) {
            Text("row \($0)")
          }
        } else {
          Table(
            model.rows,
            id: \.self,
            selection: model.binding(\.selection),
            columns: [TableColumn("number") { "row \($0)" }],
          )
        }
      }
    }
    let small = MemoryTerminal(width: 20, height: kind == "list" ? 3 : 4)
    let (one, other) = (session(on: small, view), session(view))
    #expect(await drawings(of: one, other) <= 10)
    small.press(.end)
    #expect(await drawings(of: one, other) <= 200)
    #expect(faults.texts.count == 1 && faults.texts[0].contains("RowSelection of its own"))
    #expect(small.lines.contains("row 9") && terminal.lines.contains("row 9"))
    // Both still show changes, with fewer drawings.
    model.rows.append(10)
    #expect(await drawings(of: one, other) <= 40)
    small.press(.end)
    #expect(await drawings(of: one, other) <= 40)
    #expect(small.lines.contains("row 10") && terminal.lines.contains("row 10"))
    #expect(faults.texts.count == 1)
    for session in [one, other] { session.end() }
  }

  @Test func `Sessions that share a selection of different rows come to rest`() async {
    let (one, other) = (
      session(on: MemoryTerminal(width: 20, height: 3)) {
        RowList([1, 2, 3], id: \.self, selection: model.binding(\.selection)) { Text("\($0)") }
      },
      session {
        RowList([4, 5, 6], id: \.self, selection: model.binding(\.selection)) { Text("\($0)") }
        RowList([7, 8], id: \.self, selection: model.binding(\.selection)) { Text("\($0)") }
      },
    )
    #expect(await drawings(of: one, other) <= 100)
    for key in [.down, .tab, .down, .enter, .end] as [Key] {
      terminal.press(key)
      #expect(await drawings(of: one, other) <= 100)
    }
    #expect(faults.texts.count <= 2)
    for session in [one, other] { session.end() }
  }

  // MARK: - Changes by drawings

  @Test func `Views that appear in turn come to rest`() async {
    let session = session {
      if model.isFirstPage {
        Text("first").onAppear {
          model.appeared.append("first")
          model.isFirstPage = false
        }
      } else {
        Text("second").onAppear {
          model.appeared.append("second")
          model.isFirstPage = true
        }
      }
    }
    #expect(await drawings(of: session) <= 50)
    #expect(faults.texts.count == 1 && faults.texts[0].contains("'onAppear'"))
    // Views that have not appeared since do so after a drawing with another cause.
    let appeared = model.appeared.count
    session.invalidate()
    #expect(await drawings(of: session) <= 10)
    #expect(model.appeared.count > appeared && faults.texts.count == 1)
    session.end()
  }

  @Test func `What views change while they are drawn is drawn once a second`() async {
    let clock = TestClock()
    func view(_ name: String) -> some View {
      model.text = String("\(name) \(model.text)".prefix(20))
      return Text(model.rows.isEmpty ? "none" : "some")
    }
    let other = MemoryTerminal(width: 20, height: 3)
    let sessions = [
      session(clock: clock) { view("a") }, session(on: other, clock: clock) { view("b") },
    ]
    for _ in 0..<100 {
      await clock.advance(by: .milliseconds(5))
    }
    for session in sessions { await session.idle() }
    #expect(faults.texts.count >= 1)
    let before = model.drawings
    for _ in 0..<40 { await clock.advance(by: .milliseconds(100)) }
    #expect((1...10).contains(model.drawings - before))
    // So changes by others show soon.
    model.rows = []
    await clock.advance(by: .seconds(2))
    #expect(terminal.lines[0] == "none" && other.lines[0] == "none")
    #expect(faults.texts.count <= 2)
    for session in sessions { session.end() }
  }

  @Test func `A fault that nobody takes is kept until the session has ended`() async {
    let session = session { Counters(model: model) }
    session.onFault = nil
    #expect(await drawings(of: session) <= 3)
    session.invalidate()
    #expect(await drawings(of: session) <= 6)
    #expect(session.faults.count == 1 && faults.texts == [])
    // After the end, the session prints the fault on the free terminal.
    session.end()
    #expect(session.faults == [])
  }

  // MARK: - Ids

  @Test(arguments: [false, true])
  func `A sheet whose item is another one in each drawing stays, and can be closed`(
    isAlert: Bool
  ) async {
    let session = session {
      // Each drawing creates a new item for the binding.
      let item = model.isQuestionShown ? Model.Item() : nil
      let binding = Binding {
        item
      } set: {
        model.isQuestionShown = $0 != nil
      }
      let text = Text(model.text)
      if isAlert {
        text.alert(item: binding) { _ in
          Alert(title: Text("Question"), buttons: [.cancel(Text("Close"))])
        }
      } else {
        text.sheet(item: binding, onDismiss: { model.dismissals += 1 }) { _ in Text("Question") }
      }
    }
    #expect(await drawings(of: session) <= 3)
    model.isQuestionShown = true
    #expect(await drawings(of: session) <= 6)
    for text in ["a", "b", "c"] {
      model.text = text
      #expect(await drawings(of: session) <= 6)
      #expect(terminal.lines.contains { $0.contains("Question") } && model.dismissals == 0)
    }
    #expect(faults.texts.count == 1 && faults.texts[0].contains("ids that last"))
    terminal.press(.enter)
    #expect(await drawings(of: session) <= 6)
    #expect(!model.isQuestionShown && !terminal.lines.contains { $0.contains("Question") })
    #expect(model.dismissals == (isAlert ? 0 : 1))
    session.end()
  }

  @Test func `A sheet whose binding makes its item stays`() async {
    let session = session {
      Text("\(model.dismissals) closed")
        .sheet(
          item: Binding {
            model.isQuestionShown ? Model.Item() : nil
          } set: { _ in
            model.isQuestionShown = false
          },
          onDismiss: { model.dismissals += 1 },
          content: { _ in Text("Question") },
        )
    }
    model.isQuestionShown = true
    #expect(await drawings(of: session) <= 10)
    session.invalidate()
    #expect(await drawings(of: session) <= 10)
    #expect(model.dismissals == 0 && faults.texts.count == 1)
    terminal.press(.enter)
    #expect(await drawings(of: session) <= 10)
    #expect(terminal.lines[0] == "1 closed")
    session.end()
  }

  private struct Counter: View {
    let onAppear: @MainActor () -> Void
    @State var count = 0

    var body: some View { Button("count \(count)") { count += 1 }.onAppear(perform: onAppear) }
  }

  private struct Counters: View {
    let model: Model

    var body: some View {
      ForEach([Model.Item(number: 1), Model.Item(number: 2)]) { _ in
        Counter { model.appeared.append("counter") }
      }
    }
  }

  @Test func `Views whose ids are made while drawing keep state and focus by their order`() async {
    let session = session {
      Text("\(model.appeared.count)")
      Counters(model: model)
    }
    #expect(await drawings(of: session) <= 10)
    #expect(faults.texts.count == 1 && faults.texts[0].contains("views in 'Counters'"))
    terminal.press(.tab, .enter, .enter)
    #expect(await drawings(of: session) <= 10)
    #expect(terminal.lines[1] == "[count 0]" && terminal.lines[2] == "[count 2]")
    session.invalidate()
    #expect(await drawings(of: session) <= 2)
    #expect(terminal.lines[2] == "[count 2]" && faults.texts.count == 1)
    #expect(model.appeared.count <= 4)
    session.end()
  }

  @Test func `What tasks do that views start is done once where ids do not last`() async {
    let done = AsyncStream.makeStream(of: Void.self)
    let session = session {
      Text(model.text)
        .onAppear {
          Task {
            model.text += "x"
            done.continuation.yield()
          }
        }
        .id(UUID())
    }
    var wakes = done.stream.makeAsyncIterator()
    await wakes.next()
    #expect(await drawings(of: session) <= 20)
    for _ in 0..<100 { await Task.yield() }
    #expect(await drawings(of: session) == 0)
    #expect(model.text.count <= 2 && faults.texts.count == 1)
    session.end()
  }

  enum Kind: CaseIterable {
    case list
    case table
    case tree
  }

  private struct Items: OutlineNode {
    let items: [Model.Item]

    var partCount: Int { items.count }
    func part(at offset: Int) -> Self { Items(items: []) }
    func key(at offset: Int) -> UUID { items[offset].id }
    func offset(of key: UUID) -> Int? { items.firstIndex { $0.id == key } }
  }

  private struct Rows: View {
    let kind: Kind
    let model: Model
    @State var paths = RowSelection<[UUID]>()
    @State var expansion = OutlineExpansion<UUID>()

    var body: some View {
      Group {
        let items = model.rows.map { Model.Item(number: $0) }
        switch kind {
        case .list:
          RowList(
            items,
            id: \.id,
            selection: model.binding(\.itemSelection),
            onSubmit: { model.submitted.append($0.number) },
          ) {
            Text("row \($0.number)")
          }
        case .table:
          Table(
            items,
            id: \.id,
            selection: model.binding(\.itemSelection),
            onSubmit: { model.submitted.append($0.number) },
            columns: [TableColumn("number") { "row \($0.number)" }],
          )
        case .tree:
          Outline(
            Items(items: items),
            expansion: $expansion,
            selection: $paths,
            onSubmit: { _, path in
              model.submitted.append(items.first { $0.id == path.last }?.number ?? -1)
            },
          ) { _, _ in Text("row") }
        }
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func `Rows whose ids are made while drawing are selected by their order`(kind: Kind) async {
    let session = session { Rows(kind: kind, model: model) }
    #expect(await drawings(of: session) <= 6)
    for _ in 0..<3 {
      terminal.press(.down)
      #expect(await drawings(of: session) <= 6)
    }
    #expect(faults.texts.count == 1, "\(faults.texts)")
    #expect(faults.texts.first?.contains("views in 'Rows'") == true)
    terminal.press(.enter)
    #expect(await drawings(of: session) <= 6)
    #expect(model.submitted == [3])
    session.end()
  }

  @Test func `Ids that are replaced by others that last are no fault`() async {
    let session = session {
      Text("sheet")
        .sheet(item: model.binding(\.question), onDismiss: { model.dismissals += 1 }) {
          Text("Question \($0.number)")
        }
      ForEach(model.rows, id: \.self) { row in Button("row \(row)") {} }
    }
    #expect(await drawings(of: session) <= 3)
    for number in 1...6 {
      model.question = Model.Item(number: number)
      model.rows = [number * 2, number * 2 + 1]
      // The first changes need one more drawing, for the comparison.
      #expect(await drawings(of: session) <= (number < 5 ? 5 : 4))
      #expect(terminal.lines.contains { $0.contains("Question \(number)") })
    }
    #expect(model.dismissals == 5 && faults.texts == [])
    session.end()
  }
}
