import GenericState
import StoreActor
import StoreProtocol
import StoreServer
import StoreState
import StoredWorkspace
import TerminalViews
import Testing

@testable import StorectlMain

/// The past on the screens of state and log.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct PastScreenTests {
  /// Returns the state screen of todos with four kept revisions.
  private func bench() async throws -> ScreenBench {
    let bench = ScreenBench(keepsPast: true)
    for title in ["Milk", "Eggs"] { bench.send(.todos(.addButtonTapped(title: title))) }
    bench.send(.todos(.items(.element(id: UUID(0), action: .toggleButtonTapped))))
    bench.send(.counter(.incrementButtonTapped))
    bench.send(.todos(.removed(id: UUID(1))))
    bench.model.open(try #require(bench.model.daemon.scopes.find("todos")?.description))
    await bench.press(.right)
    return bench
  }

  @Test func `Revisions are browsed in both directions, and the changes of each are highlighted`()
    async throws
  {
    let bench = try await bench()
    await bench.shot("Now")
    await bench.press(",")
    await bench.shot("Just before, when something else has changed")
    await bench.press(",", .down, .right)
    await bench.shot("A todo is done")
    // The changed part and its ancestors.
    let news = highlighted(bench)
    #expect(news.map { $0.prefix(5) } == ["Milk:", "isCom", "items"], "\(news)")
    await bench.press(",")
    await bench.shot("A todo has come")
    await bench.press("<")
    await bench.shot("The beginning")
    await bench.press(",")
    #expect(bench.model.stateState.past?.wanted == 0)
    await bench.press("@")
    await bench.type("3")
    await bench.press(.enter, "s")
    await bench.shot("The past takes no actions")
    #expect(bench.model.search == nil && !bench.model.commands.contains { $0.id.hasPrefix("Send") })
    await bench.press(".", ".")
    #expect(bench.model.stateState.past == nil)
    await bench.shot("Now again")
    try bench.compare(with: "past")
  }

  /// Returns the names and texts of the highlighted rows of the tree.
  private func highlighted(_ bench: ScreenBench) -> [String] {
    let grid = bench.terminal.grid
    return (5..<(grid.size.height - 1)).compactMap { row in
      let cells = (0..<grid.size.width).map { grid[$0, row] }
      guard cells.contains(where: { $0.style.foreground == .yellow }) else { return nil }
      return grid.lines[row].trimmingPrefix { " ▸▾".contains($0) }.description
    }
    .sorted()
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `Under a filter only matches are shown, at each revision`(seed: UInt64) async throws {
    let bench = ScreenBench(width: 160, height: 30, keepsPast: true)
    var generator = seed
    func random(_ count: UInt64) -> UInt64 {
      generator = generator &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (generator >> 33) % count
    }
    func change() {
      let id = UUID(Int(random(6)))
      switch random(3) {
      case 0: bench.send(.todos(.addButtonTapped(title: random(2) == 0 ? "Milk" : "Eggs")))
      case 1: bench.send(.todos(.removed(id: id)))
      default:
        let title = random(2) == 0 ? "Oat milk" : "Tea"
        bench.send(.todos(.items(.element(id: id, action: .titleChanged(title: title)))))
      }
    }
    for _ in 1...20 { change() }
    bench.model.open(try #require(bench.model.daemon.scopes.find("todos")?.description))
    await bench.press(.right, "/")
    await bench.type("milk")
    await bench.press(.enter)
    let keys: [Key] = [",", ",", ".", "<", ">", "L", .right, .down, .up]
    for _ in 1...60 {
      if random(4) == 0 { change() }
      await bench.press(keys[Int(random(UInt64(keys.count)))])
      // The line above the tree with a revision's changes is not filtered.
      let rows = bench.terminal.lines.filter { $0.hasPrefix("  ") && $0.contains(": Todo ") }
      #expect(rows.allSatisfy { $0.lowercased().contains("milk") }, "\(bench.terminal.lines)")
    }
  }

  @Test func `Meanwhile keys are handled, and only the last request is fetched`() async throws {
    let bench = try await bench()
    let past = try #require(bench.past)
    past.isHeldBack = true
    await bench.press(",", ",", ",")
    while past.questions.isEmpty { await Task.yield() }
    await bench.idle()
    #expect(past.questions.count == 1)
    #expect(bench.terminal.lines.contains { $0.contains("asking for 2 …") })
    // Until the answer arrives, the screen shows the live state as live.
    #expect(bench.terminal.lines[2].hasPrefix("todos revision 5"), "\(bench.terminal.lines)")
    #expect(!bench.terminal.lines.contains { $0.contains("THE PAST") || $0.contains("●") })
    await bench.press(.left)
    #expect(bench.terminal.lines.contains { $0.hasPrefix("▸ items: 1 element") })
    past.isHeldBack = false
    past.answerNext()
    await bench.idle()
    let states = [2, 1].map { HistoryQuery.state(revision: $0, scope: "todos") }
    #expect(Array(past.questions.dropFirst()) == states)
    #expect(bench.terminal.lines.contains { $0.contains("THE PAST: revision 2") })
    // The previous revision is already known.
    await bench.press(",")
    #expect(past.questions.last == .state(revision: 0, scope: "todos"))
    #expect(past.questions.count == 4)
  }

  @Test func `The mouse selects a revision, and its wheel the next ones`() async throws {
    let bench = try await bench()
    await bench.press(",", ",")
    let row = try #require(bench.terminal.lines.firstIndex { $0.contains("●") })
    bench.terminal.use(.press, x: 0, y: row)
    await bench.idle()
    #expect(bench.model.stateState.past?.moment?.revision == 0)
    for _ in 0..<3 { bench.terminal.use(.wheelDown, x: 5, y: row) }
    await bench.idle()
    #expect(bench.model.stateState.past?.moment?.revision == 3)
    bench.terminal.use(.wheelUp, x: 5, y: row)
    await bench.idle()
    #expect(bench.model.stateState.past?.moment?.revision == 2)
    bench.terminal.use(.press, x: 71, y: row)
    await bench.idle()
    #expect(bench.model.stateState.past?.moment?.revision == 4)
  }

  @Test(arguments: [["L"], ["1"], [",", "."], [":"]] as [[Key]])
  func `The notice that the past takes no actions disappears with the past`(
    keys: [Key]
  ) async throws {
    let bench = try await bench()
    await bench.press(",", "s")
    #expect(bench.model.daemon.message != nil)
    await bench.press("L", ",", "s")
    for key in keys { await bench.press(key) }
    if keys == [":"] {
      await bench.type("Go to Counter")
      await bench.press(.enter)
    }
    #expect(bench.model.daemon.message == nil)
  }

  @Test func `The outcome of an action is shown on other screens, too`() async throws {
    let bench = try await bench()
    bench.model.daemon.say("decrementButtonTapped: applied at revision 6")
    await bench.press("1")
    #expect(bench.model.daemon.message != nil)
  }

  @Test(arguments: [
    ("abc", #""abc" is no revision. Type a number from 0 to 5."#),
    ("-1", #""-1" is no revision. Type a number from 0 to 5."#),
    ("6", "Revision 6 is still to come: the newest one is 5."),
    ("1 2", #""1 2" is no revision. Type a number from 0 to 5."#),
  ])
  func `An invalid revision is reported`(text: String, message: String) async throws {
    let bench = try await bench()
    await bench.press("@")
    await bench.type(text)
    await bench.press(.enter)
    #expect(bench.model.daemon.message?.text == message)
    #expect(bench.model.stateState.past == nil)
    // The past keeps its position.
    await bench.press(",", "@")
    #expect(bench.model.daemon.message == nil)
    await bench.type(text)
    await bench.press(.enter)
    #expect(bench.model.daemon.message?.text == message)
    #expect(bench.model.stateState.past?.wanted == 4)
    await bench.press("1")
    #expect(bench.model.daemon.message == nil)
  }

  @Test func `Blanks around a revision are no part of it`() async throws {
    let bench = try await bench()
    await bench.press("@")
    await bench.type(" 2 ")
    await bench.press(.enter)
    #expect(bench.model.stateState.past?.moment?.revision == 2)
    try #require(bench.past).oldest = 2
    await bench.press("L", ",", "@")
    await bench.type("1")
    await bench.press(.enter)
    #expect(
      bench.model.daemon.message?.text == "Revision 1 is not kept any more: the oldest one is 2."
    )
    #expect(bench.model.stateState.past?.wanted == 4)
    // The oldest revision is unknown before the past is read.
    await bench.press("L", "@")
    await bench.type("0")
    await bench.press(.enter)
    #expect(
      bench.model.daemon.message?.text == "Revision 0 is not kept any more: the oldest one is 2."
    )
    #expect(bench.model.stateState.past?.moment?.revision == 2)
  }

  @Test func `A revision that is not kept any more cannot be selected`() async throws {
    let bench = try await bench()
    try #require(bench.past).oldest = 2
    await bench.press(",", ",", ",", ",", ",")
    #expect(bench.model.stateState.past?.moment?.revision == 2)
    #expect(bench.terminal.lines.contains { $0.contains("The state before it is not kept.") })
    try #require(bench.past).oldest = 4
    await bench.press(".")
    #expect(bench.terminal.lines.contains { $0.contains("It is not kept any more.") })
  }

  @Test func `However great the newest revision is, a page leads no further`() async throws {
    let bench = try await bench()
    bench.model.daemon.handle(status: status(revision: .max), after: 1, interval: 1)
    await bench.press(",", "@")
    await bench.type("\(UInt64.max - 1)")
    await bench.press(.enter)
    #expect(bench.model.stateState.past?.wanted == UInt64.max - 1)
    await bench.press(">")
    #expect(bench.model.stateState.past == nil)
  }

  @Test func `A daemon without a history reports that on one line`() async throws {
    let bench = ScreenBench()
    bench.send(.counter(.incrementButtonTapped))
    bench.model.open(try #require(bench.model.daemon.scopes.find("counter")?.description))
    await bench.press(",")
    await bench.shot("No history")
    #expect(bench.model.stateState.past == nil)
    try bench.compare(with: "past-none")
  }

  @Test func `The log shows the changes of the selected revision`() async throws {
    let bench = try await bench()
    let daemon = bench.model.daemon
    bench.model.chosen = .log
    daemon.handle(status: status(revision: 5), after: 1, interval: 1)
    daemon.askForLog()
    await bench.idle()
    await bench.press(.enter)
    await bench.shot("A todo was removed")
    await bench.press(.up)
    await bench.shot("The counter has counted")
    #expect(bench.model.logState.pausedRows != nil)
    await bench.press(.up, .escape)
    #expect(bench.model.logState.pausedRows == nil && bench.model.logState.details == nil)
    try bench.compare(with: "log-changes")
  }

  @Test func `Of a revision's changes as many are shown as fit`() async throws {
    let bench = ScreenBench(height: 30, keepsPast: true)
    for number in 0..<12 { bench.send(.todos(.addButtonTapped(title: "todo \(number)"))) }
    for number in 0..<12 {
      bench.send(.todos(.items(.element(id: UUID(number), action: .toggleButtonTapped))))
    }
    bench.send(.todos(.clearCompletedButtonTapped))
    let daemon = bench.model.daemon
    bench.model.chosen = .log
    daemon.handle(status: status(revision: 25), after: 1, interval: 1)
    daemon.askForLog()
    await bench.press(.enter)
    func shown() -> [String] { bench.terminal.lines.filter { $0.hasPrefix("│ todos") } }
    let all = try #require(bench.model.logState.details?.lines.count)
    #expect(all > 8 && shown().count == all, "\(bench.terminal.lines)")
    // With little room, the list scrolls, and its title shows that it is longer.
    await bench.press(.down)
    bench.terminal.resize(width: 72, height: 16)
    await bench.idle()
    #expect(shown().count < all)
    #expect(
      bench.terminal.lines.contains { $0.contains("1 of \(all), tab leads there") },
      "\(bench.terminal.lines)",
    )
    let last = try #require(bench.model.logState.details?.lines.last?.text)
    await bench.press(.tab, .end)
    #expect(bench.terminal.lines.contains { $0.hasPrefix("│ \(last.prefix(40))") })
    #expect(bench.terminal.lines.contains { $0.contains("\(all) of \(all)") })
    // The log keeps a part of the screen.
    #expect(bench.terminal.lines.contains { $0.contains("Revision") })
  }

  @Test func `Each question for the past has its own pause, independent of the asker`() async throws
  {
    let bench = try await bench()
    let past = try #require(bench.past)
    let daemon = bench.model.daemon
    var (pauses, isPause) = (0, false)
    daemon.breathe = {
      #expect(!isPause)
      isPause = true
      for _ in 1...10 { await Task.yield() }
      isPause = false
      pauses += 1
      #expect(past.questions.count < pauses)
    }
    daemon.handle(status: status(revision: 5), after: 1, interval: 1)
    daemon.askForLog()
    let before = past.questions.count
    pauses = before
    await bench.press(",")
    await bench.press("7")
    await bench.press(.enter, .up, .up)
    #expect(past.questions.count == pauses)
    #expect(pauses >= before + 6, "\(past.questions.dropFirst(before))")
    // Closed details send no further queries.
    let asked = past.questions.count
    await bench.press(.escape)
    for _ in 1...5 { bench.terminal.press(.enter, .enter) }
    await bench.press(.enter)
    #expect(past.questions.count <= asked + 4, "\(past.questions.dropFirst(asked))")
  }

  private func status(revision: UInt64) -> GenericValue {
    .record(["epoch": .unsigned(1), "revision": .unsigned(revision)])
  }
}
