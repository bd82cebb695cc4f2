import Foundation
import StoreActor
import StoreClient
import StoreDaemon
import TerminalCurses
import TerminalViews
import Testing

/// The code that README.md and the guides to durability and to the terminal show.
private enum Pages {
  @Reducer
  struct Stopwatch {
    @ObservableState
    struct State: Equatable, ReplicatedState, Sendable {
      var seconds = 0
    }

    enum Action: Equatable, Sendable, WireAction {
      case startButtonTapped
      case stopButtonTapped
    }

    var body: some ReducerOf<Self> { EmptyReducer() }
  }

  /// The state and actions of the README's daemon.
  @Reducer
  struct App {
    @ObservableState
    struct State: Equatable, Sendable {
      var stopwatch = Stopwatch.State()
    }

    enum Action: Sendable {
      case stopwatch(Stopwatch.Action)
    }

    var body: some ReducerOf<Self> {
      Scope(\.stopwatch, action: \.stopwatch) { Stopwatch() }
    }
  }

  enum Daemon {
    struct Main {
      @MainActor static func main() {
        let host = StoreHost(
          initialState: App.State(),
          exposures: [Expose("stopwatch", state: \.stopwatch, action: \.stopwatch)],
          configuration: HostConfiguration(directory: "/run/app"),
        ) {
          App()
        }
        host.main()
      }
    }
  }
}

/// The README's client.
@MainActor
private func follow() async throws {
  typealias Stopwatch = Pages.Stopwatch
  let connection = try StoreConnection(to: StoreLocation(directory: "/run/app"), name: "menu bar")
  let stopwatch = try await connection.store("stopwatch", Stopwatch.self)
  try await stopwatch.send(.startButtonTapped).applied()  // the daemon's clock ticks now
  for await state in AsyncStream(statesOf: stopwatch) { print(state.seconds) }
}

extension Pages {
  struct StopwatchView: View {
    let store: StoreOf<Stopwatch>

    var body: some View {
      VStack(spacing: 1) {
        Text("\(store.seconds) s", Style(.green, isBold: true))
        HStack {
          Button("Start") { store.send(.startButtonTapped) }
          Button("Stop") { store.send(.stopButtonTapped) }
        }
        Spacer()
        HelpBar([HelpBar.Hint("s", "start"), HelpBar.Hint("p", "stop")])
      }
      .onKey("s") { store.send(.startButtonTapped) }
      .onKey("p") { store.send(.stopButtonTapped) }
    }
  }

  struct Main {
    @MainActor static func main() {
      let environment = ProcessInfo.processInfo.environment
      let location = StoreLocation(directory: "/run/app")
      StoreConnection.main(to: location, name: "stopwatch") { connection in
        try CursesTerminal.check(environment: environment)
        let store = try await connection.store("stopwatch", Stopwatch.self)
        let terminal = try CursesTerminal(environment: environment)
        await TerminalSession(on: terminal) { StopwatchView(store: store) }.run()
      }
    }
  }
}

/// A daemon that persists its state.
private enum Kept {
  @Reducer
  struct Todos {
    @ObservableState
    struct State: Equatable, ReplicatedState, Sendable {
      var title = ""
    }

    enum Action: Equatable, Sendable, WireAction {
      case clearButtonTapped
    }

    var body: some ReducerOf<Self> { EmptyReducer() }
  }

  @Reducer
  struct App {
    @ObservableState
    struct State: DurableState, Equatable, Sendable {
      var todos = Todos.State()
      /// Clients never see it; the daemon keeps it.
      @ReplicationIgnored var secret = 0
      /// Begins again at 0 after a restart.
      @ReplicationIgnored @DurableIgnored var cache: [Int: String] = [:]
    }

    enum Action: Sendable {
      case todos(Todos.Action)
    }

    var body: some ReducerOf<Self> {
      Scope(\.todos, action: \.todos) { Todos() }
    }
  }

  @MainActor static func main() {
    var configuration = HostConfiguration(directory: "/run/app")
    configuration.data = "/var/lib/app"
    let host = StoreHost(
      initialState: App.State(),
      exposures: [Expose("todos", state: \.todos, action: \.todos)],
      configuration: configuration,
    ) {
      App()
    }
    if CommandLine.arguments.contains("replay") { return host.attempt { print(try host.replay()) } }
    host.main()
  }

  @Reducer
  struct Draft {
    @ObservableState
    struct State: DurableState, Equatable, Sendable {
      @DurableIgnored var isSaving = false
    }

    enum Action: Equatable, Sendable {
      case saveButtonTapped
      case saved
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .saveButtonTapped:
          state.isSaving = true
          return .run(name: "save") { send in
            await send(.saved)
          }
        case .saved:
          state.isSaving = false
          return .none
        }
      }
      .onRestored { state, restoration in
        restoration.interrupted("save") ? .send(.saveButtonTapped) : .none
      }
    }
  }
}

@MainActor
@Suite(.serialized, .timeLimit(.minutes(1))) struct PageCodeTests {
  private typealias Stopwatch = Pages.Stopwatch
  private typealias StopwatchView = Pages.StopwatchView

  @Test func `A screen is looked at without a terminal`() async {
    let store = Store(initialState: Stopwatch.State()) { Stopwatch() }
    let terminal = MemoryTerminal(width: 40, height: 10)
    let session = TerminalSession(on: terminal) { StopwatchView(store: store) }
    session.start()
    terminal.press("s")
    await session.idle()
    #expect(terminal.lines[0] == "0 s")
  }
}
