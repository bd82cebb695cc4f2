import StoreActor
import StoredWorkspace
import TerminalViews

/// Everything that `storectl ui` shows.
struct UserInterface: View {
  let model: UIModel

  var body: some View {
    let screens = model.screens
    VStack {
      Tabs(
        screens.map(\.rawValue),
        selection: Binding {
          screens.firstIndex(of: model.screen) ?? 0
        } set: {
          if screens.indices.contains($0) { model.chosen = screens[$0] }
        },
      )
      if model.daemon.isStale { Banner.ofSilence(of: model.daemon) } else { Divider() }
      content.filling()
      if let message = model.daemon.message {
        Text(message.text, Style(message.isFailure ? .red : .secondary))
      }
      HelpBar(hints)
    }
    .onKeys(take)
    .overlay { overlay }
  }

  @ViewBuilder private var content: some View {
    switch model.screen {
    case .counter: feature(model.counter) { CounterScreen(store: $0, state: model.counterState) }
    case .todos: feature(model.todos) { TodosScreen(store: $0, state: model.todosState) }
    case .game: feature(model.game) { GameScreen(store: $0, state: model.gameState) }
    case .overview:
      OverviewScreen(
        daemon: model.daemon,
        selection: model.overviewState.selectionBinding,
        search: model.overviewState.search,
      )
      .onKeys(model.overviewState.takesFilterKey)
    case .sessions: SessionsScreen(daemon: model.daemon, state: model.sessionsState)
    case .scopes:
      ScopesScreen(daemon: model.daemon, state: model.scopesState) { model.open($0) }
    case .log: LogScreen(daemon: model.daemon, state: model.logState)
    case .state: stateScreen
    }
  }

  private var stateScreen: StateScreen {
    StateScreen(daemon: model.daemon, state: model.stateState) { _ in model.search("Send ") }
  }

  /// A feature's screen, and why it shows nothing new where it does not.
  @ViewBuilder private func feature<State, Action>(
    _ store: Store<State, Action>?,
    @ViewBuilder _ screen: (Store<State, Action>) -> some View,
  ) -> some View {
    if let store {
      if let end = store.end { Banner("\(end)") }
      screen(store)
    }
  }

  private var overlay: OverlayView? {
    if let form = model.form { return OverlayView(content: .form(form), model: model) }
    if let prompt = model.prompt ?? model.screenPrompt {
      return OverlayView(content: .prompt(prompt), model: model)
    }
    if model.search != nil { return OverlayView(content: .palette, model: model) }
    return model.showsHelp ? OverlayView(content: .help, model: model) : nil
  }

  private func take(_ key: Key) -> Bool {
    switch key {
    case "q": model.onQuit()
    case ":", .control("p"): model.search()
    case "o": model.search("Open ")
    case "?": model.showsHelp = true
    case .escape: model.daemon.message = nil
    default: return false
    }
    return true
  }

  /// First, because they have to be seen on narrow terminals too.
  private static let hints = [
    HelpBar.Hint("q", "quit"), HelpBar.Hint("?", "help"), HelpBar.Hint(":", "commands"),
  ]

  private var hints: [HelpBar.Hint] {
    let own: [HelpBar.Hint] =
      switch model.screen {
      case .counter: CounterScreen.hints
      case .todos: TodosScreen.hints
      case .game: model.game?.resultList == nil ? GameScreen.hints : GameScreen.editingHints
      case .overview, .sessions: [HelpBar.Hint("/", "filter")]
      case .scopes: [HelpBar.Hint("enter", "open"), HelpBar.Hint("/", "filter")]
      case .log: LogScreen.hints
      case .state: stateScreen.hints
      }
    return Self.hints + own
  }
}

/// What lies over the screen.
private struct OverlayView: View {
  enum Content {
    case form(SendForm)
    case prompt(Prompt)
    case palette
    case help
  }

  let content: Content
  let model: UIModel

  var body: some View {
    switch content {
    case .form(let form):
      SendFormView(
        form: form,
        onSend: { model.send(form) },
        onClose: { model.form = nil },
      )
    case .prompt(let prompt): PromptView(prompt: prompt)
    case .palette: palette
    case .help: HelpView { model.showsHelp = false }
    }
  }

  private var palette: Palette {
    Palette(
      model.commands,
      query: Binding {
        model.search?.query ?? ""
      } set: {
        model.search?.query = $0
      },
      selection: Binding {
        model.search?.selection ?? RowSelection()
      } set: {
        model.search?.selection = $0
      },
      onClose: { model.search = nil },
    )
  }
}

/// What all keys are for.
private struct HelpView: View {
  let onClose: @MainActor () -> Void

  private static let lines: [(keys: String, meaning: String)] = [
    ("1 … 8, [ ]", "another screen"), (":  ctrl-p", "commands by name"), ("o", "open a scope"),
    ("/", "search or filter"),
    (", . < > @ L", "the past: revision, page, go to, live"), ("↑ ↓ j k", "another row"),
    ("pgup pgdn", "another page"),
    ("home end g G", "first, last row"), ("→ ← l h", "open and close, in a tree"),
    ("tab", "another field or button"), ("enter space", "what the row or button does"),
    ("esc", "close, or clear"), ("q  ctrl-z", "quit, stop for a while"),
  ]

  var body: some View {
    VStack {
      ForEach(Self.lines, id: \.keys) { line in
        HStack {
          Text(line.keys, Style(.cyan)).frame(width: 14)
          Text(line.meaning)
        }
      }
      Button("Close", action: onClose)
    }
    .border("Keys")
    .onKeys { key in
      guard [.escape, "q", "?"].contains(key) else { return false }
      onClose()
      return true
    }
  }
}
