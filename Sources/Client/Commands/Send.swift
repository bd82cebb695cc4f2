import ArgumentParser
import TraceExport
import Tracing

/// Sends actions: `storectl send SCOPE ACTION…` or `storectl send SCOPE -`.
struct Send: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Send actions to a scope, in order, and print the outcome of each.",
    discussion: """
      An action is JSON: a case without payload is a string, "incrementButtonTapped"; with payload \
      an object, {"addButtonTapped":{"title":"Milk"}}. All actions are checked before the first is \
      sent; if one does not fit the schema, no action is sent.

      With - actions are read from standard input, one on each line; empty lines are skipped. An \
      action that does not fit is rejected in its place, and the others are sent. Each action that \
      was not applied is reported with the number of its line. The command continues through a \
      restart of the daemon, and ends when the input has ended and every outcome has arrived.

      With --json each outcome is an object with "outcome", which is "applied", "refused", \
      "rejected" or another code. An applied action has "revision", and "reply" if a reducer has \
      replied, or "replyFailure" if the daemon does not have the reply. Other outcomes have \
      "message", and may have "code", "value" and "line".

      Exits with 0 if all were applied, 65 if one was rejected, refused by a reducer, or crashed \
      the daemon before, 75 if one expired or was refused for load, 77 if this user or key may not \
      send one. SIGTERM or SIGINT ends it at once, by that signal; with - it prints its progress.

      Examples:
        storectl send counter incrementButtonTapped
        storectl send todos '{"addButtonTapped":{"title":"Milk"}}'
        storectl send todos - < actions
      """,
  )

  @OptionGroup var options: ConnectionOptions

  @Argument(
    help: "The scope, such as counter or todos/items/<id>.",
    completion: Completions.scopes,
  )
  var scope: String

  @Argument(
    help: "Actions as JSON, or - for standard input.",
    completion: Completions.actions,
  )
  var actions: [String]

  @Option(
    help: ArgumentHelp(
      "The time limit for connecting and all actions; actions that have not run by then expire.",
      discussion: """
        The default is 1.5 for connecting, or 10 to another machine, and 30 for the actions. With \
        - it limits connecting, and then each action from the time at which it was read; the \
        default there is no limit for actions. Effects that --finish waits for have no limit. Over \
        ssh the time begins when ssh is connected.
        """,
      valueName: "seconds",
    )
  )
  var timeout: Double?

  @Flag(
    help: ArgumentHelp(
      "Wait until the actions' effects have ended as well.",
      discussion: "Otherwise they end with this command: effects belong to the client's session.",
    )
  )
  var finish = false

  @Option(
    help: ArgumentHelp(
      "The file to which to add a line for each action, as a span.",
      discussion: """
        The spans are the parents of those of stored --trace; both may use the same file.
        """,
      valueName: "file",
    ),
    completion: .file(),
    transform: PathArgument.parse,
  )
  var trace: String?

  func validate() throws {
    if let timeout, !(timeout > 0 && timeout <= 1e9) {
      throw ValidationError("--timeout needs seconds above 0 and up to 1000000000, not \(timeout).")
    }
    guard actions == ["-"] || !actions.contains("-") else {
      throw ValidationError("Give either actions or - for standard input.")
    }
  }

  func run() throws {
    let (scope, actions, isJSON, waits) = (scope, actions, options.json, finish)
    let limit = timeout.map { Duration.seconds($0) }
    let traces = try traceFile()
    if let traces { InstrumentationSystem.bootstrap(traces) }
    defer { traces?.forceFlush() }
    let connecting = Connecting(options: options, name: "storectl send", timeout: limit)
    try connecting.run { daemon in
      let session = try SendSession(daemon, scope, isJSON: isJSON, waitsForEffects: waits)
      session.traces = traces
      if actions == ["-"] {
        try await session.run(LineReader(), timeout: limit)
      } else {
        try await session.run(actions, timeout: daemon.timeLeft ?? .seconds(30))
      }
    }
  }

  private func traceFile() throws -> TraceFile? {
    guard let trace else { return nil }
    do throws(TraceFile.Problem) {
      return try TraceFile(trace, service: "storectl") { Note.print("\($0)") }
    } catch {
      throw Note.failure(
        CommandError(
          error.isUnsafe ? .notAllowed : .inputOutput,
          "\(error) Choose another file with --trace.",
        )
      )
    }
  }
}
