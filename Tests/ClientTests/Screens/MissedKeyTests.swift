import StoreActor
import StoredWorkspace
import TerminalViews
import Testing

@testable import StorectlMain

/// Keys for rows that another client removes, inserts and moves meanwhile.
@MainActor
@Suite(.timeLimit(.minutes(2))) struct MissedKeyTests {
  private let bench = ScreenBench()

  private func titles() -> [String] { bench.model.todos?.items.map(\.title) ?? [] }

  private func addTodos(_ titles: String...) async {
    for title in titles { bench.send(.todos(.addButtonTapped(title: title))) }
    await bench.press("2")
  }

  private var isTold: Bool {
    bench.terminal.lines.contains { $0.hasPrefix("That has had no effect") }
  }

  @Test(arguments: ["d", "x", "e", "J", .enter, .delete] as [Key], [false, true])
  func `A key for a row that another client has removed has no effect on the one in its place`(
    key: Key,
    isShown: Bool,
  ) async {
    await addTodos("a", "b", "c", "d")
    await bench.press(.down)
    bench.send(.todos(.removed(id: UUID(1))))
    if isShown { await bench.idle() }
    await bench.press(key)
    #expect(titles() == ["a", "c", "d"] && bench.model.todosState.prompt == nil)
    #expect(bench.model.todos?.items.contains { $0.isCompleted } == false)
    #expect(isTold)
    // The cursor is now on the next row, which was displayed before this key.
    await bench.press("d", "y")
    #expect(titles() == ["a", "d"])
  }

  @Test func `An answer about a row that has gone since the question has no effect`() async {
    await addTodos("a", "b", "c")
    await bench.press(.down, "d")
    bench.send(.todos(.removed(id: UUID(1))))
    await bench.press("y")
    #expect(titles() == ["a", "c"] && isTold)
    await bench.press("e")
    await bench.type("!")
    bench.send(.todos(.removed(id: UUID(2))))
    await bench.press(.enter)
    #expect(titles() == ["a"] && isTold)
  }

  @Test func `Keys that are typed ahead are for the rows that the user foresees`() async {
    await addTodos("a", "b", "c", "d", "e")
    await bench.press("d", "y", "d", "y")
    #expect(titles() == ["c", "d", "e"])
    for key: Key in ["j", "d", "y", "d", "y"] { bench.terminal.press(key) }
    await bench.idle()
    #expect(titles() == ["c"])
    await bench.press("f", "x")
    #expect(bench.terminal.lines[3] == "No todos here." || bench.terminal.lines[3] == "")
  }

  @Test func `An alert that appears meanwhile takes no key that was meant for the view below`()
    async
  {
    await bench.press("+")
    bench.send(.counter(.numberFactResponse(.success("A fact."))))
    bench.terminal.press(.enter)
    #expect(bench.model.counter?.numberFactAlert != nil)
    await bench.idle()
    await bench.press(.enter)
    #expect(bench.model.counter?.numberFactAlert == nil && bench.model.counter?.count == 1)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `During another client's changes only the intended todo is deleted or done`(
    seed: UInt64
  ) async {
    var (numbers, next) = (Numbers(state: seed &* 2_654_435_761 &+ 1), 5)
    var (removed, meant): (Set<String>, Set<String>) = ([], [])
    func disturb() {
      let items = bench.model.todos?.items ?? []
      let place = Int.random(in: 0..<max(1, items.count), using: &numbers)
      switch Int.random(in: 0..<6, using: &numbers) {
      case 0, 1:
        guard items.count < 8 else { break }
        bench.send(.todos(.addButtonTapped(title: "t\(next)")))
        next += 1
      case 2:
        guard items.indices.contains(place) else { break }
        bench.send(.todos(.moved(id: items[place].id, toOffset: 0)))
      case 3:
        guard items.indices.contains(place) else { break }
        removed.insert(items[place].title)
        bench.send(.todos(.removed(id: items[place].id)))
      default: break
      }
    }
    await addTodos("t0", "t1", "t2", "t3", "t4")
    for _ in 0..<30 {
      disturb()
      await bench.idle()
      var rows = bench.terminal.lines.filter { $0.hasPrefix("[ ] ") }.map {
        String($0.dropFirst(4))
      }
      let grid = bench.terminal.grid
      let line = (3..<grid.size.height).first { grid[0, $0].style.isReversed }
      guard let line, var cursor = rows.indices.first(where: { $0 == line - 3 }) else { continue }
      typing: for _ in 0..<4 where !rows.isEmpty {
        disturb()
        switch Int.random(in: 0..<3, using: &numbers) {
        case 0:
          bench.terminal.press("j")
          cursor = min(cursor + 1, rows.count - 1)
        case 1:
          bench.terminal.press("k")
          cursor = max(0, cursor - 1)
        default:
          meant.insert(rows.remove(at: cursor))
          cursor = max(0, min(cursor, rows.count - 1))
          bench.terminal.press("d")
          // If the row was removed, there is no question.
          if bench.model.todosState.prompt == nil { break typing }
          bench.terminal.press("y")
        }
      }
    }
    await bench.idle()
    let left = Set(titles())
    let deleted = (0..<next).map { "t\($0)" }.filter { !left.contains($0) && !removed.contains($0) }
    #expect(meant.isSuperset(of: deleted), "seed \(seed): \(deleted) instead of \(meant)")
    #expect(!deleted.isEmpty)
  }

  /// Pseudorandom numbers, the same in each run.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 33)
    }
  }
}
