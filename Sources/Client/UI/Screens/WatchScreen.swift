import StoreClient
import StoreProtocol
import TerminalViews

/// The model of a screen with several watched scopes.
@MainActor
final class WatchModel {
  let daemon: DaemonModel
  let scopes: [(scope: WatchedScope, state: StateScreenState)]
  /// The search for all scopes.
  let screen: ScreenState<Int>
  let help = HelpState()

  /// Follows scopes.
  ///
  /// - Parameters:
  ///   - daemon: The scopes' daemon.
  ///   - scopes: Their names and descriptions.
  init(_ daemon: DaemonModel, _ scopes: [(name: String, description: ScopeDescription)]) {
    self.daemon = daemon
    let screen = ScreenState<Int>()
    self.screen = screen
    self.scopes = scopes.map { name, description in
      let state = StateScreenState(screen)
      state.opensRecords = true
      return (WatchedScope(name, description, of: daemon.client), state)
    }
  }
}

/// The states of scopes as trees, with the latest changes highlighted.
struct WatchScreen: View {
  let model: WatchModel

  var body: some View {
    VStack {
      if model.daemon.isStale { Banner.ofSilence(of: model.daemon) }
      ForEach(Array(model.scopes.indices), id: \.self) { place in
        ScopeTree(scope: model.scopes[place].scope, state: model.scopes[place].state)
      }
      if let message = model.daemon.message { MessageText(message: message) }
      HelpBar(hints)
    }
    .onKeys(commands)
    .overlay { model.screen.prompt.map { PromptView(prompt: $0) } }
    .overlay {
      model.help.isShown ? HelpView(model.help, commands, [("q", "quit")] + others) : nil
    }
  }

  private var commands: [ScreenCommand] {
    [model.help.command] + model.screen.filterCommands() + model.daemon.messageCommands
  }

  private var others: [(keys: String, meaning: String)] {
    model.scopes.count > 1 ? [("tab", "next scope")] : []
  }

  private var hints: [HelpBar.Hint] {
    [HelpBar.Hint("q", "quit"), model.help.command.hint, HelpBar.Hint("→ ←", "open, close")]
      + model.screen.filterCommands().map(\.hint)
      + others.map { HelpBar.Hint($0.keys, $0.meaning) }
  }
}

extension ScreenProgram {
  /// Creates a `watch` that shows scopes on a terminal.
  static func watching(
    _ scopes: [(name: String, description: ScopeDescription)],
    of daemon: Daemon,
    on terminal: any TerminalDevice,
  ) -> ScreenProgram {
    let connection = daemon.connection
    let model = WatchModel(DaemonModel(connection.client, scopes: daemon.scopes), scopes)
    return ScreenProgram(model.daemon, connection, on: terminal) { WatchScreen(model: model) }
  }
}
