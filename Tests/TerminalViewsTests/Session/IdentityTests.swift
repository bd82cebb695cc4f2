import Observation
import Testing

@testable import TerminalViews

/// A view keeps its state while views beside it are inserted and removed.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct IdentityTests {
  @MainActor
  @Observable
  final class Model {
    var rows = [1, 2, 3]
    var deleted: [Int] = []
    var texts = ["", "12345"]
    var isSecondPage = false
    var appeared: [String] = []
  }

  private let model = Model()
  private let terminal = MemoryTerminal(width: 30, height: 12)

  private func session(
    @ViewBuilder _ root: @escaping @MainActor () -> some View
  ) async -> TerminalSession {
    let session = TerminalSession(on: terminal, framesPerSecond: 10_000, root: root)
    session.start()
    await session.idle()
    return session
  }

  private func buttons(_ model: Model) -> some View {
    ForEach(model.rows, id: \.self) { row in
      Button("delete \(row)") {
        model.deleted.append(row)
        model.rows.removeAll { $0 == row }
      }
    }
  }

  private var focusedLine: String? {
    let grid = terminal.grid
    return (0..<grid.size.height).first { grid[0, $0].style.isReversed }.map { grid.lines[$0] }
  }

  @Test func `The focus stays with its view where others are inserted before it`() async {
    let session = await session { buttons(model) }
    terminal.press(.tab)
    model.rows.insert(9, at: 0)
    await session.idle()
    #expect(focusedLine == "[delete 2]")
    terminal.press(.enter)
    await session.idle()
    #expect(model.deleted == [2])
    // Then the neighbor has the focus.
    #expect(focusedLine == "[delete 3]")
    session.end()
  }

  @Test func `Whatever is inserted, removed and moved, the focused view is the same one`() async {
    let session = await session { buttons(model) }
    var (numbers, next) = (SmallRandomNumberGenerator(seed: 7), 10)
    for step in 0..<200 {
      terminal.press(.tab)
      await session.idle()
      let focused = focusedLine
      for _ in 0..<3 {
        let place = Int.random(in: 0...model.rows.count, using: &numbers)
        switch Int.random(in: 0..<3, using: &numbers) {
        case 0:
          // All rows have room.
          guard model.rows.count < 10 else { break }
          model.rows.insert(next, at: place)
          next += 1
        case 1:
          let row = model.rows.first { "[delete \($0)]" != focused }
          if model.rows.count > 3, let row { model.rows.removeAll { $0 == row } }
        default: model.rows.shuffle(using: &numbers)
        }
      }
      await session.idle()
      #expect(focusedLine == focused, "step \(step)")
    }
    session.end()
  }

  private struct Counter: View {
    @State var count = 0
    @FocusState var focus: Int?

    var body: some View {
      Button("count \(count)") { count += 1 }.focused($focus, equals: 1)
      Button("to the first") { focus = 1 }
    }
  }

  @Test func `State and focus of a view that is made anew stay, and belong to one view each`()
    async
  {
    let session = await session {
      ForEach(model.rows, id: \.self) { _ in Counter() }
    }
    terminal.press(.enter, .enter, .tab, .enter, .enter)
    await session.idle()
    #expect(terminal.lines[0] == "[count 3]" && terminal.lines[2] == "[count 0]")
    model.rows = [8, 1]
    await session.idle()
    #expect(terminal.lines[0] == "[count 0]" && terminal.lines[2] == "[count 3]")
    // After an absence, the row begins with a new state.
    model.rows = [8]
    await session.idle()
    model.rows = [1]
    await session.idle()
    #expect(terminal.lines[0] == "[count 0]")
    session.end()
  }

  private struct Toggle: View {
    @State var isOn = false

    var body: some View {
      if isOn { Text("several\nlines") }
      Button("on") { isOn = true }
    }
  }

  @Test func `What a view measures is its own state, too`() async {
    let session = await session {
      VStack {
        Toggle()
        Text("below")
      }
    }
    terminal.press(.enter)
    await session.idle()
    #expect(terminal.lines[0...3] == ["several", "lines", "[on]", "below"])
    session.end()
  }

  private struct Loader: View {
    let wait: @MainActor () async -> Void
    @State var text = "waiting"

    var body: some View {
      Text(text).onAppear {
        Task {
          await wait()
          text = "loaded"
        }
      }
    }
  }

  @Test func `A change of state draws the view, whenever it comes`() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let done = AsyncStream.makeStream(of: Void.self)
    let session = await session {
      Loader {
        for await _ in stream { break }
        done.continuation.finish()
      }
    }
    #expect(terminal.lines[0] == "waiting")
    continuation.finish()
    for await _ in done.stream {}
    while terminal.lines[0] != "loaded", !Task.isCancelled { await Task.yield() }
    #expect(terminal.lines[0] == "loaded")
    session.end()
  }

  @Test func `A link without a selection is followed, and leads back`() async {
    let session = await session {
      NavigationLink("there") { Text("here we are") }
    }
    terminal.press(.enter)
    await session.idle()
    #expect(terminal.lines.contains { $0.contains("here we are") })
    terminal.press(.enter)
    await session.idle()
    #expect(!terminal.lines.contains { $0.contains("here we are") })
    session.end()
  }

  @Test func `A page that takes the place of another one appears`() async {
    let session = await session {
      if model.isSecondPage {
        Text("B").onAppear { model.appeared.append("B") }
      } else {
        Text("A").onAppear { model.appeared.append("A") }
      }
    }
    #expect(model.appeared == ["A"])
    for _ in 0..<2 {
      model.isSecondPage.toggle()
      await session.idle()
      session.invalidate()
      await session.idle()
    }
    #expect(model.appeared == ["A", "B", "A"])
    session.end()
  }

  @Test func `Two fields of the same title have a cursor each`() async {
    let session = await session {
      ForEach([0, 1], id: \.self) { place in
        TextField(
          "Name",
          text: Binding {
            model.texts[place]
          } set: {
            model.texts[place] = $0
          },
        )
      }
    }
    terminal.type("ab")
    terminal.press(.left, .tab)
    terminal.type("X")
    await session.idle()
    #expect(model.texts == ["ab", "12345X"])
    session.end()
  }

  @Test func `A row that can be deleted is deleted by its key while it has the focus`() async {
    let session = await session {
      ForEach(model.rows, id: \.self) { Text("row \($0)") }
        .onDelete { model.rows.remove(at: $0.first ?? 0) }
    }
    terminal.press(.tab, .delete)
    await session.idle()
    #expect(model.rows == [1, 3])
    session.end()
  }

  @Test func `A session ends with the task that runs it, and for all who do`() async {
    let session = TerminalSession(on: terminal) { Text("shown") }
    let runs = [Task { await session.run() }, Task { await session.run() }]
    await session.idle()
    runs[0].cancel()
    for run in runs { await run.value }
    // A task that was canceled before its start ends too.
    let other = TerminalSession(on: MemoryTerminal(width: 5, height: 1)) { Text("shown") }
    let run = Task { await other.run() }
    run.cancel()
    await run.value
  }
}

/// Pseudorandom numbers, the same in each run.
struct SmallRandomNumberGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }
}
