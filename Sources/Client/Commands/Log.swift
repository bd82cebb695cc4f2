import ArgumentParser
import GenericState
import StoreClient
import StoreProtocol
import StoreState

/// Lists the log's entries: `storectl log`.
struct Log: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "List what happened: who did what when, and what it changed.",
    discussion: """
      A line for each revision, oldest first: its number, when it was reduced, who caused it, how, \
      which scopes it changed and how long the reducer took. As a table on a terminal, else as JSON.

      With --follow, where the daemon begins another epoch, because its history was rolled back or \
      replaced: what both have in common is told once. Where that is nothing, or more than 2,048 \
      lines back, all of the other history is told that is behind --after. Without --follow the \
      list ends with 75 there.

      Examples:
        storectl log --tail 10 --follow
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
    help: ArgumentHelp(
      "Only what a client sent, by its id, which a log shows that is read with --data.",
      valueName: "id",
    ),
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

  @Option(
    name: [.customShort("n"), .long],
    help: ArgumentHelp("Begin with the newest so many revisions of these.", valueName: "count"),
  )
  var tail: Int?

  @Flag(help: "Go on with what happens from now on, until SIGTERM or SIGINT.")
  var follow = false

  func validate() throws {
    if follow, history.data != nil {
      throw ValidationError("--follow needs a daemon: leave --data away.")
    }
    if let count, count < 1 { throw ValidationError("--count needs at least 1, not \(count).") }
    if let tail, tail < 0 { throw ValidationError("--tail needs at least 0, not \(tail).") }
    if tail != nil, count != nil {
      throw ValidationError("--tail and --count exclude each other: give one of them.")
    }
  }

  func run() throws {
    let filter = LogSession.Filter(scope: scope, client: client)
    let isJSON = options.json || !isOutputTerminal
    let pages = LogPages(after: after, count: count, isFollowed: follow)
    let tail = tail
    try history.run(options, name: "storectl log", isEndless: follow) { past in
      try await LogSession(past, filter, pages, tail: tail, isJSON: isJSON).run()
      try past.tellWhereRecordsEnd()
    }
  }
}
