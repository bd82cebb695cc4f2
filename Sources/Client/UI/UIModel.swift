import Observation
import StoreActor
import StoreProtocol
import StoreState
import StoredWorkspace
import TerminalViews

/// The model of the terminal's user interface.
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

    /// The scope of a feature's screen.
    var scope: String? {
      switch self {
      case .counter: "counter"
      case .todos: "todos"
      case .game: "game"
      case .overview, .sessions, .scopes, .log, .state: nil
      }
    }
  }

  /// The query that finds a command.
  struct Search {
    var query = ""
    var selection = RowSelection<String>()
  }

  let daemon: DaemonModel
  /// The screens of this daemon's features, then those of all daemons.
  ///
  /// Their keys stay the same.
  let screens: [Screen]
  /// The features' stores; nil until they are created.
  var counter: StoreOf<Counter>?
  var todos: StoreOf<Todos>?
  var game: StoreOf<Game>?
  /// The reasons why features have no store.
  var failures: [Screen: String] = [:]
  /// The chosen screen; nil before a choice.
  var chosen: Screen? { didSet { daemon.leaveScreen() } }
  var search: Search?
  let help = HelpState()
  var rowChoice: RowChoice?
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
    screens = Screen.allCases.filter { screen in
      guard let scope = screen.scope else { return true }
      return daemon.scopes.contains { $0.name == scope && !$0.isEach }
    }
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
    let tellMissing: @MainActor () -> Void = { [daemon] in daemon.sayMissing() }
    todosState.onMissing = tellMissing
    gameState.onMissing = tellMissing
  }

  /// Reports when an action fails.
  func follow(_ task: StoreTask, named name: String) {
    Task { [daemon] in
      do {
        try await task.applied()
      } catch {
        daemon.say("\(name): \(error)", isFailure: true)
      }
    }
  }

  /// Whether any feature has neither a store nor a reason for its absence.
  var awaitsFeatures: Bool {
    screens.contains { screen in
      let hasStore: Bool? =
        switch screen {
        case .counter: counter != nil
        case .todos: todos != nil
        case .game: game != nil
        case .overview, .sessions, .scopes, .log, .state: nil
        }
      return hasStore == false && failures[screen] == nil
    }
  }

  /// The current screen.
  var screen: Screen { chosen.flatMap { screens.contains($0) ? $0 : nil } ?? screens[0] }

  /// The prompt of the current screen.
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

  /// Shows a scope's state; asks for a row if there is one scope per row.
  func open(_ description: ScopeDescription) {
    guard description.isEach else { return follow(description.name, description) }
    let titles = stateState.scope?.root?.titles(of: description) ?? [:]
    rowChoice = RowChoice(description, titles: titles, of: daemon.client)
  }

  func follow(_ name: String, _ description: ScopeDescription) {
    stateState.scope = WatchedScope(name, description, of: daemon.client)
    chosen = .state
  }

  /// The selected row of the state's tree, or the innermost row that contains the selected part.
  var selectedRow: (node: StateNode, scope: ScopeDescription?)? {
    guard let scope = stateState.scope, var node = scope.root,
      let path = stateState.selection.id
    else { return nil }
    var found: (node: StateNode, scope: ScopeDescription?)?
    for key in path {
      guard let offset = node.offset(of: key) else { return nil }
      node = node.part(at: offset)
      guard node.rowID != nil else { continue }
      let beginning = "\(scope.description.name)/"
      let own = daemon.scopes.first { [node] in
        $0.isEach && $0.name.hasPrefix(beginning) && node.isState(of: $0)
      }
      found = (node, own)
    }
    return found
  }

  /// Sends an action, or opens a form if it has a payload.
  func begin(_ action: Definition.Case, _ scope: WatchedScope) {
    let form = SendForm(scope, action, row: selectedRow?.node.rowID)
    if action.payload.isEmpty { send(form) } else { self.form = form }
  }

  func send(_ form: SendForm) {
    do throws(CommandError) {
      let action = try form.encoded()
      self.form = nil
      // The closure retains the form, and with it a row's scope, until the outcome arrives.
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
