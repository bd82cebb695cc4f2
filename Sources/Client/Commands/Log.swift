import ArgumentParser
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
    let (scope, client, follow, start) = (scope, client, follow, after)
    let isJSON = options.json || !isOutputTerminal
    let most = count
    try history.run(options, name: "storectl log") { past in
      var (next, left) = (start, most ?? .max)
      let stop = StopFlag()
      let signals = StopSignals { _ in stop.isSet = true }
      defer { signals.cancel() }
      while left > 0, !stop.isSet {
        let query = HistoryQuery.log(
          after: next,
          count: UInt64(min(left, 2048)),
          scope: scope,
          client: client,
        )
        guard case .log(let entries, let reached, let end) = try await past.answer(query) else {
          throw Past.otherAnswer
        }
        for entry in entries {
          let line = LogLine(entry, action: past.action)
          try StandardOutput.line(isJSON ? line.tree.text() : line.text)
        }
        left -= entries.count
        if reached > next {
          next = reached
          // A connection that asks for more in a second than is given is closed.
          if next < end, let daemon = past.daemon {
            try await daemon.connection.pause(for: Self.breath)
          }
        } else if follow, let daemon = past.daemon {
          try await daemon.connection.pause(for: Self.pause)
        } else {
          break
        }
        if next >= end, !follow { break }
      }
    }
  }
}

/// Whether the command is to end.
@MainActor
private final class StopFlag {
  var isSet = false
}
