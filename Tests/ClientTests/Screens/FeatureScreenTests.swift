import StoreActor
import StoredWorkspace
import TerminalViews
import Testing

@testable import StorectlMain

/// The screens of the shipped features, which do not depend on the location of their stores.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct FeatureScreenTests {
  @Test(arguments: [false, true])
  func `The counter is counted, and asked for a fact`(isRemote: Bool) async throws {
    let bench = ScreenBench(isRemote: isRemote)
    await bench.shot("At first")
    await bench.press("+", .up, .up, "-")
    await bench.shot("Counted")
    await bench.press("f")
    await bench.shot("A fact")
    await bench.press(.enter)
    await bench.shot("Read")
    await bench.press("?")
    await bench.shot("Help")
    try bench.compare(with: "counter")
  }

  @Test(arguments: [false, true])
  func `Todos are added, done, edited, moved, filtered and searched`(isRemote: Bool) async throws {
    let bench = ScreenBench(isRemote: isRemote)
    await bench.press("2")
    await bench.shot("Nothing to do")
    for title in ["Milk", "日本 🙂", "Eggs"] {
      await bench.press("a")
      await bench.type(title)
      await bench.press(.enter)
    }
    await bench.press(.down, " ")
    await bench.shot("The second one is done")
    await bench.press("e", .backspace)
    await bench.shot("Editing")
    await bench.press(.enter, "J")
    await bench.shot("Edited and moved")
    await bench.press("f")
    await bench.shot("Active")
    await bench.press("f", "f", "/")
    await bench.type("eg")
    await bench.shot("Searching")
    await bench.press(.enter, "d")
    await bench.shot("Whether to delete")
    await bench.press("y", .escape)
    await bench.shot("Deleted")
    await bench.press("c", "y")
    await bench.shot("Cleared")
    try bench.compare(with: "todos")
  }

  @Test func `A row is moved among those that are shown`() async throws {
    let bench = ScreenBench()
    for title in ["a1", "b1", "a2", "b2", "a3"] {
      bench.send(.todos(.addButtonTapped(title: title)))
    }
    func titles() -> [String] { bench.model.todos?.items.map(\.title) ?? [] }
    await bench.press("2", "/")
    await bench.type("a")
    await bench.press(.enter, "J")
    #expect(bench.terminal.lines[3...5] == ["[ ] a2", "[ ] a1", "[ ] a3"])
    #expect(titles() == ["b1", "a2", "a1", "b2", "a3"])
    await bench.press("J")
    #expect(titles() == ["b1", "a2", "b2", "a3", "a1"])
    // The last row cannot move down.
    await bench.press("J", "K", "K", "K")
    #expect(titles() == ["b1", "a1", "a2", "b2", "a3"])
    await bench.press(.escape, "K", "K")
    #expect(titles() == ["a1", "b1", "a2", "b2", "a3"])
    // Rows that the todos' filter hides are passed, too.
    await bench.press(.down, " ", "f", .home, "J")
    #expect(titles() == ["b1", "a2", "a1", "b2", "a3"])
  }

  @Test func `Before todos are cleared that is asked`() async throws {
    let bench = ScreenBench()
    for title in ["a", "b", "c"] { bench.send(.todos(.addButtonTapped(title: title))) }
    func titles() -> [String] { bench.model.todos?.items.map(\.title) ?? [] }
    await bench.press("2", "x", .down, "x", "c")
    #expect(bench.terminal.lines.contains { $0.contains("Clear 2 completed todos?") })
    // While a question is open, no key reaches the screen below it.
    await bench.press("d", "n")
    #expect(titles() == ["a", "b", "c"] && bench.model.todosState.prompt == nil)
    await bench.press("c", .escape, "c", .enter)
    #expect(titles() == ["a", "b", "c"] && bench.model.todosState.prompt == nil)
    await bench.press("c")
    await bench.shot("Whether to clear")
    // The answer clears the todos that are completed then, not those at the time of the question.
    bench.send(.todos(.items(.element(id: UUID(1), action: .toggleButtonTapped))))
    await bench.press("y")
    #expect(bench.model.todosState.prompt == nil)
    #expect(titles() == ["b", "c"])
    await bench.press("x", "c")
    #expect(bench.terminal.lines.contains { $0.contains("Clear 1 completed todo?") })
    await bench.press("y")
    #expect(bench.model.todosState.prompt == nil && titles() == ["c"])
    // Without completed todos, there is no question.
    await bench.press("c")
    #expect(bench.model.todosState.prompt == nil && titles() == ["c"])
    try bench.compare(with: "question")
  }

  @Test(arguments: ["", "  "])
  func `A todo without a title is refused`(text: String) async throws {
    let bench = ScreenBench()
    let refusal = "A todo needs a title."
    await bench.press("2", "a")
    await bench.type(text)
    await bench.press(.enter)
    #expect(bench.model.daemon.message?.text == refusal)
    #expect(bench.model.todos?.items.isEmpty == true)
    // The field is still open.
    await bench.press(.control("u"))
    await bench.type("Milk")
    await bench.press(.enter)
    #expect(bench.model.todos?.items.map(\.title) == ["Milk"])
    #expect(bench.model.daemon.message == nil)
    await bench.press("e", .control("u"))
    await bench.type(text)
    await bench.press(.enter)
    #expect(bench.model.daemon.message?.text == refusal)
    #expect(bench.model.todos?.items.map(\.title) == ["Milk"])
    await bench.press(.escape, "1")
    #expect(bench.model.daemon.message == nil)
  }

  @Test(arguments: [
    ("abc", #""abc" is no guess. Type a whole number from -100 to 100."#),
    ("1.5", #""1.5" is no guess. Type a whole number from -100 to 100."#),
    ("101", #""101" is no guess. Type a whole number from -100 to 100."#),
    (" 7 ", nil), ("", nil),
  ])
  func `An invalid guess is reported`(text: String, message: String?) async {
    let bench = ScreenBench()
    await bench.press("3", "t")
    await bench.type(text)
    await bench.press(.enter)
    #expect(bench.model.daemon.message?.text == message)
    #expect(bench.model.game?.counter.count == (text == " 7 " ? 7 : 0))
    if message != nil { await bench.press(.escape) }
    // Editing a result reports the same error; a valid guess reports no error.
    await bench.press("n", "r", "e", .control("u"))
    #expect(bench.model.daemon.message == nil)
    await bench.type(text)
    await bench.press(.enter)
    #expect(bench.model.daemon.message?.text == message)
  }

  @Test func `Letters after a bad guess belong to the field, too`() async {
    let bench = ScreenBench()
    await bench.press("3", "t")
    await bench.type("500")
    await bench.press(.enter, .control("u"))
    await bench.type("15")
    await bench.press(.enter)
    #expect(bench.model.game?.counter.count == 15)
  }

  @Test func `A message wraps, and leaves room for its subject`() async throws {
    let bench = ScreenBench(width: 40, height: 8)
    await bench.press("3", "t")
    await bench.type("x")
    await bench.press(.enter, .escape)
    let lines = bench.terminal.lines
    #expect(lines[5...6] == ["\"x\" is no guess. Type a whole number", "from -100 to 100."])
    #expect(lines[7].hasPrefix("q quit"))
    bench.model.daemon.say(String(repeating: "Something is wrong. ", count: 20))
    await bench.idle()
    #expect(bench.terminal.lines[2].hasPrefix("Guess 0"))
    #expect(bench.terminal.lines[6] == "Something is wrong. Something is wrong.…")
  }

  @Test(arguments: [false, true])
  func `Rounds are played, and results edited and saved`(isRemote: Bool) async throws {
    let bench = ScreenBench(isRemote: isRemote)
    await bench.press("3", "+", "+")
    await bench.shot("Guessed")
    await bench.press("n", "t")
    await bench.type("5")
    await bench.press(.enter, "n")
    await bench.shot("Two rounds")
    await bench.press("r", .down, "e", .control("u"))
    await bench.type("9")
    await bench.shot("Editing a guess")
    await bench.press(.enter, .escape)
    await bench.shot("Whether to save")
    await bench.press(.enter)
    await bench.shot("Saved")
    try bench.compare(with: "game")
  }

  @Test func `The outcome of an action is shown with its name`() async throws {
    let bench = ScreenBench()
    bench.close()
    await bench.press("+")
    let lines = bench.terminal.lines
    #expect(lines.contains { $0.hasPrefix("incrementButtonTapped: ") }, "\(lines)")
    let action = Todos.Action.items(.element(id: UUID(7), action: .toggleButtonTapped))
    #expect(ActionText.name(of: action) == "items.element.toggleButtonTapped")
    #expect(ActionText.name(of: Todos.Action.addButtonTapped(title: "(")) == "addButtonTapped")
  }

  @Test func `Changes of others are shown, and the selection stays with its row`() async throws {
    let bench = ScreenBench()
    for title in ["a", "b", "c"] { bench.send(.todos(.addButtonTapped(title: title))) }
    await bench.press("2", .down)
    let selected = try #require(bench.model.todosState.selection.id)
    #expect(selected == UUID(1))
    bench.send(.todos(.moved(id: UUID(2), toOffset: 0)))
    await bench.idle()
    #expect(bench.terminal.lines[3...5] == ["[ ] c", "[ ] a", "[ ] b"])
    await bench.press(" ")
    #expect(bench.terminal.lines[5] == "[x] b")
    bench.send(.todos(.removed(id: selected)))
    await bench.press(" ")
    #expect(bench.terminal.lines[3...5] == ["[ ] c", "[ ] a", ""])
    #expect(bench.terminal.lines.contains { $0.hasPrefix("That has had no effect") })
    await bench.press(" ")
    #expect(bench.terminal.lines[3...5] == ["[ ] c", "[x] a", ""])
  }

  @Test func `All screens have their names on 80 columns`() async throws {
    let bench = ScreenBench(width: 80)
    await bench.idle()
    let names = bench.terminal.lines[0].split(separator: " ").filter { $0.first?.isLetter == true }
    #expect(names.map(String.init) == UIModel.Screen.allCases.map(\.rawValue))
  }

  @Test func `However small the terminal is, every screen has room`() async throws {
    let bench = ScreenBench()
    for screen in UIModel.Screen.allCases {
      bench.model.chosen = screen
      for (width, height) in [(1, 1), (3, 2), (10, 4), (200, 60)] {
        bench.terminal.resize(width: width, height: height)
        await bench.press("?", .escape, ":", .escape)
        #expect(bench.terminal.grid.size == Size(width: width, height: height))
      }
    }
  }
}
