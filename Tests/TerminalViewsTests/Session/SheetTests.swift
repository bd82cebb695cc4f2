import Observation
import TerminalViews
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1))) struct SheetTests {
  @MainActor
  @Observable
  final class Model {
    struct Item: Identifiable { let id: Int }

    var item: Item?
    var dismissals = 0

    var view: some View {
      Text("\(dismissals) closed").sheet(
        item: Binding {
          self.item
        } set: {
          self.item = $0
        },
        onDismiss: { self.dismissals += 1 },
        content: { Text("Sheet \($0.id)") },
      )
    }
  }

  private let model = Model()

  @Test func `What is done when a sheet has gone is done whoever closed it`() async {
    let terminal = MemoryTerminal(width: 20, height: 6)
    let session = TerminalSession(on: terminal, framesPerSecond: 10_000) { [model] in model.view }
    session.start()
    model.item = Model.Item(id: 1)
    await session.idle()
    #expect(terminal.lines.contains { $0.contains("Sheet 1") } && model.dismissals == 0)
    terminal.press(.enter)
    await session.idle()
    #expect(model.item == nil && terminal.lines[0] == "1 closed")

    model.item = Model.Item(id: 2)
    await session.idle()
    model.item = nil
    await session.idle()
    #expect(terminal.lines[0] == "2 closed")

    // Another sheet replaces it.
    for id in 3...4 {
      model.item = Model.Item(id: id)
      await session.idle()
    }
    #expect(model.dismissals == 3 && terminal.lines.contains { $0.contains("Sheet 4") })
    session.end()
  }

  @Test func `On a screen for tests it is done when the sheet is closed there`() {
    model.item = Model.Item(id: 1)
    #expect(Screen(of: model.view).tap("Close"))
    #expect(Screen(of: model.view).lines == ["1 closed"])
  }
}
