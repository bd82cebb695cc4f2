import StoreActor
import StoreProtocol
import StoredWorkspace
import TerminalViews

/// The root view of `storectl ui`.
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
      if let message = model.daemon.message { MessageText(message: message) }
      HelpBar(model.hints)
    }
    .onKeys(model.commonCommands)
    .overlay { overlay }
  }

  @ViewBuilder private var content: some View {
    switch model.screen {
    case .counter:
      feature(model.counter) { CounterScreen(store: $0, state: model.counterState) }
    case .todos: feature(model.todos) { model.screen(of: $0) }
    case .game: feature(model.game) { model.screen(of: $0) }
    case .overview:
      OverviewScreen(
        daemon: model.daemon,
        selection: model.overviewState.selectionBinding,
        search: model.overviewState.search,
      )
      .onKeys(model.overviewState.filterCommands())
    case .sessions: SessionsScreen(daemon: model.daemon, state: model.sessionsState)
    case .scopes: model.scopesScreen
    case .log: model.logScreen
    case .state: model.stateScreen
    }
  }

  /// A feature's screen, with the reason if it no longer changes or has no store.
  @ViewBuilder private func feature<State, Action>(
    _ store: Store<State, Action>?,
    @ViewBuilder _ screen: (Store<State, Action>) -> some View,
  ) -> some View {
    if let store {
      if let end = StoreEnd(of: store) { Banner("\(end)") }
      screen(store)
    } else if let failure = model.failures[model.screen] {
      Paragraph(failure, Style(.red))
    } else {
      Text("Waiting for the first state …", Style(.secondary))
    }
  }

  private var overlay: OverlayView? {
    if let form = model.form { return OverlayView(content: .form(form), model: model) }
    if let prompt = model.screenPrompt {
      return OverlayView(content: .prompt(prompt), model: model)
    }
    if let choice = model.rowChoice { return OverlayView(content: .rows(choice), model: model) }
    if model.search != nil { return OverlayView(content: .palette, model: model) }
    return model.help.isShown ? OverlayView(content: .help, model: model) : nil
  }
}

/// The overlay of the screen.
private struct OverlayView: View {
  enum Content {
    case form(SendForm)
    case prompt(Prompt)
    case rows(RowChoice)
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
    case .prompt(let prompt): PromptView(prompt: prompt).id(ObjectIdentifier(prompt))
    case .rows(let choice): rows(choice)
    case .palette: palette
    case .help:
      HelpView(
        model.help,
        model.screenCommands + model.commonCommands,
        [("1 … \(model.screens.count), [ ]", "another screen")],
      )
    }
  }

  private func rows(_ choice: RowChoice) -> Palette {
    Palette(
      choice.commands { model.follow($0, choice.description) },
      title: choice.description.pattern,
      query: Binding {
        choice.query
      } set: {
        choice.query = $0
      },
      selection: Binding {
        choice.selection
      } set: {
        choice.selection = $0
      },
      onClose: { model.rowChoice = nil },
    )
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
