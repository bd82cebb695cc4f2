import Observation
import StoreActor
import StoreReplication
import StoreState
import StoredWorkspace
import TerminalViews

/// What the terminal shows, and of what.
@MainActor
@Observable
final class UIModel {
  enum Screen: String, CaseIterable {
    case counter = "Counter"
    case todos = "Todos"
    case game = "Game"
    case overview = "Overview"
    case sessions = "Sessions"
    case scopes = "Scopes"
    case log = "Log"
    case state = "State"
  }

  /// What is typed to find a command.
  struct Search {
    var query = ""
    var selection = RowSelection<String>()
  }

  let daemon: DaemonModel
  /// The features that the daemon has, as far as this program knows their types.
  var counter: StoreOf<Counter>?
  var todos: StoreOf<Todos>?
  var game: StoreOf<Game>?
  /// The one that was chosen; nil as long as none was.
  var chosen: Screen? { didSet { daemon.leaveScreen() } }
  var search: Search?
  let help = HelpState()
  var prompt: Prompt?
  var form: SendForm?

  let counterState: ScreenState<Int>
  let todosState: ScreenState<Todo.State.ID>
  let gameState: ScreenState<GameResult.State.ID>
  let overviewState: ScreenState<String>
  let sessionsState: ScreenState<UInt64>
  let scopesState: ScreenState<String>
  let logState: LogState
  let stateState = StateScreenState(ScreenState())
  @ObservationIgnored var onQuit: @MainActor () -> Void = {}

  init(_ daemon: DaemonModel) {
    self.daemon = daemon
    counterState = ScreenState()
    todosState = ScreenState()
    gameState = ScreenState()
    overviewState = ScreenState()
    sessionsState = ScreenState()
    scopesState = ScreenState()
    logState = LogState(ScreenState())
    let follow: @MainActor (StoreTask, String) -> Void = { [weak self] in
      self?.follow($0, named: $1)
    }
    counterState.onTask = follow
    todosState.onTask = follow
    gameState.onTask = follow
  }

  /// Tells when nothing comes of an action.
  func follow(_ task: StoreTask, named name: String) {
    Task { [daemon] in
      do {
        try await task.applied()
      } catch {
        daemon.say("\(name): \(error)", isFailure: true)
      }
    }
  }

  var screens: [Screen] {
    Screen.allCases.filter { screen in
      switch screen {
      case .counter: counter != nil
      case .todos: todos != nil
      case .game: game != nil
      default: true
      }
    }
  }

  /// The screen that is shown.
  var screen: Screen {
    let screens = screens
    return chosen.flatMap { screens.contains($0) ? $0 : nil } ?? screens[0]
  }

  /// What the screen that is shown asks for.
  var screenPrompt: Prompt? {
    switch screen {
    case .counter: counterState.prompt
    case .todos: todosState.prompt
    case .game: gameState.prompt
    case .sessions: sessionsState.prompt
    case .scopes: scopesState.prompt
    case .log: logState.screen.prompt
    case .overview: overviewState.prompt
    case .state: stateState.screen.prompt
    }
  }

  // MARK: - Scopes of any type

  /// Shows a scope's state; asks which one, where there is one for each row.
  func open(_ description: ScopeDescription) {
    guard description.isEach else { return follow(description.name, description) }
    prompt = Prompt(title: "\(description.name)/", text: "") { [weak self] id in
      self?.prompt = nil
      if let id, !id.isEmpty { self?.follow("\(description.name)/\(id)", description) }
    }
  }

  private func follow(_ name: String, _ description: ScopeDescription) {
    stateState.scope = WatchedScope(name, description, of: daemon.client)
    chosen = .state
  }

  /// Begins to send an action: at once where there is nothing to fill in.
  func begin(_ action: Definition.Case, _ scope: WatchedScope) {
    let form = SendForm(scope, action)
    if action.payload.isEmpty { send(form) } else { self.form = form }
  }

  func send(_ form: SendForm) {
    do throws(CommandError) {
      let action = try form.encoded()
      self.form = nil
      form.scope.send(action) { [daemon] outcome in
        let line = OutcomeLine(outcome)
        daemon.say(
          "\(form.action.name): \(line.text(asJSON: false))",
          isFailure: line.status != nil,
        )
      }
    } catch {
      form.failure = "\(error)"
    }
  }
}
