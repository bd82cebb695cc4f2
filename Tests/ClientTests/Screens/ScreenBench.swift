import Foundation
import StoreActor
import StoreState
import StoredWorkspace
import TerminalViews
import Testing

@testable import StoreReplica
@testable import StoreTesting
@testable import StorectlMain

/// The interface of `storectl ui` on an in-memory terminal, with an in-memory daemon.
@MainActor
final class ScreenBench {
  let terminal: MemoryTerminal
  let model: UIModel
  private let session: TerminalSession
  private let daemon: InMemoryDaemon<WorkspaceFeature.State, WorkspaceFeature.Action>
  /// The tasks of sent actions, whose effects may still run.
  private var tasks: [StoreTask] = []
  private var shots: [String] = []
  /// The past, if the daemon keeps one.
  let past: BenchPast?
  private var commits: StoreSubscription?

  // The features' stores are the daemon's; if not remote, they are local to this process.
  init(
    isRemote: Bool = true,
    width: Int = 72,
    height: Int = 16,
    watching: [String] = [],
    keepsPast: Bool = false,
  ) {
    terminal = MemoryTerminal(width: width, height: height)
    daemon = InMemoryDaemon(
      root: RootCore(
        initialState: { Self.state },
        reducer: { WorkspaceFeature() },
        withDependencies: Self.prepare,
      ),
      exposures: WorkspaceFeature.exposures,
    )
    let client = daemon.client
    let past = keepsPast ? BenchPast() : nil
    self.past = past
    let model = UIModel(
      DaemonModel(
        client,
        scopes: WorkspaceFeature.exposures.map(\.description),
        ask: past?.ask,
      )
    )
    self.model = model
    let root = daemon.root
    past?.note(root.state, at: root.revision)
    commits = root.observeChanges { past?.note(root.state, at: root.revision) }
    let watched = watching.compactMap { name in
      model.daemon.scopes.find(name).map { (name: name, description: $0.description) }
    }
    let watch = WatchModel(model.daemon, watched)
    session = TerminalSession(on: terminal, framesPerSecond: 10_000) {
      if watching.isEmpty { UserInterface(model: model) } else { WatchScreen(model: watch) }
    }
    if isRemote {
      model.counter = remote("counter", Counter.self)
      model.todos = remote("todos", Todos.self)
      model.game = remote("game", Game.self)
    } else {
      let store = Store(
        initialState: Self.state,
        reducer: { WorkspaceFeature() },
        withDependencies: Self.prepare,
      )
      model.counter = store.scope(\.counter, action: \.counter)
      model.todos = store.scope(\.todos, action: \.todos)
      model.game = store.scope(\.game, action: \.game)
    }
    for state in [model.counterState as any TaskTaking, model.todosState, model.gameState] {
      state.onTask = { [weak self] task, name in
        self?.tasks.append(task)
        model.follow(task, named: name)
      }
    }
    session.onMiss = { model.daemon.sayMissing() }
    session.start()
  }

  private static let state = WorkspaceFeature.State(
    game: Game.State(counter: GuessCounter.State(id: UUID(99), secret: 2))
  )

  private static func prepare(_ values: inout DependencyValues) {
    values.uuid = .incrementing
    values.continuousClock = TestClock()
    values.withRandomNumberGenerator = WithRandomNumberGenerator(Sevens())
    values.numberFact = NumberFactClient { "\($0) is a number with a fact of its own." }
    values.gameResults = GameResultsClient { _ in }
  }

  private func remote<R: Reducer>(_ scope: String, _: R.Type) -> StoreOf<R>
  where R.State: ReplicatedState, R.Action: WireAction {
    let core = RemoteStoreCore<R.State, R.Action>(
      scope,
      of: daemon.client,
      connection: daemon,
    )
    return Store(core: core)
  }

  /// Sends an action as another client would.
  func send(_ action: WorkspaceFeature.Action) {
    past?.action = action
    daemon.root.send(action)
  }

  /// Waits until effects have ended and the newest state is shown.
  func idle() async {
    while !tasks.isEmpty { await tasks.removeFirst().finish() }
    if past?.isHeldBack != true {
      await model.stateState.past?.reading?.value
      await model.logState.details?.reading?.value
    }
    await session.idle()
    while let searching = model.stateState.filter.searching {
      await searching.value
      await session.idle()
    }
  }

  /// Ends the connection to the daemon.
  func close() { daemon.client.close("It is over.", at: daemon.client.now) }

  func press(_ keys: Key...) async {
    for key in keys { terminal.press(key) }
    await idle()
  }

  func type(_ text: String) async {
    terminal.type(text)
    await idle()
  }

  // MARK: - Golden texts

  /// Records the screen for the comparison at the end.
  func shot(_ title: String) async {
    await idle()
    var lines = terminal.lines
    while lines.last == "" { lines.removeLast() }
    shots.append((["### \(title)"] + lines).joined(separator: "\n"))
  }

  /// Compares the recorded screens with the committed file; `UPDATE=1` in the environment rewrites
  /// the file.
  func compare(
    with name: String,
    _ path: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation,
  ) throws {
    session.end()
    let text = shots.joined(separator: "\n\n") + "\n"
    try compare(text, with: "Golden/\(name).txt", path, sourceLocation)
  }

  /// Compares the screen with a picture of the guide.
  func picture(
    _ name: String,
    _ path: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation,
  ) async throws {
    await idle()
    let svg = ScreenPicture(grid: terminal.grid).svg
    try compare(svg, with: "../../../docs/screens/\(name).svg", path, sourceLocation)
  }

  private func compare(
    _ text: String,
    with name: String,
    _ path: String,
    _ sourceLocation: SourceLocation,
  ) throws {
    let file = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent(name)
    if ProcessInfo.processInfo.environment["UPDATE"] == "1" {
      try Data(text.utf8).write(to: file)
    }
    let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(text == expected, "Run with UPDATE=1 to accept it.", sourceLocation: sourceLocation)
  }
}

/// A screen's state, independent of the type of its rows' ids.
@MainActor
private protocol TaskTaking: AnyObject {
  var onTask: @MainActor (StoreTask, _ name: String) -> Void { get set }
}

extension ScreenState: TaskTaking {}

private struct Sevens: RandomNumberGenerator {
  mutating func next() -> UInt64 { 7 << 56 }
}
