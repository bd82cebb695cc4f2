import ArgumentParser
import GenericState
import StoreClient
import StoreReplication
import StoreState

/// Lists what happened: `storectl log`.
struct Log: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List what happened: who did what when, and what it changed.",
    discussion: """
      A line for each revision, oldest first: its number, when it was reduced, who caused it, how, \
      which scopes it changed and how long the reducer took. As a table on a terminal, else as JSON.

      Examples:
        storectl log --follow
        storectl log --scope todos --count 10
      """,
  )

  @OptionGroup var options: ConnectionOptions
  @OptionGroup var history: HistoryOptions

  @Option(
    help: ArgumentHelp("Only what changed a scope.", valueName: "scope"),
    completion: Completions.scopes,
  )
  var scope: String?

  @Option(
    help: ArgumentHelp("Only what a client sent, by its id.", valueName: "id"),
    transform: { text in
      guard let id = Identifier(hexadecimal: text) else {
        throw ValidationError("\"\(text)\" is no client's id: it has 32 hexadecimal digits.")
      }
      return id
    },
  )
  var client: Identifier?

  @Option(help: ArgumentHelp("Only what came behind a revision.", valueName: "revision"))
  var after: UInt64 = 0

  @Option(help: ArgumentHelp("End after so many revisions.", valueName: "count"))
  var count: Int?

  @Flag(help: "Go on with what happens from now on, until SIGTERM or SIGINT.")
  var follow = false

  func validate() throws {
    if follow, history.data != nil {
      throw ValidationError("--follow needs a daemon: leave --data away.")
    }
    if let count, count < 1 { throw ValidationError("--count needs at least 1, not \(count).") }
  }

  /// How long is waited before a daemon is asked for more.
  private static let pause: Duration = .milliseconds(200)
  /// The same between two parts of what there is already.
  private static let breath: Duration = .milliseconds(20)

  func run() throws {
    let (scope, client) = (scope, client)
    let isJSON = options.json || !isOutputTerminal
    let start = LogPages(after: after, count: count, isFollowed: follow)
    try history.run(options, name: "storectl log") { past in
      var pages = start
      let stop = StopFlag()
      let signals = StopSignals { _ in stop.isSet = true }
      defer { signals.cancel() }
      while !stop.isSet {
        let query = HistoryQuery.log(
          after: pages.next,
          count: pages.count,
          scope: scope,
          client: client,
        )
        guard case .log(let entries, let reached, let newest) = try await past.answer(query) else {
          throw Past.otherAnswer
        }
        let step = try pages.take(entries, through: reached, newest: newest)
        for entry in entries {
          let line = LogLine(entry, action: past.action)
          try StandardOutput.line(isJSON ? line.tree.text() : line.text)
        }
        if step == .end { break }
        // A connection that asks for more in a second than is given is closed.
        if let daemon = past.daemon {
          try await daemon.connection.pause(for: step == .ask ? Self.breath : Self.pause)
        }
      }
    }
  }
}

/// Whether the command is to end.
@MainActor
private final class StopFlag {
  var isSet = false
}
