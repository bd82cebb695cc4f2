import Observation
import Testing

@testable import TerminalViews

/// Input acts on views that the user has seen, or that the user's own input has reached.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct AimTests {
  @MainActor
  @Observable
  final class Model {
    var rows = [1, 2, 3, 4]
    var selection = RowSelection<Int>()
    var deleted: [Int] = []
    var submitted: [Int] = []
    var pressed: [Int] = []
    var text = ""
    var question: Int?
    var misses = 0

    var binding: Binding<RowSelection<Int>> {
      Binding {
        self.selection
      } set: {
        self.selection = $0
      }
    }

    func delete() {
      guard let id = selection.id, rows.contains(id) else {
        misses += 1
        return selection.release()
      }
      deleted.append(id)
      rows.removeAll { $0 == id }
    }
  }

  private let model = Model()
  private let terminal = MemoryTerminal(width: 20, height: 6)

  private func session(
    @ViewBuilder _ root: @escaping @MainActor () -> some View
  ) async -> TerminalSession {
    let session = TerminalSession(on: terminal, framesPerSecond: 10_000, root: root)
    session.onMiss = { [model] in model.misses += 1 }
    session.start()
    await session.idle()
    return session
  }

  private func list() async -> TerminalSession {
    await session {
      RowList(
        model.rows,
        id: \.self,
        selection: model.binding,
        onSubmit: { model.submitted.append($0) },
      ) {
        Text("row \($0)")
      }
      .onKey("d") { model.delete() }
    }
  }

  private func buttons() async -> TerminalSession {
    await session {
      ForEach(model.rows, id: \.self) { row in
        Button("press \(row)") { model.pressed.append(row) }
      }
    }
  }

  @Test(arguments: [false, true])
  func `A key has no effect where its row has gone, and that is told once`(isShown: Bool) async {
    let session = await list()
    terminal.press(.down)
    await session.idle()
    model.rows.removeAll { $0 == 2 }
    if isShown { await session.idle() }
    terminal.press("d", "d")
    #expect(model.deleted == [] && model.misses == 1)
    await session.idle()
    // The miss was reported, and the picture shows the cursor on another row.
    terminal.press("d")
    #expect(model.deleted == [3] && model.misses == 1)
    session.end()
  }

  @Test func `Enter is for the row that was displayed, wherever it is`() async {
    let session = await list()
    terminal.press(.down, .down)
    await session.idle()
    model.rows = [9, 8, 3, 7]
    terminal.press(.enter)
    model.rows = [3, 9, 8, 7]
    terminal.press(.enter)
    #expect(model.submitted == [3, 3])
    model.rows = [9, 8, 7]
    terminal.press(.enter)
    #expect(model.submitted == [3, 3] && model.misses == 1)
    session.end()
  }

  @Test func `Keys lead from one displayed row to the next`() async {
    let session = await list()
    model.rows = [1, 5, 2, 3, 4]
    terminal.press("j", "d")
    #expect(model.deleted == [2])
    await session.idle()
    // Also from a removed row: 3 is selected, and 4 was below it.
    model.rows = [1, 5, 4]
    terminal.press("j", "d")
    #expect(model.deleted == [2, 4])
    session.end()
  }

  @Test func `A click is for the row that was displayed there`() async {
    let session = await list()
    model.rows = [9, 1, 2, 3]
    terminal.use(.press, x: 1, y: 1)
    terminal.press("d")
    #expect(model.deleted == [2])
    session.end()
  }

  @Test func `A button that has gone is not pressed, and none in its place`() async {
    let session = await buttons()
    terminal.press(.tab)
    await session.idle()
    model.rows = [1, 3, 4]
    terminal.press(.enter)
    #expect(model.pressed == [] && model.misses == 1)
    await session.idle()
    terminal.press(.enter)
    #expect(model.pressed == [3])
    // The same with the mouse.
    await session.idle()
    model.rows = [9, 1, 4]
    terminal.use(.press, x: 2, y: 0)
    #expect(model.pressed == [3, 1])
    await session.idle()
    model.rows = [1, 4]
    terminal.use(.press, x: 2, y: 0)
    #expect(model.pressed == [3, 1] && model.misses == 2)
    session.end()
  }

  @Test func `A key that is on its way when a button goes does not press its neighbor`() async {
    let session = await buttons()
    terminal.press(.tab)
    await session.idle()
    model.rows = [1, 3, 4]
    await session.idle()
    terminal.press(.enter)
    #expect(model.pressed == [] && model.misses == 1)
    await session.idle()
    terminal.press(.enter)
    #expect(model.pressed == [3])
    // A user who moves to another button has seen it.
    model.rows = [1, 4]
    await session.idle()
    terminal.press(.backTab, .enter)
    #expect(model.pressed == [3, 1])
    session.end()
  }

  @Test func `The tabulator leads to what was displayed next`() async {
    let session = await buttons()
    model.rows = [1, 9, 2]
    terminal.press(.tab, .enter)
    #expect(model.pressed == [2])
    session.end()
  }

  @Test func `What has come over the views since takes no key before it is displayed`() async {
    let session = await session {
      VStack {
        Button("below") { model.pressed.append(0) }
      }
      .overlay {
        model.question.map { question in
          Button("answer \(question)") {
            model.pressed.append(question)
            model.question = nil
          }
          .id(question)
        }
      }
    }
    model.question = 1
    terminal.press(.enter)
    #expect(model.pressed == [] && model.misses == 1)
    await session.idle()
    terminal.press(.enter)
    #expect(model.pressed == [1])
    await session.idle()
    // Another question replaces it, then no question.
    model.question = 2
    await session.idle()
    model.question = 3
    terminal.press(.enter)
    #expect(model.pressed == [1] && model.misses == 2)
    await session.idle()
    model.question = nil
    terminal.press(.enter)
    #expect(model.pressed == [1] && model.misses == 3)
    session.end()
  }

  @Test func `What is typed reaches no other field than the one that was displayed`() async {
    let session = await session {
      if model.rows.count > 3 {
        TextField("One", text: .constant(""))
      } else {
        TextField(
          "Other",
          text: Binding {
            model.text
          } set: {
            model.text = $0
          },
        )
      }
    }
    model.rows = []
    terminal.type("abc")
    terminal.paste("def")
    #expect(model.text == "" && model.misses > 0)
    await session.idle()
    terminal.type("abc")
    #expect(model.text == "abc")
    session.end()
  }

  @Test func `Without anybody to tell it to, the terminal rings`() async {
    let session = await buttons()
    session.onMiss = nil
    model.rows = []
    terminal.press(.enter)
    #expect(terminal.rings == 1 && model.pressed == [])
    session.end()
  }

  // MARK: - Against another client

  /// The effect that a user who reads the screen expects of keys typed at once.
  private struct Plan {
    var rows: [Int]
    var cursor: Int

    /// Returns the row that a key deletes; nil for other keys.
    mutating func press(_ key: Key) -> Int? {
      switch key {
      case "j": cursor = min(cursor + 1, rows.count - 1)
      case "k": cursor = max(cursor - 1, 0)
      case "g": cursor = 0
      case "G": cursor = rows.count - 1
      default:
        guard rows.indices.contains(cursor) else { return nil }
        defer { cursor = max(0, min(cursor, rows.count - 1)) }
        return rows.remove(at: cursor)
      }
      return nil
    }
  }

  /// Returns the displayed rows and cursor, as a user reads them.
  private func read() -> Plan {
    let rows = terminal.lines.compactMap { Int($0.dropFirst(4)) }
    let cursor = rows.indices.first { terminal.grid[0, $0].style.isReversed } ?? 0
    return Plan(rows: rows, cursor: cursor)
  }

  /// Inserts, removes and moves rows, as another client does.
  private func disturb(_ next: inout Int, _ numbers: inout SmallRandomNumberGenerator) {
    for _ in 0..<Int.random(in: 0..<3, using: &numbers) {
      let place = Int.random(in: 0...model.rows.count, using: &numbers)
      switch Int.random(in: 0..<4, using: &numbers) {
      case 0, 1:
        // All rows have room.
        guard model.rows.count < 6 else { break }
        model.rows.insert(next, at: place)
        next += 1
      case 2: model.rows.shuffle(using: &numbers)
      default: if place < model.rows.count { model.rows.remove(at: place) }
      }
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `Whatever another client does meanwhile, no key acts on another row than meant`(
    seed: UInt64
  ) async {
    let session = await list()
    var (numbers, next) = (SmallRandomNumberGenerator(seed: seed + 1), 100)
    var keys = 0
    for _ in 0..<60 {
      disturb(&next, &numbers)
      await session.idle()
      var plan = read()
      disturb(&next, &numbers)
      for _ in 0..<Int.random(in: 1..<6, using: &numbers) {
        let key = (["j", "k", "d", "d", "g", "G"] as [Key]).randomElement(using: &numbers) ?? "d"
        let (before, wanted) = (model.deleted.count, plan.press(key))
        terminal.press(key)
        keys += 1
        #expect(
          model.deleted.dropFirst(before).allSatisfy { $0 == wanted },
          "seed \(seed): \(model.deleted.dropFirst(before)), not \(String(describing: wanted))",
        )
        disturb(&next, &numbers)
      }
    }
    // More than a tenth of the keys delete a row.
    #expect(model.deleted.count * 10 > keys, "\(model.deleted.count) of \(keys)")
    session.end()
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `Whatever another client does meanwhile, no other button is pressed than meant`(
    seed: UInt64
  ) async {
    let session = await buttons()
    var (numbers, next) = (SmallRandomNumberGenerator(seed: seed + 1), 100)
    for _ in 0..<60 {
      disturb(&next, &numbers)
      if model.rows.isEmpty { model.rows = [next] }
      await session.idle()
      let shown = terminal.lines.compactMap { Int($0.dropFirst(7).dropLast()) }
      var place = shown.indices.first { terminal.grid[0, $0].style.isReversed } ?? 0
      for _ in 0..<3 {
        disturb(&next, &numbers)
        let before = model.pressed.count
        if Bool.random(using: &numbers) {
          terminal.press(.enter)
        } else if Bool.random(using: &numbers) {
          // The tabulator skips a removed button.
          repeat {
            place = (place + 1) % shown.count
          } while !model.rows.contains(shown[place])
            && shown.contains { model.rows.contains($0) }
          terminal.press(.tab)
          if !shown.contains(where: { model.rows.contains($0) }) { break }
        } else {
          place = Int.random(in: 0..<shown.count, using: &numbers)
          terminal.use(.press, x: 1, y: place)
        }
        #expect(
          model.pressed.dropFirst(before).allSatisfy { $0 == shown[place] },
          "seed \(seed)",
        )
      }
    }
    #expect(model.pressed.count > 10)
    session.end()
  }
}
