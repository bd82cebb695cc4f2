import ArgumentParser
import TerminalCurses

/// Shows states as they change: `storectl watch SCOPE…`.
struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show the states of scopes, and their changes, as they change.",
    discussion: """
      On a terminal as a tree that highlights the latest changes; q ends it. Without colours if \
      NO_COLOR is set.

      As lines if the output is no terminal, or one that cannot show a screen, and with each of \
      the options below. The lines are JSON if the output is no terminal. Each line belongs to one \
      scope and one revision. If the output cannot keep up, revisions are skipped, but never \
      reordered.

      With --deltas every revision is printed: the state first, then the changes of each revision. \
      If more than 64 MiB wait to be printed, or the daemon no longer has the missed changes, a \
      line with the whole state replaces them.

      With --outputs the outputs of the scopes are printed as well, each after its state. Outputs \
      that are sent while there is no connection are never printed.

      Continues through a restart of the daemon. SIGTERM or SIGINT ends it after a whole line.

      Examples:
        storectl watch todos counter
        storectl watch todos --deltas | tee changes
        storectl watch counter --count 1 | jq .state
      """,
  )

  @OptionGroup var options: ConnectionOptions

  @Argument(
    help: "Scopes, such as counter or todos/items/<id>.",
    completion: Completions.scopes,
  )
  var scopes: [String]

  @Flag(help: "Print the changes of each revision instead of the newest state.")
  var deltas = false

  @Flag(help: "Print the outputs of the scopes as well.")
  var outputs = false

  @Flag(help: "Print the digest of the scope's state on each line.")
  var digest = false

  @Option(help: ArgumentHelp("End after this number of lines.", valueName: "lines"))
  var count: Int?

  func validate() throws {
    if let count, count < 1 {
      throw ValidationError("--count needs at least 1 line, not \(count).")
    }
  }

  /// Whether an option requests lines.
  private var wantsLines: Bool {
    options.json || deltas || outputs || digest || count != nil
  }

  func run() throws {
    var names: [String] = []
    for name in scopes where !names.contains(name) { names.append(name) }
    let format = WatchSession.Format(
      isJSON: options.json || !isOutputTerminal,
      deltas: deltas,
      outputs: outputs,
      digest: digest,
      count: count,
    )
    let wantsLines = wantsLines
    let connecting = Connecting(
      options: options,
      name: "storectl watch",
      isListed: true,
      isEndless: wantsLines || !CursesTerminal.isOfProgram,
    )
    try connecting.run { daemon in
      let watched = try names.map { (name: $0, description: try daemon.description(of: $0)) }
      if !wantsLines, let terminal = CursesTerminal.ofProgram() {
        try await ScreenProgram.watching(watched, of: daemon, on: terminal).run()
      } else {
        try await WatchSession(daemon, format).run(watched)
      }
    }
  }
}
