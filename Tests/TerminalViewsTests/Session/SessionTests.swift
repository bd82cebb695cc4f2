import StoreActor
import Testing

@testable import TerminalViews

@Reducer
private struct Count {
  @ObservableState
  struct State: Equatable {
    var count = 0
    var name = ""
  }

  enum Action {
    case increment
    case named(String)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .increment: state.count += 1
      case .named(let name): state.name = name
      }
      return .none
    }
  }
}

private struct CountView: View {
  let store: StoreOf<Count>

  var body: some View {
    VStack {
      HStack {
        Text("\(store.count)")
        Button("+") { store.send(.increment) }
        Button("twice") {
          store.send(.increment)
          store.send(.increment)
        }
      }
      TextField(
        "Name",
        text: Binding {
          store.name
        } set: {
          store.send(.named($0))
        },
      )
    }
    .onKey("p") { store.send(.increment) }
    .overlay { store.count > 4 ? Text("Many").border() : nil }
  }
}

@MainActor
@Suite(.timeLimit(.minutes(1))) struct SessionTests {
  private let store = Store(initialState: Count.State()) { Count() }

  private func session(_ terminal: MemoryTerminal) -> TerminalSession {
    let session = TerminalSession(on: terminal, framesPerSecond: 1_000) { [store] in
      CountView(store: store)
    }
    session.start()
    return session
  }

  @Test func `What is shown follows the store, and keys and the mouse reach it`() async {
    let terminal = MemoryTerminal(width: 20, height: 3)
    let session = session(terminal)
    await session.idle()
    #expect(terminal.lines == ["0 [+] [twice]", "Name:", ""])
    terminal.press(.enter)
    await session.idle()
    #expect(terminal.lines[0] == "1 [+] [twice]")
    terminal.press(.tab, " ")
    await session.idle()
    #expect(terminal.lines[0] == "3 [+] [twice]")
    store.send(.increment)
    await session.idle()
    #expect(terminal.lines[0] == "4 [+] [twice]")
    terminal.use(.press, x: 3, y: 0)
    await session.idle()
    #expect(store.count == 5)
    session.end()
  }

  @Test func `What is typed goes into the field that has the focus, with its cursor`() async {
    let terminal = MemoryTerminal(width: 20, height: 3)
    let session = session(terminal)
    terminal.press(.tab, .tab)
    terminal.type("pät")
    terminal.press(.left)
    await session.idle()
    #expect(store.name == "pät" && store.count == 0)
    #expect(terminal.lines[1] == "Name: pät")
    #expect(terminal.cursor == Point(x: 8, y: 1))
    // The focus moves to the first button, and there the letter is a command.
    terminal.press(.tab)
    terminal.type("p")
    await session.idle()
    #expect(store.count == 1)
    #expect(terminal.cursor == nil)
    session.end()
  }

  @Test func `Tabs that are none take no key`() async {
    let terminal = MemoryTerminal(width: 20, height: 2)
    let session = TerminalSession(on: terminal, framesPerSecond: 10_000) {
      Tabs([], selection: .constant(0))
    }
    session.start()
    terminal.press("1", "0", "]", "[")
    await session.idle()
    #expect(terminal.lines.allSatisfy { $0.isEmpty })
    session.end()
  }

  @Test func `What lies over everything alone takes input`() async {
    let terminal = MemoryTerminal(width: 20, height: 6)
    let session = session(terminal)
    for _ in 1...5 { store.send(.increment) }
    await session.idle()
    #expect(
      terminal.lines == [
        "5 [+] [twice]", "Name: ┌──────┐", "      │ Many │", "      └──────┘", "", "",
      ]
    )
    terminal.press("p", .enter)
    #expect(store.count == 5)
    session.end()
  }

  @Test func `However many changes come, there are so many drawings a second`() async {
    let clock = TestClock()
    let terminal = MemoryTerminal(width: 20, height: 3)
    let session = TerminalSession(on: terminal, framesPerSecond: 10, clock: clock) { [store] in
      CountView(store: store)
    }
    session.start()
    await session.idle()
    #expect(terminal.frames == 1)
    for count in 1...4 {
      for _ in 1...100 { store.send(.named("\(count)")) }
      // The drawing waits for its interval.
      await clock.advance(by: .milliseconds(99))
      #expect(terminal.frames == count)
      await clock.advance(by: .milliseconds(1))
      await session.idle()
      #expect(terminal.frames == count + 1)
      #expect(terminal.lines[1] == "Name: \(count)")
    }
    session.end()
  }

  @Test func `What takes long to draw is drawn more seldom, but soon after input`() async {
    let clock = TestClock()
    let terminal = MemoryTerminal(width: 20, height: 3)
    let cost = Duration.milliseconds(50)
    let slow = SlowClock(clock)
    let session = TerminalSession(on: terminal, framesPerSecond: 10, clock: slow) { [store] in
      slow.pass(cost)
      return CountView(store: store)
    }
    session.start()
    await session.idle()
    store.send(.named("1"))
    await clock.advance(by: cost * FramePacer.rest - .milliseconds(1))
    #expect(terminal.frames == 1)
    await clock.advance(by: .milliseconds(1))
    await session.idle()
    #expect(terminal.frames == 2)
    // Input advances a waiting drawing, as far as the frame rate allows.
    store.send(.named("2"))
    await clock.advance(by: .milliseconds(90))
    terminal.press("x")
    #expect(terminal.frames == 2)
    await clock.advance(by: .milliseconds(10))
    await session.idle()
    #expect(terminal.frames == 3)
    #expect(terminal.lines[1] == "Name: 2")
    session.end()
  }

  @Test func `A drawing that is replaced observes no more`() async {
    let terminal = MemoryTerminal(width: 20, height: 3)
    let session = session(terminal)
    for _ in 1...50 {
      session.invalidate()
      await session.idle()
    }
    #expect(store.readCount <= 2)
    session.end()
  }

  @Test func `A terminal of another size is drawn anew`() async {
    let terminal = MemoryTerminal(width: 20, height: 3)
    let session = session(terminal)
    await session.idle()
    for (width, height) in [(1, 1), (0, 0), (9, 2)] {
      terminal.resize(width: width, height: height)
      await session.idle()
      #expect(terminal.grid.size == Size(width: width, height: height))
    }
    #expect(terminal.lines == ["0 [+] [tw", "Name:"])
    session.end()
  }

  @Test func `A session ends once, and whoever waits goes on`() async {
    let terminal = MemoryTerminal(width: 20, height: 3)
    let session = TerminalSession(on: terminal) { [store] in CountView(store: store) }
    let run = Task { await session.run() }
    await Task.yield()
    session.end()
    session.end()
    await run.value
    await session.idle()
    let frames = terminal.frames
    store.send(.increment)
    await session.idle()
    #expect(terminal.frames == frames)
  }
}

/// A test clock whose time may also pass within a drawing.
private final class SlowClock: Clock, Sendable {
  typealias Instant = TestClock<Duration>.Instant

  private let clock: TestClock<Duration>
  private let passed = LockIsolated(Duration.zero)

  init(_ clock: TestClock<Duration>) { self.clock = clock }

  var now: Instant { clock.now.advanced(by: passed.value) }
  var minimumResolution: Duration { clock.minimumResolution }

  func pass(_ time: Duration) { passed.withValue { $0 += time } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await clock.sleep(until: deadline.advanced(by: .zero - passed.value))
  }
}
