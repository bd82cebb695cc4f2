import BuildQueue
import BuildScreen
import StoreActor
import TerminalViews
import Testing

@MainActor
@Suite(.serialized)
struct QueueScreenTests {
  @Test func `Keys cancel the selected build, pause and clear`() async {
    var state = BuildQueue.State()
    state.isPaused = true
    let store = Store(initialState: state) {
      BuildQueue()
    } withDependencies: {
      // A build ends only when it is canceled.
      $0.builder = Builder { _ in
        for await _ in AsyncStream<Never>.makeStream().stream {}
        return true
      }
    }
    for branch in ["main", "next"] { store.send(.addButtonTapped(branch: branch)) }
    let terminal = MemoryTerminal(width: 40, height: 6)
    let selection = QueueSelection()
    let session = TerminalSession(on: terminal) { QueueScreen(store: store, selection: selection) }
    session.start()
    await session.idle()
    #expect(
      terminal.lines.prefix(3) == ["Paused, 2 waiting", "#1 main: waiting", "#2 next: waiting"]
    )
    terminal.press("x")
    terminal.press("p")
    await session.idle()
    #expect(terminal.lines.prefix(3) == ["0 waiting", "#1 main: canceled", "#2 next: building"])
    terminal.press("c")
    terminal.press("p")
    await session.idle()
    #expect(terminal.lines.prefix(2) == ["Paused, 0 waiting", "#2 next: building"])
    // The screen also shows changes by others.
    store.send(.addButtonTapped(branch: "hotfix"))
    await session.idle()
    #expect(
      terminal.lines.prefix(3) == ["Paused, 1 waiting", "#2 next: building", "#3 hotfix: waiting"]
    )
    terminal.press("x")
    await session.idle()
    #expect(
      terminal.lines.prefix(3) == ["Paused, 1 waiting", "#2 next: canceled", "#3 hotfix: waiting"]
    )
    session.end()
  }
}
