import ArgumentParser
import TerminalCurses

/// Shows states as they change: `storectl watch SCOPE…`.
struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show the state of scopes, and what changes in it, as it changes.",
    discussion: """
      On a terminal as a tree, in which what changed last is highlighted; q ends it. Without \
      colours where NO_COLOR is set.

      Where the output is no terminal, or one that cannot show a screen, and with each of the \
      options below, as lines: of JSON where no terminal is. Each line belongs to one scope and \
      one revision. When the output cannot keep up, revisions are skipped, but never reordered.

      With --deltas every revision is printed: the state first, then what each revision changed. \
      When more than 64 MiB wait to be printed, or the daemon no longer has what was missed, a \
      line with the whole state takes the place of the changes.

      With --outputs, what the scopes put out is printed as well, each after the state that it \
      belongs to. What is put out while there is no connection is never printed.

      Goes on through a restart of the daemon. SIGTERM or SIGINT ends it after a whole line.

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

  @Flag(help: "Print what each revision changed instead of the newest state.")
  var deltas = false

  @Flag(help: "Print what the scopes put out as well.")
  var outputs = false

  @Flag(help: "Print the digest of the scope's state on each line.")
  var digest = false

  @Option(help: ArgumentHelp("End after so many lines.", valueName: "lines"))
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
