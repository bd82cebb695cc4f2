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
    let selection = QueueSelection()
    let session = TerminalSession(on: terminal) { QueueScreen(store: store, selection: selection) }
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
    // The screen also shows changes by others.
    store.send(.addButtonTapped(branch: "hotfix"))
    await session.idle()
    #expect(terminal.lines.prefix(3) == ["2 waiting", "#2 next: waiting", "#3 hotfix: waiting"])
    session.end()
  }
}
