import StoreActorSimplex
import Testing

@MainActor
@Suite("@FocusState in a reducer", .timeLimit(.minutes(1)))
struct FocusTests {
  @Test("A test asserts the focus")
  func reducer() async {
    let store = SignUpView().testStore(viewState: .init(email: "blob@example.com"))
    await store.send(.signUp) {
      $0.focus = .password
    }
  }

  @Test("On a terminal the focus follows the reducer, and its state follows the tab key")
  func terminal() async {
    let view = SignUpView()
    let terminal = MemoryTerminal(width: 40, height: 4)
    let session = TerminalSession(on: terminal, framesPerSecond: 10_000) { view }
    session.start()
    terminal.press(.tab)
    await session.idle()
    #expect(view.focus == .password)
    terminal.press(.tab)
    await session.idle()
    #expect(view.focus == nil)

    terminal.press(.enter)
    terminal.type("blob")
    terminal.press(.tab, .tab, .enter)
    await session.idle()
    #expect(terminal.lines[0] == "E-mail: blob")
    #expect(view.focus == .password)
    terminal.type("secret")
    terminal.press(.tab, .enter)
    await session.idle()
    #expect(terminal.lines == ["E-mail: blob", "Password: secret", "[Sign up]", "Welcome, blob"])
    #expect(view.focus == nil)
    session.end()
  }

  @Test("A click on the button keeps the reducer's focus")
  func click() async {
    let view = SignUpView()
    let terminal = MemoryTerminal(width: 40, height: 4)
    let session = TerminalSession(on: terminal, framesPerSecond: 10_000) { view }
    session.start()
    await session.idle()
    terminal.use(.press, x: 1, y: 2)
    terminal.type("blob")
    await session.idle()
    #expect(view.focus == .email && terminal.lines[0] == "E-mail: blob")
    session.end()
  }
}
