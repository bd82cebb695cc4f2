import StoreClient
import TerminalViews

/// How the daemon is and who is connected, on one screen.
struct StatusScreen: View {
  let daemon: DaemonModel
  let counters: ScreenState<String>
  /// What is searched among sessions and counters, too.
  let state: ScreenState<UInt64>

  var body: some View {
    VStack {
      if daemon.isStale { Banner.ofSilence(of: daemon) }
      OverviewScreen(daemon: daemon, selection: counters.selectionBinding, search: state.search)
      Divider()
      SessionsScreen(daemon: daemon, state: state)
      HelpBar(Self.hints)
    }
    .overlay { state.prompt.map { PromptView(prompt: $0) } }
  }

  private static let hints = [HelpBar.Hint("q", "quit"), HelpBar.Hint("/", "filter")]
}

extension ScreenProgram {
  /// A `status` that goes on, on a terminal.
  static func showingStatus(
    of daemon: Daemon,
    on terminal: any TerminalDevice,
  ) -> ScreenProgram {
    let model = DaemonModel(daemon.connection.client, scopes: daemon.scopes)
    let (counters, state) = (ScreenState<String>(), ScreenState<UInt64>())
    return ScreenProgram(model, daemon.connection, on: terminal) {
      StatusScreen(daemon: model, counters: counters, state: state)
    }
  }
}
