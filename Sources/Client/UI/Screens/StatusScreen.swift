import StoreClient
import TerminalViews

/// The daemon's status and its sessions on one screen.
struct StatusScreen: View {
  let daemon: DaemonModel
  let counters: ScreenState<String>
  /// The state of the sessions; its search applies to the counters, too.
  let state: ScreenState<UInt64>
  let help: HelpState

  var body: some View {
    VStack {
      if daemon.isStale { Banner.ofSilence(of: daemon) }
      OverviewScreen(daemon: daemon, selection: counters.selectionBinding, search: state.search)
      Divider()
      SessionsScreen(daemon: daemon, state: state)
      HelpBar([HelpBar.Hint("q", "quit")] + commands.map(\.hint))
    }
    .onKeys([help.command])
    .overlay { state.prompt.map { PromptView(prompt: $0) } }
    .overlay { help.isShown ? HelpView(help, commands, [("q", "quit")]) : nil }
  }

  private var commands: [ScreenCommand] { [help.command] + state.filterCommands() }
}

extension ScreenProgram {
  /// Creates a continuous `status` on a terminal.
  static func showingStatus(
    of daemon: Daemon,
    on terminal: any TerminalDevice,
  ) -> ScreenProgram {
    let model = DaemonModel(daemon.connection.client, scopes: daemon.scopes)
    let (counters, state) = (ScreenState<String>(), ScreenState<UInt64>())
    let help = HelpState()
    return ScreenProgram(model, daemon.connection, on: terminal) {
      StatusScreen(daemon: model, counters: counters, state: state, help: help)
    }
  }
}
