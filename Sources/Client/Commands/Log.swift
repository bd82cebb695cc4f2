import ArgumentParser
import GenericState
import StoreClient
import StoreProtocol
import StoreState

/// Lists the log's entries: `storectl log`.
struct Log: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "List the revisions: their times, their senders, their actions and their changes.",
    discussion: """
      A line for each revision, oldest first: its number, the time, the sender, the action, the \
      changed scopes and the duration of the reducer. As a table on a terminal, else as JSON. The \
      sender "print of r12" is the effect print that revision 12 began.

      If the daemon begins another epoch, because its history was rolled back or replaced, \
      --follow lists the common revisions once. If the histories have no common revision, or the \
      last one is more than 2,048 lines back, it lists all revisions of the other history after \
      --after. Without --follow the command then exits with 75.

      Examples:
        storectl log --tail 10 --follow
        storectl log --scope todos --count 10
        storectl log --by print --action ended --tail 5
      """,
  )

  @OptionGroup var options: ConnectionOptions
  @OptionGroup var history: HistoryOptions

  @Option(
    help: ArgumentHelp("Only revisions that changed a scope.", valueName: "scope"),
    completion: Completions.scopes,
  )
  var scope: String?

  @Option(
    help: ArgumentHelp(
      "Only actions of a client, by its id. A log that is read with --data shows the ids.",
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

  @Option(
    help: ArgumentHelp(
      "Only actions whose names contain a text, such as addButtonTapped.",
      valueName: "text",
    )
  )
  var action: String?

  @Option(
    help: ArgumentHelp(
      "Only revisions of an origin: client, internal, joined, left, restart, start or daemon; an "
        + "effect's name, a key's name, or a user's id.",
      valueName: "origin",
    )
  )
  var by: String?

  @Option(
    help: ArgumentHelp(
      "Only revisions that changed a scope, or a row of it, as the log lists it.",
      valueName: "scope",
    ),
    completion: Completions.scopes,
  )
  var changed: String?

  @Flag(help: "The revisions that --action, --by and --changed together do not select.")
  var not = false

  @Option(help: ArgumentHelp("Only revisions after this one.", valueName: "revision"))
  var after: UInt64 = 0

  @Option(help: ArgumentHelp("End after this number of revisions.", valueName: "count"))
  var count: Int?

  @Option(
    name: [.customShort("n"), .long],
    help: ArgumentHelp("Begin with this number of the newest revisions.", valueName: "count"),
  )
  var tail: Int?

  @Flag(help: "Continue with new revisions, until SIGTERM or SIGINT.")
  var follow = false

  func validate() throws {
    if follow, history.data != nil {
      throw ValidationError("--follow needs a daemon: omit --data.")
    }
    if not, !selection.isActive {
      throw ValidationError("--not needs a condition: --action, --by or --changed.")
    }
    if let count, count < 1 { throw ValidationError("--count needs at least 1, not \(count).") }
    if let tail, tail < 0 { throw ValidationError("--tail needs at least 0, not \(tail).") }
    if tail != nil, count != nil {
      throw ValidationError("--tail and --count exclude each other: give one of them.")
    }
  }

  private var selection: LogFilter {
    LogFilter(action: action, origin: by, changed: changed, isNegated: not)
  }

  func run() throws {
    let filter = LogSession.Filter(scope: scope, client: client, entries: selection)
    let isJSON = options.json || !isOutputTerminal
    let pages = LogPages(
      after: after,
      count: count,
      isFollowed: follow,
      isFiltered: selection.isActive,
    )
    let tail = tail
    try history.run(options, name: "storectl log", isEndless: follow) { past in
      try await LogSession(past, filter, pages, tail: tail, isJSON: isJSON).run()
      try past.tellWhereRecordsEnd()
    }
  }
}
