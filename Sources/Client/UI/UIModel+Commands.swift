import StoreActor
import StoreProtocol
import StoreState
import StoredWorkspace
import TerminalViews

// The commands of keys and of the palette.
extension UIModel {
  func screen(of todos: StoreOf<Todos>) -> TodosScreen {
    TodosScreen(store: todos, daemon: daemon, state: todosState)
  }

  func screen(of game: StoreOf<Game>) -> GameScreen {
    GameScreen(store: game, daemon: daemon, state: gameState)
  }

  var scopesScreen: ScopesScreen {
    ScopesScreen(daemon: daemon, state: scopesState) { [weak self] in self?.open($0) }
  }

  var logScreen: LogScreen { LogScreen(daemon: daemon, state: logState) }

  var stateScreen: StateScreen {
    StateScreen(daemon: daemon, state: stateState) { [weak self] _ in self?.search("Send ") }
  }

  /// The commands of the current screen.
  var screenCommands: [ScreenCommand] {
    switch screen {
    case .counter: counter.map { CounterScreen(store: $0, state: counterState).commands } ?? []
    case .todos: todos.map { screen(of: $0).commands } ?? []
    case .game: game.map { screen(of: $0).commands } ?? []
    case .overview: overviewState.filterCommands()
    case .sessions: sessionsState.filterCommands()
    case .scopes: scopesScreen.commands
    case .log: logScreen.commands
    case .state: stateScreen.commands
    }
  }

  /// The commands of all screens.
  var commonCommands: [ScreenCommand] {
    [
      ScreenCommand(["q"], "quit") { self.onQuit() }, help.command,
      ScreenCommand([":", .control("p")], "commands", isListed: false) { self.search() },
      ScreenCommand(["o"], "open a scope", isListed: false) { self.search("Open ") },
    ] + daemon.messageCommands
  }

  /// The hints of the bottom line.
  ///
  /// Common ones are first, so that narrow terminals show them.
  var hints: [HelpBar.Hint] {
    var hints = commonCommands.prefix(3).map(\.hint)
    if screen == .state, stateState.scope != nil, stateState.past == nil {
      hints.append(HelpBar.Hint("→ ←", "open, close"))
    }
    return hints + screenCommands.map(\.hint)
  }

  /// The commands of the palette.
  var commands: [PaletteCommand] {
    let goTo = screens.map { screen in
      PaletteCommand("Go to \(screen.rawValue)") { self.chosen = screen }
    }
    let open = daemon.scopes.map { scope in
      PaletteCommand("Open \(scope.pattern)", detail: "\(scope.state.root)") { self.open(scope) }
    }
    return listed(screenCommands) + goTo + open + sendCommands + listed(commonCommands)
  }

  private func listed(_ commands: [ScreenCommand]) -> [PaletteCommand] {
    commands.filter(\.isListed).map { command in
      let name = command.title.prefix(1).uppercased() + command.title.dropFirst()
      return PaletteCommand(name, detail: command.keyNames, run: command.run)
    }
  }

  private var sendCommands: [PaletteCommand] {
    guard screen == .state, stateState.past == nil, let scope = stateState.scope else { return [] }
    let own = scope.description.actions.map { action in
      PaletteCommand("Send \(SchemaText.text(of: action))") { self.begin(action, scope) }
    }
    return rowCommands + own
  }

  /// The actions of the selected row's own scope.
  private var rowCommands: [PaletteCommand] {
    guard let (row, found) = selectedRow, let description = found, let id = row.rowID?.text else {
      return []
    }
    let name = "\(description.name)/\(id)"
    return description.actions.map { action in
      PaletteCommand("Send \(SchemaText.text(of: action)) to \(row.title)", detail: name) {
        self.begin(action, WatchedScope(name, description, of: self.daemon.client))
      }
    }
  }

  /// Opens the palette with a query.
  func search(_ beginning: String = "") { search = Search(query: beginning) }
}
