import ArgumentParser
import TraceExport
import Tracing

/// Sends actions: `storectl send SCOPE ACTION…` or `storectl send SCOPE -`.
struct Send: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Send actions to a scope, in order, and print what became of each.",
    discussion: """
      An action is JSON: a case without payload is a string, "incrementButtonTapped"; with payload \
      an object, {"addButtonTapped":{"title":"Milk"}}. All are checked before the first is sent, \
      and when one does not fit nothing is sent.

      With - actions are read from standard input, one on each line; empty lines are left out. A \
      line that does not fit is rejected in its place, and the others go on; what was not applied \
      is told with the number of its line. It also goes on through a restart of the daemon, and \
      ends when the input has ended and every outcome has arrived.

      Exits with 0 when all were applied, 65 when one was rejected as bad, 75 when one expired or \
      was refused for load, 77 when one may not be sent by this user or key. SIGTERM or SIGINT \
      ends it at once, by that signal; with - it says how far it came.

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
      "How long connecting and the actions together may take; what has not run then, must not.",
      discussion: """
        Without it 1.5 for connecting, or 10 to another machine, and 30 for the actions. With - \
        it is for connecting, and then for each action from when it was read; without it an \
        action has no limit there. Effects that --finish waits for have none. Over ssh it counts \
        from when ssh is connected.
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
        As stored --trace does, of whose spans it is the beginning; they may share a file.
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
