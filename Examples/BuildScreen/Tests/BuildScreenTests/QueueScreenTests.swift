import BuildQueue
import BuildScreen
import StoreActor
import TerminalViews
import Testing

@MainActor
@Suite(.serialized)
struct QueueScreenTests {
  @Test func `Keys cancel the selected build, pause and clear`() async {
    let store = Store(initialState: BuildQueue.State()) { BuildQueue() }
    for branch in ["main", "next"] { store.send(.addButtonTapped(branch: branch)) }
    let terminal = MemoryTerminal(width: 40, height: 6)
    let session = TerminalSession(on: terminal) {
      QueueScreen(store: store, selection: QueueSelection())
    }
    session.start()
    await session.idle()
    #expect(terminal.lines.prefix(3) == ["2 waiting", "#1 main: waiting", "#2 next: waiting"])
    terminal.press("x")
    terminal.press("p")
    await session.idle()
    #expect(terminal.lines.prefix(2) == ["Paused, 1 waiting", "#1 main: canceled"])
    terminal.press("c")
    terminal.press("p")
    await session.idle()
    #expect(terminal.lines.prefix(2) == ["1 waiting", "#2 next: waiting"])
    // What others do is shown as well.
    store.send(.addButtonTapped(branch: "hotfix"))
    let shown = ["2 waiting", "#2 next: waiting", "#3 hotfix: waiting"]
    for _ in 0..<1_000_000 {
      if terminal.lines.prefix(3).elementsEqual(shown) { break }
      await Task.yield()
    }
    #expect(terminal.lines.prefix(3).elementsEqual(shown))
    session.end()
  }
}
