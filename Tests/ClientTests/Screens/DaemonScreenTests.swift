import GenericState
import StoreActor
import StoreProtocol
import StoreReplica
import StoreServer
import StoreState
import StoredWorkspace
import TerminalViews
import Testing

@testable import StorectlMain

/// The screens that work with any daemon.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct DaemonScreenTests {
  @Test func `The state of a scope is a tree with its last change highlighted`() async throws {
    let bench = ScreenBench()
    for title in ["Milk", "Eggs"] { bench.send(.todos(.addButtonTapped(title: title))) }
    await bench.press("6")
    await bench.shot("Scopes")
    await bench.press(.down, .down, .down, .enter)
    await bench.shot("Todos")
    await bench.press(.right, .down, .down, .right)
    await bench.shot("A row is open")
    #expect(highlighted(bench) == [])
    bench.send(.todos(.items(.element(id: UUID(1), action: .toggleButtonTapped))))
    await bench.idle()
    #expect(highlighted(bench).count == 2, "\(highlighted(bench))")
    bench.send(.counter(.incrementButtonTapped))
    await bench.idle()
    #expect(highlighted(bench).count == 2)
    await bench.shot("It has changed")
    await bench.press(.left, .left, .left)
    await bench.shot("Closed")
    try bench.compare(with: "state")
  }

  @Test func `A tree is filtered by the contents and the names of its parts`() async throws {
    let bench = ScreenBench()
    for title in ["Milk", "Eggs", "the family"] {
      bench.send(.todos(.addButtonTapped(title: title)))
    }
    bench.model.open(try #require(bench.model.daemon.scopes.find("todos")?.description))
    await bench.press(.right, "/")
    await bench.type("MIL")
    await bench.shot("While it is typed")
    await bench.press(.enter, .down, .right)
    await bench.shot("The matching part of a row")
    bench.send(.todos(.items(.element(id: UUID(1), action: .titleChanged(title: "Oatmilk")))))
    await bench.shot("Another row has come to have it")
    await bench.press("/", .control("u"))
    await bench.type("items")
    await bench.press(.enter)
    await bench.shot("The full contents of parts with this name")
    await bench.press("/", .control("u"))
    await bench.type("日本")
    await bench.press(.enter)
    await bench.shot("Nothing")
    await bench.press(.escape)
    await bench.shot("All")
    try bench.compare(with: "filter")
  }

  @Test func `Another scope is filtered by its own contents`() async throws {
    let bench = ScreenBench(keepsPast: true)
    let scopes = bench.model.daemon.scopes
    bench.send(.todos(.addButtonTapped(title: "Milk")))
    bench.send(.counter(.incrementButtonTapped))
    bench.model.open(try #require(scopes.find("todos")?.description))
    await bench.press("/")
    await bench.type("items")
    await bench.press(.enter)
    #expect(bench.terminal.lines.contains { $0.contains("items: ") })
    bench.model.open(try #require(scopes.find("counter")?.description))
    await bench.idle()
    #expect(!bench.terminal.lines.contains { $0.contains("count: ") })
    // The filter also applies to a revision of the past.
    await bench.press(",", "/", .control("u"))
    await bench.type("count")
    await bench.press(.enter)
    #expect(bench.terminal.lines.contains { $0.contains("count: ") })
    bench.model.open(try #require(scopes.find("todos")?.description))
    await bench.press(",")
    #expect(!bench.terminal.lines.contains { $0.contains("items: ") })
  }

  @Test func `A watched part is open, and its last change is highlighted`() async throws {
    let bench = ScreenBench(height: 18, watching: ["todos", "counter"])
    for title in ["Milk", "Eggs"] { bench.send(.todos(.addButtonTapped(title: title))) }
    await bench.shot("Both")
    bench.send(.todos(.items(.element(id: UUID(1), action: .toggleButtonTapped))))
    await bench.idle()
    #expect(highlighted(bench).count == 1, "\(highlighted(bench))")
    bench.send(.counter(.incrementButtonTapped))
    await bench.idle()
    #expect(highlighted(bench).contains { $0.contains("count: 1") }, "\(highlighted(bench))")
    await bench.press(.left)
    await bench.shot("Closed")
    bench.terminal.resize(width: 20, height: 5)
    await bench.shot("Narrow")
    bench.model.daemon.isStale = true
    await bench.shot("Silence")
    try bench.compare(with: "watch")
  }

  @Test func `A row above the last change is not highlighted any more`() async throws {
    let bench = ScreenBench(height: 18, watching: ["todos"])
    for title in ["Milk", "Eggs"] { bench.send(.todos(.addButtonTapped(title: title))) }
    await bench.idle()
    bench.send(.todos(.items(.element(id: UUID(0), action: .toggleButtonTapped))))
    await bench.idle()
    let first = highlighted(bench)
    #expect(first.count == 1, "\(first)")
    bench.send(.todos(.items(.element(id: UUID(1), action: .toggleButtonTapped))))
    await bench.idle()
    let second = highlighted(bench)
    #expect(second.count == 1 && second != first, "\(second)")
  }

  private func highlighted(_ bench: ScreenBench) -> [String] {
    let grid = bench.terminal.grid
    return (2..<grid.size.height).compactMap { row in
      let cells = (0..<grid.size.width).map { grid[$0, row] }
      return cells.contains { $0.style.foreground == .yellow } ? grid.lines[row] : nil
    }
  }

  @Test func `Any action that is described can be sent by a form`() async throws {
    let bench = ScreenBench()
    bench.model.open(try #require(bench.model.daemon.scopes.find("todos")?.description))
    await bench.press("s")
    await bench.shot("Actions")
    await bench.type("addb")
    await bench.press(.enter)
    await bench.type("Milk")
    await bench.shot("A form")
    await bench.press(.enter)
    await bench.shot("Sent")
    await bench.press("s")
    await bench.type("filterp")
    await bench.press(.enter)
    await bench.shot("An example is selected")
    await bench.type("x")
    await bench.press(.enter)
    await bench.shot("A slip")
    await bench.press(.backspace)
    await bench.type("active")
    await bench.press(.enter)
    await bench.press("s")
    await bench.type("clear")
    await bench.press(.enter)
    await bench.shot("Sent as well")
    #expect(bench.model.todos?.filter == .active)
    try bench.compare(with: "form")
  }

  @Test func `A row's scope is requested, and its absence is reported`() async throws {
    let bench = ScreenBench()
    await bench.press("o")
    await bench.type("items")
    await bench.press(.enter)
    await bench.type("\(UUID(7))")
    await bench.shot("Which row")
    await bench.press(.enter)
    await bench.shot("Absent")
    try bench.compare(with: "row")
  }

  @Test func `A row's scope is chosen from a list of the rows`() async throws {
    let bench = ScreenBench()
    for title in ["Milk", "Eggs", "Tea"] { bench.send(.todos(.addButtonTapped(title: title))) }
    await bench.press(":")
    await bench.type("Open todos")
    await bench.press(.enter, "o")
    await bench.type("items")
    await bench.press(.enter)
    #expect(bench.terminal.lines.contains { $0.contains("Eggs  00000000-0000-0000-0000-") })
    await bench.type("egg")
    await bench.press(.enter)
    #expect(bench.model.stateState.scope?.name == "todos/items/\(UUID(1))")
    #expect(bench.terminal.lines.contains { $0.contains("title: \"Eggs\"") })
  }

  @Test func `A row's own actions can be sent, and its id is proposed where one is wanted`()
    async throws
  {
    let bench = ScreenBench()
    for title in ["Milk", "Eggs", "Tea"] { bench.send(.todos(.addButtonTapped(title: title))) }
    await bench.press(":")
    await bench.type("Open todos")
    await bench.press(.enter, .right, .down, .down, "s")
    await bench.shot("Actions of a row, and of its list")
    await bench.type("toggle")
    await bench.press(.enter)
    #expect(bench.model.todos?.items.map(\.isCompleted) == [false, true, false])
    // A part of a row offers the row's actions, too.
    await bench.press(.right, .down, .down, "s")
    await bench.type("removed")
    await bench.press(.enter)
    await bench.shot("The row's id is proposed")
    await bench.press(.enter)
    #expect(bench.model.todos?.items.map(\.title) == ["Milk", "Tea"])
    try bench.compare(with: "row-actions")
  }

  @Test func `Enter shows a value without parts from its beginning to its end`() async throws {
    let bench = ScreenBench(height: 10)
    let title = (1...80).map { "word\($0)" }.joined(separator: " ")
    bench.send(.todos(.addButtonTapped(title: title)))
    await bench.press(":")
    await bench.type("Open todos")
    await bench.press(.enter, .right, .down, .right, .down, .down, .enter)
    await bench.shot("The beginning")
    var words: Set<Substring> = []
    for _ in 1...9 {
      words.formUnion(bench.terminal.lines.flatMap { $0.split(separator: " ") })
      await bench.press(.pageDown)
    }
    for number in 1...80 { #expect(words.contains("word\(number)"), "\(number)") }
    await bench.press(.enter)
    await bench.shot("Closed")
    try bench.compare(with: "leaf")
  }

  @Test func `Digits lead to the same screens before the features' states have come`() async {
    let bench = ScreenBench()
    bench.model.todos = nil
    bench.model.failures[.counter] = "The counter is of another type."
    bench.model.counter = nil
    await bench.press("2")
    #expect(bench.model.screen == .todos)
    #expect(bench.terminal.lines[2] == "Waiting for the first state …")
    await bench.press("1")
    #expect(bench.terminal.lines[2] == "The counter is of another type.")
    let scopes = bench.model.daemon.scopes.filter { $0.name != "todos" }
    let other = UIModel(DaemonModel(bench.model.daemon.client, scopes: scopes))
    #expect(other.screens == UIModel.Screen.allCases.filter { $0 != .todos })
  }

  @Test func `A palette selects the best match at each letter`() async {
    let bench = ScreenBench()
    await bench.press(":", .down, .down)
    await bench.type("todos")
    await bench.press(.enter)
    #expect(bench.model.screen == .todos)
    await bench.press(":")
    await bench.type("log")
    await bench.press(.down, .backspace, .backspace, .backspace)
    await bench.type("go to log")
    await bench.press(.enter)
    #expect(bench.model.screen == .log)
  }

  @Test func `Sessions, numbers and silence`() async throws {
    let bench = ScreenBench(width: 90)
    let daemon = bench.model.daemon
    for (revision, milliseconds) in [(10, 2.0), (30, 1.0), (90, 4.5)] {
      daemon.handle(status: status(UInt64(revision)), after: milliseconds, interval: 2)
    }
    await bench.press("4")
    await bench.shot("Overview")
    bench.terminal.resize(width: 40, height: 8)
    await bench.shot("With little room")
    bench.terminal.resize(width: 90, height: 16)
    await bench.press("5")
    await bench.shot("Sessions")
    daemon.isStale = true
    await bench.shot("Silence")
    daemon.handle(status: status(91), after: 1, interval: 1)
    await bench.press("/")
    await bench.type("menu")
    await bench.press(.enter)
    await bench.shot("It is back; filtered")
    try bench.compare(with: "sessions")
  }

  @Test func `The overview has an obstacle, work of the daemon's own, and crashes`() async {
    let bench = ScreenBench(width: 90)
    let status = GenericValue.record([
      "epoch": .unsigned(1), "revision": .unsigned(2), "obstacle": .text("the disk is full"),
      "work": .record(["print": .unsigned(2)]), "sessions": .array([]),
      "crashes": .array([
        .record(["name": .text("todos"), "time": .unsigned(0), "sequence": .unsigned(7)])
      ]),
    ])
    bench.model.daemon.handle(status: status, after: 1, interval: 1)
    await bench.press("4")
    let lines = bench.terminal.lines
    #expect(lines.contains { $0.contains("obstacle: the disk is full") })
    #expect(lines.contains { $0.contains("own work: print ×2") })
    #expect(lines.contains { $0.contains("crashes: 1, the last one 1970-01-01") })
    #expect(lines.contains { $0.contains("in action 7 to todos") })
  }

  private func status(_ revision: UInt64) -> GenericValue {
    .record([
      "epoch": .unsigned(0xABC), "revision": .unsigned(revision), "durableRevision": .null,
      "pid": .unsigned(42), "uptimeMs": .unsigned(61_000),
      "sessions": .array([
        session(1, "storectl ui", lag: 0), session(2, "menu \u{1B}[2J bar", lag: revision * 2),
      ]),
      "counters": .record(["deltas": .unsigned(7), "fences": .unsigned(0)]),
    ])
  }

  private func session(_ id: UInt64, _ name: String, lag: UInt64) -> GenericValue {
    .record([
      "session": .unsigned(id), "name": .text(name), "user": .unsigned(1_000),
      "peer": .text("localhost"), "unreadBytes": .unsigned(lag * 1_000),
      "unreadMs": .unsigned(lag * 10), "lastHeardMs": .unsigned(12),
      "effects": .unsigned(0), "scopes": .array([.text("todos"), .text("counter")]),
    ])
  }

  @Test func `The log follows its end, pauses and is filtered`() async throws {
    let bench = ScreenBench(width: 90)
    let daemon = bench.model.daemon
    await bench.press("7")
    daemon.handle(
      log: .failed(HistoryError(.unavailable, "This daemon keeps no history.")),
      of: daemon.client.epoch,
    )
    await bench.shot("None")
    daemon.handle(
      log: .log(entries: (1...20).map(entry), next: 20, end: 20),
      of: daemon.client.epoch,
    )
    await bench.shot("At the end")
    await bench.press(" ", .home)
    daemon.handle(log: .log(entries: [entry(21)], next: 21, end: 21), of: daemon.client.epoch)
    await bench.shot("Paused")
    await bench.press(" ", "/")
    await bench.type("by itself")
    await bench.press(.enter)
    await bench.shot("Filtered")
    await bench.press(.escape, "G")
    daemon.handle(log: .log(entries: [entry(22)], next: 22, end: 22), of: daemon.client.epoch)
    await bench.shot("Live again")
    try bench.compare(with: "log")
  }

  @Test func `The log shows its extent, and the reason if it is empty`() async throws {
    let bench = ScreenBench(width: 90)
    let daemon = bench.model.daemon
    await bench.press("7")
    await bench.shot("Before it has come")
    daemon.isStale = true
    await bench.shot("Silence, before it has come")
    daemon.isStale = false
    daemon.handle(log: .log(entries: [], next: 0, end: 0), of: daemon.client.epoch)
    await bench.shot("Nothing has happened")
    daemon.handle(log: .log(entries: [entry(1)], next: 1, end: 1), of: daemon.client.epoch)
    await bench.shot("One revision")
    let many = UInt64(DaemonModel.mostRows)
    daemon.handle(
      log: .log(entries: (2...(many + 1)).map(entry), next: many + 1, end: many + 1),
      of: daemon.client.epoch,
    )
    await bench.shot("The newest ones")
    await bench.press("/")
    await bench.type("1999")
    await bench.press(.enter)
    await bench.shot("Those of them in which a text stands")
    try bench.compare(with: "log-extent")
  }

  @Test func `A log that lags far continues with the newest revisions`() {
    let daemon = ScreenBench().model.daemon
    let epoch = daemon.client.epoch
    daemon.handle(log: .log(entries: [entry(1)], next: 1, end: 1), of: epoch)
    let newest = 3 + UInt64(DaemonModel.mostRows)
    daemon.handle(log: .log(entries: [entry(2)], next: 2, end: newest), of: epoch)
    #expect(daemon.log.isEmpty && !daemon.isLogKnown)
    daemon.handle(log: .log(entries: [entry(newest)], next: newest, end: newest), of: epoch)
    #expect(daemon.log.map(\.id) == [newest])
  }

  @Test func `Pages of the log that cannot be those that were asked for are not shown`() {
    let daemon = ScreenBench().model.daemon
    let epoch = daemon.client.epoch
    func page(_ revisions: ClosedRange<UInt64>) -> HistoryAnswer {
      .log(
        entries: revisions.map(entry),
        next: revisions.upperBound,
        end: revisions.upperBound,
      )
    }
    daemon.handle(log: page(1...3), of: epoch)
    #expect(daemon.log.map(\.id) == [1, 2, 3] && daemon.logFailure == nil)
    // A page with revisions that are already in the log.
    daemon.handle(log: page(2...4), of: epoch)
    #expect(daemon.log.map(\.id) == [1, 2, 3] && daemon.logFailure != nil)
    // An answer to a query of another epoch.
    daemon.handle(log: page(4...9), of: epoch.map { $0 + 1 })
    #expect(daemon.log.map(\.id) == [1, 2, 3])
    daemon.handle(log: page(4...5), of: epoch)
    #expect(daemon.log.map(\.id) == [1, 2, 3, 4, 5] && daemon.logFailure == nil)
  }

  private func entry(_ revision: UInt64) -> GenericValue {
    let time = GenericValue.unsigned(1_700_000_000_000 + revision * 1_000)
    guard !revision.isMultiple(of: 5) else {
      return .record(["revision": .unsigned(revision), "time": time, "by": .text("internal")])
    }
    return .record([
      "revision": .unsigned(revision), "time": time, "by": .text("client"),
      "session": .unsigned(7), "sequence": .unsigned(revision),
      "scope": .text("counter"), "action": .text("incrementButtonTapped"),
      "changed": .array([.text("counter")]),
      "us": .unsigned(3),
    ])
  }

  @Test func `News go after ten seconds, and failures with a key`() async throws {
    for watching in [[], ["todos"]] {
      let bench = ScreenBench(watching: watching)
      let daemon = bench.model.daemon
      func isShown(_ text: String) -> Bool {
        bench.terminal.lines.contains { $0.hasPrefix(text) }
      }
      daemon.say("the daemon has a new epoch")
      for pause in 1...40 {
        await bench.idle()
        #expect(isShown("the daemon has a new epoch"), "\(pause)")
        daemon.passTime()
        // A repeated message has its own time.
        if pause == 30 {
          daemon.say("the daemon has a new epoch")
          for _ in 1...30 { daemon.passTime() }
        }
      }
      await bench.idle()
      #expect(!isShown("the daemon"))
      daemon.say("Something is wrong.", isFailure: true)
      for _ in 1...100 { daemon.passTime() }
      await bench.idle()
      #expect(isShown("Something is wrong."))
      await bench.press(.escape)
      #expect(!isShown("Something"))
    }
  }

  @Test func `A click on a screen's name leads there`() async throws {
    let bench = ScreenBench(width: 80)
    await bench.idle()
    for screen in UIModel.Screen.allCases.reversed() {
      let title = try #require(bench.terminal.lines[0].firstRange(of: screen.rawValue))
      let place = bench.terminal.lines[0].distance(
        from: bench.terminal.lines[0].startIndex,
        to: title.lowerBound,
      )
      bench.terminal.use(.press, x: place, y: 0)
      await bench.idle()
      #expect(bench.model.screen == screen)
    }
    // A press beside the names and the wheel have no effect.
    bench.terminal.use(.press, x: 79, y: 0)
    bench.terminal.use(.wheelDown, x: 20, y: 0)
    await bench.idle()
    #expect(bench.model.screen == .counter)
    // Names that have moved out of view do not react at their former places.
    bench.terminal.resize(width: 20, height: 8)
    await bench.press("7")
    let text = bench.terminal.lines[0]
    bench.terminal.use(.press, x: 1, y: 0)
    await bench.idle()
    #expect(text.contains("7 Log"), "\(text)")
    let first = try #require(text.split(separator: " ").dropFirst().first)
    #expect(bench.model.screen.rawValue == first, "\(text)")
  }

  @Test func `A palette leads to screens, and quits`() async throws {
    let bench = ScreenBench()
    var quits = 0
    bench.model.onQuit = { quits += 1 }
    await bench.press(":")
    await bench.type("sess")
    await bench.press(.enter)
    #expect(bench.model.screen == .sessions)
    await bench.press(":")
    await bench.type("quit")
    await bench.shot("Quit")
    await bench.press(.enter, "q")
    #expect(quits == 2)
    // Characters that are typed into a text field run no commands.
    await bench.press("2", "a")
    await bench.type("q?:")
    #expect(bench.model.todosState.prompt?.text == "q?:" && quits == 2)
    try bench.compare(with: "palette")
  }
}
