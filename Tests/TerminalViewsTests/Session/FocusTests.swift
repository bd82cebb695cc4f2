import Testing

@testable import TerminalViews

/// The focused field as a program's value.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct FocusTests {
  private enum Field {
    case name
    case city
  }

  /// Two fields that share a value, and one field with its own; the form records written values.
  @MainActor
  private final class Form {
    var field: Field? { didSet { written.append(field) } }
    var isNoteFocused = false
    var written: [Field?] = []
    var isSent = false

    @ViewBuilder var view: some View {
      let field = Binding {
        self.field
      } set: {
        self.field = $0
      }
      TextField("Name", text: .constant("")).focused(field, equals: .name)
      TextField("City", text: .constant("")).focused(field, equals: .city)
      TextField("Note", text: .constant(""))
        .focused(
          Binding {
            self.isNoteFocused
          } set: {
            self.isNoteFocused = $0
          }
        )
      Button("Send") {
        self.isSent = true
        self.field = .name
      }
    }
  }

  private let form = Form()
  private let terminal = MemoryTerminal(width: 20, height: 5)

  private func session() -> TerminalSession {
    let session = TerminalSession(on: terminal, framesPerSecond: 10_000) { [form] in form.view }
    session.start()
    return session
  }

  @Test func `Between two fields of one value the tabulator writes the new one only`() async {
    let session = session()
    terminal.press(.tab)
    #expect(form.written == [.city])
    terminal.press(.backTab)
    #expect(form.written == [.city, .name])
    terminal.use(.press, x: 0, y: 1)
    #expect(form.written == [.city, .name, .city])
    terminal.use(.press, x: 0, y: 1)
    #expect(form.written.count == 3)
    terminal.press(.tab)
    #expect(form.written == [.city, .name, .city, nil] && form.isNoteFocused)
    terminal.press(.backTab)
    #expect(form.field == .city && !form.isNoteFocused)
    session.end()
  }

  @Test func `Where a button that is clicked gives the focus to a field, that keeps it`() async {
    let session = session()
    for isFocused in [false, true] {
      form.field = isFocused ? .name : nil
      form.isSent = false
      session.invalidate()
      await session.idle()
      terminal.use(.press, x: 1, y: 3)
      await session.idle()
      #expect(form.isSent && form.field == .name)
      #expect(terminal.cursor?.y == 0)
    }
    session.end()
  }
}
